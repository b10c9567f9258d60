/* json_write.c - a writer without a tree: values go to the buffer at once, and need_comma is all
 * the state.
 *
 * Most text needs no escape. add_text() copies the longest such run at once, and checks eight bytes
 * per step. */
#include "text/json_write.h"

#include "text/time_text.h"
#include "text/utf8.h"

#include <math.h>
#include <string.h>

#define EXACT_MAX 9007199254740992.0 /* 2^53 */
#define REPLACEMENT "\xef\xbf\xbd"

struct json
json_into(struct buf *out)
{
    return (struct json){ .out = out };
}

/* Call before each value: adds a comma unless it is the first. */
static void
begin(struct json *json)
{
    if (json->need_comma)
        buf_add_char(json->out, ',');
    json->need_comma = true;
}

static void
open_with(struct json *json, char bracket)
{
    begin(json);
    buf_add_char(json->out, bracket);
    json->need_comma = false;
}

static void
close_with(struct json *json, char bracket)
{
    buf_add_char(json->out, bracket);
    json->need_comma = true;
}

void
json_open_object(struct json *json)
{
    open_with(json, '{');
}

void
json_close_object(struct json *json)
{
    close_with(json, '}');
}

void
json_open_array(struct json *json)
{
    open_with(json, '[');
}

void
json_close_array(struct json *json)
{
    close_with(json, ']');
}

/* Whether none of eight bytes needs an escape. May return false if none does, but never true if one
 * does. */
static bool
eight_plain(const char *bytes)
{
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
    return ((word | (word - ones * 0x20) | (quote - ones) | (slash - ones)) & tops) == 0;
}

/* The number of leading bytes that need no escape. */
static size_t
plain_prefix(struct str text)
{
    size_t i = 0;
    while (i < text.len) {
        if (text.len - i >= 8 && eight_plain(text.ptr + i)) {
            i += 8;
            continue;
        }
        if (text.len - i < 8 && text.len >= 8 && eight_plain(text.ptr + text.len - 8))
            return text.len; /* the last eight, some of them checked before */
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte >= 0x80) {
            struct str rest = str_from(text, i);
            if (utf8_next(&rest) < 0)
                return i;
            i = text.len - rest.len;
        } else if (byte < 0x20 || byte == '"' || byte == '\\') {
            return i;
        } else {
            i++;
        }
    }
    return i;
}

/* A byte from 0x80 on gets here only if it is not valid UTF-8. */
static void
add_escaped(struct buf *out, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    static const char short_forms[] = { ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                        ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\' };
    if (byte >= 0x80)
        buf_add_c(out, REPLACEMENT);
    else if (short_forms[byte] != '\0')
        buf_add(out, (struct str){ (char[]){ '\\', short_forms[byte] }, 2 });
    else
        buf_add(out,
                (struct str){ (char[]){ '\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15] }, 6 });
}

/* Most texts need no escape and are copied in one piece. */
static void
add_text(struct buf *out, struct str text)
{
    for (;;) {
        size_t run = plain_prefix(text);
        buf_add(out, str_first(text, run));
        text = str_from(text, run);
        if (text.len == 0)
            break;
        add_escaped(out, (unsigned char)text.ptr[0]);
        text = str_from(text, 1);
    }
}

static void
add_quoted(struct buf *out, struct str text)
{
    buf_add_char(out, '"');
    add_text(out, text);
    buf_add_char(out, '"');
}

void
json_open_str(struct json *json)
{
    begin(json);
    buf_add_char(json->out, '"');
}

void
json_add_text(struct json *json, struct str part)
{
    add_text(json->out, part);
}

void
json_close_str(struct json *json)
{
    buf_add_char(json->out, '"');
}

bool
json_is_plain(struct str text)
{
    return plain_prefix(text) == text.len;
}

/* An absent text is null. */
void
json_str(struct json *json, struct str value)
{
    begin(json);
    if (str_present(value))
        add_quoted(json->out, value);
    else
        buf_add(json->out, STR("null"));
}

void
json_int(struct json *json, int64_t value)
{
    begin(json);
    buf_add_int(json->out, value);
}

/* Integers that a double represents exactly have no exponent. NaN and infinity become null. The
 * shortest text that reads back as the same number is found by trying. */
void
json_number(struct json *json, double value)
{
    char text[32];
    begin(json);
    if (!isfinite(value)) {
        buf_add(json->out, STR("null"));
    } else if (trunc(value) == value && fabs(value) <= EXACT_MAX) {
        buf_add_int(json->out, (int64_t)value); /* -0 is 0 */
    } else {
        int digits = 1;
        do
            snprintf(text, sizeof text, "%.*g", digits, value);
        while (strtod(text, NULL) != value && ++digits <= 17);
        buf_add_c(json->out, text);
    }
}

void
json_bool(struct json *json, bool value)
{
    begin(json);
    buf_add(json->out, value ? STR("true") : STR("false"));
}

void
json_time(struct json *json, int64_t seconds)
{
    json_str(json, seconds == 0 ? STR_NONE : time_write(json->out->mem, seconds));
}

void
json_raw(struct json *json, struct str value)
{
    begin(json);
    buf_add(json->out, value);
}

/* For keys that are not constants; json_key() takes those without escapes. */
void
json_key_str(struct json *json, struct str key)
{
    begin(json);
    add_quoted(json->out, key);
    buf_add_char(json->out, ':');
    json->need_comma = false;
}

void
json_key(struct json *json, const char *key)
{
    json_key_str(json, str_of(key));
}

void
json_key_object(struct json *json, const char *key)
{
    json_key(json, key);
    json_open_object(json);
}

void
json_key_array(struct json *json, const char *key)
{
    json_key(json, key);
    json_open_array(json);
}

void
json_put_str(struct json *json, const char *key, struct str value)
{
    json_key(json, key);
    json_str(json, value);
}

void
json_put_int(struct json *json, const char *key, int64_t value)
{
    json_key(json, key);
    json_int(json, value);
}

void
json_put_bool(struct json *json, const char *key, bool value)
{
    json_key(json, key);
    json_bool(json, value);
}

void
json_put_time(struct json *json, const char *key, int64_t seconds)
{
    json_key(json, key);
    json_time(json, seconds);
}
