/* Writes that may share a transaction: db_write_shared(). */
#include "unit/assert_str.h"
#include "unit/db/rows.h"

#include "postgres/postgres.h"

#include <pthread.h>

#define WRITERS 24
#define ROUNDS 6

SQL_MANY(shared_hold,
         "UPDATE user_account SET epoch = epoch WHERE user_id = $1 RETURNING username, epoch", "t",
         "SELECT m.n, u.username, u.epoch FROM m JOIN user_account u ON u.user_id = m.p1"
         " FOR UPDATE OF u");
SQL_MANY(shared_find, "SELECT username FROM user_account WHERE user_id = $1", "t",
         "SELECT m.n, u.username FROM m JOIN user_account u ON u.user_id = m.p1");
SQL_MANY(shared_put, "UPDATE user_account SET epoch = $2 WHERE user_id = $1 RETURNING user_id",
         "ti", "UPDATE user_account u SET epoch = m.p2 FROM m WHERE u.user_id = m.p1");
SQL_MANY(shared_echo, "SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS TEXT)", "tit",
         "SELECT m.n, p1, p2, p3 FROM m");
SQL(shared_break, "INSERT INTO user_account (user_id, username, status, position, epoch,"
                  " created_at, updated_at) VALUES ($1, 'same', 'active', 1, 0, 1, 1)");
SQL(shared_epoch, "SELECT epoch FROM user_account WHERE user_id = $1");

struct writer {
    struct kit *kit;
    struct arena *mem;
    struct str id, key;
    enum { ADD_ONE, UNKNOWN_ROW, MISSING, FAIL_AFTER_WRITE, FAIL_AFTER_READ, BREAK, ECHO } what;
    struct str username, prefetched;
    bool echoed;
    size_t runs;
    enum err result;
    pthread_t thread;
};

static enum err
write_once(struct db_tx *tx, void *argument)
{
    struct writer *writer = argument;
    struct arena *mem = writer->mem;
    struct db_rows rows = { 0 }, other = { 0 };
    writer->runs++;
    if (writer->what == ECHO) {
        enum err err = db_query(tx, mem, &shared_echo, &rows, db_text(writer->username),
                                db_int(INT64_MIN + (int64_t)writer->id.len), db_text(STR_NONE));
        writer->echoed = rows.count == 1 && rows.columns == 3 &&
                         str_eq(db_cell_text(&rows, 0, 0), writer->username) &&
                         db_cell_int(&rows, 0, 1) == INT64_MIN + (int64_t)writer->id.len &&
                         db_cell_text(&rows, 0, 2).ptr == NULL;
        return err;
    }
    db_prefetch(tx, mem, &shared_find, db_text(writer->id));
    enum err err = db_query(tx, mem, &shared_hold, &rows, db_text(writer->id));
    if (!err)
        err = db_query(tx, mem, &shared_find, &other, db_text(writer->id));
    if (err)
        return err;
    writer->username = db_cell_text(&rows, 0, 0);
    writer->prefetched = db_cell_text(&other, 0, 0);
    if (rows.count == 0)
        return ERR_NOT_FOUND;
    if (writer->what == FAIL_AFTER_READ)
        return ERR_FORBIDDEN;
    if (writer->what == BREAK)
        return db_query(tx, mem, &shared_break, NULL, db_text(writer->id));
    struct str id = writer->what == MISSING ? STR("usr_missing") : writer->id;
    err = db_put(tx, mem, &shared_put, db_text(id), db_int(db_cell_int(&rows, 0, 1) + 1));
    if (err || writer->what != FAIL_AFTER_WRITE)
        return err;
    err = db_query(tx, mem, &shared_find, &other, db_text(writer->id)); /* runs the put */
    return err ? err : ERR_INVALID;
}

static void *
run_writer(void *argument)
{
    struct writer *writer = argument;
    writer->result = db_write_shared(writer->kit->db, writer->key, write_once, writer);
    return NULL;
}

static void
add_users(struct kit *kit, size_t number)
{
    next_position = 1;
    for (size_t i = 0; i < number; i++)
        assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    assert_int_equal(count(kit->db), number);
}

/* Each writes its own row, unless `what` changes them before they start. */
static void
make_writers(struct kit *kit, struct writer *writers)
{
    for (size_t i = 0; i < WRITERS; i++) {
        struct str id = str_format(kit->mem, "usr_%zu", i + 1);
        writers[i] = (struct writer){ .kit = kit, .mem = arena_new(), .id = id, .key = id };
    }
}

static void
run_all(struct writer *writers)
{
    for (size_t i = 0; i < WRITERS; i++)
        pthread_create(&writers[i].thread, NULL, run_writer, &writers[i]);
    for (size_t i = 0; i < WRITERS; i++)
        pthread_join(writers[i].thread, NULL);
}

static void
free_writers(struct writer *writers)
{
    for (size_t i = 0; i < WRITERS; i++)
        arena_free(writers[i].mem);
}

struct epoch {
    struct arena *mem;
    struct str id;
    int64_t epoch;
};

static enum err
find_epoch(struct db_tx *tx, void *argument)
{
    struct epoch *epoch = argument;
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, epoch->mem, &shared_epoch, &rows, db_text(epoch->id));
    epoch->epoch = db_cell_int(&rows, 0, 0);
    return err;
}

static int64_t
epoch_of(struct kit *kit, struct str id)
{
    struct epoch epoch = { kit->mem, id, -1 };
    assert_int_equal(kit_read(kit->db, find_epoch, &epoch), ERR_NONE);
    return epoch.epoch;
}

static void
each_writer_gets_its_own_rows(struct kit *kit)
{
    struct writer writers[WRITERS];
    add_users(kit, WRITERS);
    for (int round = 1; round <= ROUNDS; round++) {
        make_writers(kit, writers);
        run_all(writers);
        for (size_t i = 0; i < WRITERS; i++) {
            struct str name = str_format(kit->mem, "user%zu", i + 1);
            assert_int_equal(writers[i].result, ERR_NONE);
            assert_int_equal(writers[i].runs, 1);
            assert_str(writers[i].username, name, "of the row that it asked for");
            assert_str(writers[i].prefetched, name, "fetched together with it");
            assert_int_equal(epoch_of(kit, writers[i].id), round);
        }
        free_writers(writers);
    }
    if (kit->postgres == NULL)
        return;
    struct postgres_store *store = (struct postgres_store *)kit->db;
    assert_true(store->groups > 0);
    assert_true(store->groups < WRITERS * ROUNDS); /* some shared a transaction */
}

static void
writers_with_one_key_do_not_lose_updates(struct kit *kit)
{
    struct writer writers[WRITERS];
    add_users(kit, 1);
    make_writers(kit, writers);
    for (size_t i = 0; i < WRITERS; i++)
        writers[i].id = writers[i].key = STR("usr_1");
    run_all(writers);
    for (size_t i = 0; i < WRITERS; i++) {
        assert_int_equal(writers[i].result, ERR_NONE);
        assert_int_equal(writers[i].runs, 1); /* they never met in a transaction */
    }
    assert_int_equal(epoch_of(kit, STR("usr_1")), WRITERS);
    free_writers(writers);
}

/* Every third writer fails, and only these do. */
static void
fail_alone(struct kit *kit, int what, enum err expected)
{
    struct writer writers[WRITERS];
    add_users(kit, WRITERS);
    make_writers(kit, writers);
    for (size_t i = 0; i < WRITERS; i += 3) {
        writers[i].what = what;
        if (what == UNKNOWN_ROW)
            writers[i].id = str_format(kit->mem, "usr_none%zu", i);
    }
    run_all(writers);
    for (size_t i = 0; i < WRITERS; i++) {
        bool fails = i % 3 == 0;
        if (!fails)
            assert_str(writers[i].username, str_format(kit->mem, "user%zu", i + 1), "its own row");
        assert_int_equal(writers[i].result, fails ? expected : ERR_NONE);
        assert_int_equal(epoch_of(kit, writers[i].id), fails ? 0 : 1);
    }
    free_writers(writers);
}

static void
a_read_without_a_row_fails_alone(struct kit *kit)
{
    fail_alone(kit, UNKNOWN_ROW, ERR_NOT_FOUND);
}

static void
a_put_without_a_row_fails_alone(struct kit *kit)
{
    fail_alone(kit, MISSING, ERR_NOT_FOUND);
}

static void
an_error_after_a_write_fails_alone(struct kit *kit)
{
    fail_alone(kit, FAIL_AFTER_WRITE, ERR_INVALID);
}

static void
an_error_after_a_read_fails_alone(struct kit *kit)
{
    fail_alone(kit, FAIL_AFTER_READ, ERR_FORBIDDEN);
}

static void
a_broken_statement_fails_alone(struct kit *kit)
{
    fail_alone(kit, BREAK, ERR_INTERNAL);
}

static enum err
put_in_turn(struct db_tx *tx, void *argument)
{
    struct writer *writer = argument;
    struct arena *mem = writer->mem;
    struct str id = writer->id;
    struct db_rows first = { 0 }, between = { 0 };
    enum err err = db_query(tx, mem, &shared_find, &first, db_text(id));
    if (!err)
        err = db_put(tx, mem, &shared_put, db_text(id), db_int(5));
    if (!err)
        err = db_query(tx, mem, &shared_epoch, &between, db_text(id));
    writer->echoed = !err && between.count == 1 && db_cell_int(&between, 0, 0) == 5;
    for (int64_t value = 6; value < 9 && !err; value++)
        err = db_put(tx, mem, &shared_put, db_text(id), db_int(value));
    return err;
}

static void *
run_puts(void *argument)
{
    struct writer *writer = argument;
    writer->result = db_write_shared(writer->kit->db, writer->key, put_in_turn, writer);
    return NULL;
}

/* The last one remains, and a query sees those before it. */
static void
delayed_puts_run_in_their_order(struct kit *kit)
{
    struct writer writers[WRITERS];
    add_users(kit, WRITERS);
    make_writers(kit, writers);
    for (size_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i].thread, NULL, run_puts, &writers[i]), 0);
    for (size_t i = 0; i < WRITERS; i++)
        pthread_join(writers[i].thread, NULL);
    for (size_t i = 0; i < WRITERS; i++) {
        assert_int_equal(writers[i].result, ERR_NONE);
        assert_true(writers[i].echoed);
        assert_int_equal(epoch_of(kit, writers[i].id), 8);
    }
    free_writers(writers);
}

static void
parameters_arrive_unchanged(struct kit *kit)
{
    static const char *const texts[] = {
        "",  "{}", "{\"a\",NULL}", "NULL", "\\x00", "'\"\\,", "\xc3\xa9\xf0\x9f\x8d\x8b", "a\nb\tc",
        " ", "0"
    };
    struct writer writers[WRITERS];
    make_writers(kit, writers);
    for (size_t i = 0; i < WRITERS; i++) {
        writers[i].what = ECHO;
        writers[i].username = str_of(texts[i % KIT_COUNT(texts)]);
    }
    run_all(writers);
    for (size_t i = 0; i < WRITERS; i++) {
        assert_int_equal(writers[i].result, ERR_NONE);
        assert_true(writers[i].echoed);
    }
    free_writers(writers);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(each_writer_gets_its_own_rows),
        KIT_CASE(writers_with_one_key_do_not_lose_updates),
        KIT_CASE(a_read_without_a_row_fails_alone),
        KIT_CASE(a_put_without_a_row_fails_alone),
        KIT_CASE(an_error_after_a_write_fails_alone),
        KIT_CASE(an_error_after_a_read_fails_alone),
        KIT_CASE(a_broken_statement_fails_alone),
        KIT_CASE(delayed_puts_run_in_their_order),
        KIT_CASE(parameters_arrive_unchanged),
    };
    return KIT_RUN("shared writes", cases, LOG_SILENT);
}
