/* json_write.h - writes compact JSON into a buf.
 *
 * The writer adds commas and escapes. Invalid UTF-8 bytes become U+FFFD, so the output is always
 * valid. When the buf reaches its maximum, the rest is dropped (see buf.h). Not thread-safe. */
#ifndef TEXT_JSON_WRITE_H
#define TEXT_JSON_WRITE_H

#include "base/buf.h"

struct json {
    struct buf *out;
    bool need_comma;
};

struct json json_into(struct buf *out);

/* Values: in an array, after json_key(), or as the whole document. */
void json_open_object(struct json *json);
void json_close_object(struct json *json);
void json_open_array(struct json *json);
void json_close_array(struct json *json);
void json_str(struct json *json, struct str value); /* null if absent */
void json_int(struct json *json, int64_t value);
void json_number(struct json *json, double value); /* shortest form that round-trips */
void json_bool(struct json *json, bool value);
void json_time(struct json *json, int64_t seconds); /* RFC 3339 in UTC; 0 is null */

static inline void
json_null(struct json *json)
{
    json_str(json, STR_NONE);
}

/* A string in parts: json_add_text() escapes its part. Text that needs no escapes may be added to
 * json->out directly. */
void json_open_str(struct json *json);
void json_add_text(struct json *json, struct str part);
void json_close_str(struct json *json);

/* Whether the text needs no escapes. */
bool json_is_plain(struct str text);

/* Writes a value that is already JSON, such as one from the database. Not checked. */
void json_raw(struct json *json, struct str value);

void json_key(struct json *json, const char *key);
void json_key_str(struct json *json, struct str key);

/* A key and the bracket that opens its value. */
void json_key_object(struct json *json, const char *key);
void json_key_array(struct json *json, const char *key);

/* Key and value, in an object. */
void json_put_str(struct json *json, const char *key, struct str value);
void json_put_int(struct json *json, const char *key, int64_t value);
void json_put_bool(struct json *json, const char *key, bool value);
void json_put_time(struct json *json, const char *key, int64_t seconds);

/* Faster variants for hot paths. The key is a literal and the value is copied without escaping: it
 * is JSON already, or a string that needs no escapes (an id, a domain name, a time). */
#define json_put_raw(json, key, value) \
    json_add_pieces((json), STR("\"" key "\":"), (value), STR(""))
#define json_put_name(json, key, value) \
    json_add_pieces((json), STR("\"" key "\":\""), (value), STR("\""))
#define json_put_integer(json, key, number) \
    (json_put_raw((json), key, STR("")), buf_add_int((json)->out, (number)))

/* The fastest way to write one value from parts that need no escapes: reserve `most` bytes once,
 * append each part with json_append(), then call json_end_parts(). NULL if the buf is full. */
static inline char *
json_begin_parts(struct json *json, size_t most)
{
    if (json->need_comma)
        buf_add_char(json->out, ',');
    json->need_comma = true;
    const struct buf *out = json->out;
    return most <= out->capacity - out->len || buf_reserve(json->out, most) ? out->ptr + out->len
                                                                            : NULL;
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

/* Literals between the members of an object. The first word is the kind of the value before, the
 * second the kind of the value after: TEXT is a quoted string, BARE a number or raw JSON. */
#define JSON_FIRST_TEXT(key) STR("{\"" key "\":\"")
#define JSON_TEXT_TEXT(key) STR("\",\"" key "\":\"")
#define JSON_TEXT_BARE(key) STR("\",\"" key "\":")
#define JSON_BARE_TEXT(key) STR(",\"" key "\":\"")
#define JSON_BARE_BARE(key) STR(",\"" key "\":")
#define JSON_BARE_LAST STR("}")

static inline __attribute__((always_inline)) void
json_add_pieces(struct json *json, struct str before, struct str value, struct str after)
{
    char *at = json_begin_parts(json, before.len + value.len + after.len);
    if (at != NULL)
        json_end_parts(json, json_append(json_append(json_append(at, before), value), after));
}

/* A key that needs no escapes. */
static inline void
json_key_name(struct json *json, struct str key)
{
    json_add_pieces(json, STR("\""), key, STR("\":"));
    json->need_comma = false;
}

#endif
