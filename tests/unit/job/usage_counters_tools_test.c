#include "unit/assert_str.h"

#include "job/usage_counters.h"

#include <stdio.h>

#define ADA STR("usr_AAAAAAAAAAAAAAAAAAAAAA")
#define BOB STR("usr_BBBBBBBBBBBBBBBBBBBBBB")
#define CLAUDE STR("dyn_CCCCCCCCCCCCCCCCCCCCCC")
#define FINDER STR("app_DDDDDDDDDDDDDDDDDDDDDD")

static const int64_t now = 1794648600, hour = 3600;

static void
assert_tools(struct usage_counters *counters, struct str user, struct str app, int64_t at,
             int64_t hints, int64_t remember)
{
    int64_t counts[USAGE_TOOLS];
    usage_counters_tools(counters, user, app, at, counts);
    assert_int_equal(counts[TOOL_GET_HINTS], hints);
    assert_int_equal(counts[TOOL_GET_PREFERENCES], 0);
    assert_int_equal(counts[TOOL_REMEMBER], remember);
    assert_int_equal(counts[TOOL_FORGET], 0);
}

static void
calls_are_counted_per_user_app_and_tool_for_a_day(void **state)
{
    (void)state;
    struct usage_counters *counters = usage_counters_new();
    assert_tools(counters, ADA, CLAUDE, now, 0, 0);
    usage_counters_add_tool(counters, ADA, CLAUDE, TOOL_GET_HINTS, now);
    usage_counters_add_tool(counters, ADA, CLAUDE, TOOL_GET_HINTS, now + hour);
    usage_counters_add_tool(counters, ADA, CLAUDE, TOOL_REMEMBER, now + hour);
    usage_counters_add_tool(counters, BOB, CLAUDE, TOOL_REMEMBER, now);
    usage_counters_add_tool(counters, ADA, FINDER, TOOL_GET_HINTS, now);
    usage_counters_add_tool(counters, STR("usr_short"), CLAUDE, TOOL_FORGET, now);
    usage_counters_add_tool(NULL, ADA, CLAUDE, TOOL_FORGET, now);
    assert_tools(counters, ADA, CLAUDE, now + hour, 2, 1);
    assert_tools(counters, BOB, CLAUDE, now + hour, 0, 1);
    assert_tools(counters, ADA, FINDER, now + hour, 1, 0);
    assert_tools(counters, BOB, FINDER, now + hour, 0, 0);
    assert_tools(counters, ADA, CLAUDE, now + 24 * hour, 1, 1); /* the first hour is over */
    assert_tools(counters, ADA, CLAUDE, now + 25 * hour, 0, 0);
    assert_tools(counters, BOB, CLAUDE, now + 1000 * hour, 0, 0);
    usage_counters_free(counters);
}

static void
the_memory_is_bounded_and_the_newest_stay(void **state)
{
    (void)state;
    enum { USERS = 20000 };
    struct usage_counters *counters = usage_counters_new();
    char id[32];
    for (int i = 0; i < USERS; i++) {
        snprintf(id, sizeof id, "usr_%022d", i * 7919);
        usage_counters_add_tool(counters, str_of(id), CLAUDE, TOOL_REMEMBER, now + i);
    }
    assert_tools(counters, str_of(id), CLAUDE, now + USERS, 0, 1);
    usage_counters_free(counters);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_counted_per_user_app_and_tool_for_a_day),
        cmocka_unit_test(the_memory_is_bounded_and_the_newest_stay),
    };
    return cmocka_run_group_tests_name("usage_counters_tools", tests, NULL, NULL);
}
