/* base64url.c - base64url without padding (RFC 4648 §5) for tokens and ids, and standard base64 for
 * the Authorization header. */
#include "text/base64url.h"

#include "base/arena.h"
#include "base/ascii.h"

#define URL_EXTRA "-_"
#define STANDARD_EXTRA "+/"

/* The table fits into one cache line, so that lookups leak no timing. */
static void
write_digits(struct str bytes, char *out)
{
    _Alignas(64) static const char digits[65] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" URL_EXTRA;
    uint32_t bits = 0;
    unsigned held = 0; /* bits not written yet */
    for (size_t i = 0; i < bytes.len; i++) {
        bits = bits << 8 | (unsigned char)bytes.ptr[i];
        for (held += 8; held >= 6; held -= 6)
            *out++ = digits[bits >> (held - 6) & 63];
    }
    if (held > 0)
        *out = digits[bits << (6 - held) & 63];
}

/* The result is not followed by a NUL. */
struct str
base64url_encode(struct arena *mem, struct str bytes)
{
    size_t length = BASE64URL_LENGTH(bytes.len);
    char *text = arena_alloc(mem, length + 1);
    write_digits(bytes, text);
    return (struct str){ text, length };
}

/* A table, because every request with a token asks this for each of its characters. */
static const bool url_digit[256] = {
    ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['-'] = true, ['_'] = true,
};

/* Without a branch per character, for speed; the result does not depend on the position. */
bool
base64url_only(struct str text)
{
    bool only = true;
    for (size_t i = 0; i < text.len; i++)
        only &= url_digit[(unsigned char)text.ptr[i]];
    return only;
}

/* Strict, because an accepted second spelling of a token or id would be another text with the same
 * bytes. */
static struct str
decode(struct arena *mem, struct str text, const char *extra)
{
    if (!str_present(text) || text.len % 4 == 1)
        return STR_NONE;
    char *bytes = arena_alloc(mem, text.len / 4 * 3 + 4);
    size_t length = 0;
    uint32_t bits = 0;
    unsigned held = 0;
    for (size_t i = 0; i < text.len; i++) {
        int six = base64_digit(text.ptr[i], extra);
        if (six < 0)
            return STR_NONE;
        bits = bits << 6 | (uint32_t)six;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[length++] = (char)(bits >> held & 255);
        }
    }
    if ((bits & ((1u << held) - 1)) != 0)
        return STR_NONE; /* unused bits: a second representation of the same bytes */
    bytes[length] = '\0';
    return (struct str){ bytes, length };
}

struct str
base64url_decode(struct arena *mem, struct str text)
{
    return decode(mem, text, URL_EXTRA);
}

/* Padding is required, as in the Authorization header. */
struct str
base64_decode(struct arena *mem, struct str text)
{
    if (text.len % 4 != 0)
        return STR_NONE;
    for (int padding = 0; padding < 2 && str_ends(text, STR("=")); padding++)
        text.len--;
    return decode(mem, text, STANDARD_EXTRA);
}
