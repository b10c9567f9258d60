/* The contract of db.h on both engines: SQLite always, PostgreSQL if PENCHANT_TEST_POSTGRES names
 * an empty database. */
#include "unit/db/rows.h"

#include "base/buf.h"

#include <pthread.h>

SQL(test_add_plain, "INSERT INTO user_account (user_id, username, status, position, epoch,"
                    " created_at, updated_at) VALUES ($1, $2, 'active', $3, 0, 1, 1)");
SQL(test_swapped, "SELECT CAST($2 AS TEXT), CAST($1 AS BIGINT), CAST(NULL AS TEXT)");
SQL(test_find, "SELECT username, name, position FROM user_account WHERE user_id = $1");
SQL(test_raise, "UPDATE user_account SET epoch = epoch + 1 WHERE user_id = $1"
                " RETURNING epoch");

static void
a_written_row_is_read(struct kit *kit)
{
    assert_int_equal(count(kit->db), 0);
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    assert_int_equal(count(kit->db), 1);
}

static void
work_that_returns_an_error_changes_nothing(struct kit *kit)
{
    assert_int_equal(add_one(kit->db, kit->mem, ERR_FORBIDDEN), ERR_FORBIDDEN);
    assert_int_equal(count(kit->db), 0);
}

static void
on_conflict_do_nothing_is_not_an_error(struct kit *kit)
{
    struct add first = { kit->mem, 900001, ERR_NONE, false };
    struct add second = { kit->mem, 900001, ERR_NONE, false };
    assert_int_equal(db_write(kit->db, add_row, &first), ERR_NONE);
    assert_int_equal(db_write(kit->db, add_row, &second), ERR_NONE);
    assert_true(first.added);
    assert_false(second.added);
    assert_int_equal(count(kit->db), 1);
}

static enum err
break_a_constraint(struct db_tx *tx, void *argument)
{
    struct arena *mem = argument;
    enum err err = db_query(tx, mem, &test_add_plain, NULL, db_text(STR("usr_a")),
                            db_text(STR("same")), db_int(1));
    if (err)
        return err;
    err = db_query(tx, mem, &test_add_plain, NULL, db_text(STR("usr_a")), db_text(STR("same")),
                   db_int(1));
    assert_int_equal(err, ERR_INTERNAL);
    /* After an error every further statement fails. */
    assert_int_equal(db_query(tx, mem, &test_count, NULL), ERR_INTERNAL);
    return ERR_NONE; /* ignoring the error does not commit */
}

static void
a_failed_transaction_is_rolled_back_even_if_the_work_ignores_the_error(struct kit *kit)
{
    assert_int_equal(db_write(kit->db, break_a_constraint, kit->mem), ERR_INTERNAL);
    assert_int_equal(count(kit->db), 0);
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
}

static enum err
swap(struct db_tx *tx, void *argument)
{
    struct kit *kit = argument;
    struct db_rows rows;
    enum err err = db_query(tx, kit->mem, &test_swapped, &rows, db_int(-7),
                            db_text(STR("Bj\xc3\xb6rk 'quoted' $1")));
    if (err)
        return err;
    assert_int_equal(rows.count, 1);
    assert_true(str_eq(db_cell_text(&rows, 0, 0), STR("Bj\xc3\xb6rk 'quoted' $1")));
    assert_int_equal(db_cell_int(&rows, 0, 1), -7);
    assert_false(str_present(db_cell_text(&rows, 0, 2)));
    assert_false(str_present(db_cell_text(&rows, 5, 9))); /* out of bounds is absent, not a crash */
    return ERR_NONE;
}

static void
parameters_are_bound_by_number(struct kit *kit)
{
    assert_int_equal(kit_read(kit->db, swap, kit), ERR_NONE);
    assert_int_equal(db_write(kit->db, swap, kit), ERR_NONE);
}

static enum err
forget_a_parameter(struct db_tx *tx, void *argument)
{
    return db_query(tx, argument, &test_find, NULL);
}

static void
a_missing_parameter_is_a_defect_and_not_a_null(struct kit *kit)
{
    assert_int_equal(kit_read(kit->db, forget_a_parameter, kit->mem), ERR_INTERNAL);
}

static enum err
add_many(struct db_tx *tx, void *argument)
{
    struct kit *kit = argument;
    for (int64_t i = 0; i < 1000; i++) {
        struct add add = { kit->mem, 100000 + i, ERR_NONE, false };
        enum err err = add_row(tx, &add);
        if (err)
            return err;
    }
    return ERR_NONE;
}

static void
a_transaction_may_write_a_thousand_rows(struct kit *kit)
{
    assert_int_equal(db_write(kit->db, add_many, kit), ERR_NONE);
    assert_int_equal(count(kit->db), 1000);
}

/* ---- concurrent writers ---- */

#define THREADS 32
#define ROUNDS 12

struct writers {
    struct db *db;
    _Atomic int committed;
    _Atomic int rolled_back;
};

static void *
run_writer(void *argument)
{
    struct writers *writers = argument;
    struct arena *mem = arena_new();
    for (int i = 0; i < ROUNDS; i++) {
        enum err then = i % 4 == 3 ? ERR_INVALID : ERR_NONE;
        enum err err = add_one(writers->db, mem, then);
        atomic_fetch_add(err ? &writers->rolled_back : &writers->committed, 1);
        int64_t seen = 0; /* a write is visible when db_write() returns */
        if (kit_read(writers->db, count_rows, &seen) || seen < 1)
            abort();
    }
    arena_free(mem);
    return NULL;
}

static void
concurrent_writers_lose_no_commit_and_keep_no_rollback(struct kit *kit)
{
    struct writers writers = { .db = kit->db };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run_writer, &writers);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(writers.committed, THREADS * ROUNDS * 3 / 4);
    assert_int_equal(writers.rolled_back, THREADS * ROUNDS / 4);
    assert_int_equal(count(kit->db), writers.committed);
}

static enum err
raise_epoch(struct db_tx *tx, void *argument)
{
    return db_query(tx, argument, &test_raise, NULL, db_text(STR("usr_777")));
}

static void *
run_increments(void *argument)
{
    struct arena *mem = arena_new();
    for (int i = 0; i < ROUNDS; i++)
        if (db_write(argument, raise_epoch, mem))
            abort();
    arena_free(mem);
    return NULL;
}

static enum err
sum_epochs(struct db_tx *tx, void *argument)
{
    struct kit *kit = argument;
    struct db_rows rows;
    enum err err = db_query(tx, kit->mem, &test_count, &rows);
    assert_int_equal(db_cell_int(&rows, 0, 2), THREADS * ROUNDS);
    return err;
}

static void
concurrent_increments_of_a_row_are_all_counted(struct kit *kit)
{
    struct add add = { kit->mem, 777, ERR_NONE, false };
    assert_int_equal(db_write(kit->db, add_row, &add), ERR_NONE);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run_increments, kit->db);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(kit_read(kit->db, sum_epochs, kit), ERR_NONE);
}

/* ---- opening ---- */

static void
a_reopened_store_has_its_rows(struct kit *kit)
{
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    kit_reopen(kit);
    assert_int_equal(count(kit->db), 1);
    assert_int_equal(db_schema_version(kit->db), 1);
    assert_int_equal(db_ping(kit->db, &(struct why){ 0 }), ERR_NONE);
}

static void
invalid_addresses_are_rejected(struct kit *kit)
{
    (void)kit;
    static const char *const wrong[] = {
        "", "penchant.db", "sqlite:", "sqlite::memory:", "mysql://", "postgresql://[x:", NULL
    };
    for (size_t i = 0; wrong[i] != NULL; i++) {
        struct db *db = NULL;
        struct why why = { 0 };
        struct db_settings settings = { .address = wrong[i], .connections = 1 };
        assert_non_null(db_address_problem(wrong[i]));
        assert_int_equal(db_open(&settings, &db, &why), ERR_INVALID);
        assert_true(why.text[0] != '\0');
        assert_null(db);
    }
}

/* The sandbox has room for a few files, and several databases mostly share their certificates. */
static void
files_of_several_databases_are_listed_once(struct kit *kit)
{
    const char *files[12] = { 0 };
    struct buf addresses = buf_in(kit->mem, 2000);
    for (int i = 0; i < 8; i++)
        buf_add_format(&addresses, "postgresql://db%d/p?sslrootcert=/etc/p/ca.pem%s ", i,
                       i == 7 ? "&sslcert=/etc/p/last.pem" : "");
    size_t count = db_address_files(kit->mem, str_c(kit->mem, buf_str(&addresses)), files, 12);
    size_t found = 0;
    assert_in_range(count, 3, 6);
    for (size_t i = 0; i < count; i++) {
        found += strcmp(files[i], "/etc/p/ca.pem") == 0 || strcmp(files[i], "/etc/p/last.pem") == 0;
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(files[i], files[k]);
    }
    assert_int_equal(found, 2);
}

static void
a_description_has_no_password(struct kit *kit)
{
    struct str shown = db_describe(kit->db, kit->mem);
    assert_true(shown.len > 6);
    assert_null(strstr(shown.ptr, "password"));
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_written_row_is_read),
        KIT_CASE(work_that_returns_an_error_changes_nothing),
        KIT_CASE(on_conflict_do_nothing_is_not_an_error),
        KIT_CASE(a_failed_transaction_is_rolled_back_even_if_the_work_ignores_the_error),
        KIT_CASE(parameters_are_bound_by_number),
        KIT_CASE(a_missing_parameter_is_a_defect_and_not_a_null),
        KIT_CASE(a_transaction_may_write_a_thousand_rows),
        KIT_CASE(concurrent_writers_lose_no_commit_and_keep_no_rollback),
        KIT_CASE(concurrent_increments_of_a_row_are_all_counted),
        KIT_CASE(a_reopened_store_has_its_rows),
        KIT_CASE(invalid_addresses_are_rejected),
        KIT_CASE(files_of_several_databases_are_listed_once),
        KIT_CASE(a_description_has_no_password),
    };
    /* Defects are provoked here; their log lines would be noise. */
    return KIT_RUN("db", cases, LOG_SILENT);
}
