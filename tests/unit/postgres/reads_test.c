/* Reads that share statements: one that takes long does not keep others waiting, and each gets its
 * own result. Needs PENCHANT_TEST_POSTGRES. */
#include "unit/postgres_kit.h"

#include "base/clock.h"
#include "postgres/postgres.h"

#include <pthread.h>
#include <stdatomic.h>

#define KEY "20231"
#define DEADLINE_MS 30000 /* a read that is kept waiting ends then, and the test fails */
#define OTHER_KEY "20232"
#define RUNNING_MAX 4     /* as in read.c */
#define PATIENCE_MS 10000 /* 20 ms, and what a busy machine adds */

/* Waits while another transaction has the lock. */
SQL_SHARED_READ(reads_slow, "SELECT CAST($1 AS BIGINT) FROM pg_advisory_xact_lock_shared(" KEY ")",
                "i", "SELECT m.n, p1 FROM m, pg_advisory_xact_lock_shared(" KEY ")");
SQL_SHARED_READ(reads_locked, "SELECT CAST($1 AS BIGINT) FROM pg_advisory_xact_lock_shared($1)",
                "i", "SELECT m.n, p1 FROM m, pg_advisory_xact_lock_shared(p1)");
SQL_SHARED_READ(reads_quick, "SELECT CAST($1 AS BIGINT) + 1", "i", "SELECT m.n, p1 + 1 FROM m");

struct reader {
    struct db *db;
    const struct sql *sql;
    int64_t number, answer;
    enum err err;
    _Atomic bool ended;
    pthread_t thread;
};

static enum err
ask(struct db_tx *tx, void *argument)
{
    struct reader *reader = argument;
    struct arena *mem = arena_new();
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, reader->sql, &rows, db_int(reader->number));
    reader->answer = db_cell_int(&rows, 0, 0);
    arena_free(mem);
    return err;
}

static void *
run(void *argument)
{
    struct reader *reader = argument;
    reader->err = kit_read(reader->db, ask, reader);
    reader->ended = true;
    return NULL;
}

static void
start(struct reader *reader, struct db *db, const struct sql *sql, int64_t number)
{
    *reader = (struct reader){ .db = db, .sql = sql, .number = number };
    assert_int_equal(pthread_create(&reader->thread, NULL, run, reader), 0);
}

static int
number_of(struct postgres_connection *connection, const char *script)
{
    PGresult *result = postgres_run(connection, script);
    assert_int_equal(PQresultStatus(result), PGRES_TUPLES_OK);
    int number = (int)strtol(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return number;
}

/* Begins a transaction in which slow reads wait until it ends. */
static struct postgres_connection *
hold(struct db *db, const char *lock)
{
    struct postgres_connection *holder = NULL;
    assert_int_equal(postgres_borrow((struct postgres_store *)db, &holder), ERR_NONE);
    assert_true(postgres_command(holder, "BEGIN"));
    number_of(holder, lock);
    return holder;
}

#define LOCK(key) "SELECT 1 FROM pg_advisory_xact_lock(" key ")"

static void
wait_for_slow(struct postgres_connection *holder, int count)
{
    while (number_of(holder, "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'"
                             " AND objid IN (" KEY "," OTHER_KEY ") AND NOT granted") < count)
        usleep(1000);
}

static void
release(struct db *db, struct postgres_connection *holder)
{
    assert_true(postgres_command(holder, "COMMIT"));
    postgres_give_back((struct postgres_store *)db, holder);
}

/* With a number of reads, most of them queue at the same time. */
static void
a_slow_read_keeps_no_other_waiting(void **state)
{
    (void)state;
    enum { COUNT = 20 };
    struct db *db = open_postgres(8, DEADLINE_MS);
    struct postgres_connection *holder = hold(db, LOCK(KEY));
    struct reader slow, quick[COUNT];
    start(&slow, db, &reads_slow, 7);
    wait_for_slow(holder, 1);
    int64_t began = clock_ticks_ns();
    for (size_t i = 0; i < COUNT; i++)
        start(&quick[i], db, &reads_quick, (int64_t)i);
    bool waited = false;
    for (size_t i = 0; i < COUNT; i++) {
        pthread_join(quick[i].thread, NULL);
        waited = waited || slow.ended;
        assert_int_equal(quick[i].err, ERR_NONE);
        assert_int_equal(quick[i].answer, (int64_t)i + 1);
    }
    assert_false(waited);
    assert_in_range(clock_ticks_ns() - began, 0, PATIENCE_MS * 1000000LL);
    release(db, holder);
    pthread_join(slow.thread, NULL);
    assert_int_equal(slow.err, ERR_NONE);
    assert_int_equal(slow.answer, 7);
    db_close(db);
}

/* As many as may run beside each other are slow. When one of them ends, the next read runs. */
static void
a_read_that_waits_long_takes_the_place_of_one_that_ended(void **state)
{
    (void)state;
    struct db *db = open_postgres(8, DEADLINE_MS);
    struct postgres_connection *holder = hold(db, LOCK(KEY)), *other = hold(db, LOCK(OTHER_KEY));
    struct reader slow[RUNNING_MAX], quick;
    for (int i = 0; i < RUNNING_MAX; i++) {
        start(&slow[i], db, &reads_locked, strtol(i == 0 ? OTHER_KEY : KEY, NULL, 10));
        wait_for_slow(holder, i + 1);
    }
    start(&quick, db, &reads_quick, 1);
    usleep(200000);
    assert_false(quick.ended);
    release(db, other);
    pthread_join(quick.thread, NULL);
    for (int i = 1; i < RUNNING_MAX; i++)
        assert_false(slow[i].ended);
    assert_int_equal(quick.answer, 2);
    release(db, holder);
    for (int i = 0; i < RUNNING_MAX; i++) {
        pthread_join(slow[i].thread, NULL);
        assert_int_equal(slow[i].err, ERR_NONE);
    }
    db_close(db);
}

/* The server of the pool's connections may be an old primary, whose rows must not be cached. */
static void
shared_reads_of_another_server_are_not_used(void **state)
{
    (void)state;
    enum { COUNT = 10 };
    struct db *db = open_postgres(8, DEADLINE_MS);
    struct postgres_store *store = (struct postgres_store *)db;
    struct postgres_connection *holder = hold(db, LOCK(KEY));
    struct reader slow, quick[COUNT];
    start(&slow, db, &reads_slow, 7);
    wait_for_slow(holder, 1);
    snprintf(store->incarnation, sizeof store->incarnation, "another server");
    store->incarnations = 1;
    for (size_t i = 0; i < COUNT; i++)
        start(&quick[i], db, &reads_quick, (int64_t)i);
    for (size_t i = 0; i < COUNT; i++) {
        pthread_join(quick[i].thread, NULL);
        assert_int_equal(quick[i].err, ERR_UNAVAILABLE);
    }
    assert_int_equal(store->reads_shared, 0);
    store->incarnations = 0;
    release(db, holder);
    pthread_join(slow.thread, NULL);
    db_close(db);
}

/* A wake-up that is lost would leave a thread waiting for good. */
static void
every_read_is_woken_with_its_own_result(void **state)
{
    (void)state;
    enum { COUNT = 48, ROUNDS = 20 };
    struct db *db = open_postgres(8, DEADLINE_MS);
    for (int64_t round = 0; round < ROUNDS; round++) {
        struct reader readers[COUNT];
        for (size_t i = 0; i < COUNT; i++)
            start(&readers[i], db, &reads_quick, round * COUNT + (int64_t)i);
        for (size_t i = 0; i < COUNT; i++) {
            pthread_join(readers[i].thread, NULL);
            assert_int_equal(readers[i].err, ERR_NONE);
            assert_int_equal(readers[i].answer, round * COUNT + (int64_t)i + 1);
        }
    }
    db_close(db);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_read_keeps_no_other_waiting),
        cmocka_unit_test(a_read_that_waits_long_takes_the_place_of_one_that_ended),
        cmocka_unit_test(shared_reads_of_another_server_are_not_used),
        cmocka_unit_test(every_read_is_woken_with_its_own_result),
    };
    signal(SIGPIPE, SIG_IGN);
    random_start();
    log_setup(LOG_AS_TEXT, LOG_SILENT);
    if (getenv("PENCHANT_TEST_POSTGRES") == NULL)
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
