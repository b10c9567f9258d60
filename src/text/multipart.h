/* multipart.h - parses multipart/form-data (RFC 7578) as browsers send it.
 *
 * Strict where browsers agree: no preamble, every part is form-data with a name, no nested parts.
 * Parts point into the body. The bytes of a file are not checked. Any thread may call these
 * functions. */
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
        struct str file; /* file name; absent if the part is not a file */
        struct str bytes;
    } parts[MULTIPART_PARTS_MAX];
};

/* The boundary in a Content-Type header; absent if the type differs or the boundary is invalid. */
struct str multipart_boundary(struct str content_type);

/* ERR_INVALID, with why. */
enum err multipart_read(struct arena *mem, struct str boundary, struct str body,
                        struct multipart *out, struct why *why);

/* The bytes of the named part; absent if it is missing or occurs twice. */
struct str multipart_find(const struct multipart *multipart, const char *name);

#endif
