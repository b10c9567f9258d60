/* When statements are prepared, and what happens to an invalid one. One statement of this program
 * is invalid on both engines. Tests of PostgreSQL need PENCHANT_TEST_POSTGRES. */
#include "unit/store_kit.h"

#include "postgres/postgres.h"

SQL(prepare_invalid, "SELECT nothing FROM table_that_does_not_exist");
SQL(prepare_valid, "SELECT CAST($1 AS BIGINT) + 1");
SQL(prepare_failing, "SELECT 1 / CAST($1 AS BIGINT)");
SQL_SHARED_READ(prepare_many, "SELECT CAST($1 AS BIGINT) + 2", "i", "SELECT m.n, p1 + 2 FROM m");

static enum err
open_at(const char *address, bool lazily, struct db **db, struct why *why)
{
    struct db_settings settings = { .address = address,
                                    .connections = 1,
                                    .prepare_lazily = lazily };
    return db_open(&settings, db, why);
}

static struct db *
open_postgres(void)
{
    struct why why = { 0 };
    struct db *db = NULL;
    if (open_at(getenv("PENCHANT_TEST_POSTGRES"), true, &db, &why))
        fail_msg("%s", why.text);
    return db;
}

static void
an_invalid_statement_fails_at_startup_on_sqlite(void **state)
{
    (void)state;
    struct why why = { 0 };
    struct db *db = NULL;
    char folder[] = "/tmp/penchant-unit-XXXXXX", address[64];
    assert_non_null(mkdtemp(folder));
    snprintf(address, sizeof address, "sqlite:%s/store.db", folder);
    assert_int_equal(open_at(address, false, &db, &why), ERR_INTERNAL);
    assert_string_equal(why.text, "store: cannot prepare statement prepare_invalid");
    nftw(folder, kit_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static void
an_invalid_statement_fails_at_startup_on_postgresql(void **state)
{
    (void)state;
    struct why why = { 0 };
    struct db *db = NULL;
    assert_int_equal(open_at(getenv("PENCHANT_TEST_POSTGRES"), false, &db, &why), ERR_INTERNAL);
    assert_string_equal(why.text, "store: cannot prepare statement prepare_invalid:"
                                  " relation \"table_that_does_not_exist\" does not exist");
}

struct question {
    const struct sql *sql;
    int64_t number, answer;
};

static enum err
ask(struct db_tx *tx, void *argument)
{
    struct question *question = argument;
    struct arena *mem = arena_new();
    struct db_rows rows = { 0 };
    enum err err = question->sql == &prepare_invalid
                       ? db_query(tx, mem, question->sql, &rows)
                       : db_query(tx, mem, question->sql, &rows, db_int(question->number));
    question->answer = db_cell_int(&rows, 0, 0);
    arena_free(mem);
    return err;
}

/* Runs a script on the only connection of the pool, and returns the number that it results in. */
static int
run_script(struct db *db, const char *script)
{
    struct postgres_connection *connection = NULL;
    assert_int_equal(postgres_borrow((struct postgres_store *)db, &connection), ERR_NONE);
    PGresult *result = postgres_run(connection, script);
    int number = (int)strtol(PQgetvalue(result, 0, 0), NULL, 10);
    assert_int_equal(PQresultStatus(result), PGRES_TUPLES_OK);
    PQclear(result);
    postgres_give_back((struct postgres_store *)db, connection);
    return number;
}

/* Without those that begin transactions that write. */
static int
count_prepared(struct db *db)
{
    return run_script(db, "SELECT COUNT(*) FROM pg_prepared_statements"
                          " WHERE name NOT LIKE 'store_begin%'");
}

static void
a_statement_is_prepared_when_it_first_runs(void **state)
{
    (void)state;
    struct db *db = open_postgres();
    assert_int_equal(count_prepared(db), 0);
    for (int64_t i = 0; i < 3; i++) {
        struct question question = { &prepare_valid, i, -1 };
        assert_int_equal(kit_read(db, ask, &question), ERR_NONE);
        assert_int_equal(question.answer, i + 1);
        assert_int_equal(count_prepared(db), 1);
        assert_int_equal(db_write(db, ask, &question), ERR_NONE);
    }
    db_close(db);
}

/* Also in a shared transaction, where the form for many callers is prepared. */
static void
a_form_for_many_callers_is_prepared_when_it_first_runs(void **state)
{
    (void)state;
    struct db *db = open_postgres();
    for (int64_t i = 0; i < 3; i++) {
        struct question question = { &prepare_many, i, -1 };
        assert_int_equal(db_write_shared(db, STR("key"), ask, &question), ERR_NONE);
        assert_int_equal(question.answer, i + 2);
        assert_int_equal(count_prepared(db), 1);
    }
    assert_int_equal(((struct postgres_store *)db)->retries, 0); /* it would run alone */
    db_close(db);
}

/* A table that does not exist may be that of another version, so the service is unavailable. The
 * connection is kept, and prepares the statement when it has become valid. */
static void
an_invalid_statement_fails_alone(void **state)
{
    (void)state;
    struct db *db = open_postgres();
    for (int64_t i = 0; i < 2; i++) {
        struct question invalid = { &prepare_invalid, i, -1 }, valid = { &prepare_valid, i, -1 };
        assert_int_equal(kit_read(db, ask, &invalid), ERR_UNAVAILABLE);
        assert_int_equal(db_write(db, ask, &invalid), ERR_UNAVAILABLE);
        assert_int_equal(db_write_shared(db, STR("key"), ask, &invalid), ERR_UNAVAILABLE);
        assert_int_equal(kit_read(db, ask, &valid), ERR_NONE);
        assert_int_equal(valid.answer, i + 1);
        assert_int_equal(count_prepared(db), 1);
    }
    struct question now_valid = { &prepare_invalid, 0, -1 };
    run_script(db, "CREATE TABLE table_that_does_not_exist (nothing BIGINT); SELECT 1");
    enum err err = kit_read(db, ask, &now_valid);
    run_script(db, "DROP TABLE table_that_does_not_exist; SELECT 1");
    assert_int_equal(err, ERR_NONE);
    assert_int_equal(((struct postgres_store *)db)->reconnects, 0);
    db_close(db);
}

static void
a_statement_that_fails_stays_prepared(void **state)
{
    (void)state;
    struct db *db = open_postgres();
    struct question question = { &prepare_failing, 0, -1 };
    assert_int_equal(db_write(db, ask, &question), ERR_INTERNAL);
    assert_int_equal(count_prepared(db), 1);
    assert_int_equal(db_write(db, ask, &question), ERR_INTERNAL);
    question.number = 1;
    assert_int_equal(db_write(db, ask, &question), ERR_NONE);
    assert_int_equal(question.answer, 1);
    assert_int_equal(((struct postgres_store *)db)->reconnects, 0);
    db_close(db);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_invalid_statement_fails_at_startup_on_sqlite),
        cmocka_unit_test(an_invalid_statement_fails_at_startup_on_postgresql),
        cmocka_unit_test(a_statement_is_prepared_when_it_first_runs),
        cmocka_unit_test(a_form_for_many_callers_is_prepared_when_it_first_runs),
        cmocka_unit_test(an_invalid_statement_fails_alone),
        cmocka_unit_test(a_statement_that_fails_stays_prepared),
    };
    size_t count = KIT_COUNT(tests);
    signal(SIGPIPE, SIG_IGN);
    random_start();
    log_setup(LOG_AS_TEXT, LOG_SILENT);
    if (getenv("PENCHANT_TEST_POSTGRES") == NULL)
        count = 1;
    return _cmocka_run_group_tests("prepare", tests, count, NULL, NULL);
}
