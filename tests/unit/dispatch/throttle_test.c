#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/clock.h"
#include "crypt/random.h"
#include "dispatch/throttle.h"

#define LIMIT 3
#define WINDOW_MS 60000

static int64_t steady_ms = 1000;

int64_t
clock_steady_ms(void) /* replaces the real clock */
{
    return steady_ms;
}

struct fixture {
    struct arena *mem;
    struct throttle *throttle;
};

static int
setup(void **state)
{
    static struct fixture fixture;
    random_start();
    fixture.mem = arena_new();
    fixture.throttle = throttle_new(fixture.mem, LIMIT, WINDOW_MS);
    *state = &fixture;
    return 0;
}

static int
teardown(void **state)
{
    struct fixture *fixture = *state;
    throttle_free(fixture->throttle);
    arena_free(fixture->mem);
    return 0;
}

static struct throttle *
throttle_of(void **state)
{
    return ((struct fixture *)*state)->throttle;
}

static void
take(struct throttle *throttle, struct str caller, int times)
{
    for (int i = 0; i < times; i++)
        assert_int_equal(throttle_take(throttle, caller), 0);
}

static void
up_to_the_limit_there_is_no_wait_then_until_the_window_ends(void **state)
{
    struct throttle *throttle = throttle_of(state);
    take(throttle, STR("ada"), LIMIT);
    assert_int_equal(throttle_wait(throttle, STR("ada")), 60);
    assert_int_equal(throttle_take(throttle, STR("ada")), 60);
    steady_ms += 59001;
    assert_int_equal(throttle_wait(throttle, STR("ada")), 1); /* 999 ms are rounded up */
    steady_ms += 998;
    assert_int_equal(throttle_take(throttle, STR("ada")), 1);
    steady_ms += 1;
    take(throttle, STR("ada"), LIMIT); /* a new window with the full limit */
    assert_int_equal(throttle_wait(throttle, STR("ada")), 60);
}

static void
a_window_begins_with_its_first_count(void **state)
{
    struct throttle *throttle = throttle_of(state);
    assert_int_equal(throttle_wait(throttle, STR("ada")), 0); /* a check does not count */
    steady_ms += 30000;
    take(throttle, STR("ada"), 1);
    steady_ms += 50000;
    take(throttle, STR("ada"), LIMIT - 1);
    assert_int_equal(throttle_wait(throttle, STR("ada")), 10);
}

static void
checks_evict_nothing(void **state)
{
    struct throttle *throttle = throttle_of(state);
    take(throttle, STR("ada"), LIMIT);
    for (int i = 0; i < 200000; i++) {
        char name[32];
        snprintf(name, sizeof name, "client %d", i);
        steady_ms += i % 1000 == 0;
        assert_int_equal(throttle_wait(throttle, str_of(name)), 0);
    }
    assert_int_equal(throttle_wait(throttle, STR("ada")), 60);
}

static void
checks_count_nothing_and_callers_are_independent(void **state)
{
    struct throttle *throttle = throttle_of(state);
    for (int i = 0; i < 100; i++)
        assert_int_equal(throttle_wait(throttle, STR("ada")), 0);
    take(throttle, STR("ada"), LIMIT);
    static const struct str others[] = { STR("ad"), STR("adaa"), STR("Ada"), STR(""), STR("bob") };
    for (size_t i = 0; i < ROWS(others); i++)
        assert_int_equal(throttle_wait(throttle, others[i]), 0);
}

static void
a_limit_of_zero_means_no_limit(void **state)
{
    struct throttle *none = throttle_new(((struct fixture *)*state)->mem, 0, WINDOW_MS);
    take(none, STR("ada"), 1000);
    assert_int_equal(throttle_wait(none, STR("ada")), 0);
    throttle_free(none);
}

static void
an_attempt_against_two_counts_for_both_and_waits_for_the_longer(void **state)
{
    struct throttle *throttle = throttle_of(state);
    struct str address = STR("192.0.2.1"), ada = STR("account ada"), bob = STR("account bob");
    assert_int_equal(throttle_take_both(throttle, address, ada), 0);
    steady_ms += 20000;
    assert_int_equal(throttle_take_both(throttle, address, bob), 0);
    assert_int_equal(throttle_take_both(throttle, address, bob), 0);
    /* The address reached its limit in a window that began 20 s ago; the accounts did not. */
    assert_int_equal(throttle_wait_both(throttle, address, STR("account cyd")), 40);
    assert_int_equal(throttle_wait_both(throttle, STR("account cyd"), address), 40);
    assert_int_equal(throttle_wait(throttle, bob), 0);
    /* An attempt rejected for the address still counts against the account, so that many addresses
     * together cannot try one account without limit. */
    assert_int_equal(throttle_take_both(throttle, address, bob), 40);
    assert_int_equal(throttle_wait(throttle, bob), 60);
    assert_int_equal(throttle_wait_both(throttle, address, bob), 60);
    assert_int_equal(throttle_wait_both(throttle, STR("192.0.2.2"), ada), 0);
}

static void
many_callers_evict_entries_but_use_no_more_memory(void **state)
{
    struct fixture *fixture = *state;
    size_t before = arena_size(fixture->mem);
    for (int i = 0; i < 100000; i++) {
        char name[32];
        snprintf(name, sizeof name, "stranger %d", i);
        throttle_take(fixture->throttle, str_of(name));
    }
    assert_int_equal(arena_size(fixture->mem), before);
    take(fixture->throttle, STR("ada"), LIMIT);
    assert_int_equal(throttle_wait(fixture->throttle, STR("ada")), 60);
}

/* Each set of the table holds several callers, so every set sees a part of the crowd. */
static void
many_callers_reset_no_count(void **state)
{
    struct throttle *throttle = throttle_of(state);
    take(throttle, STR("ada"), LIMIT);
    take(throttle, STR("bob"), LIMIT - 1);
    for (int i = 0; i < 200000; i++) {
        char name[32];
        snprintf(name, sizeof name, "stranger %d", i);
        steady_ms += i % 1000 == 0;
        throttle_take(throttle, str_of(name));
    }
    assert_int_equal(throttle_wait(throttle, STR("ada")), 60);
    take(throttle, STR("bob"), 1);
    assert_int_equal(throttle_wait(throttle, STR("bob")), 60);
}

static void
with_every_entry_at_the_limit_new_callers_wait_until_one_is_free(void **state)
{
    struct throttle *throttle = throttle_of(state);
    char name[32];
    for (int i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "stranger %d", i);
        for (int n = 0; n < LIMIT; n++)
            throttle_take(throttle, str_of(name));
    }
    assert_int_equal(throttle_wait(throttle, STR("ada")), 60);
    assert_int_equal(throttle_take(throttle, STR("ada")), 60);
    steady_ms += WINDOW_MS;
    take(throttle, STR("ada"), LIMIT);
}

static void
a_count_that_is_returned_does_not_count(void **state)
{
    struct throttle *throttle = throttle_of(state);
    throttle_return(throttle, STR("ada")); /* nothing to return */
    take(throttle, STR("ada"), LIMIT);
    throttle_return(throttle, STR("bob"));
    assert_int_equal(throttle_wait(throttle, STR("ada")), 60);
    throttle_return(throttle, STR("ada"));
    take(throttle, STR("ada"), 1);
    assert_int_equal(throttle_wait(throttle, STR("ada")), 60);
}

static void
all_callers_share_a_limit_of_so_many_times_theirs(void **state)
{
    struct throttle *throttle = throttle_of(state);
    for (int i = 0; i < 5 * LIMIT; i++)
        assert_int_equal(throttle_take_shared(throttle, 5), 0);
    assert_int_equal(throttle_take_shared(throttle, 5), 60);
    take(throttle, STR("ada"), LIMIT); /* which leaves the limit of each as it is */
    throttle_return(throttle, STR(""));
    assert_int_equal(throttle_take_shared(throttle, 5), 0);
    assert_int_equal(throttle_take_shared(throttle, 5), 60);
}

/* ---- several nodes ---- */

#define NODES 3
#define CALLS_LIMIT 100

struct nodes {
    struct throttle *of[NODES];
};

/* What rate_share.c does once per second. */
static void
exchange_counts(struct nodes *nodes)
{
    struct throttle_busy lists[NODES][THROTTLE_BUSY_MAX];
    size_t counts[NODES];
    for (size_t i = 0; i < NODES; i++)
        counts[i] = throttle_list_busy(nodes->of[i], lists[i], THROTTLE_BUSY_MAX);
    for (size_t i = 0; i < NODES; i++) {
        for (size_t a = 0; a < counts[i]; a++)
            for (size_t j = 0; j < NODES; j++)
                for (size_t b = 0; j != i && b < counts[j]; b++)
                    if (lists[j][b].key == lists[i][a].key)
                        lists[i][a].others += lists[j][b].calls;
        throttle_set_others(nodes->of[i], lists[i], counts[i]);
    }
}

/* One second with so many calls to each node; returns how many were allowed. */
static int
allowed_of(struct nodes *nodes, const int calls[NODES])
{
    struct throttle_state rate;
    int allowed = 0;
    for (size_t i = 0; i < NODES; i++)
        for (int call = 0; call < calls[i]; call++)
            allowed +=
                throttle_take_limited(nodes->of[i], STR("token"), CALLS_LIMIT, &rate) == 0 ? 1 : 0;
    steady_ms += 1000;
    exchange_counts(nodes);
    return allowed;
}

static void
the_calls_of_a_caller_to_all_nodes_get_about_its_limit(void **state)
{
    static const struct {
        int calls[NODES];
        int least, most;
    } cases[] = {
        { { 300, 300, 300 }, 95, 105 }, /* far too many everywhere */
        { { 500, 50, 0 }, 95, 130 },    { { 50, 50, 50 }, 95, 130 },
        { { 30, 30, 30 }, 90, 90 }, /* less than the limit in all: none is refused */
        { { 100, 0, 0 }, 100, 100 },    { { 5, 5, 5 }, 15, 15 },
        { { 0, 0, 400 }, 100, 100 },
    };
    struct fixture *fixture = *state;
    struct nodes nodes;
    for (size_t i = 0; i < NODES; i++) {
        nodes.of[i] = throttle_new(fixture->mem, CALLS_LIMIT, 1000);
        throttle_watch_busy(nodes.of[i], fixture->mem);
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int second = 0; second < 5; second++)
            allowed_of(&nodes, cases[i].calls);
        for (int second = 0; second < 5; second++)
            assert_in_range(allowed_of(&nodes, cases[i].calls), cases[i].least, cases[i].most);
    }
    for (size_t i = 0; i < NODES; i++)
        throttle_free(nodes.of[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(up_to_the_limit_there_is_no_wait_then_until_the_window_ends,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_window_begins_with_its_first_count, setup, teardown),
        cmocka_unit_test_setup_teardown(checks_evict_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(checks_count_nothing_and_callers_are_independent, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_limit_of_zero_means_no_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(
            an_attempt_against_two_counts_for_both_and_waits_for_the_longer, setup, teardown),
        cmocka_unit_test_setup_teardown(many_callers_reset_no_count, setup, teardown),
        cmocka_unit_test_setup_teardown(
            with_every_entry_at_the_limit_new_callers_wait_until_one_is_free, setup, teardown),
        cmocka_unit_test_setup_teardown(a_count_that_is_returned_does_not_count, setup, teardown),
        cmocka_unit_test_setup_teardown(all_callers_share_a_limit_of_so_many_times_theirs, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(many_callers_evict_entries_but_use_no_more_memory, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_calls_of_a_caller_to_all_nodes_get_about_its_limit,
                                        setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
