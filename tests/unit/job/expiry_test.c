/* How many rows a step of housekeeping deletes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "job/expiry.h"

static void
steps_grow_while_they_are_short(void **state)
{
    (void)state;
    int64_t rows = EXPIRY_ROWS;
    assert_int_equal(expiry_next_rows(rows, 0), 2 * EXPIRY_ROWS);
    for (int i = 0; i < 20; i++)
        rows = expiry_next_rows(rows, 1);
    assert_int_equal(rows, EXPIRY_ROWS_MAX);
}

static void
steps_keep_their_size_in_between(void **state)
{
    (void)state;
    assert_int_equal(expiry_next_rows(800, 5), 800);
    assert_int_equal(expiry_next_rows(800, 19), 800);
}

static void
steps_shrink_when_requests_would_wait(void **state)
{
    (void)state;
    int64_t rows = EXPIRY_ROWS_MAX;
    assert_int_equal(expiry_next_rows(rows, 20), EXPIRY_ROWS_MAX / 2);
    for (int i = 0; i < 20; i++)
        rows = expiry_next_rows(rows, 1000);
    assert_int_equal(rows, EXPIRY_ROWS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_grow_while_they_are_short),
        cmocka_unit_test(steps_keep_their_size_in_between),
        cmocka_unit_test(steps_shrink_when_requests_would_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
