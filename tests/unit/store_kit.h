/* store_kit.h - the same test on every engine.
 *
 * A test binary that needs a store lists its cases and calls KIT_RUN(): each case runs on a fresh
 * SQLite file in a folder of its own and, when PENCHANT_TEST_POSTGRES names a database
 * (postgresql://…), on that once more. The database must be ours alone: every case begins by
 * emptying all tables.
 *
 * Work functions may run on another thread, where a failing assert_… could not come back: call the
 * store inside, look at what came out of it outside. */
#ifndef UNIT_STORE_KIT_H
#define UNIT_STORE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/str.h"
#include "crypt/random.h"
#include "db/db.h"
#include "unit/domains_kit.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIT_COUNT(array) (sizeof(array) / sizeof(array)[0])

SQL(kit_clear_users, "DELETE FROM user_account");
SQL(kit_clear_usernames, "DELETE FROM username_lookup");
SQL(kit_clear_credentials, "DELETE FROM passkey_lookup");
SQL(kit_clear_emails, "DELETE FROM email_lookup");
SQL(kit_clear_apps, "DELETE FROM app");
SQL(kit_clear_deleted_apps, "DELETE FROM deleted_app");
SQL(kit_clear_logos, "DELETE FROM app_logo");
SQL(kit_clear_sessions, "DELETE FROM session");
SQL(kit_clear_requests, "DELETE FROM auth_request");
SQL(kit_clear_grants, "DELETE FROM app_grant");
SQL(kit_clear_families, "DELETE FROM token_family");
SQL(kit_clear_codes, "DELETE FROM auth_code");
SQL(kit_clear_access, "DELETE FROM access_token");
SQL(kit_clear_refresh, "DELETE FROM refresh_token");
SQL(kit_clear_atoms, "DELETE FROM user_atoms");
SQL(kit_clear_records, "DELETE FROM user_record");
SQL(kit_clear_user_usage, "DELETE FROM user_usage");
SQL(kit_clear_app_usage, "DELETE FROM app_usage");
SQL(kit_clear_refusals, "DELETE FROM app_refusal");
SQL(kit_clear_revocations, "DELETE FROM usage_revocation");
SQL(kit_clear_undo, "DELETE FROM undo");
SQL(kit_clear_drafts, "DELETE FROM import_draft");
SQL(kit_clear_codes_of_users, "DELETE FROM recovery_code");
SQL(kit_clear_links, "DELETE FROM one_time_link");
SQL(kit_clear_outbox, "DELETE FROM outbox");
SQL(kit_clear_passkeys, "DELETE FROM passkey");
SQL(kit_clear_challenge_key, "DELETE FROM challenge_key");
SQL(kit_clear_challenges, "DELETE FROM used_challenge");
SQL(kit_clear_attempts, "DELETE FROM attempt");

struct kit {
    struct db *db;
    struct arena *mem;
    const char *postgres; /* NULL: SQLite in `folder` */
    char folder[64];
    char address[512];
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
    struct db_settings settings = { .address = kit->address,
                                    .connections = 8,
                                    .prepare_lazily = true };
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

/* Runs `work` in one read. */
static inline enum err
kit_read(struct db *db, db_work *work, void *argument)
{
    struct db_tx *tx = db_begin_read(db);
    return db_end_read(tx, work(tx, argument));
}

static enum err
kit_clear(struct db_tx *tx, void *argument)
{
    struct kit *kit = argument;
    static const struct sql *const all[] = {
        &kit_clear_users,         &kit_clear_apps,           &kit_clear_sessions,
        &kit_clear_requests,      &kit_clear_grants,         &kit_clear_families,
        &kit_clear_codes,         &kit_clear_access,         &kit_clear_user_usage,
        &kit_clear_app_usage,     &kit_clear_refusals,       &kit_clear_refresh,
        &kit_clear_atoms,         &kit_clear_records,        &kit_clear_undo,
        &kit_clear_drafts,        &kit_clear_codes_of_users, &kit_clear_links,
        &kit_clear_outbox,        &kit_clear_revocations,    &kit_clear_passkeys,
        &kit_clear_challenge_key, &kit_clear_challenges,     &kit_clear_logos,
        &kit_clear_attempts,      &kit_clear_usernames,      &kit_clear_emails,
        &kit_clear_deleted_apps,  &kit_clear_credentials,
    };
    enum err err = ERR_NONE;
    for (size_t i = 0; i < KIT_COUNT(all) && !err; i++)
        err = db_query_values(tx, kit->mem, all[i], NULL, 0, NULL);
    return err;
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
    return db_write(kit->db, kit_clear, kit) == ERR_NONE ? 0 : -1;
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
kit_run(const char *group, const struct kit_case *cases, size_t count)
{
    signal(SIGPIPE, SIG_IGN);
    random_start();
    kit_domains(); /* and their scopes */
    const char *postgres = getenv("PENCHANT_TEST_POSTGRES");
    bool both = postgres != NULL && postgres[0] != '\0';
    size_t total = both ? 2 * count : count;
    struct kit *kits = calloc(total, sizeof *kits);
    struct CMUnitTest *tests = calloc(total, sizeof *tests);
    char(*names)[200] = calloc(total, sizeof *names);
    for (size_t i = 0; i < total; i++) {
        bool on_postgres = i >= count;
        kits[i].postgres = on_postgres ? postgres : NULL;
        kits[i].test = cases[i % count].test;
        snprintf(names[i], sizeof names[i], "%s on %s", cases[i % count].name,
                 on_postgres ? "postgresql" : "sqlite");
        tests[i] = (struct CMUnitTest){ names[i], kit_test, kit_setup, kit_teardown, &kits[i] };
    }
    int failed = _cmocka_run_group_tests(group, tests, total, NULL, NULL);
    if (!both)
        print_message("%s not tried on PostgreSQL: PENCHANT_TEST_POSTGRES is not set\n", group);
    free(names);
    free(tests);
    free(kits);
    return failed;
}

/* `level` is how loud the log is: cases that provoke defects want LOG_SILENT. */
#define KIT_RUN(group, cases, level) \
    (log_setup(LOG_AS_TEXT, (level)), kit_run((group), (cases), KIT_COUNT(cases)))

#endif
