/* json_structure.h - the first pass over a JSON document, for json_read.c.
 *
 * It does not know JSON: it only skips strings and counts brackets and commas, so that its numbers
 * are an upper bound for an invalid document, too. Safe from any thread. */
#ifndef TEXT_JSON_STRUCTURE_H
#define TEXT_JSON_STRUCTURE_H

#include "base/err.h"
#include "base/str.h"

#include <string.h>

#define JSON_DEPTH_MAX ((size_t)500) /* the parser recurses */
#define JSON_FEW_CONTAINERS \
    32 /* up to here the commas are counted while the structure is checked */

/* Arrays and objects, in the order in which they begin. */
struct json_containers {
    size_t count;
    uint32_t commas[JSON_FEW_CONTAINERS]; /* directly inside each of the first */
};

/* Checks encoding, depth (at most `depth_max` and JSON_DEPTH_MAX), and number of values, and counts
 * arrays and objects. */
enum err json_structure_check(struct str document, size_t depth_max,
                              struct json_containers *containers, struct why *why);

/* Fills in the number of commas directly inside each array and object, in the order in which they
 * begin, so that the parser can allocate their children at once. The document must be checked. */
void json_structure_count_commas(struct str document, uint32_t *commas);

/* Sets `why` to the sentence with line and column. Returns ERR_INVALID. */
enum err json_structure_refuse(struct str document, size_t offset, const char *sentence,
                               struct why *why);

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest");

/* How many of eight bytes come before the first quote, backslash, or control character; 8 if there
 * is none. All eight are compared at once: after the XOR, the wanted character is a zero byte. A
 * borrow can set wrong bits, but only after the first match. */
static inline size_t
json_plain_bytes(const char *text)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t bytes;
    memcpy(&bytes, text, sizeof bytes);
    uint64_t quote = bytes ^ ones * '"', backslash = bytes ^ ones * '\\';
    uint64_t special = (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
                        ((bytes - ones * ' ') & ~bytes)) &
                       ones * 0x80;
    return special == 0 ? sizeof bytes : (size_t)__builtin_ctzll(special) / 8;
}

static inline bool
json_is_plain(char c)
{
    return c != '"' && c != '\\' && (unsigned char)c >= ' ';
}

/* The end of the string that starts at `at`, which is its closing quote, a control character, or
 * the end of the document. */
static inline const char *
json_string_end(const char *at, const char *end, bool *escapes)
{
    *escapes = false;
    for (at++;; at += 2) {
        for (size_t plain = 8; plain == 8 && end - at >= 8; at += plain)
            plain = json_plain_bytes(at);
        while (at < end && json_is_plain(*at))
            at++;
        if (at >= end || *at != '\\')
            return at;
        *escapes = true;
        if (end - at < 2)
            return end;
    }
}

#endif
