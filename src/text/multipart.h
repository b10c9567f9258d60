/* multipart.h - multipart/form-data (RFC 7578) as browsers send it: the fields of a form with a
 * file.
 *
 * Strict where browsers agree: nothing before the first boundary, every part a form-data with a
 * name, no part inside another. Parts point into the body; a file's bytes are whatever was sent. */
#ifndef TEXT_MULTIPART_H
#define TEXT_MULTIPART_H

#include "base/err.h"
#include "base/str.h"

struct arena;

#define MULTIPART_PARTS_MAX 16

struct multipart {
    size_t count;
    struct multipart_part {
        struct str name;
        struct str file; /* the name it had there; absent: the part is no file */
        struct str bytes;
    } parts[MULTIPART_PARTS_MAX];
};

/* The boundary that a Content-Type header names; absent if it is another type, or names none that
 * is one. */
struct str multipart_boundary(struct str content_type);

/* ERR_INVALID, with why. */
enum err multipart_read(struct arena *mem, struct str boundary, struct str body,
                        struct multipart *out, struct why *why);

/* The bytes of the one part of that name; absent if there is none, or more than one. */
struct str multipart_find(const struct multipart *multipart, const char *name);

#endif
