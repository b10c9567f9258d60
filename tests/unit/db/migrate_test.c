/* Schema steps applied to an existing store, on every engine. */
#include "unit/db/rows.h"

#include "base/embedded.h"
#include "db/driver.h"

#define EMBED(name, text)                     \
    {                                         \
        name, text, (text) + sizeof(text) - 1 \
    }

static const char step_2[] = "CREATE TABLE migrate_test (row_key INTEGER PRIMARY KEY, note TEXT);\n"
                             "INSERT INTO migrate_test SELECT 5000000000 + position, username"
                             " FROM user_account;\n";
static const char step_3[] = "UPDATE migrate_test SET note = 'sqlite';\n";
static const char step_3_postgres[] = "UPDATE migrate_test SET note = 'postgres';\n";
static const char step_4_invalid[] = "DELETE FROM user_account; SELECT no_such_column;\n";

/* The program's own step, and those of a later version. */
static const struct embedded *
later_version(struct kit *kit, bool with_invalid)
{
    const struct embedded later[] = {
        EMBED("schema/0002_table.sql", step_2),
        EMBED("schema/0003_note.postgres.sql", step_3_postgres),
        EMBED("schema/0003_note.sql", step_3),
        EMBED("schema/0004_invalid.sql", step_4_invalid),
    };
    struct embedded *files = ARENA_ARRAY(kit->mem, struct embedded, KIT_COUNT(later) + 2);
    size_t count = 0;
    struct str initial = embedded_find("schema/0001_initial.sql");
    files[count++] =
        (struct embedded){ "schema/0001_initial.sql", initial.ptr, initial.ptr + initial.len };
    for (size_t i = 0; i < KIT_COUNT(later) - (with_invalid ? 0 : 1); i++)
        files[count++] = later[i];
    files[count] = (struct embedded){ 0 };
    return files;
}

static enum err
migrate(struct kit *kit, bool with_invalid)
{
    struct why why = { 0 };
    return db_migrate(kit->db, later_version(kit, with_invalid), true, &why);
}

/* Runs a script in a schema transaction of its own. */
static enum err
run(struct kit *kit, const char *script, int64_t *number)
{
    struct why why = { 0 };
    const struct db_driver *driver = kit->db->driver;
    assert_int_equal(driver->schema_begin(kit->db, &why), ERR_NONE);
    enum err err = driver->schema_run(kit->db, script, number, &why);
    enum err ended = driver->schema_end(kit->db, err == ERR_NONE, &why);
    return err ? err : ended;
}

static int64_t
number(struct kit *kit, const char *query)
{
    int64_t out = -1;
    assert_int_equal(run(kit, query, &out), ERR_NONE);
    return out;
}

/* Every case on PostgreSQL uses the same database. */
static void
remove_later_steps(struct kit *kit)
{
    assert_int_equal(
        run(kit, "DROP TABLE migrate_test; DELETE FROM schema_step WHERE version > 1", NULL),
        ERR_NONE);
}

static void
new_steps_are_applied_once_and_keep_existing_rows(struct kit *kit)
{
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(migrate(kit, false), ERR_NONE);
        assert_int_equal(number(kit, "SELECT MAX(version) FROM schema_step"), 3);
        assert_int_equal(number(kit, "SELECT COUNT(*) FROM schema_step"), 3);
        assert_int_equal(number(kit, "SELECT COUNT(*) FROM migrate_test"), 2);
    }
    /* Keys of 64 bits, and the variant of this engine. */
    assert_int_equal(number(kit, "SELECT COUNT(*) FROM migrate_test WHERE row_key > 5000000000"),
                     2);
    assert_int_equal(number(kit, kit->postgres != NULL
                                     ? "SELECT COUNT(*) FROM migrate_test WHERE note = 'postgres'"
                                     : "SELECT COUNT(*) FROM migrate_test WHERE note = 'sqlite'"),
                     2);
    assert_int_equal(count(kit->db), 2);
    /* On PostgreSQL, a node that does not know the steps reads, but does not write. */
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE),
                     kit->postgres != NULL ? ERR_UNAVAILABLE : ERR_NONE);
    remove_later_steps(kit);
    kit_reopen(kit);
    if (kit->postgres != NULL)
        assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    assert_int_equal(count(kit->db), 3);
}

static void
a_step_that_fails_leaves_the_store_unchanged(struct kit *kit)
{
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    assert_int_equal(migrate(kit, true), ERR_UNAVAILABLE);
    assert_int_equal(number(kit, "SELECT MAX(version) FROM schema_step"), 1);
    assert_int_equal(run(kit, "SELECT COUNT(*) FROM migrate_test", NULL), ERR_UNAVAILABLE);
    assert_int_equal(count(kit->db), 1);
}

static void
a_store_with_newer_steps_is_not_opened(struct kit *kit)
{
    assert_int_equal(migrate(kit, false), ERR_NONE);
    db_close(kit->db);
    struct db *db = NULL;
    struct why why = { 0 };
    struct db_settings settings = { .address = kit->address, .connections = 1 };
    assert_int_equal(db_open(&settings, &db, &why), ERR_INVALID);
    assert_string_equal(why.text,
                        "store: the schema is at step 3, but this version supports up to step 1; "
                        "run a newer penchant, or restore a backup made by this version");
    kit->db = NULL;
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(new_steps_are_applied_once_and_keep_existing_rows),
        KIT_CASE(a_step_that_fails_leaves_the_store_unchanged),
        KIT_CASE(a_store_with_newer_steps_is_not_opened), /* last: leaves a database unusable */
    };
    return KIT_RUN("db/migrate", cases, LOG_SILENT);
}
