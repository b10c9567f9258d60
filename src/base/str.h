/* str.h - strings as pointer and length.
 *
 * A str does not own its bytes and need not end in NUL; bytes from the network may contain NUL
 * without truncating a value. ptr == NULL means absent, which differs from empty. Functions that
 * create a str allocate it, with a terminating NUL, from the given arena. Any thread may call these
 * functions, with an arena of its own. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena;

struct str {
    const char *ptr;
    size_t len;
};

#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })
#define STR_NONE ((struct str){ NULL, 0 })

/* For printf("%.*s"). */
#define STR_ARG(s) (int)(s).len, (s).ptr

static inline struct str
str_of(const char *c)
{
    return c == NULL ? STR_NONE : (struct str){ c, strlen(c) };
}

static inline bool
str_present(struct str s)
{
    return s.ptr != NULL;
}

static inline bool
str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool
str_eq_c(struct str a, const char *b)
{
    return str_eq(a, str_of(b));
}

int str_order(struct str a, struct str b);      /* bytewise, like memcmp() */
bool str_eq_nocase(struct str a, struct str b); /* ASCII letters only */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
bool str_has_word(struct str words, struct str wanted); /* of words separated by single spaces */

/* The index of the first occurrence, or s.len. */
static inline size_t
str_index(struct str s, char byte)
{
    const char *found = s.len == 0 ? NULL : memchr(s.ptr, byte, s.len);
    return found == NULL ? s.len : (size_t)(found - s.ptr);
}

/* The same for several bytes. */
size_t str_find(struct str s, struct str part);

static inline struct str
str_from(struct str s, size_t start)
{
    if (s.ptr == NULL)
        return s;
    if (start > s.len)
        start = s.len;
    return (struct str){ s.ptr + start, s.len - start };
}

static inline struct str
str_first(struct str s, size_t length)
{
    return (struct str){ s.ptr, length < s.len ? length : s.len };
}

struct str str_trim(struct str s); /* removes spaces and tabs at both ends */

/* The number of words of a text that has single spaces between them. */
size_t str_word_count(struct str s);

/* Removes the part before the next separator from the front of *rest. False when *rest is used up.
 */
static inline bool
str_cut(struct str *rest, char separator, struct str *part)
{
    if (rest->ptr == NULL)
        return false;
    size_t end = str_index(*rest, separator);
    *part = str_first(*rest, end);
    *rest = end < rest->len ? str_from(*rest, end + 1) : STR_NONE;
    return true;
}

/* Parses a decimal integer from min to max: optional '-', no spaces, no leading zeros. */
bool str_to_int(struct str s, int64_t min, int64_t max, int64_t *out);

struct str str_copy(struct arena *mem, struct str s);
const char *str_c(struct arena *mem,
                  struct str s); /* a C string; an embedded NUL ends it early, so check first */
struct str str_lower(struct arena *mem, struct str s); /* ASCII letters only */
struct str str_format(struct arena *mem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
