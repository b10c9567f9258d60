#include "unit/web/call_by_hand.h"

#include "page/when.h"

#define MINUTE 60
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static void
a_recent_time_is_relative(void **state)
{
    static const struct {
        const char *why;
        int64_t ago;
        const char *expected;
    } rows[] = {
        { "this second", 0, "just now" },
        { "not a minute ago", MINUTE - 1, "just now" },
        { "one minute", MINUTE, "1 minute ago" },
        { "minutes, rounded down", 3 * MINUTE - 1, "2 minutes ago" },
        { "nearly an hour", HOUR - 1, "59 minutes ago" },
        { "one hour", HOUR, "1 hour ago" },
        { "yesterday by the calendar, hours by the clock", 10 * HOUR, "10 hours ago" },
        { "nearly a day", DAY - 1, "23 hours ago" },
        { "one day", DAY, "yesterday" },
        { "the first second of yesterday", 9 * HOUR + 30 * MINUTE + DAY, "yesterday" },
        { "the second before", 9 * HOUR + 30 * MINUTE + DAY + 1, "2 days ago" },
        { "days", 3 * DAY, "3 days ago" },
        { "the first second of thirteen days ago", 9 * HOUR + 30 * MINUTE + 13 * DAY,
          "13 days ago" },
        { "from there a date", 9 * HOUR + 30 * MINUTE + 13 * DAY + 1, "October 31, 2026" },
        { "long ago", 400 * DAY, "October 10, 2025" },
        { "another machine's clock is a little ahead", -MINUTE, "just now" },
        { "what is to come has a date", -MINUTE - 1, "November 14, 2026" },
        { "far ahead", -30 * DAY, "December 14, 2026" },
    };
    (void)state;
    struct call call = call_by_hand();
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(when_text(&call, NOW - rows[i].ago), str_of(rows[i].expected), rows[i].why);
}

static void
a_date_has_a_month_name_and_no_leading_zero(void **state)
{
    static const struct {
        int64_t seconds;
        const char *expected;
    } rows[] = {
        { 0, "January 1, 1970" },
        { 951782399, "February 28, 2000" },
        { 951782400, "February 29, 2000" },
        { 951868800, "March 1, 2000" },
        { 1743465600, "April 1, 2025" },
        { 1746057600, "May 1, 2025" },
        { 1749513600, "June 10, 2025" },
        { 1751328000, "July 1, 2025" },
        { 1754006400, "August 1, 2025" },
        { 1757462400, "September 10, 2025" },
        { 1760054400, "October 10, 2025" },
        { NOW, "November 14, 2026" },
        { 1798761599, "December 31, 2026" },
        { 1798761600, "January 1, 2027" },
        { INT64_C(253402300799), "December 31, 9999" },
    };
    (void)state;
    struct call call = call_by_hand();
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_str(when_date(&call, rows[i].seconds), str_of(rows[i].expected), rows[i].expected);
}

static void
a_time_is_put_as_text_and_iso_or_not_at_all(void **state)
{
    static const char pattern[] =
        "<time datetime=\"{{since_iso}}\">{{since}}</time>{{^since}}never{{/since}}";
    (void)state;
    struct call call = call_by_hand();
    struct values *values = values_new(hand.mem), *none = values_new(hand.mem);
    when_put(&call, values, "since", NOW - 2 * HOUR);
    assert_str(values_in(values, pattern),
               STR("<time datetime=\"2026-11-14T07:30:00Z\">2 hours ago</time>"), "since");
    when_put(&call, none, "since", 0);
    when_put(&call, none, "since", -1);
    assert_str(values_in(none, pattern), STR("<time datetime=\"\"></time>never"), "never");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CALL_TEST(a_recent_time_is_relative),
        CALL_TEST(a_date_has_a_month_name_and_no_leading_zero),
        CALL_TEST(a_time_is_put_as_text_and_iso_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
