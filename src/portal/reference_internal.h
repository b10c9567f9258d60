/* reference_internal.h - helpers shared by reference.c, reference_call.c, and reference_kind.c.
 *
 * Does not include reference.h, so that the include graph has no cycle. Results are in the same
 * arena; one thread makes a reference. */
#ifndef PORTAL_REFERENCE_INTERNAL_H
#define PORTAL_REFERENCE_INTERNAL_H

#include "text/json_read.h"

struct reading {
    struct arena *mem;
    const struct json_value *document;
};

/* Resolves a $ref; returns any other value unchanged, and NULL for NULL. */
const struct json_value *reference_follow(const struct reading *reading,
                                          const struct json_value *value);

/* The text of a member; empty if there is none. */
struct str reference_text(const struct json_value *object, const char *key);

/* Describes the type and bounds of a schema in words. */
struct str reference_kind(const struct reading *reading, const struct json_value *schema);

/* The first media type of a request or response body (NULL: none). */
const struct json_value *reference_media(const struct json_value *holder);

struct calling {
    const struct reading *reading;
    const struct json_value *path_item; /* the path's object */
    const struct json_value *operation;
    const struct json_value *example; /* of the body; NULL: none */
};

/* An example request, and whether it is a URL for a browser. */
struct str reference_call_text(const struct calling *calling);
bool reference_call_is_url(const struct calling *calling);

#endif
