/* json_read.h - JSON in, checked before anyone looks at it.
 *
 * json_read() takes one whole document: valid UTF-8, no duplicate keys, no deeper than `depth_max`,
 * at most half a million values, or one in 16 bytes of a large document, nothing behind it. What
 * comes back is a tree in the arena; a value's strings may hold any character JSON can carry,
 * U+0000 included. On failure `why` says what is wrong and where. */
#ifndef TEXT_JSON_READ_H
#define TEXT_JSON_READ_H

#include "base/err.h"
#include "base/str.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_INT, JSON_REAL, JSON_STR, JSON_ARRAY, JSON_OBJECT };

struct json_value {
    enum json_type type;
    struct str key;              /* of a member of an object; else absent */
    struct str text;             /* JSON_STR */
    int64_t integer;             /* JSON_INT, and JSON_BOOL as 0 or 1 */
    double real;                 /* JSON_REAL */
    size_t count;                /* JSON_ARRAY, JSON_OBJECT */
    struct json_value *children; /* JSON_ARRAY, JSON_OBJECT: in the order of the document */
};

enum err json_read(struct arena *mem, struct str document, size_t depth_max,
                   const struct json_value **out, struct why *why);

/* A member of an object, or NULL. */
const struct json_value *json_member(const struct json_value *object, const char *key);

#endif
