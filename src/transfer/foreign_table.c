/* foreign_table.c - tables with one row per viewing or book: Netflix and Goodreads.
 *
 * The titles of the columns decide which it is. Netflix has two layouts: the short one of the
 * account page has titles and dates only; the long one of a data request also has profiles,
 * durations, and trailers, which are filtered out. Columns that a layout lacks are CSV_FIELDS_MAX,
 * and their fields are empty. */
#include "base/ascii.h"
#include "transfer/foreign_internal.h"

#include "base/arena.h"
#include "base/buf.h"
#include "transfer/foreign_file.h"
#include "transfer/csv.h"

#define MEDIA "media_profile"

#define WATCHED_SECONDS 300 /* a viewing counts from here on, if its length is known */
#define EPISODES 5          /* of one series */
#define VIEWINGS 2          /* of one film */
#define BOOK_STARS 4
#define AUTHOR_BOOKS 2 /* of one author, with that many stars */
#define PROFILES_MAX 16
#define NAMES_MAX 1000

/* The position of the first occurrence; text.len: none. */
static size_t
find_text(struct str text, struct str wanted)
{
    size_t at = 0;
    while (at + wanted.len <= text.len && !str_starts(str_from(text, at), wanted))
        at++;
    return at + wanted.len <= text.len ? at : text.len;
}

/* ---- Netflix ---- */

/* Columns of Netflix's file, which differ between its versions. CSV_FIELDS_MAX: the file has
 * none. */
struct viewings {
    size_t title, profile, duration, extra; /* columns */
};

/* "1:02:03" or "00:23:45"; -1: something else. Each colon multiplies what came before by 60, so two
 * parts are minutes and seconds. */
static int64_t
seconds_of(struct str duration)
{
    int64_t total = 0, part = 0;
    if (duration.len == 0 || duration.len > 9)
        return -1;
    for (size_t i = 0; i < duration.len; i++) {
        char c = duration.ptr[i];
        if (c == ':') {
            total = (total + part) * 60;
            part = 0;
        } else if (ascii_is_digit(c)) {
            part = part * 10 + (c - '0');
        } else {
            return -1;
        }
    }
    return total + part;
}

/* "Dark: Season 1: Secrets" is an episode of Dark. Absent: a film. Titles have no separate column
 * for the series; Netflix writes the word for a season in the language of the account. */
static struct str
series_of(struct str title)
{
    static const char *const marks[] = {
        ": Season ",    ": Series ",   ": Limited Series", ": Part ",      ": Volume ",
        ": Collection", ": Book ",     ": Chapter ",       ": Staffel ",   ": Saison ",
        ": Temporada ", ": Stagione ", ": Miniserie",      ": Seizoen ",   ": Sezon ",
        ": Teil ",      ": Partie ",   ": Parte ",         ": Säsong ",    ": Sæson ",
        ": Sesong ",    ": シーズン",  ": 시즌",           ": Mini-Serie", NULL,
    };
    size_t end = title.len;
    for (size_t i = 0; marks[i] != NULL; i++) {
        size_t at = find_text(title, str_of(marks[i]));
        end = at < end ? at : end;
    }
    return end < title.len ? str_first(title, end) : STR_NONE;
}

/* The names of the profiles in the file, in their order. */
static size_t
list_profiles(struct foreign_import *import, struct str rest, size_t column, struct str *out)
{
    struct csv_row row;
    size_t count = 0;
    while (column < CSV_FIELDS_MAX && csv_next(import->row, &rest, &row)) {
        struct str name = csv_field(&row, column);
        bool seen = name.len == 0;
        for (size_t i = 0; i < count && !seen; i++)
            seen = str_eq(out[i], name);
        if (!seen && count < PROFILES_MAX)
            out[count++] = str_copy(import->work, name);
        arena_reset(import->row);
    }
    return count;
}

static bool
is_chosen(struct str profile, struct str wanted)
{
    return wanted.len == 0 || str_eq_nocase(profile, wanted);
}

/* Chooses the profile whose rows are read: the only one, or the one that was named. False: the file
 * has several profiles, and none of them was named; detail lists them for the user. */
static bool
choose_profile(struct foreign_import *import, struct str rest, size_t column)
{
    struct str names[PROFILES_MAX], wanted = str_trim(import->params->profile);
    size_t count = list_profiles(import, rest, column, names);
    bool chosen = count <= 1;
    struct buf list = buf_in(import->work, NAMES_MAX);
    for (size_t i = 0; i < count; i++) {
        chosen = chosen || (wanted.len > 0 && is_chosen(names[i], wanted));
        buf_add_c(&list, i == 0 ? "" : ", ");
        buf_add(&list, str_first(names[i], 60));
    }
    if (!chosen)
        import->out->detail = buf_str(&list);
    return chosen;
}

/* Rows with a supplement, such as a trailer, do not count, and neither do those that were watched
 * only briefly. A file without durations counts every row. */
static enum foreign_problem
read_viewings(struct foreign_import *import, struct str rest, const struct viewings *columns)
{
    struct ranking *series = ranking_new(import->work), *films = ranking_new(import->work);
    struct csv_row row;
    import->out->kind = FOREIGN_NETFLIX;
    if (!choose_profile(import, rest, columns->profile))
        return FOREIGN_PROFILES;
    bool several = import->params->profile.len > 0 && columns->profile < CSV_FIELDS_MAX;
    while (csv_next(import->row, &rest, &row)) {
        struct str title = csv_field(&row, columns->title);
        int64_t seconds = seconds_of(csv_field(&row, columns->duration));
        bool known_length = columns->duration < CSV_FIELDS_MAX;
        bool watched = !known_length || seconds >= WATCHED_SECONDS;
        bool mine = !several ||
                    is_chosen(csv_field(&row, columns->profile), str_trim(import->params->profile));
        import->out->rows++;
        if (mine && watched && csv_field(&row, columns->extra).len == 0) {
            struct str show = series_of(title);
            ranking_add(str_present(show) ? series : films, str_present(show) ? show : title, 1);
        }
        arena_reset(import->row);
    }
    foreign_add_top(import, MEDIA, "favorite_shows", series, EPISODES, 1);
    foreign_add_top(import, MEDIA, "favorite_movies", films, VIEWINGS, 1);
    return FOREIGN_FINE;
}

/* ---- Goodreads ---- */

/* "Dune (Dune, #1)" is Dune. Only if there is a number sign, as in the name of a series: "It
 * (Penguin)" stays. */
static struct str
without_series(struct str title)
{
    size_t open = title.len;
    if (!str_ends(title, STR(")")) || find_text(title, STR("#")) == title.len)
        return title;
    while (open > 0 && title.ptr[open - 1] != '(')
        open--;
    struct str plain = str_trim(str_first(title, open > 0 ? open - 1 : 0));
    return plain.len > 0 ? plain : title;
}

/* Only books with at least BOOK_STARS stars; an author needs AUTHOR_BOOKS of them. */
static enum foreign_problem
read_books(struct foreign_import *import, struct str rest, const struct csv_row *titles)
{
    struct ranking *books = ranking_new(import->work), *authors = ranking_new(import->work);
    size_t title = csv_column(titles, "Title"), author = csv_column(titles, "Author"),
           rating = csv_column(titles, "My Rating");
    struct csv_row row;
    int64_t stars;
    import->out->kind = FOREIGN_GOODREADS;
    while (csv_next(import->row, &rest, &row)) {
        import->out->rows++;
        if (str_to_int(csv_field(&row, rating), BOOK_STARS, 5, &stars)) {
            ranking_add(books, without_series(csv_field(&row, title)), stars);
            ranking_add(authors, csv_field(&row, author), 1);
        }
        arena_reset(import->row);
    }
    foreign_add_top(import, MEDIA, "favorite_books", books, BOOK_STARS, 1);
    foreign_add_top(import, MEDIA, "favorite_authors", authors, AUTHOR_BOOKS, 1);
    return FOREIGN_FINE;
}

/* ---- recognition ---- */

/* Needs a title column and what only one of the files has. Two columns "Title" and "Date" are the
 * short layout of Netflix. */
enum foreign_problem
foreign_table(struct foreign_import *import, struct str text, bool *known)
{
    struct str rest = text;
    struct csv_row row;
    if (!csv_next(import->work, &rest, &row))
        return FOREIGN_FINE;
    struct viewings columns = {
        .title = csv_column(&row, "Title"),
        .profile = csv_column(&row, "Profile Name"),
        .duration = csv_column(&row, "Duration"),
        .extra = csv_column(&row, "Supplemental Video Type"),
    };
    bool has_title = columns.title < CSV_FIELDS_MAX;
    bool dated = csv_column(&row, "Date") < CSV_FIELDS_MAX && row.count == 2;
    bool logged = csv_column(&row, "Start Time") < CSV_FIELDS_MAX;
    bool rated = csv_column(&row, "My Rating") < CSV_FIELDS_MAX &&
                 csv_column(&row, "Author") < CSV_FIELDS_MAX;
    *known = has_title && (dated || logged || rated);
    if (!*known)
        return FOREIGN_FINE;
    return rated ? read_books(import, rest, &row) : read_viewings(import, rest, &columns);
}
