/* embedded.h - the files that are compiled into the program: schema/, pages/, domains/,
 * api/, and the words and the script of the demo.
 *
 * Made by tools/embed. Names are paths from the project's root ("schema/0001_users.sql"); the table
 * is sorted by name and ends with an entry whose name is NULL. Read-only for the whole run. */
#ifndef BASE_EMBEDDED_H
#define BASE_EMBEDDED_H

#include "base/str.h"

struct embedded {
    const char *name;
    const char *bytes;
    const char *end;
};

extern const struct embedded embedded_files[];

/* The bytes of one file; absent (ptr NULL) if there is none of that name. */
struct str embedded_find(const char *name);

#endif
