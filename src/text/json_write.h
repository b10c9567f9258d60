/* json_write.h - JSON out, well formed by construction.
 *
 * Writes compact JSON into a buf. Commas and escapes are its business; a text that is not valid
 * UTF-8 has each bad byte replaced by U+FFFD, so that the output always is. Past the buf's ceiling
 * nothing more is written (see buf.h). */
#ifndef TEXT_JSON_WRITE_H
#define TEXT_JSON_WRITE_H

#include "base/buf.h"

struct json {
    struct buf *out;
    bool need_comma;
};

struct json json_into(struct buf *out);

/* Values: inside an array, after json_key(), or alone as the whole document. */
void json_open_object(struct json *json);
void json_close_object(struct json *json);
void json_open_array(struct json *json);
void json_close_array(struct json *json);
void json_str(struct json *json, struct str value); /* an absent one is null */
void json_int(struct json *json, int64_t value);
void json_number(struct json *json, double value); /* the shortest text that reads as the same */
void json_bool(struct json *json, bool value);
void json_time(struct json *json, int64_t seconds); /* RFC 3339 in UTC; 0 is null */

/* Not a symbol of its own: jansson exports one of that name and would call ours. */
static inline void
json_null(struct json *json)
{
    json_str(json, STR_NONE);
}

/* A value that is JSON already, from a writer like this one: kept in a store, say. */
void json_raw(struct json *json, struct str value);

void json_key(struct json *json, const char *key);
void json_key_str(struct json *json, struct str key);

/* Key and value at once, inside an object. */
void json_put_str(struct json *json, const char *key, struct str value);
void json_put_int(struct json *json, const char *key, int64_t value);
void json_put_bool(struct json *json, const char *key, bool value);
void json_put_time(struct json *json, const char *key, int64_t seconds);

/* The same for a key that is a literal and a value that stands as it is: JSON already, or a name of
 * ours (an id, a word of a definition, a time), which has nothing to escape. For what is written
 * often. */
#define json_put_raw(json, key, value) \
    json_add_pieces((json), STR("\"" key "\":"), (value), STR(""))
#define json_put_name(json, key, value) \
    json_add_pieces((json), STR("\"" key "\":\""), (value), STR("\""))
#define json_put_integer(json, key, number) \
    (json_put_raw((json), key, STR("")), buf_add_int((json)->out, (number)))

/* A value from parts that stand as they are, for what is written very often: room for all of them
 * is asked for once, and each is laid down behind the one before. NULL: there is no room. */
static inline char *
json_begin_parts(struct json *json, size_t most)
{
    if (json->need_comma)
        buf_add_char(json->out, ',');
    json->need_comma = true;
    return buf_reserve(json->out, most) ? json->out->ptr + json->out->len : NULL;
}

static inline __attribute__((always_inline)) char *
json_append(char *at, struct str part)
{
    if (part.len > 0)
        memcpy(at, part.ptr, part.len);
    return at + part.len;
}

static inline void
json_end_parts(struct json *json, const char *at)
{
    json->out->len = (size_t)(at - json->out->ptr);
}

/* What stands between the values of an object's members, as literals: behind a text or a bare value
 * (a number, JSON), before a text or a bare value. */
#define JSON_FIRST_TEXT(key) STR("{\"" key "\":\"")
#define JSON_TEXT_TEXT(key) STR("\",\"" key "\":\"")
#define JSON_TEXT_BARE(key) STR("\",\"" key "\":")
#define JSON_BARE_TEXT(key) STR(",\"" key "\":\"")
#define JSON_BARE_BARE(key) STR(",\"" key "\":")
#define JSON_BARE_LAST STR("}")

static inline __attribute__((always_inline)) void
json_add_pieces(struct json *json, struct str before, struct str value, struct str behind)
{
    if (json->need_comma)
        buf_add_char(json->out, ',');
    json->need_comma = true;
    buf_add(json->out, before);
    buf_add(json->out, value);
    buf_add(json->out, behind);
}

#endif
