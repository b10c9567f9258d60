/* transaction.c - reads and writes. A write begins in a database with its first statement there,
 * and most writes need one.
 *
 * A write that has begun in several commits in one after the other, in an order in which the first
 * ones do no harm without the later ones: databases with claims of names, then the first database,
 * which decides what apps there are, and the user's own at last. Lookup rows are deleted after
 * that. */
#include "spread/spread.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/shard.h"

#include <stdlib.h>
#include <time.h>

#define ATTEMPTS_MAX 6
#define PAUSE_MAX_NS 100000000
#define HASH_LENGTH 43 /* ids are shorter */

/* ---- reads ---- */

struct db_tx *
spread_begin_read(struct db *db)
{
    struct spread_tx *tx = memory_alloc(1, sizeof *tx);
    tx->tx.db = db;
    tx->home = SPREAD_MAX;
    return &tx->tx;
}

enum err
spread_end_read(struct db_tx *tx)
{
    struct spread_tx *mine = (struct spread_tx *)tx;
    enum err err = tx->broken;
    for (size_t i = 0; i < spread_of(tx->db)->count; i++) {
        enum err ended = mine->in[i] == NULL ? ERR_NONE : db_end_read(mine->in[i], ERR_NONE);
        err = err ? err : ended;
    }
    free(mine);
    return err;
}

/* ---- ending a write ---- */

struct ending {
    struct spread_tx *tx;
    enum err err;
    /* False if the work failed, and after a commit that failed: the rest is rolled back. */
    bool keep;
    bool again;
    size_t committed;
};

static void
end_in(struct ending *ending, size_t database)
{
    struct db_tx *in = ending->tx->in[database];
    enum err err = ending->err;
    if (in == NULL)
        return;
    ending->tx->in[database] = NULL;
    enum db_end end = in->db->driver->end_write(in, ending->keep, &err);
    ending->again = ending->again || end == DB_AGAIN;
    if (!ending->keep)
        return;
    if (end == DB_COMMITTED) {
        ending->committed++;
        return;
    }
    ending->keep = false;
    /* After a COMMIT without confirmation, the outcome is unknown. The caller must not run the work
     * again, because it may have been done. */
    ending->err = end == DB_UNKNOWN                       ? ERR_UNCONFIRMED
                  : end == DB_REJECTED && err != ERR_NONE ? err
                                                          : ERR_UNAVAILABLE;
}

/* True if the work may run again: nothing was committed. */
static bool
end_all(struct spread_tx *tx, enum err *err)
{
    struct ending ending = { .tx = tx, .err = *err, .keep = *err == ERR_NONE };
    size_t count = spread_of(tx->tx.db)->count;
    /* See the file's first comment for this order. The first loop commits claims. */
    for (size_t i = 1; i < count; i++)
        if (i != tx->home)
            end_in(&ending, i);
    if (tx->home != 0)
        end_in(&ending, 0);
    if (tx->home < count)
        end_in(&ending, tx->home);
    *err = ending.err;
    if (*err == ERR_NONE || ending.committed == 0)
        return *err != ERR_NONE && ending.again && *err != ERR_UNCONFIRMED;
    log_error("store_partly_committed", log_number("databases", (int64_t)ending.committed));
    return false;
}

/* If it fails, housekeeping does it: a note was committed with the transaction. */
static void
run_later(struct spread_store *store, struct spread_tx *tx)
{
    struct arena *mem = tx->later_count == 0 ? NULL : arena_new();
    for (size_t i = 0; i < tx->later_count; i++) {
        struct spread_later *later = &tx->later[i];
        struct db *db = store->of[later->database];
        bool answers = spread_answers(store, later->database);
        struct db_tx *in = answers ? db->driver->begin_write(db) : NULL;
        enum err err = ERR_UNAVAILABLE;
        if (in != NULL) {
            err = db_query_values(in, mem, later->sql, later->values, 2, NULL);
            bool kept = db->driver->end_write(in, err == ERR_NONE, &err) == DB_COMMITTED;
            err = kept ? ERR_NONE : ERR_UNAVAILABLE;
        }
        if (err)
            log_warn("store_lookup_left", log_text("statement", str_of(later->sql->name)));
    }
    arena_free(mem);
}

/* ---- writes ---- */

/* Some milliseconds, about twice as long each time, up to PAUSE_MAX_NS. The random part keeps two
 * transactions that conflicted from meeting again. */
static void
wait_before_retry(size_t attempt)
{
    int64_t jitter = clock_ticks_ns() % 4000000;
    int64_t wanted = (1000000 + jitter) << attempt;
    struct timespec pause = { .tv_nsec = wanted < PAUSE_MAX_NS ? wanted : PAUSE_MAX_NS };
    nanosleep(&pause, NULL);
}

enum err
spread_write(struct db *db, db_work *work, void *argument, bool urgent)
{
    (void)urgent; /* the disks are the servers' */
    struct spread_store *store = spread_of(db);
    int64_t until = clock_ticks_ns() + store->deadline_ms * 1000000;
    enum err err = ERR_UNAVAILABLE;
    for (size_t i = 0; i < ATTEMPTS_MAX && (i == 0 || clock_ticks_ns() < until); i++) {
        /* A new one for each attempt: lookup rows that a failed attempt has noted must stay. */
        struct spread_tx tx = { .tx = { .db = db }, .writes = true, .home = SPREAD_MAX };
        if (i > 0)
            wait_before_retry(i);
        err = work(&tx.tx, argument);
        if (!err)
            err = tx.tx.broken;
        if (end_all(&tx, &err))
            continue;
        if (!err)
            run_later(store, &tx);
        break;
    }
    return err;
}

struct shared {
    struct db *db;
    size_t home;
    db_work *work;
    void *argument;
    bool leaves;
};

static enum err
run_shared(struct db_tx *in, void *argument)
{
    struct shared *shared = argument;
    struct spread_tx tx = { .tx = { .db = shared->db, .shared = in->shared },
                            .writes = true,
                            .is_shared = true,
                            .home = shared->home };
    /* Borrowed: the driver of the database ends it. */
    tx.in[shared->home] = in;
    enum err err = shared->work(&tx.tx, shared->argument);
    shared->leaves = tx.leaves; /* of the last run, whose outcome the driver returns */
    return err ? err : tx.tx.broken;
}

/* The key is an id or a hash of the user. Work that turns out to change another database, such as
 * that of an app, runs again as a transaction of its own. Only the last run decides that: a run
 * that leaves has failed and changed nothing, whereas a later one may have committed. */
enum err
spread_write_shared(struct db *db, struct str key, db_work *work, void *argument)
{
    struct spread_store *store = spread_of(db);
    struct str shard = key.len == HASH_LENGTH ? shard_at_start(key) : shard_of(key);
    struct shared shared = { .db = db,
                             .home = spread_home(store, shard_number(shard)),
                             .work = work,
                             .argument = argument };
    struct db *home = store->of[shared.home];
    if (!spread_answers(store, shared.home))
        return ERR_UNAVAILABLE;
    enum err err = home->driver->write_shared(home, key, run_shared, &shared);
    return shared.leaves ? spread_write(db, work, argument, false) : err;
}
