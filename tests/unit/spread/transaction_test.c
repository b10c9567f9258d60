/* When a write on several databases runs again, and after which pause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "spread/spread.h"

#include <time.h>

#define PAUSES 5 /* of a write that never succeeds */
#define ID "usr_AAAAAAAAAAAAAAAAAAAAAA"

static int64_t pauses[64];
static size_t pause_count, runs;

/* Replaces that of the C library. */
int
nanosleep(const struct timespec *duration, struct timespec *left)
{
    (void)left;
    pauses[pause_count++ % 64] = duration->tv_sec * 1000000000 + duration->tv_nsec;
    return 0;
}

/* ---- a database that always wants another run, and one that loses a COMMIT ---- */

static enum db_end
end_again(struct db_tx *tx, bool keep, enum err *err)
{
    (void)tx;
    (void)keep;
    (void)err;
    return DB_AGAIN;
}

static enum db_end
end_committed(struct db_tx *tx, bool keep, enum err *err)
{
    (void)tx;
    (void)keep;
    (void)err;
    return DB_COMMITTED;
}

/* The first run needs another database, the second one does not, and its COMMIT is not confirmed.
 */
static enum err
lose_second_run(struct db *db, struct str key, db_work *work, void *argument)
{
    struct db_tx tx = { .db = db, .shared = true };
    (void)key;
    assert_int_equal(work(&tx, argument), ERR_UNAVAILABLE);
    assert_int_equal(work(&tx, argument), ERR_NONE);
    return ERR_UNCONFIRMED;
}

/* As a group of writes does: a member that failed is left out of a COMMIT that is not confirmed. */
static enum err
lose_without_it(struct db *db, struct str key, db_work *work, void *argument)
{
    struct db_tx tx = { .db = db, .shared = true };
    (void)key;
    assert_int_equal(work(&tx, argument), ERR_UNAVAILABLE);
    return ERR_UNCONFIRMED;
}

static enum err
leave_once(struct db_tx *tx, void *argument)
{
    struct spread_tx *mine = (struct spread_tx *)tx;
    (void)argument;
    mine->leaves = mine->is_shared && runs == 0;
    runs++;
    return mine->leaves ? ERR_UNAVAILABLE : ERR_NONE;
}

static enum err
write_first_database(struct db_tx *tx, void *argument)
{
    struct spread_tx *mine = (struct spread_tx *)tx;
    mine->in[0] = argument;
    return ERR_NONE;
}

static struct spread_store
store_of(struct db *database)
{
    struct spread_store store = { .of = { database }, .count = 1, .deadline_ms = 60000 };
    store.is_open[0] = true;
    return store;
}

/* ---- tests ---- */

/* Running it once more could apply it twice. */
static void
an_unconfirmed_run_is_the_last_one(void **state)
{
    struct db database = { .driver = &(struct db_driver){ .write_shared = lose_second_run } };
    struct spread_store store = store_of(&database);
    (void)state;
    runs = 0;
    assert_int_equal(spread_write_shared(&store.db, STR(ID), leave_once, NULL), ERR_UNCONFIRMED);
    assert_int_equal(runs, 2);
}

static void
a_run_that_leaves_runs_again(void **state)
{
    struct db database = { .driver = &(struct db_driver){ .write_shared = lose_without_it,
                                                          .end_write = end_committed } };
    struct spread_store store = store_of(&database);
    (void)state;
    runs = 0;
    assert_int_equal(spread_write_shared(&store.db, STR(ID), leave_once, NULL), ERR_NONE);
    assert_int_equal(runs, 2);
}

/* For a while, because the pauses have a random part. */
static void
each_pause_is_longer_up_to_a_limit(void **state)
{
    struct db database = { .driver = &(struct db_driver){ .end_write = end_again } };
    struct db_tx in = { .db = &database };
    struct spread_store store = store_of(&database);
    int64_t until = clock_ticks_ns() + 40000000;
    (void)state;
    while (clock_ticks_ns() < until) {
        pause_count = 0;
        assert_int_equal(spread_write(&store.db, write_first_database, &in, false),
                         ERR_UNAVAILABLE);
        assert_int_equal(pause_count, PAUSES);
        for (size_t i = 0; i < PAUSES; i++)
            assert_in_range(pauses[i], 1000000 << (i + 1), 100000000);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unconfirmed_run_is_the_last_one),
        cmocka_unit_test(a_run_that_leaves_runs_again),
        cmocka_unit_test(each_pause_is_longer_up_to_a_limit),
    };
    return cmocka_run_group_tests_name("spread/transaction", tests, NULL, NULL);
}
