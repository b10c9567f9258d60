/* ascii.h - kinds of ASCII characters, whatever the locale. The arguments are bytes or code points:
 * nothing above 0x7f is of any of these kinds. Pure; any thread may call them. */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>
#include <stdint.h>

static inline bool
ascii_is_digit(int32_t c)
{
    return c >= '0' && c <= '9';
}

static inline bool
ascii_is_lower(int32_t c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool
ascii_is_upper(int32_t c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool
ascii_is_letter(int32_t c)
{
    return ascii_is_lower(c) || ascii_is_upper(c);
}

static inline bool
ascii_is_alphanumeric(int32_t c)
{
    return ascii_is_letter(c) || ascii_is_digit(c);
}

static inline bool
ascii_is_hex(int32_t c)
{
    return ascii_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static inline char
ascii_to_lower(char c)
{
    return ascii_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

/* The six bits that a character of base64 represents, or -1. `extra`: the last two characters of
 * the alphabet, "-_" for base64url. */
static inline int
base64_digit(char c, const char *extra)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == extra[0] ? 62 : c == extra[1] ? 63 : -1;
}

#endif
