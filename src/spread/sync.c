/* sync.c - syncs the versions with one database or with all. All databases raise the same versions,
 * and their change queries are numbered in one sequence, so that a ticket is valid for each of
 * them.
 *
 * A request of a user needs the answer of one database: everything that it may find cached was
 * read there. A request of an app may find the app cached, which was read from any of them, and
 * waits for all. */
#include "spread/spread.h"

#include "base/arena.h"

#include <stdatomic.h>
#include <stdlib.h>

/* One request that waits for all databases. */
struct gathering;
struct asked {
    struct db_sync sync; /* first */
    struct gathering *of;
};

struct gathering {
    struct db_sync *waiting;
    _Atomic size_t left;
    _Atomic bool failed;
    struct asked each[SPREAD_MAX];
};

uint64_t
spread_commits(struct db *db)
{
    const struct spread_store *store = spread_of(db);
    for (size_t i = 0; i < store->count; i++) /* nothing was read from one that is not open */
        if (spread_is_open(store, i) && db_commits(store->of[i]) == 0)
            return 0;
    return versions_commits(&store->versions);
}

uint64_t
spread_version(struct db *db, struct str id)
{
    return spread_commits(db) == 0 ? 0 : versions_of(&spread_of(db)->versions, id);
}

uint64_t
spread_sync_ticket(struct db *db)
{
    return atomic_load(&spread_of(db)->versions.change_queries);
}

bool
spread_sync_now(struct db *db, uint64_t ticket, int shard)
{
    struct spread_store *store = spread_of(db);
    bool synced = true;
    if (shard != DB_ANY_SHARD) {
        size_t home = spread_home(store, shard);
        return spread_answers(store, home) && db_sync_now(store->of[home], ticket, shard);
    }
    for (size_t i = 0; i < store->count && synced; i++)
        synced = !spread_is_down(store, i) && db_sync_now(store->of[i], ticket, shard);
    return synced;
}

static void
one_done(struct db_sync *sync, enum err err)
{
    struct gathering *all = ((struct asked *)sync)->of;
    if (err)
        atomic_store(&all->failed, true);
    /* `failed` is set before this, so that the last answer sees the failures of all others. */
    if (atomic_fetch_sub(&all->left, 1) != 1)
        return;
    struct db_sync *waiting = all->waiting;
    err = atomic_load(&all->failed) ? ERR_UNAVAILABLE : ERR_NONE;
    free(all);
    waiting->done(waiting, err);
}

/* Does not wait for a database that is known to be down: the request then reads what it needs. */
void
spread_sync(struct db *db, struct db_sync *sync)
{
    struct spread_store *store = spread_of(db);
    bool is_user = sync->shard != DB_ANY_SHARD, down = false;
    size_t home = is_user ? spread_home(store, sync->shard) : 0;
    if (is_user && spread_answers(store, home)) {
        db_sync_versions(store->of[home], sync);
        return;
    }
    for (size_t i = 0; i < store->count && !is_user; i++)
        down = down || spread_is_down(store, i);
    if (is_user || down) {
        sync->done(sync, ERR_UNAVAILABLE);
        return;
    }
    size_t count = store->count;
    /* Freed by one_done(), on the thread that gets the last answer. */
    struct gathering *all = memory_alloc(1, sizeof *all);
    all->waiting = sync;
    atomic_store(&all->left, count);
    for (size_t i = 0; i < count; i++) {
        all->each[i] = (struct asked){
            .sync = { .done = one_done, .ticket = sync->ticket, .shard = DB_ANY_SHARD }, .of = all
        };
    }
    for (size_t i = 0; i < count; i++) /* the last answer frees them */
        db_sync_versions(store->of[i], &all->each[i].sync);
}
