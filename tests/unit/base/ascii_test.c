#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/ascii.h"

#include <ctype.h>

/* In the C locale, the functions of the C library agree for bytes. */
static void
kinds_are_those_of_the_c_locale(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        assert_int_equal(ascii_is_digit(c), isdigit(c) != 0);
        assert_int_equal(ascii_is_lower(c), islower(c) != 0);
        assert_int_equal(ascii_is_upper(c), isupper(c) != 0);
        assert_int_equal(ascii_is_letter(c), isalpha(c) != 0);
        assert_int_equal(ascii_is_alphanumeric(c), isalnum(c) != 0);
        assert_int_equal(ascii_is_hex(c), isxdigit(c) != 0);
        assert_int_equal((unsigned char)ascii_to_lower((char)c), tolower(c));
    }
}

/* Negative characters (char is signed on x86-64), and code points whose low byte is a letter. */
static void
other_values_are_of_no_kind(void **state)
{
    static const int32_t values[] = { -1,        -128,      'a' + 256, 'Z' + 65536,
                                      '0' + 256, INT32_MIN, INT32_MAX };
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_false(ascii_is_alphanumeric(values[i]) || ascii_is_hex(values[i]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_those_of_the_c_locale),
        cmocka_unit_test(other_values_are_of_no_kind),
    };
    return cmocka_run_group_tests_name("ascii", tests, NULL, NULL);
}
