/* utf8_decode.h - decodes one UTF-8 character (RFC 3629).
 *
 * The only UTF-8 decoder for untrusted bytes: overlong forms, surrogates, and values above U+10FFFF
 * are rejected. text/utf8.h builds on it. Pure functions, safe from any thread. */
#ifndef BASE_UTF8_DECODE_H
#define BASE_UTF8_DECODE_H

#include <stddef.h>
#include <stdint.h>

/* For utf8_decode(): a character of two to four bytes. */
size_t utf8_decode_multibyte(const unsigned char *at, size_t left, int32_t *point);

/* Stores the character at `bytes` in *point and returns its length in bytes; returns 0 if the bytes
 * are not valid UTF-8. `left` is the number of bytes available, at least 1. ASCII is inline because
 * most text is ASCII. */
static inline size_t
utf8_decode(const char *bytes, size_t left, int32_t *point)
{
    const unsigned char *at = (const unsigned char *)bytes;
    if (at[0] < 0x80) {
        *point = at[0];
        return 1;
    }
    return utf8_decode_multibyte(at, left, point);
}

#endif
