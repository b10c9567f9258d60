/* json_read.h - parses and validates JSON.
 *
 * json_read() parses one complete document: valid UTF-8, no duplicate keys, nesting up to
 * `depth_max` (at most 500), at most half a million values (or one per 16 bytes of a larger
 * document), and nothing after it. The result is a tree in the arena. Strings without escapes point
 * into the document, which must outlive the tree; they are not followed by NUL. Strings may contain
 * any character that JSON can represent, including U+0000. On failure `why` has the problem and its
 * position. Safe from any thread. */
#ifndef TEXT_JSON_READ_H
#define TEXT_JSON_READ_H

#include "base/err.h"
#include "base/str.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_INT, JSON_REAL, JSON_STR, JSON_ARRAY, JSON_OBJECT };

/* 48 bytes: an import has some 400,000 values. */
struct json_value {
    enum json_type type;
    uint32_t count;  /* JSON_ARRAY, JSON_OBJECT; else 0 */
    struct str key;  /* for a member of an object; else absent */
    struct str text; /* JSON_STR; else absent */
    union {
        int64_t integer;             /* JSON_INT, and JSON_BOOL as 0 or 1 */
        double real;                 /* JSON_REAL */
        struct json_value *children; /* JSON_ARRAY, JSON_OBJECT: in document order */
    };
};

enum err json_read(struct arena *mem, struct str document, size_t depth_max,
                   const struct json_value **out, struct why *why);

/* A member of an object, or NULL. */
const struct json_value *json_member(const struct json_value *object, const char *key);

/* A member that is a string. Absent: there is none, or it is something else. */
struct str json_text(const struct json_value *object, const char *key);

#endif
