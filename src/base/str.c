/* str.c - functions on strings that need no arena, then those that copy into one. A str that is
 * absent stays absent in a copy. */
#include "base/str.h"

#include "base/arena.h"
#include "base/ascii.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* By bytes, which for UTF-8 is the order of the code points. Negative, 0, or positive. */
int
str_order(struct str a, struct str b)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter == 0 ? 0 : memcmp(a.ptr, b.ptr, shorter);
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* 0 for an empty part: it occurs everywhere. */
size_t
str_find(struct str s, struct str part)
{
    if (s.len == 0 || part.len == 0)
        return 0;
    const char *found = memmem(s.ptr, s.len, part.ptr, part.len);
    return found == NULL ? s.len : (size_t)(found - s.ptr);
}

/* Eight bytes with their ASCII letters in lower case. */
static uint64_t
lower_eight(const char *text)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t bytes;
    memcpy(&bytes, text, sizeof bytes);
    /* In each byte, the highest bit of from_a ^ after_z is set from 'A' to 'Z' only; two bits
     * lower, it is the difference between upper and lower case. The sums do not carry into the next
     * byte: they add less than 0x40 to seven bits. ~bytes leaves out bytes above ASCII. */
    uint64_t low = bytes & ones * 0x7f;
    uint64_t after_z = low + ones * (0x7f - 'Z'), from_a = low + ones * (0x80 - 'A');
    return bytes | (~bytes & (from_a ^ after_z) & ones * 0x80) >> 2;
}

/* ASCII only, as HTTP headers and schemes need it. Eight bytes at a time. */
bool
str_eq_nocase(struct str a, struct str b)
{
    size_t i = 0;
    if (a.len != b.len)
        return false;
    for (; a.len - i >= sizeof(uint64_t); i += sizeof(uint64_t))
        if (lower_eight(a.ptr + i) != lower_eight(b.ptr + i))
            return false;
    for (; i < a.len; i++)
        if (ascii_to_lower(a.ptr[i]) != ascii_to_lower(b.ptr[i]))
            return false;
    return true;
}

bool
str_starts(struct str s, struct str prefix)
{
    return s.len >= prefix.len && str_eq(str_first(s, prefix.len), prefix);
}

bool
str_ends(struct str s, struct str suffix)
{
    return s.len >= suffix.len && str_eq(str_from(s, s.len - suffix.len), suffix);
}

/* Words are separated by single spaces. */
bool
str_has_word(struct str words, struct str wanted)
{
    struct str word;
    while (str_cut(&words, ' ', &word))
        if (str_eq(word, wanted))
            return true;
    return false;
}

static bool
blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Points into the text. */
size_t
str_word_count(struct str s)
{
    size_t count = s.len > 0;
    for (size_t i = 0; i < s.len; i++)
        count += s.ptr[i] == ' ';
    return count;
}

struct str
str_trim(struct str s)
{
    while (s.len > 0 && blank(s.ptr[0]))
        s = str_from(s, 1);
    while (s.len > 0 && blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

/* Accepts one spelling per number: no plus sign, no leading zeros, no "-0". */
bool
str_to_int(struct str s, int64_t min, int64_t max, int64_t *out)
{
    bool negative = s.len > 0 && s.ptr[0] == '-';
    struct str digits = negative ? str_from(s, 1) : s;
    if (digits.len == 0 || digits.len > 19 || (digits.len > 1 && digits.ptr[0] == '0'))
        return false;
    if (negative && digits.ptr[0] == '0')
        return false;
    /* Accumulated as a negative number, because INT64_MIN has no positive counterpart. */
    int64_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        char c = digits.ptr[i];
        if (c < '0' || c > '9')
            return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, c - '0', &value))
            return false;
    }
    if (!negative && __builtin_sub_overflow((int64_t)0, value, &value))
        return false;
    if (value < min || value > max)
        return false;
    *out = value;
    return true;
}

/* One byte more than the text, which the arena has zeroed: the copy ends in NUL. */
struct str
str_copy(struct arena *mem, struct str s)
{
    if (s.ptr == NULL)
        return s;
    char *copy = arena_alloc(mem, s.len + 1);
    if (s.len > 0)
        memcpy(copy, s.ptr, s.len);
    return (struct str){ copy, s.len };
}

const char *
str_c(struct arena *mem, struct str s)
{
    return s.ptr == NULL ? NULL : str_copy(mem, s).ptr;
}

/* Ends in NUL, like str_copy(). */
struct str
str_lower(struct arena *mem, struct str s)
{
    if (s.ptr == NULL)
        return s;
    char *copy = arena_alloc(mem, s.len + 1);
    for (size_t i = 0; i < s.len; i++)
        copy[i] = ascii_to_lower(s.ptr[i]);
    return (struct str){ copy, s.len };
}

/* The result ends with a NUL, which its length does not include. Empty if the format is invalid. */
struct str
str_format(struct arena *mem, const char *format, ...)
{
    char first[256]; /* most texts fit, and formatting twice costs twice */
    va_list args;
    va_start(args, format);
    int length = vsnprintf(first, sizeof first, format, args);
    va_end(args);
    if (length < 0)
        return STR("");
    char *text = arena_alloc(mem, (size_t)length + 1);
    if ((size_t)length < sizeof first) {
        memcpy(text, first, (size_t)length + 1);
        explicit_bzero(first, (size_t)length); /* it may be a secret */
        return (struct str){ text, (size_t)length };
    }
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return (struct str){ text, (size_t)length };
}
