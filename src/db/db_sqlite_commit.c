/* Group commit: many transactions, one flush.
 *
 * One connection writes. A thread with work waits its turn for it, first come, first served; its
 * work runs in a savepoint of the one open transaction. When it is done and somebody else is
 * waiting, it hands the connection on without committing; whoever finds nobody waiting (or the
 * batch full) commits for all. While that commit waits for the disk, the next batch gathers in
 * front of it: the slower the disk, the larger the batches.
 *
 * Nothing is answered before the commit: not even a refusal, since it may have been decided on rows
 * that another member of the batch wrote and that a failed commit takes back. If the commit fails,
 * or an error inside a member's work rolls back the whole transaction (a full disk does), every
 * member is told that nothing happened. A flush that fails ends the process: after it nobody knows
 * what is on the disk, and asking again would be answered with a lie. */
#include "db/db_sqlite.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BATCH_MAX 256
#define TURN_SECONDS 10        /* to wait for the connection */
#define COMMIT_SECONDS 30      /* to wait for somebody else's commit */
#define CHECKPOINT_FRAMES 4000 /* pages in the log: move them into the file */
#define RESTART_FRAMES 16000   /* wait for readers, so that the log begins anew */

struct waiter {
    pthread_cond_t turn;
    struct waiter *next;
    bool its_turn;
};

/* The members of one commit. Kept until the last of them has looked at the result. */
struct batch {
    pthread_cond_t ended;
    size_t members;
    size_t looking; /* threads that still hold a pointer to it */
    bool over;
    enum err result;
};

static void
cond_init_steady(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
}

static struct timespec
seconds_from_now(int seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    return until;
}

/* ---- whose turn it is ---- */

static void
leave_queue(struct sqlite_writer *writer, struct waiter *me)
{
    struct waiter *before = NULL;
    for (struct waiter *at = writer->first_waiting; at != me; at = at->next)
        before = at;
    if (before == NULL)
        writer->first_waiting = me->next;
    else
        before->next = me->next;
    if (writer->last_waiting == me)
        writer->last_waiting = before;
    writer->waiting--;
}

static enum err
take_turn(struct sqlite_writer *writer)
{
    struct waiter me = { 0 };
    enum err err = ERR_NONE;
    pthread_mutex_lock(&writer->lock);
    if (!writer->taken) {
        writer->taken = true;
        pthread_mutex_unlock(&writer->lock);
        return ERR_NONE;
    }
    cond_init_steady(&me.turn);
    if (writer->last_waiting == NULL)
        writer->first_waiting = &me;
    else
        writer->last_waiting->next = &me;
    writer->last_waiting = &me;
    writer->waiting++;
    struct timespec until = seconds_from_now(TURN_SECONDS);
    int late = 0;
    while (!me.its_turn && late == 0)
        late = pthread_cond_timedwait(&me.turn, &writer->lock, &until);
    if (!me.its_turn) {
        leave_queue(writer, &me);
        err = ERR_UNAVAILABLE;
    }
    pthread_mutex_unlock(&writer->lock);
    pthread_cond_destroy(&me.turn);
    return err;
}

/* With the lock held. */
static void
pass_turn(struct sqlite_writer *writer)
{
    struct waiter *next = writer->first_waiting;
    if (next == NULL) {
        writer->taken = false;
        return;
    }
    leave_queue(writer, next);
    next->its_turn = true;
    pthread_cond_signal(&next->turn);
}

/* ---- the open transaction ---- */

static sqlite3 *
handle_of(struct sqlite_store *store)
{
    return store->writer_connection.handle;
}

static enum err
open_batch(struct sqlite_store *store)
{
    if (store->writer.batch != NULL)
        return ERR_NONE;
    if (sqlite_execute(handle_of(store), "BEGIN IMMEDIATE")) {
        log_error("store: cannot begin",
                  log_number("code", sqlite3_extended_errcode(handle_of(store))));
        return ERR_UNAVAILABLE;
    }
    struct batch *batch = memory_alloc(1, sizeof *batch);
    cond_init_steady(&batch->ended);
    store->writer.batch = batch;
    return ERR_NONE;
}

/* One of the two that every member runs, so that their text is read only once. */
static enum err
step(sqlite3_stmt *statement)
{
    sqlite3_step(statement);
    return sqlite3_reset(statement) == SQLITE_OK ? ERR_NONE : ERR_UNAVAILABLE;
}

/* Runs one member's work. On return the transaction may be gone: ask whole_transaction_gone(). */
static enum err
run_member(struct sqlite_store *store, db_work *work, void *argument)
{
    struct sqlite_tx tx = { .tx = { .db = &store->db }, .connection = &store->writer_connection };
    if (step(store->writer.savepoint))
        return ERR_UNAVAILABLE;
    enum err err = work(&tx.tx, argument);
    if (!err)
        err = tx.tx.broken;
    if (err)
        sqlite_execute(handle_of(store), "ROLLBACK TO member");
    if (step(store->writer.release) && !err)
        err = ERR_UNAVAILABLE;
    return err;
}

/* Some errors (a full disk, an interrupt) take back everything, released savepoints included. */
static bool
whole_transaction_gone(struct sqlite_store *store)
{
    return sqlite3_get_autocommit(handle_of(store)) != 0;
}

static _Noreturn void
flush_failed(int code)
{
    log_error("store: the disk refused to flush; stopping, since nobody knows what it holds",
              log_number("code", code));
    log_stop();
    _exit(1);
}

static enum err
commit(struct sqlite_store *store)
{
    int64_t began = clock_ticks_ns();
    enum err err = sqlite_execute(handle_of(store), "COMMIT");
    int code = sqlite3_extended_errcode(handle_of(store));
    if (err) {
        if (code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC)
            flush_failed(code);
        log_error("store: a commit failed", log_number("code", code));
        if (!whole_transaction_gone(store))
            sqlite_execute(handle_of(store), "ROLLBACK");
    }
    histogram_observe(&store->writer.commit_latency, clock_ticks_ns() - began);
    atomic_fetch_add(&store->writer.commits, 1);
    return err;
}

static int
count_frames(void *context, sqlite3 *handle, const char *name, int frames)
{
    (void)handle;
    (void)name;
    ((struct sqlite_writer *)context)->wal_frames = frames;
    return SQLITE_OK;
}

/* Moves the log into the file; the connection is still ours, so nobody else can be doing it. */
static void
checkpoint(struct sqlite_store *store)
{
    struct sqlite_writer *writer = &store->writer;
    if (writer->wal_frames < CHECKPOINT_FRAMES)
        return;
    int mode =
        writer->wal_frames < RESTART_FRAMES ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_RESTART;
    int in_log = 0, moved = 0;
    sqlite_moments_stop(store);
    int code = sqlite3_wal_checkpoint_v2(handle_of(store), NULL, mode, &in_log, &moved);
    sqlite_moments_go_on(store);
    if (code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC)
        flush_failed(code);
    if (code != SQLITE_OK && code != SQLITE_BUSY)
        log_warn("store: a checkpoint failed", log_number("code", code));
    if (code == SQLITE_OK && moved == in_log)
        writer->wal_frames = 0;
}

/* ---- one write ---- */

/* Ends the batch for all its members. The caller holds the turn, not the lock. */
static void
end_batch(struct sqlite_store *store, enum err result)
{
    struct sqlite_writer *writer = &store->writer;
    sqlite_moment_over(store);  /* first: what is read from now on is read anew, see db.h */
    sqlite_raise_stamps(store); /* before anybody is answered */
    pthread_mutex_lock(&writer->lock);
    struct batch *batch = writer->batch;
    writer->batch = NULL;
    batch->over = true;
    batch->result = result;
    if (result)
        atomic_fetch_add(&writer->failed, batch->members);
    pthread_cond_broadcast(&batch->ended);
    pthread_mutex_unlock(&writer->lock);
}

/* With the lock held: waits for the batch's end and lets go of it. */
static enum err
result_of(struct sqlite_writer *writer, struct batch *batch)
{
    struct timespec until = seconds_from_now(COMMIT_SECONDS);
    int late = 0;
    while (!batch->over && late == 0)
        late = pthread_cond_timedwait(&batch->ended, &writer->lock, &until);
    enum err result = batch->over ? batch->result : ERR_UNAVAILABLE;
    if (--batch->looking == 0 && batch->over) {
        pthread_cond_destroy(&batch->ended);
        free(batch);
    }
    return result;
}

/* Hands the connection on, or commits for all if nobody else wants to join. */
static void
hand_on_or_commit(struct sqlite_store *store, struct batch *batch)
{
    struct sqlite_writer *writer = &store->writer;
    if (whole_transaction_gone(store)) {
        end_batch(store, ERR_UNAVAILABLE);
    } else {
        pthread_mutex_lock(&writer->lock);
        if (writer->first_waiting != NULL && batch->members < BATCH_MAX) {
            pass_turn(writer);
            pthread_mutex_unlock(&writer->lock);
            return;
        }
        pthread_mutex_unlock(&writer->lock);
        end_batch(store, commit(store));
        checkpoint(store);
    }
    pthread_mutex_lock(&writer->lock);
    pass_turn(writer);
    pthread_mutex_unlock(&writer->lock);
}

enum err
sqlite_write(struct db *db, db_work *work, void *argument)
{
    struct sqlite_store *store = (struct sqlite_store *)db;
    struct sqlite_writer *writer = &store->writer;
    enum err err = take_turn(writer);
    if (err)
        return err;
    atomic_fetch_add(&writer->transactions, 1);
    err = open_batch(store);
    if (err) {
        pthread_mutex_lock(&writer->lock);
        pass_turn(writer);
        pthread_mutex_unlock(&writer->lock);
        return err;
    }
    struct batch *batch = writer->batch;
    pthread_mutex_lock(&writer->lock);
    batch->members++;
    batch->looking++;
    pthread_mutex_unlock(&writer->lock);

    err = run_member(store, work, argument);
    hand_on_or_commit(store, batch);

    pthread_mutex_lock(&writer->lock);
    enum err committed = result_of(writer, batch);
    pthread_mutex_unlock(&writer->lock);
    return committed ? committed : err;
}

/* ---- cleaning ---- */

#define TRUNCATE_ATTEMPTS 200 /* a reader may hold the log for a moment */
#define TRUNCATE_PAUSE_NS (25 * 1000 * 1000)

/* Deleted rows are overwritten where they lay (secure_delete), but older copies of their pages stay
 * in the log until it is emptied. */
static enum err
empty_log(struct sqlite_store *store)
{
    const struct timespec pause = { 0, TRUNCATE_PAUSE_NS };
    for (int attempt = 0; attempt < TRUNCATE_ATTEMPTS; attempt++) {
        int code = sqlite3_wal_checkpoint_v2(handle_of(store), NULL, SQLITE_CHECKPOINT_TRUNCATE,
                                             NULL, NULL);
        if (code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC)
            flush_failed(code);
        if (code == SQLITE_OK) {
            store->writer.wal_frames = 0;
            return ERR_NONE;
        }
        if (code != SQLITE_BUSY && code != SQLITE_LOCKED)
            return ERR_UNAVAILABLE;
        nanosleep(&pause, NULL);
    }
    return ERR_UNAVAILABLE;
}

enum err
sqlite_compact(struct db *db, struct why *why)
{
    struct sqlite_store *store = (struct sqlite_store *)db;
    struct sqlite_writer *writer = &store->writer;
    enum err err = take_turn(writer);
    if (!err) {
        if (writer->batch != NULL) /* somebody handed us the connection with work in it */
            end_batch(store, commit(store));
        sqlite_moments_stop(store);
        err = sqlite_execute(handle_of(store), "VACUUM");
        if (!err)
            err = empty_log(store);
        sqlite_moments_go_on(store);
        pthread_mutex_lock(&writer->lock);
        pass_turn(writer);
        pthread_mutex_unlock(&writer->lock);
    }
    if (err)
        why_set(why,
                "the store is too busy, or the disk too full, to be compacted; nothing is lost");
    return err;
}

/* ---- life ---- */

/* The page cache is large enough for what 64 writers change before they commit together: in a
 * smaller one SQLite writes changed pages into the log early, to read and to write them again. */
static const char writer_pragmas[] = "PRAGMA page_size = 8192;"
                                     "PRAGMA journal_mode = WAL;"
                                     "PRAGMA synchronous = FULL;"
                                     "PRAGMA wal_autocheckpoint = 0;" /* done between two commits */
                                     "PRAGMA journal_size_limit = 67108864;"
                                     "PRAGMA cache_size = -8192;"
                                     "PRAGMA foreign_keys = ON;"
                                     "PRAGMA secure_delete = ON;"
                                     /* So that the log is there before the lock file says so. */
                                     "SELECT count(*) FROM sqlite_schema;";

static int
prepare(struct sqlite_store *store, const char *text, sqlite3_stmt **out)
{
    return sqlite3_prepare_v3(handle_of(store), text, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
}

enum err
sqlite_writer_start(struct sqlite_store *store)
{
    pthread_mutex_init(&store->writer.lock, NULL);
    if (sqlite_execute(handle_of(store), writer_pragmas))
        return ERR_UNAVAILABLE;
    /* Behind the pragmas: that of autocheckpoint takes any hook away. */
    sqlite3_wal_hook(handle_of(store), count_frames, &store->writer);
    if (prepare(store, "SAVEPOINT member", &store->writer.savepoint) == SQLITE_OK &&
        prepare(store, "RELEASE member", &store->writer.release) == SQLITE_OK)
        return ERR_NONE;
    return ERR_UNAVAILABLE;
}

void
sqlite_writer_stop(struct sqlite_store *store)
{
    sqlite3_finalize(store->writer.savepoint);
    sqlite3_finalize(store->writer.release);
    int code =
        sqlite3_wal_checkpoint_v2(handle_of(store), NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (code == SQLITE_OK)
        sqlite_lock_mark_closed(store);
    pthread_mutex_destroy(&store->writer.lock);
}

void
sqlite_writer_metrics(struct sqlite_store *store, struct buf *page)
{
    struct sqlite_writer *writer = &store->writer;
    metric_family(page, "penchant_store_transactions_total", "counter",
                  "Write transactions begun.");
    metric_value(page, "penchant_store_transactions_total", "",
                 (int64_t)atomic_load(&writer->transactions));
    metric_family(page, "penchant_store_commits_total", "counter",
                  "Commits: each carries one or more transactions.");
    metric_value(page, "penchant_store_commits_total", "", (int64_t)atomic_load(&writer->commits));
    metric_family(page, "penchant_store_failed_total", "counter",
                  "Write transactions undone because the store could not keep them.");
    metric_value(page, "penchant_store_failed_total", "", (int64_t)atomic_load(&writer->failed));
    metric_family(page, "penchant_store_commit_seconds", "histogram", "How long a commit took.");
    metric_histogram(page, "penchant_store_commit_seconds", "", &writer->commit_latency);
    pthread_mutex_lock(&writer->lock);
    size_t waiting = writer->waiting;
    pthread_mutex_unlock(&writer->lock);
    metric_family(page, "penchant_store_waiting", "gauge", "Transactions waiting for their turn.");
    metric_value(page, "penchant_store_waiting", "", (int64_t)waiting);
}
