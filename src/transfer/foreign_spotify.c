/* foreign_spotify.c - Spotify's account data: library, playlists, and both kinds of history.
 *
 * A play counts from 30 seconds on, as on Spotify. Only what was played most becomes a preference.
 * Files are walked item by item (json_items.h) and never parsed as a whole; a row that cannot be
 * read is skipped, but a list that ends early is FOREIGN_BROKEN, because the numbers would be
 * wrong. */
#include "transfer/foreign_internal.h"

#include "base/arena.h"
#include "transfer/foreign_file.h"
#include "transfer/json_items.h"
#include "text/json_read.h"

#define MUSIC "music_preferences"
#define MEDIA "media_profile"

#define DEPTH_MAX 6
#define ITEM_MAX ((size_t)64 * 1024) /* bytes of one row */
#define PLAYED_MS 30000
#define ARTIST_MS ((int64_t)30 * 60 * 1000)
#define SONG_PLAYS 10
#define SHOW_MS ((int64_t)60 * 60 * 1000)
#define SAVED_TRACKS 5   /* of one artist */
#define LISTED_TRACKS 3  /* of one artist, in playlists */
#define FOLLOWED 1000000 /* weight of an artist that the user follows */

/* Names and weights of everything that was read; the heaviest become facts. */
struct spotify {
    struct foreign_import *import;
    struct ranking *artists, *songs, *albums, *shows, *banned_artists, *banned_songs;
};

/* Only positive numbers, small enough that their sum over all rows cannot overflow. */
static int64_t
number_of(const struct json_value *row, const char *key)
{
    const struct json_value *value = json_member(row, key);
    return value != NULL && value->type == JSON_INT && value->integer > 0 &&
                   value->integer < INT64_MAX / RANKING_NAMES_MAX / 1024
               ? value->integer
               : 0;
}

/* As members for songs and albums expect it; without an artist, the title alone. */
static struct str
made_by(struct arena *mem, struct str title, struct str artist)
{
    return title.len == 0 || artist.len == 0
               ? title
               : str_format(mem, "%.*s by %.*s", STR_ARG(title), STR_ARG(artist));
}

/* ---- rows ---- */

/* The short history (StreamingHistory) and the extended one name the same things differently. A row
 * has the names of one of them. */
static void
add_play(struct spotify *spotify, const struct json_value *row)
{
    static const struct {
        const char *ms, *artist, *track, *show;
    } forms[] = {
        { "msPlayed", "artistName", "trackName", "podcastName" },
        { "ms_played", "master_metadata_album_artist_name", "master_metadata_track_name",
          "episode_show_name" },
    };
    for (size_t i = 0; i < 2; i++) {
        int64_t ms = number_of(row, forms[i].ms);
        if (ms < PLAYED_MS)
            continue;
        struct str artist = json_text(row, forms[i].artist), track = json_text(row, forms[i].track);
        ranking_add(spotify->artists, artist, ms);
        ranking_add(spotify->songs, made_by(spotify->import->row, track, artist), 1);
        ranking_add(spotify->shows, json_text(row, forms[i].show), ms);
    }
}

static void
add_saved_track(struct spotify *spotify, const struct json_value *row)
{
    ranking_add(spotify->artists, json_text(row, "artist"), 1);
}

static void
add_saved_album(struct spotify *spotify, const struct json_value *row)
{
    ranking_add(spotify->albums,
                made_by(spotify->import->row, json_text(row, "album"), json_text(row, "artist")),
                1);
}

/* Followed artists rank before all others, however many songs are saved. */
static void
add_followed(struct spotify *spotify, const struct json_value *row)
{
    ranking_add(spotify->artists, json_text(row, "name"), FOLLOWED);
}

/* A followed podcast counts like one with an hour of listening time. */
static void
add_show(struct spotify *spotify, const struct json_value *row)
{
    ranking_add(spotify->shows, json_text(row, "name"), SHOW_MS);
}

static void
add_banned_artist(struct spotify *spotify, const struct json_value *row)
{
    ranking_add(spotify->banned_artists, json_text(row, "name"), 1);
}

static void
add_banned_track(struct spotify *spotify, const struct json_value *row)
{
    ranking_add(spotify->banned_songs,
                made_by(spotify->import->row, json_text(row, "track"), json_text(row, "artist")),
                1);
}

static void
add_listed_track(struct spotify *spotify, const struct json_value *row)
{
    const struct json_value *track = json_member(row, "track");
    if (track != NULL)
        ranking_add(spotify->artists, json_text(track, "artistName"), 1);
}

/* Calls `add` for each row that can be read. False: the list ends early. */
static bool
each_row(struct spotify *spotify, struct str list,
         void (*add)(struct spotify *, const struct json_value *))
{
    struct json_items items;
    struct str key, text;
    if (!json_items_open(&items, list))
        return true;
    while (json_items_next(&items, &key, &text)) {
        const struct json_value *row = NULL;
        spotify->import->out->rows++;
        if (text.len <= ITEM_MAX &&
            json_read(spotify->import->row, text, DEPTH_MAX, &row, NULL) == 0)
            add(spotify, row);
        arena_reset(spotify->import->row);
    }
    return !items.broken;
}

/* ---- files ---- */

/* Weights are milliseconds: an artist counts by listening time, a song by the number of plays. */
static enum foreign_problem
read_history(struct spotify *spotify, struct str text)
{
    struct foreign_import *import = spotify->import;
    import->out->kind = FOREIGN_SPOTIFY_HISTORY;
    if (!each_row(spotify, text, add_play))
        return FOREIGN_BROKEN;
    foreign_add_top(import, MUSIC, "favorite_artists", spotify->artists, ARTIST_MS, 1);
    foreign_add_top(import, MUSIC, "favorite_songs", spotify->songs, 1, SONG_PLAYS);
    foreign_add_top(import, MEDIA, "favorite_podcasts", spotify->shows, SHOW_MS, 1);
    return FOREIGN_FINE;
}

/* Other members than the items, such as the name, are skipped. */
static bool
read_playlist(struct spotify *spotify, struct str playlist)
{
    struct json_items items;
    struct str key, value;
    if (!json_items_open(&items, playlist) || !items.is_object)
        return true;
    while (json_items_next(&items, &key, &value))
        if (str_eq(key, STR("items")) && !each_row(spotify, value, add_listed_track))
            return false;
    return !items.broken;
}

/* Read one by one, because the whole file can be large. */
static bool
read_playlists(struct spotify *spotify, struct str list)
{
    struct json_items items;
    struct str key, value;
    if (!json_items_open(&items, list))
        return true;
    while (json_items_next(&items, &key, &value))
        if (!read_playlist(spotify, value))
            return false;
    return !items.broken;
}

/* Unknown parts are skipped: the format has changed before. */
static bool
read_part(struct spotify *spotify, struct str key, struct str value)
{
    static const struct {
        const char *key;
        void (*add)(struct spotify *, const struct json_value *);
    } parts[] = {
        { "tracks", add_saved_track },
        { "albums", add_saved_album },
        { "artists", add_followed },
        { "shows", add_show },
        { "bannedArtists", add_banned_artist },
        { "bannedTracks", add_banned_track },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (str_eq_c(key, parts[i].key))
            return each_row(spotify, value, parts[i].add);
    return true;
}

/* The library and the playlists are objects of lists. */
static enum foreign_problem
read_object(struct spotify *spotify, struct str text, bool playlists)
{
    struct foreign_import *import = spotify->import;
    struct json_items items;
    struct str key, value;
    bool whole = true;
    import->out->kind = playlists ? FOREIGN_SPOTIFY_PLAYLISTS : FOREIGN_SPOTIFY_LIBRARY;
    json_items_open(&items, text);
    while (whole && json_items_next(&items, &key, &value)) {
        if (!playlists)
            whole = read_part(spotify, key, value);
        else if (str_eq(key, STR("playlists")))
            whole = read_playlists(spotify, value);
    }
    if (!whole || items.broken)
        return FOREIGN_BROKEN;
    foreign_add_top(import, MUSIC, "favorite_artists", spotify->artists,
                    playlists ? LISTED_TRACKS : SAVED_TRACKS, 1);
    foreign_add_top(import, MUSIC, "favorite_albums", spotify->albums, 1, 1);
    foreign_add_top(import, MUSIC, "disliked_artists", spotify->banned_artists, 1, 1);
    foreign_add_top(import, MUSIC, "disliked_songs", spotify->banned_songs, 1, 1);
    foreign_add_top(import, MEDIA, "favorite_podcasts", spotify->shows, SHOW_MS, 1);
    return FOREIGN_FINE;
}

/* ---- recognition ---- */

/* Only at the first level; values are skipped without being parsed. */
static bool
has_key(struct str object, const char *wanted)
{
    struct json_items items;
    struct str key, value;
    if (!json_items_open(&items, object) || !items.is_object)
        return false;
    while (json_items_next(&items, &key, &value))
        if (str_eq_c(key, wanted))
            return true;
    return false;
}

/* By the members of its first row. */
static bool
is_history(struct str text)
{
    struct json_items items;
    struct str key, first;
    if (!json_items_open(&items, text) || items.is_object)
        return false;
    if (!json_items_next(&items, &key, &first))
        return !items.broken; /* [] is how an empty history looks */
    return has_key(first, "msPlayed") || has_key(first, "ms_played");
}

/* *known is decided by the keys of the document, since users rename files. */
enum foreign_problem
foreign_spotify(struct foreign_import *import, struct str text, bool *known)
{
    struct arena *mem = import->work;
    struct spotify spotify = { import,
                               .artists = ranking_new(mem),
                               .songs = ranking_new(mem),
                               .albums = ranking_new(mem),
                               .shows = ranking_new(mem),
                               .banned_artists = ranking_new(mem),
                               .banned_songs = ranking_new(mem) };
    bool history = is_history(text), playlists = !history && has_key(text, "playlists");
    *known = history || playlists ||
             (has_key(text, "tracks") && has_key(text, "albums") && has_key(text, "artists"));
    if (!*known)
        return FOREIGN_FINE;
    return history ? read_history(&spotify, text) : read_object(&spotify, text, playlists);
}
