/* kit.h - a fresh store for each unit test, on SQLite and, where there is one, on PostgreSQL.
 *
 * kit_run() runs a table of tests once with a SQLite file in a folder of its own for each test, and
 * once more with the database that PENCHANT_TEST_POSTGRES names (postgresql://…), which must be
 * ours alone: every test begins by deleting all users in it. A test gets a struct kit as its state.
 *
 * Work functions may run on another thread, where a failing assert_… could not come back: call the
 * store inside, look at what came out of it outside. */
#ifndef UNIT_KIT_H
#define UNIT_KIT_H

#include "base/arena.h"
#include "base/log.h"
#include "crypt/random.h"
#include "db/db.h"
#include "store/tx.h"
#include "store/user_store.h"

#include <dirent.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define KIT_COUNT(array) (sizeof(array) / sizeof(array)[0])

struct kit {
    struct arena *mem;
    struct db *db;
    char folder[64]; /* empty on PostgreSQL */
};

static inline enum err
kit_delete_users(struct db_tx *tx, void *argument)
{
    struct kit *kit = argument;
    struct user *users;
    size_t count = 0;
    enum err err = user_store_list(tx, kit->mem, -1, 10000, &users, &count);
    for (size_t i = 0; i < count && !err; i++)
        err = user_store_delete(tx, kit->mem, users[i].id);
    return err;
}

static inline void
kit_remove_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
            unlinkat(dirfd(entries), entry->d_name, 0);
    closedir(entries);
    rmdir(folder);
}

/* The test's initial state is the address of a PostgreSQL database, or NULL. */
static inline int
kit_setup(void **state)
{
    const char *address = *state;
    struct kit *kit = memory_alloc(1, sizeof *kit);
    kit->mem = arena_new();
    if (address == NULL) {
        snprintf(kit->folder, sizeof kit->folder, "/tmp/penchant-unit-XXXXXX");
        if (mkdtemp(kit->folder) == NULL)
            return -1;
        address = str_format(kit->mem, "sqlite:%s/unit.db", kit->folder).ptr;
    }
    struct db_settings settings = { .address = address, .connections = 4 };
    struct why why = { 0 };
    if (db_open(&settings, &kit->db, &why) != ERR_NONE) {
        print_error("%s\n", why.text);
        return -1;
    }
    *state = kit;
    return tx_write(kit->db, kit_delete_users, kit) == ERR_NONE ? 0 : -1;
}

static inline int
kit_teardown(void **state)
{
    struct kit *kit = *state;
    db_close(kit->db);
    if (kit->folder[0] != '\0')
        kit_remove_folder(kit->folder);
    arena_free(kit->mem);
    free(kit);
    return 0;
}

static inline int
kit_run_on(const char *group, const struct CMUnitTest *tests, size_t count, char *postgres)
{
    struct arena *mem = arena_new();
    struct CMUnitTest *own = ARENA_ARRAY(mem, struct CMUnitTest, count);
    const char *name =
        str_format(mem, "%s on %s", group, postgres == NULL ? "SQLite" : "PostgreSQL").ptr;
    for (size_t i = 0; i < count; i++)
        own[i] = (struct CMUnitTest){ .name = tests[i].name,
                                      .test_func = tests[i].test_func,
                                      .setup_func = kit_setup,
                                      .teardown_func = kit_teardown,
                                      .initial_state = postgres };
    int failed = _cmocka_run_group_tests(name, own, count, NULL, NULL);
    arena_free(mem);
    return failed;
}

static inline int
kit_run(const char *group, const struct CMUnitTest *tests, size_t count)
{
    char *postgres = getenv("PENCHANT_TEST_POSTGRES");
    random_start();
    log_setup(LOG_AS_TEXT, LOG_WARN);
    int failed = kit_run_on(group, tests, count, NULL);
    if (postgres != NULL && postgres[0] != '\0')
        failed += kit_run_on(group, tests, count, postgres);
    else
        print_message("%s not tried on PostgreSQL: PENCHANT_TEST_POSTGRES is not set\n", group);
    return failed;
}

#endif
