#include "unit/assert_str.h"

#include "base/arena.h"
#include "text/time_text.h"

#include <time.h>

static void
a_moment_has_one_text(void **state)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } rows[] = {
        { 0, "1970-01-01T00:00:00Z" },
        { -1, "1969-12-31T23:59:59Z" },
        { 951782399, "2000-02-28T23:59:59Z" },
        { 951782400, "2000-02-29T00:00:00Z" },
        { 1709164800, "2024-02-29T00:00:00Z" },
        { 1794648600, "2026-11-14T09:30:00Z" },
        { 2147483647, "2038-01-19T03:14:07Z" },
        { 2147483648, "2038-01-19T03:14:08Z" },
        { 4107542400, "2100-03-01T00:00:00Z" },
        { -2203891200, "1900-03-01T00:00:00Z" },
        { -62135596800, "0001-01-01T00:00:00Z" },
        { -62162035201, "0000-02-29T23:59:59Z" },
        { -62167219200, "0000-01-01T00:00:00Z" },
        { 253402300799, "9999-12-31T23:59:59Z" },
    };
    struct arena *mem = arena_new();
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        int64_t seconds = 42;
        assert_str(time_write(mem, rows[i].seconds), str_of(rows[i].text), "written");
        assert_row(time_read(str_of(rows[i].text), &seconds), rows[i].text);
        assert_int_equal(seconds, rows[i].seconds);
    }
    arena_free(mem);
}

static void
years_of_five_digits_or_below_zero_have_none(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    assert_str(time_write(mem, 253402300800), STR_NONE, "10000-01-01");
    assert_str(time_write(mem, -62167219201), STR_NONE, "the year before 0000");
    assert_str(time_write(mem, INT64_MAX), STR_NONE, "INT64_MAX");
    assert_str(time_write(mem, INT64_MIN), STR_NONE, "INT64_MIN");
    arena_free(mem);
}

static void
only_real_moments_in_the_one_form_are_read(void **state)
{
    static const char *const rows[] = {
        "",
        "2026-11-14",
        "2026-11-14T09:30:00",
        "2026-11-14T09:30:00z",
        "2026-11-14t09:30:00Z",
        "2026-11-14 09:30:00Z",
        "2026-11-14T09:30:00.5Z",
        "2026-11-14T09:30:00+00:00",
        " 2026-11-14T09:30:00Z",
        "2026-11-14T09:30:00Z ",
        "2026-11-14T9:30:000Z",
        "2026-00-14T09:30:00Z",
        "2026-13-14T09:30:00Z",
        "2026-11-00T09:30:00Z",
        "2026-11-31T09:30:00Z",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2024-02-30T00:00:00Z",
        "2026-11-14T24:00:00Z",
        "2026-11-14T09:60:00Z",
        "2016-12-31T23:59:60Z",
        "+026-11-14T09:30:00Z",
        "-001-11-14T09:30:00Z",
        "2026-+1-14T09:30:00Z",
        "2026- 1-14T09:30:00Z",
        "20a6-11-14T09:30:00Z",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        int64_t seconds = 42;
        assert_row(!time_read(str_of(rows[i]), &seconds), rows[i]);
        assert_int_equal(seconds, 42);
    }
    int64_t seconds;
    assert_false(time_read(STR_NONE, &seconds));
    assert_false(time_read(STR("2026-11-14T09:30:0\0Z"), &seconds));
}

static void
every_day_equals_the_result_of_the_c_library(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    /* All of a few centuries, and of the others the days around each New Year, where a year that
     * was reckoned is the likeliest to be the wrong one. */
    for (int64_t day = -719528; day <= 2932896; day++) {
        bool near_new_year =
            (day + 719528) * 400 % 146097 / 400 < 4 || (day + 719528) * 400 % 146097 / 400 > 361;
        if (!near_new_year && (day < 0 || day > 40000) && day % 17 != 0)
            continue;
        time_t snapshot = (time_t)(day * 86400 + (day & 0xffff));
        struct tm utc;
        gmtime_r(&snapshot, &utc);
        char expected[96];
        snprintf(expected, sizeof expected, "%04d-%02d-%02dT%02d:%02d:%02dZ", utc.tm_year + 1900,
                 utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
        assert_str(time_write(mem, snapshot), str_of(expected), "written");
        int64_t back;
        assert_true(time_read(str_of(expected), &back));
        assert_int_equal(back, snapshot);
        arena_reset(mem);
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moment_has_one_text),
        cmocka_unit_test(years_of_five_digits_or_below_zero_have_none),
        cmocka_unit_test(only_real_moments_in_the_one_form_are_read),
        cmocka_unit_test(every_day_equals_the_result_of_the_c_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
