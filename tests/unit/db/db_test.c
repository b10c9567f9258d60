/* The store's contract, held against both engines: SQLite always, PostgreSQL when
 * PENCHANT_TEST_POSTGRES names an empty database. */
#include "unit/db/rows.h"

#include <pthread.h>

SQL(test_add_plain, "INSERT INTO user_account (user_id, username, status, position, epoch,"
                    " created_at, updated_at) VALUES ($1, $2, 'active', $3, 0, 1, 1)");
SQL(test_swapped, "SELECT CAST($2 AS TEXT), CAST($1 AS BIGINT), CAST(NULL AS TEXT)");
SQL(test_find, "SELECT username, name, position FROM user_account WHERE user_id = $1");
SQL(test_raise, "UPDATE user_account SET epoch = epoch + 1 WHERE user_id = $1"
                " RETURNING epoch");

static void
what_was_written_is_read(struct kit *kit)
{
    assert_int_equal(count(kit->db), 0);
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    assert_int_equal(count(kit->db), 1);
}

static void
work_that_refuses_changes_nothing(struct kit *kit)
{
    assert_int_equal(add_one(kit->db, kit->mem, ERR_FORBIDDEN), ERR_FORBIDDEN);
    assert_int_equal(count(kit->db), 0);
}

static void
a_conflict_that_is_expected_is_no_error(struct kit *kit)
{
    struct add first = { kit->mem, 900001, "twin", ERR_NONE, false };
    struct add second = { kit->mem, 900002, "twin", ERR_NONE, false };
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
    err = db_query(tx, mem, &test_add_plain, NULL, db_text(STR("usr_b")), db_text(STR("same")),
                   db_int(2));
    assert_int_equal(err, ERR_INTERNAL);
    /* After an error a transaction is over: the next call says so, whatever it asks. */
    assert_int_equal(db_query(tx, mem, &test_count, NULL), ERR_INTERNAL);
    return ERR_NONE; /* a work that overlooks its error does not get away with it */
}

static void
a_broken_transaction_is_undone_even_if_the_work_overlooks_it(struct kit *kit)
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
parameters_go_by_number_and_not_by_appearance(struct kit *kit)
{
    assert_int_equal(db_read(kit->db, swap, kit), ERR_NONE);
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
    assert_int_equal(db_read(kit->db, forget_a_parameter, kit->mem), ERR_INTERNAL);
}

static enum err
add_many(struct db_tx *tx, void *argument)
{
    struct kit *kit = argument;
    for (int64_t i = 0; i < 1000; i++) {
        struct add add = { kit->mem, 100000 + i, NULL, ERR_NONE, false };
        enum err err = add_row(tx, &add);
        if (err)
            return err;
    }
    return ERR_NONE;
}

static void
a_transaction_of_a_thousand_rows_is_one(struct kit *kit)
{
    assert_int_equal(db_write(kit->db, add_many, kit), ERR_NONE);
    assert_int_equal(count(kit->db), 1000);
}

/* ---- many at once ---- */

#define THREADS 32
#define ROUNDS 12

struct crowd {
    struct db *db;
    _Atomic int acknowledged;
    _Atomic int refused;
};

static void *
write_in_a_crowd(void *argument)
{
    struct crowd *crowd = argument;
    struct arena *mem = arena_new();
    for (int i = 0; i < ROUNDS; i++) {
        enum err then = i % 4 == 3 ? ERR_INVALID : ERR_NONE;
        enum err err = add_one(crowd->db, mem, then);
        atomic_fetch_add(err ? &crowd->refused : &crowd->acknowledged, 1);
        int64_t seen = 0; /* one's own write is there as soon as it is answered */
        if (db_read(crowd->db, count_rows, &seen) || seen < 1)
            abort();
    }
    arena_free(mem);
    return NULL;
}

static void
a_crowd_of_writers_loses_nothing_and_keeps_nothing_refused(struct kit *kit)
{
    struct crowd crowd = { .db = kit->db };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, write_in_a_crowd, &crowd);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(crowd.acknowledged, THREADS * ROUNDS * 3 / 4);
    assert_int_equal(crowd.refused, THREADS * ROUNDS / 4);
    assert_int_equal(count(kit->db), crowd.acknowledged);
}

static enum err
raise_epoch(struct db_tx *tx, void *argument)
{
    return db_query(tx, argument, &test_raise, NULL, db_text(STR("usr_777")));
}

static void *
raise_in_a_crowd(void *argument)
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
a_row_raised_by_many_counts_every_one(struct kit *kit)
{
    struct add add = { kit->mem, 777, NULL, ERR_NONE, false };
    assert_int_equal(db_write(kit->db, add_row, &add), ERR_NONE);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, raise_in_a_crowd, kit->db);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(db_read(kit->db, sum_epochs, kit), ERR_NONE);
}

/* ---- opening ---- */

static void
an_open_store_opens_again_with_what_it_held(struct kit *kit)
{
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    kit_reopen(kit);
    assert_int_equal(count(kit->db), 1);
    assert_int_equal(db_schema_version(kit->db), 1);
    assert_int_equal(db_ping(kit->db), ERR_NONE);
}

static void
addresses_that_are_none_are_told(struct kit *kit)
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

static void
a_password_is_never_described(struct kit *kit)
{
    struct str shown = db_describe(kit->db, kit->mem);
    assert_true(shown.len > 6);
    assert_null(strstr(shown.ptr, "password"));
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(what_was_written_is_read),
        KIT_CASE(work_that_refuses_changes_nothing),
        KIT_CASE(a_conflict_that_is_expected_is_no_error),
        KIT_CASE(a_broken_transaction_is_undone_even_if_the_work_overlooks_it),
        KIT_CASE(parameters_go_by_number_and_not_by_appearance),
        KIT_CASE(a_missing_parameter_is_a_defect_and_not_a_null),
        KIT_CASE(a_transaction_of_a_thousand_rows_is_one),
        KIT_CASE(a_crowd_of_writers_loses_nothing_and_keeps_nothing_refused),
        KIT_CASE(a_row_raised_by_many_counts_every_one),
        KIT_CASE(an_open_store_opens_again_with_what_it_held),
        KIT_CASE(addresses_that_are_none_are_told),
        KIT_CASE(a_password_is_never_described),
    };
    /* Defects are provoked here; their lines would alarm. */
    return KIT_RUN("db", cases, LOG_SILENT);
}
