/* bring_kind.h - the files that bring.h knows, what can be wrong with one, and limits. Constants:
 * any thread may read them. */
#ifndef TRANSFER_BRING_KIND_H
#define TRANSFER_BRING_KIND_H

#include <stddef.h>

/* Most bytes of a file. Spotify splits its extended history into files of about 12 MiB. */
#define BRING_MAX ((size_t)14 * 1024 * 1024)

/* Most facts that one file or text becomes, so that a user can decide on each. */
#define BRING_FACTS_MAX 100

/* Most lines of pasted text. */
#define BRING_LINES_MAX 100

enum bring_kind {
    BRING_EXPORT, /* of this service: `document` is the text itself */
    BRING_MEMORIES,
    BRING_SPOTIFY_LIBRARY,
    BRING_SPOTIFY_PLAYLISTS,
    BRING_SPOTIFY_HISTORY,
    BRING_NETFLIX,
    BRING_GOODREADS,
};

enum bring_problem {
    BRING_FINE,
    BRING_ARCHIVE,  /* a zip or gzip file */
    BRING_NOT_TEXT, /* not UTF-8 */
    BRING_UNKNOWN,  /* not a file of this list */
    BRING_EMPTY,    /* recognized, and without a row */
    BRING_NOTHING,  /* recognized, and no row becomes a fact */
    BRING_BROKEN,   /* recognized, but it ends early */
    BRING_LINES,    /* more than BRING_LINES_MAX lines */
    BRING_PROFILES, /* several users: `detail` lists their names */
};

#endif
