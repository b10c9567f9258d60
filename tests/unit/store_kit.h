/* store_kit.h - the same test on every engine.
 *
 * A test binary that needs a store lists its cases and calls kit_run(): each case runs on a fresh
 * SQLite file and, when PENCHANT_TEST_POSTGRES names a database, on that, emptied by `clear` before
 * each case. */
#ifndef UNIT_STORE_KIT_H
#define UNIT_STORE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/str.h"
#include "db/db.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kit {
    struct db *db;
    struct arena *mem;
    const char *postgres; /* NULL: SQLite in `folder` */
    char folder[64];
    char address[512];
    void (*clear)(struct kit *kit);
    void (*test)(struct kit *kit);
};

struct kit_case {
    const char *name;
    void (*test)(struct kit *kit);
};

#define KIT_CASE(function)  \
    {                       \
#function, function \
    }

static inline void
kit_open(struct kit *kit)
{
    struct why why = { 0 };
    struct db_settings settings = { .address = kit->address, .connections = 4 };
    enum err err = db_open(&settings, &kit->db, &why);
    if (err)
        fail_msg("%s: %s", kit->address, why.text);
}

static inline void
kit_reopen(struct kit *kit)
{
    db_close(kit->db);
    kit_open(kit);
}

static int
kit_setup(void **state)
{
    struct kit *kit = *state;
    kit->mem = arena_new();
    if (kit->postgres != NULL) {
        snprintf(kit->address, sizeof kit->address, "%s", kit->postgres);
    } else {
        snprintf(kit->folder, sizeof kit->folder, "/tmp/penchant-unit-XXXXXX");
        if (mkdtemp(kit->folder) == NULL)
            return -1;
        snprintf(kit->address, sizeof kit->address, "sqlite:%s/store.db", kit->folder);
    }
    kit_open(kit);
    kit->clear(kit);
    return 0;
}

static int
kit_remove(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

static int
kit_teardown(void **state)
{
    struct kit *kit = *state;
    db_close(kit->db);
    arena_free(kit->mem);
    if (kit->postgres == NULL)
        nftw(kit->folder, kit_remove, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}

static void
kit_test(void **state)
{
    struct kit *kit = *state;
    kit->test(kit);
}

static inline int
kit_run(const char *group, const struct kit_case *cases, size_t count,
        void (*clear)(struct kit *kit))
{
    signal(SIGPIPE, SIG_IGN);
    const char *postgres = getenv("PENCHANT_TEST_POSTGRES");
    size_t engines = postgres == NULL ? 1 : 2;
    struct kit *kits = calloc(count * engines, sizeof *kits);
    struct CMUnitTest *tests = calloc(count * engines, sizeof *tests);
    char(*names)[200] = calloc(count * engines, sizeof *names);
    for (size_t i = 0; i < count * engines; i++) {
        bool on_postgres = i >= count;
        kits[i].postgres = on_postgres ? postgres : NULL;
        kits[i].clear = clear;
        kits[i].test = cases[i % count].test;
        snprintf(names[i], sizeof names[i], "%s on %s", cases[i % count].name,
                 on_postgres ? "postgresql" : "sqlite");
        tests[i] = (struct CMUnitTest){ names[i], kit_test, kit_setup, kit_teardown, &kits[i] };
    }
    int failed = _cmocka_run_group_tests(group, tests, count * engines, NULL, NULL);
    free(names);
    free(tests);
    free(kits);
    return failed;
}

#endif
