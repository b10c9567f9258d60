/* assert_str.h - cmocka in the order it wants, and texts compared with their lengths. */
#ifndef TESTS_UNIT_ASSERT_STR_H
#define TESTS_UNIT_ASSERT_STR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static inline void
print_str(const char *label, struct str s)
{
    if (s.ptr == NULL)
        print_error("  %s (absent)\n", label);
    else
        print_error("  %s \"%.*s\" (%zu bytes)\n", label, STR_ARG(s), s.len);
}

/* `why` is printed if they differ. Absent and empty are not the same. */
static inline void
assert_str_at(struct str actual, struct str expected, const char *why, const char *file, int line)
{
    if (actual.len == expected.len && (actual.ptr == NULL) == (expected.ptr == NULL) &&
        (actual.len == 0 || memcmp(actual.ptr, expected.ptr, actual.len) == 0))
        return;
    print_error("%s\n", why);
    print_str("expected:", expected);
    print_str("actual:  ", actual);
    _fail(file, line);
}

#define assert_str(actual, expected, why) \
    assert_str_at((actual), (expected), (why), __FILE__, __LINE__)

/* For rows of a table: prints the row's `why` before it fails. */
#define assert_row(condition, why)                      \
    do {                                                \
        if (!(condition)) {                             \
            print_error("%s: %s\n", (why), #condition); \
            _fail(__FILE__, __LINE__);                  \
        }                                               \
    } while (0)

#define ROWS(table) (sizeof(table) / sizeof *(table))

#endif
