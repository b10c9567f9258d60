/* base64_digit.h - the value of a character of base64. Any thread may call it. */
#ifndef BASE_BASE64_DIGIT_H
#define BASE_BASE64_DIGIT_H

/* The six bits that a character represents, or -1. `extra`: the last two characters of the
 * alphabet, "-_" for base64url. */
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
