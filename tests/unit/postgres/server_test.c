/* A write begins and commits only on the server that versions are synchronized with: its connection
 * is discarded otherwise, and the write runs again on a new one. Needs PENCHANT_TEST_POSTGRES. */
#include "unit/postgres_kit.h"

#include "db/driver.h"
#include "postgres/postgres.h"

#define OTHER "00000001 another server"

SQL(server_clear, "DELETE FROM lost_writes WHERE timeline = 'unit' RETURNING timeline");
SQL(server_add, "INSERT INTO lost_writes (timeline, lost_from, lost_until) VALUES ($1, 0, 0)");

/* Versions are now synchronized with the server of this incarnation. */
static void
follow(struct db *db, const char *incarnation)
{
    struct postgres_store *store = (struct postgres_store *)db;
    pthread_mutex_lock(&store->lock);
    snprintf(store->incarnation, sizeof store->incarnation, "%s", incarnation);
    atomic_fetch_add(&store->incarnations, 1);
    pthread_mutex_unlock(&store->lock);
}

static void
find_incarnation(struct db *db, char out[100])
{
    struct postgres_connection *connection = NULL;
    assert_int_equal(postgres_borrow((struct postgres_store *)db, &connection), ERR_NONE);
    memcpy(out, connection->incarnation, 100);
    postgres_give_back((struct postgres_store *)db, connection);
    assert_true(out[0] != '\0');
}

static uint64_t
opened(struct db *db)
{
    return ((struct postgres_store *)db)->reconnects;
}

struct work {
    int64_t runs;
    struct db *moves; /* while it runs, versions move to another server; NULL: they do not */
    bool rejects;     /* it returns an error, for example because it found no row */
};

static enum err
add_row(struct db_tx *tx, void *argument)
{
    struct work *work = argument;
    struct arena *mem = arena_new();
    struct db_rows rows = { 0 };
    work->runs++;
    enum err err = db_query(tx, mem, &server_add, &rows, db_text(STR("unit")));
    if (work->moves != NULL)
        follow(work->moves, OTHER);
    arena_free(mem);
    return work->rejects ? ERR_NOT_FOUND : err;
}

/* The driver's two calls, as one write. */
static enum err
write_in_steps(struct db *db, db_work *work, void *argument)
{
    struct db_tx *tx = db->driver->begin_write(db);
    if (tx == NULL)
        return ERR_UNAVAILABLE;
    enum err err = work(tx, argument);
    switch (db->driver->end_write(tx, !err, &err)) {
    case DB_COMMITTED:
        return ERR_NONE;
    case DB_REJECTED:
        return err;
    case DB_AGAIN:
    case DB_UNKNOWN:
        break;
    }
    return ERR_UNAVAILABLE;
}

static enum err
write_shared(struct db *db, db_work *work, void *argument)
{
    return db_write_shared(db, STR("key"), work, argument);
}

static const struct way {
    const char *name;
    enum err (*write)(struct db *db, db_work *work, void *argument);
    int64_t runs; /* of a write that must not begin: a group sends its statements with the BEGIN */
} ways[] = {
    { "a write", db_write, 0 },
    { "a shared write", write_shared, 1 },
    { "a write in steps", write_in_steps, 0 },
};

static enum err
clear_rows(struct db_tx *tx, void *argument)
{
    int64_t *changed = argument;
    struct arena *mem = arena_new();
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &server_clear, &rows);
    *changed = (int64_t)rows.count;
    arena_free(mem);
    return err;
}

/* Removes the rows that were added, on the server itself. */
static void
assert_added(struct db *db, int64_t expected, const char *name)
{
    int64_t count = 0;
    assert_int_equal(db_write(db, clear_rows, &count), ERR_NONE);
    if (count != expected)
        fail_msg("%s: %d rows, not %d", name, (int)count, (int)expected);
}

/* Versions follow the server, so that a write succeeds, then another one, then the server again. */
static void
test_way(struct db *db, const struct way *way, const char *server, bool begun, bool rejects)
{
    struct work good = { 0 }, again = { 0 };
    struct work refused = { .moves = begun ? db : NULL, .rejects = rejects };
    assert_int_equal(way->write(db, add_row, &good), ERR_NONE);
    assert_added(db, 1, way->name);
    uint64_t before = opened(db);
    if (!begun)
        follow(db, OTHER);
    assert_int_equal(way->write(db, add_row, &refused), ERR_UNAVAILABLE);
    if (refused.runs != (begun ? 1 : way->runs))
        fail_msg("%s: ran %d times", way->name, (int)refused.runs);
    follow(db, server);
    assert_added(db, 0, way->name);
    assert_true(opened(db) > before);
    assert_int_equal(way->write(db, add_row, &again), ERR_NONE);
    assert_added(db, 1, way->name);
}

static void
test_ways(bool begun, bool rejects)
{
    struct db *db = open_postgres(1, OPEN_DEADLINE_MS);
    char server[100];
    int64_t left = 0;
    find_incarnation(db, server);
    assert_int_equal(db_write(db, clear_rows, &left), ERR_NONE);
    follow(db, server);
    for (size_t i = 0; i < KIT_COUNT(ways); i++)
        test_way(db, &ways[i], server, begun, rejects);
    db_close(db);
}

static void
a_write_does_not_begin_on_another_server(void **state)
{
    (void)state;
    test_ways(false, false);
}

static void
a_write_does_not_commit_after_versions_moved_to_another_server(void **state)
{
    (void)state;
    test_ways(true, false);
}

/* What it has read may be wrong there. */
static void
a_write_that_is_rejected_runs_again_after_versions_moved(void **state)
{
    (void)state;
    test_ways(true, true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_does_not_begin_on_another_server),
        cmocka_unit_test(a_write_does_not_commit_after_versions_moved_to_another_server),
        cmocka_unit_test(a_write_that_is_rejected_runs_again_after_versions_moved),
    };
    signal(SIGPIPE, SIG_IGN);
    random_start();
    log_setup(LOG_AS_TEXT, LOG_SILENT);
    if (getenv("PENCHANT_TEST_POSTGRES") == NULL)
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
