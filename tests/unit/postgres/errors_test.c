/* What becomes of an error of PostgreSQL: the result of a read, a write, and a write that shares a
 * transaction, by its SQLSTATE. Needs PENCHANT_TEST_POSTGRES. */
#include "unit/postgres_kit.h"

#include "postgres/postgres.h"

#define ATTEMPTS 6 /* of a transaction that has a conflict */

SQL(errors_raise, "SELECT unit_raise($1)");
SQL(errors_valid, "SELECT CAST($1 AS TEXT)");

static const struct expected {
    const char *state;
    enum err err;
    bool again;  /* another attempt may succeed, so a write makes several */
    bool leaves; /* the connection is replaced */
    bool full;
} table[] = {
    { .state = "40001", .err = ERR_UNAVAILABLE, .again = true }, /* serialization_failure */
    { .state = "40P01", .err = ERR_UNAVAILABLE, .again = true }, /* deadlock_detected */
    { .state = "23505",
      .err = ERR_INTERNAL,
      .again = true }, /* unique_violation, a defect if it persists */
    { .state = "25006", .err = ERR_UNAVAILABLE, .leaves = true }, /* read_only_sql_transaction */
    { .state = "55P03", .err = ERR_UNAVAILABLE }, /* lock_not_available: lock_timeout */
    { .state = "57014", .err = ERR_UNAVAILABLE }, /* query_canceled: statement_timeout */
    { .state = "57P01", .err = ERR_UNAVAILABLE }, /* admin_shutdown */
    { .state = "57P02", .err = ERR_UNAVAILABLE }, /* crash_shutdown */
    { .state = "57P03", .err = ERR_UNAVAILABLE }, /* cannot_connect_now */
    { .state = "53100", .err = ERR_UNAVAILABLE, .full = true }, /* disk_full */
    { .state = "53200", .err = ERR_UNAVAILABLE },               /* out_of_memory */
    { .state = "53300", .err = ERR_UNAVAILABLE },               /* too_many_connections */
    { .state = "58030", .err = ERR_UNAVAILABLE },               /* io_error */
    { .state = "08006", .err = ERR_UNAVAILABLE },               /* connection_failure */
    { .state = "25P03", .err = ERR_UNAVAILABLE }, /* idle_in_transaction_session_timeout */
    { .state = "42P01", .err = ERR_UNAVAILABLE }, /* undefined_table: another version's schema */
    { .state = "42703", .err = ERR_UNAVAILABLE }, /* undefined_column */
    { .state = "0A000", .err = ERR_UNAVAILABLE }, /* feature_not_supported: a plan's type changed */
    { .state = "08P01", .err = ERR_INTERNAL },    /* protocol_violation */
    { .state = "22012", .err = ERR_INTERNAL },    /* division_by_zero */
    { .state = "23502", .err = ERR_INTERNAL },    /* not_null_violation */
    { .state = "42601", .err = ERR_INTERNAL },    /* syntax_error */
    { .state = "XX000", .err = ERR_INTERNAL },    /* internal_error */
};

static void
create_function(struct db *db)
{
    struct postgres_connection *connection = NULL;
    assert_int_equal(postgres_borrow((struct postgres_store *)db, &connection), ERR_NONE);
    assert_true(postgres_command(
        connection, "CREATE OR REPLACE FUNCTION unit_raise(state TEXT) RETURNS TEXT"
                    " LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = state; END $$"));
    postgres_give_back((struct postgres_store *)db, connection);
}

struct attempt {
    const struct sql *sql;
    const char *state;
    int64_t runs;
};

static enum err
run(struct db_tx *tx, void *argument)
{
    struct attempt *attempt = argument;
    struct arena *mem = arena_new();
    struct db_rows rows = { 0 };
    attempt->runs++;
    enum err err = db_query(tx, mem, attempt->sql, &rows, db_text(str_of(attempt->state)));
    arena_free(mem);
    return err;
}

static uint64_t
opened(struct db *db)
{
    return ((struct postgres_store *)db)->reconnects;
}

static void
assert_result(enum err got, const struct expected *expected, const char *of)
{
    if (got != expected->err)
        fail_msg("SQLSTATE %s in %s: error %d, not %d", expected->state, of, got, expected->err);
}

/* The next transaction succeeds, on the same connection unless its server is left. */
static void
assert_usable(struct db *db, const struct expected *expected, uint64_t before)
{
    struct attempt valid = { &errors_valid, "", 0 };
    while (expected->leaves && db_write(db, run, &valid) == ERR_UNAVAILABLE)
        usleep(10000); /* the only server gets a pause */
    assert_int_equal(db_write(db, run, &valid), ERR_NONE);
    if (expected->leaves != (opened(db) > before))
        fail_msg("SQLSTATE %s: %d connections were opened", expected->state,
                 (int)(opened(db) - before));
}

static void
the_sqlstate_decides_the_error_of_a_write(void **state)
{
    (void)state;
    struct db *db = open_postgres(1, OPEN_DEADLINE_MS);
    create_function(db);
    for (size_t i = 0; i < KIT_COUNT(table); i++) {
        struct attempt attempt = { &errors_raise, table[i].state, 0 };
        uint64_t before = opened(db);
        assert_result(db_write(db, run, &attempt), &table[i], "a write");
        assert_int_equal(db->is_full, table[i].full);
        if (attempt.runs != (table[i].again ? ATTEMPTS : 1))
            fail_msg("SQLSTATE %s: %d attempts", table[i].state, (int)attempt.runs);
        assert_usable(db, &table[i], before);
        assert_false(db->is_full);
    }
    db_close(db);
}

/* It runs once with others and then alone, as any write, unless there is no connection left. */
static void
the_sqlstate_decides_the_error_of_a_shared_write(void **state)
{
    (void)state;
    struct db *db = open_postgres(1, OPEN_DEADLINE_MS);
    create_function(db);
    for (size_t i = 0; i < KIT_COUNT(table); i++) {
        struct attempt attempt = { &errors_raise, table[i].state, 0 };
        uint64_t before = opened(db);
        assert_result(db_write_shared(db, str_of(table[i].state), run, &attempt), &table[i],
                      "a shared write");
        if (attempt.runs != (table[i].leaves ? 0 : table[i].again ? ATTEMPTS : 1) + 1)
            fail_msg("SQLSTATE %s: %d attempts", table[i].state, (int)attempt.runs);
        assert_usable(db, &table[i], before);
    }
    db_close(db);
}

static void
the_sqlstate_decides_the_error_of_a_read(void **state)
{
    (void)state;
    struct db *db = open_postgres(1, OPEN_DEADLINE_MS);
    create_function(db);
    for (size_t i = 0; i < KIT_COUNT(table); i++) {
        struct attempt attempt = { &errors_raise, table[i].state, 0 };
        uint64_t before = opened(db);
        assert_result(kit_read(db, run, &attempt), &table[i], "a read");
        assert_usable(db, &table[i], before);
    }
    db_close(db);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sqlstate_decides_the_error_of_a_write),
        cmocka_unit_test(the_sqlstate_decides_the_error_of_a_shared_write),
        cmocka_unit_test(the_sqlstate_decides_the_error_of_a_read),
    };
    signal(SIGPIPE, SIG_IGN);
    random_start();
    log_setup(LOG_AS_TEXT, LOG_SILENT);
    if (getenv("PENCHANT_TEST_POSTGRES") == NULL)
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
