/* foreign_kind.h - the files that foreign_file.h knows, what can be wrong with one, and limits.
 * Constants: any thread may read them. */
#ifndef TRANSFER_FOREIGN_KIND_H
#define TRANSFER_FOREIGN_KIND_H

#include <stddef.h>

/* Most bytes of a file. Spotify splits its extended history into files of about 12 MiB. */
#define FOREIGN_MAX ((size_t)14 * 1024 * 1024)

/* Most facts that one file or text becomes, so that a user can decide on each. */
#define FOREIGN_FACTS_MAX 100

/* Most lines of pasted text. */
#define FOREIGN_LINES_MAX 100

enum foreign_kind {
    FOREIGN_EXPORT, /* of this service: `document` is the text itself */
    FOREIGN_MEMORIES,
    FOREIGN_SPOTIFY_LIBRARY,
    FOREIGN_SPOTIFY_PLAYLISTS,
    FOREIGN_SPOTIFY_HISTORY,
    FOREIGN_NETFLIX,
    FOREIGN_GOODREADS,
};

enum foreign_problem {
    FOREIGN_FINE,
    FOREIGN_ARCHIVE,  /* a zip or gzip file */
    FOREIGN_NOT_TEXT, /* not UTF-8 */
    FOREIGN_UNKNOWN,  /* not a file of this list */
    FOREIGN_EMPTY,    /* recognized, and without a row */
    FOREIGN_NOTHING,  /* recognized, and no row becomes a fact */
    FOREIGN_BROKEN,   /* recognized, but it ends early */
    FOREIGN_LINES,    /* more than FOREIGN_LINES_MAX lines */
    FOREIGN_PROFILES, /* several users: `detail` lists their names */
};

#endif
