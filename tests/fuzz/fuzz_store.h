/* fuzz_store.h - a SQLite store in memory for fuzz targets, removed at exit. */
#ifndef TESTS_FUZZ_FUZZ_STORE_H
#define TESTS_FUZZ_FUZZ_STORE_H

#include "fuzz.h"

#include "../unit/domains_kit.h"
#include "base/log.h"
#include "crypt/random.h"
#include "db/db.h"
#include "flow/accounts.h"

#include <ftw.h>
#include <unistd.h>

#define NOW ((int64_t)1794648600)

static struct db *db;
static char folder[64];

static int
remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

static void
remove_store(void)
{
    db_close(db);
    nftw(folder, remove_entry, 4, FTW_DEPTH | FTW_PHYS);
}

/* Returns the address of the store. */
static const char *
open_store(void)
{
    static char address[96];
    struct why why = { 0 };
    random_start();
    log_setup(LOG_AS_TEXT, LOG_SILENT);
    kit_domains();
    snprintf(folder, sizeof folder, "%s/penchant-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    MUST(mkdtemp(folder) != NULL);
    snprintf(address, sizeof address, "sqlite:%s/store.db", folder);
    struct db_settings settings = { .address = address, .connections = 1 };
    MUST(db_open(&settings, &db, &why) == ERR_NONE);
    atexit(remove_store);
    return address;
}

static inline struct str
add_user(struct arena *mem, const char *name)
{
    struct account_params params = { .username = str_of(name) };
    struct account_problems problems;
    struct user user;
    MUST(account_make(db, mem, &params, NOW, &user, &problems) == ERR_NONE);
    return user.id;
}

#endif
