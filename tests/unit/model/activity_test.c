#include "unit/assert_str.h"

#include "base/arena.h"
#include "model/activity.h"

#define USER STR("usr_AAAAAAAAAAAAAAAAAAAAAA")

static struct activity
record_of(int64_t day, const char *action, const char *subject, int64_t times)
{
    return (struct activity){ .day = day,
                              .app_id = STR("app_BBBBBBBBBBBBBBBBBBBBBB"),
                              .app_name = STR("Trip Pal"),
                              .action = str_of(action),
                              .subject = str_of(subject),
                              .times = times,
                              .facts = 3 * times,
                              .first_at = day * 86400,
                              .last_at = day * 86400 + 60 };
}

/* The expected value was computed with sha256sum from the text in docs/ACTIVITY.md. */
static void
the_hash_is_the_documented_one(void **state)
{
    struct arena *mem = arena_new();
    struct activity record = record_of(20774, "read", "food_profile", 2);
    (void)state;
    assert_str(activity_hash(mem, USER, 20774, STR(""), &record, 1),
               STR("I2vihGQA3XKyU7311_xDbqPCtX2sdliOyCjeU_KN_Ps"), "the hash");
    arena_free(mem);
}

static void
every_name_has_its_action(void **state)
{
    (void)state;
    for (int i = ACTIVITY_READ; i < ACTIVITY_BY_HANDLER; i++) {
        assert_true(activity_name((enum activity_action)i).len > 0);
        assert_int_equal(activity_named(activity_name((enum activity_action)i)), i);
    }
    assert_int_equal(activity_named(STR("nonsense")), ACTIVITY_NONE);
    assert_int_equal(activity_named(STR("")), ACTIVITY_NONE);
    assert_int_equal(activity_name(ACTIVITY_BY_HANDLER).len, 0);
}

static void
control_characters_do_not_separate_fields(void **state)
{
    struct arena *mem = arena_new();
    (void)state;
    assert_str(activity_clean(mem, STR("a\tb\nc\x7f"
                                       "d ü")),
               STR("a b c d ü"), "cleaned");
    arena_free(mem);
}

#define DAYS 3

/* Three closed days with two records each. */
static struct activity_log
make_log(struct arena *mem)
{
    struct activity_log log = { .user_id = USER,
                                .days = ARENA_ARRAY(mem, struct activity_day, DAYS),
                                .day_count = DAYS,
                                .records = ARENA_ARRAY(mem, struct activity, 2 * DAYS + 1),
                                .record_count = 2 * DAYS,
                                .chain = { STR(""), 0, STR("") } };
    struct str previous = STR("");
    for (int64_t i = 0; i < DAYS; i++) {
        log.records[2 * i] = record_of(20774 + i, "read", "food_profile", 2);
        log.records[2 * i + 1] = record_of(20774 + i, "hints", "music_preferences", 5);
        activity_sort(mem, log.records + 2 * i, 2);
        struct str hash = activity_hash(mem, USER, 20774 + i, previous, log.records + 2 * i, 2);
        log.days[i] = (struct activity_day){ 20774 + i, true, previous, hash };
        previous = hash;
    }
    log.chain.hash = previous;
    return log;
}

static void
an_intact_chain_verifies_in_any_order_of_rows(void **state)
{
    struct arena *mem = arena_new();
    struct activity_log log = make_log(mem);
    int64_t day;
    (void)state;
    struct activity first = log.records[0];
    log.records[0] = log.records[5];
    log.records[5] = first;
    assert_null(activity_problem(mem, &log, &day));
    log.records[log.record_count++] = record_of(20774 + DAYS, "read", "food_profile", 1);
    struct activity_day *days = ARENA_ARRAY(mem, struct activity_day, DAYS + 1);
    for (size_t i = 0; i < DAYS; i++)
        days[i] = log.days[i];
    days[DAYS] = (struct activity_day){ 20774 + DAYS, false, STR(""), STR("") };
    log.days = days;
    log.day_count++;
    assert_null(activity_problem(mem, &log, &day)); /* today is open */
    struct activity_log none = { .user_id = USER, .chain = { STR(""), 0, STR("") } };
    assert_null(activity_problem(mem, &none, &day));
    arena_free(mem);
}

static void
every_change_breaks_the_chain(void **state)
{
    (void)state;
    for (int change = 0; change < 12; change++) {
        struct arena *mem = arena_new();
        struct activity_log log = make_log(mem);
        int64_t day = 0;
        switch (change) {
        case 0:
            log.records[0].times++;
            break;
        case 1:
            log.records[1].facts--;
            break;
        case 2:
            log.records[2].refused = true;
            break;
        case 3:
            log.records[3].is_first = true;
            break;
        case 4:
            log.records[4].last_at++;
            break;
        case 5:
            log.records[5].app_name = STR("Other");
            break;
        case 6:
            log.record_count--;
            break;
        case 7:
            log.records[0].day++;
            break;
        case 8:
            log.days[1].previous = STR("");
            break;
        case 9:
            log.days++, log.day_count--, log.records += 2, log.record_count -= 2;
            break;
        case 10:
            log.day_count--, log.record_count -= 2;
            break;
        case 11:
            log.days[0].closed = false;
            break;
        default:
            break;
        }
        if (activity_problem(mem, &log, &day) == NULL)
            fail_msg("change %d was not noticed", change);
        assert_true(change == 9 || day >= 20774);
        arena_free(mem);
    }
}

static void
a_chain_without_its_oldest_days_verifies_from_their_hash(void **state)
{
    struct arena *mem = arena_new();
    struct activity_log log = make_log(mem);
    int64_t day;
    (void)state;
    log.chain.deleted_day = log.days[0].day;
    log.chain.deleted_hash = log.days[0].hash;
    log.days++;
    log.day_count--;
    log.records += 2;
    log.record_count -= 2;
    assert_null(activity_problem(mem, &log, &day));
    log.chain.deleted_hash = STR("another");
    assert_non_null(activity_problem(mem, &log, &day));
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_is_the_documented_one),
        cmocka_unit_test(every_name_has_its_action),
        cmocka_unit_test(control_characters_do_not_separate_fields),
        cmocka_unit_test(an_intact_chain_verifies_in_any_order_of_rows),
        cmocka_unit_test(every_change_breaks_the_chain),
        cmocka_unit_test(a_chain_without_its_oldest_days_verifies_from_their_hash),
    };
    return cmocka_run_group_tests_name("activity", tests, NULL, NULL);
}
