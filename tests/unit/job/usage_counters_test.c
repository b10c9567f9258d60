#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "job/usage_counters.h"

#include <string.h>

#define NOW ((int64_t)1794648600)
#define APP STR("app_AAAAAAAAAAAAAAAAAAAAAA")

static struct str
person(struct arena *mem, int number)
{
    return str_format(mem, "usr_%06dAAAAAA%09dA", number, number);
}

static struct refusal
refusal(struct str app, struct str reason, struct str detail)
{
    return (struct refusal){ .app_id = app,
                             .endpoint = STR("GET /oauth/authorize"),
                             .error = STR("invalid_request"),
                             .reason = reason,
                             .detail = detail,
                             .times = 1,
                             .first_at = NOW,
                             .last_at = NOW };
}

/* The users of APP are in one database. */
static size_t
in_one(void *context, const struct usage_counter *entry)
{
    (void)context;
    (void)entry;
    return 0;
}

static void
drain(struct usage_counters *counters, struct arena *mem, const struct usage_counter **entries,
      size_t *count)
{
    struct usage_range range;
    usage_counters_drain(counters, mem, 1, in_one, NULL, &range);
    *entries = range.entries;
    *count = range.count;
}

static void
what_is_taken_out_is_seen_until_it_is_written_and_the_rest_comes_back(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct usage_counters *counters = usage_counters_new();
    const struct usage_counter *entries;
    struct usage_counter look;
    size_t count;
    usage_counters_add(counters, person(mem, 1), APP, USAGE_CALL, NOW);
    usage_counters_add(counters, person(mem, 1), APP, USAGE_CALL, NOW + 1);
    drain(counters, mem, &entries, &count);
    assert_int_equal(count, 2);
    assert_int_equal(entries[0].user[0], '\0'); /* the app as a whole comes first */
    assert_int_equal(entries[0].counts[USAGE_CALL], 2);
    assert_int_equal(entries[1].last_use, NOW + 1);
    usage_counters_add(counters, person(mem, 1), APP, USAGE_CALL, NOW + 2);
    usage_counters_peek(counters, STR_NONE, APP, usage_day_of(NOW), &look);
    assert_int_equal(look.counts[USAGE_CALL], 3);
    usage_counters_set_written(counters, 0, 1);
    usage_counters_peek(counters, STR_NONE, APP, usage_day_of(NOW), &look);
    assert_int_equal(look.counts[USAGE_CALL], 1);
    usage_counters_peek(counters, person(mem, 1), APP, usage_day_of(NOW), &look);
    assert_int_equal(look.counts[USAGE_CALL], 3);
    assert_int_equal(look.last_use, NOW + 2);
    usage_counters_restore(counters);
    drain(counters, mem, &entries, &count);
    assert_int_equal(count, 2);
    assert_int_equal(entries[0].counts[USAGE_CALL], 1);
    assert_int_equal(entries[1].counts[USAGE_CALL], 3);
    usage_counters_set_written(counters, 0, count);
    usage_counters_restore(counters);
    usage_counters_peek(counters, person(mem, 1), APP, usage_day_of(NOW), &look);
    assert_int_equal(look.counts[USAGE_CALL], 0);
    usage_counters_free(counters);
    arena_free(mem);
}

/* Users whose number is odd are in the second database, apps in the first. */
static size_t
in_two(void *context, const struct usage_counter *entry)
{
    (void)context;
    return entry->user[0] != '\0' && entry->user[9] % 2 != 0 ? 1 : 0;
}

static void
counts_of_two_databases_are_written_and_put_back_apart(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct usage_counters *counters = usage_counters_new();
    struct usage_range ranges[2];
    struct usage_counter look;
    for (int i = 0; i < 4; i++)
        usage_counters_add(counters, person(mem, i), APP, USAGE_CALL, NOW);
    usage_counters_drain(counters, mem, 2, in_two, NULL, ranges);
    assert_int_equal(ranges[0].count, 3);
    assert_int_equal(ranges[1].count, 2);
    assert_int_equal(ranges[0].entries[0].user[0], '\0');
    assert_int_equal(ranges[1].entries[0].user[9], '1');
    assert_int_equal(ranges[1].entries[1].user[9], '3');
    usage_counters_set_written(counters, 1, 1);
    for (int i = 0; i < 4; i++) { /* also while they are taken out */
        usage_counters_peek(counters, person(mem, i), APP, usage_day_of(NOW), &look);
        assert_int_equal(look.counts[USAGE_CALL], i != 1);
    }
    usage_counters_set_written(counters, 0, 3);
    usage_counters_restore(counters);
    usage_counters_drain(counters, mem, 2, in_two, NULL, ranges);
    assert_int_equal(ranges[0].count, 0);
    assert_int_equal(ranges[1].count, 1);
    assert_int_equal(ranges[1].entries[0].user[9], '3');
    usage_counters_free(counters);
    arena_free(mem);
}

/* However long a database is down, counts of the others find space. */
static void
counts_that_cannot_be_written_leave_space_for_others(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct usage_counters *counters = usage_counters_new();
    struct usage_range ranges[2];
    struct usage_counter look;
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 20000; i++)
            usage_counters_add(counters, person(mem, (round * 20000 + i) * 2 + 1), APP, USAGE_CALL,
                               NOW);
        usage_counters_drain(counters, mem, 2, in_two, NULL, ranges);
        usage_counters_set_written(counters, 0, ranges[0].count);
        usage_counters_restore(counters); /* those of the second database */
        assert_false(usage_counters_nearly_full(counters));
    }
    for (int i = 0; i < 5000; i++)
        usage_counters_add(counters, person(mem, i * 2), APP, USAGE_CALL, NOW);
    for (int i = 0; i < 5000; i++) {
        usage_counters_peek(counters, person(mem, i * 2), APP, usage_day_of(NOW), &look);
        assert_int_equal(look.counts[USAGE_CALL], 1);
    }
    usage_counters_free(counters);
    arena_free(mem);
}

static void
too_many_users_are_dropped_but_the_app_is_counted(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct usage_counters *counters = usage_counters_new();
    const struct usage_counter *entries;
    struct usage_counter look;
    size_t count;
    assert_false(usage_counters_nearly_full(counters));
    for (int i = 0; i < 50000; i++)
        usage_counters_add(counters, person(mem, i), APP, USAGE_CALL, NOW);
    assert_true(usage_counters_nearly_full(counters));
    usage_counters_peek(counters, STR_NONE, APP, usage_day_of(NOW), &look);
    assert_int_equal(look.counts[USAGE_CALL], 50000);
    drain(counters, mem, &entries, &count);
    assert_true(count > 20000 && count <= 32768);
    assert_false(usage_counters_nearly_full(counters));
    for (size_t i = 1; i < count; i++)
        assert_true(memcmp(entries[i - 1].user, entries[i].user, USAGE_ID_LENGTH) < 0);
    usage_counters_free(counters);
    arena_free(mem);
}

static void
ids_that_are_none_of_ours_are_not_counted(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct usage_counters *counters = usage_counters_new();
    const struct usage_counter *entries;
    struct refusal *refusals;
    size_t count;
    const struct str wrong[] = { STR_NONE, STR(""), STR("app_short"),
                                 STR("usr_AAAAAAAAAAAAAAAAAAAAAA") };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct refusal one = refusal(wrong[i], STR("x"), STR("y"));
        usage_counters_add(counters, person(mem, 1), wrong[i], USAGE_CALL, NOW);
        usage_counters_add_refusal(counters, mem, &one);
    }
    drain(counters, mem, &entries, &count);
    assert_int_equal(count, 0);
    usage_counters_list_refusals(counters, mem, &refusals, &count);
    assert_int_equal(count, 0);
    usage_counters_free(counters);
    arena_free(mem);
}

static void
the_same_mistake_a_thousand_times_is_one_line(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct usage_counters *counters = usage_counters_new();
    struct refusal *refusals;
    size_t count;
    for (int i = 0; i < 1000; i++) {
        struct refusal one = refusal(APP, STR("redirect_uri differs in its path"),
                                     str_format(mem, "https://evil.example/%d", i));
        one.last_at += i;
        usage_counters_add_refusal(counters, mem, &one);
    }
    usage_counters_peek_refusals(counters, mem, APP, &refusals, &count);
    assert_int_equal(count, 1);
    assert_int_equal(refusals[0].times, 1000);
    assert_int_equal(refusals[0].first_at, NOW);
    assert_int_equal(refusals[0].last_at, NOW + 999);
    assert_true(str_eq_c(refusals[0].detail, "https://evil.example/999"));
    usage_counters_free(counters);
    arena_free(mem);
}

static void
refusals_cannot_fill_the_memory(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct usage_counters *counters = usage_counters_new();
    struct refusal *refusals;
    size_t count;
    for (int app = 0; app < 100; app++)
        for (int i = 0; i < 100; i++) {
            struct refusal one = refusal(str_format(mem, "app_%022d", app),
                                         str_format(mem, "reason %d", i), STR(""));
            usage_counters_add_refusal(counters, mem, &one);
        }
    usage_counters_peek_refusals(counters, mem, STR("app_0000000000000000000000"), &refusals,
                                 &count);
    assert_int_equal(count, 32);
    usage_counters_list_refusals(counters, mem, &refusals, &count);
    assert_int_equal(count, 512);
    usage_counters_remove_refusals(counters, refusals, count);
    usage_counters_list_refusals(counters, mem, &refusals, &count);
    assert_int_equal(count, 0);
    usage_counters_free(counters);
    arena_free(mem);
}

static void
refusals_are_seen_until_they_are_written_and_newer_ones_stay(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    struct usage_counters *counters = usage_counters_new();
    struct refusal *listed, *seen, again = refusal(APP, STR("reason"), STR("second"));
    size_t count, seen_count;
    usage_counters_add_refusal(counters, mem, &again);
    usage_counters_list_refusals(counters, mem, &listed, &count);
    assert_int_equal(count, 1);
    usage_counters_peek_refusals(counters, mem, APP, &seen, &seen_count);
    assert_int_equal(seen_count, 1);
    usage_counters_add_refusal(counters, mem, &again);
    usage_counters_remove_refusals(counters, listed, count);
    usage_counters_peek_refusals(counters, mem, APP, &seen, &seen_count);
    assert_int_equal(seen_count, 1);
    assert_int_equal(seen[0].times, 1);
    usage_counters_remove_refusals(counters, seen, seen_count);
    usage_counters_remove_refusals(counters, seen, seen_count); /* it does not exist */
    usage_counters_peek_refusals(counters, mem, APP, &seen, &seen_count);
    assert_int_equal(seen_count, 0);
    usage_counters_free(counters);
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_taken_out_is_seen_until_it_is_written_and_the_rest_comes_back),
        cmocka_unit_test(counts_of_two_databases_are_written_and_put_back_apart),
        cmocka_unit_test(counts_that_cannot_be_written_leave_space_for_others),
        cmocka_unit_test(too_many_users_are_dropped_but_the_app_is_counted),
        cmocka_unit_test(ids_that_are_none_of_ours_are_not_counted),
        cmocka_unit_test(the_same_mistake_a_thousand_times_is_one_line),
        cmocka_unit_test(refusals_cannot_fill_the_memory),
        cmocka_unit_test(refusals_are_seen_until_they_are_written_and_newer_ones_stay),
    };
    return cmocka_run_group_tests_name("job/usage_counters", tests, NULL, NULL);
}
