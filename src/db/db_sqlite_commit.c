/* db_sqlite_commit.c - group commit: many transactions, one flush.
 *
 * One connection writes. Threads queue for it in order of arrival; the first becomes the leader.
 * The leader runs its own work and that of every queued member, each in a savepoint of one
 * transaction, until the queue is empty or the group is full. Then it commits for all, wakes them
 * with their results, and makes the next in the queue the leader. While a commit waits for the
 * disk, the next group forms: the slower the disk, the larger the groups.
 *
 * No member gets its result before the commit, not even a rejection: it may be based on rows that
 * another member wrote and that a failed commit rolls back. If the commit fails, or an error in one
 * member's work rolls back the whole transaction (as a full disk does), every member fails and
 * nothing is changed. A failed fsync ends the process: the state of the file is then unknown, and a
 * second fsync could report success wrongly. */
#include "db/db_sqlite.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"

#include <limits.h>
#include <time.h>
#include <unistd.h>

#define GROUP_MAX 256
#define LINE_SECONDS 10        /* how long a member waits for its work to begin */
#define CHECKPOINT_FRAMES 4000 /* pages that the log has grown by: move them into the file */
#define RESTART_FRAMES 16000   /* in it: wait for readers, so that the log begins anew */
#define RESTART_WAIT_MS 100    /* long for a request, nothing for a backup, which keeps the log */

/* On the stack of its thread, which waits until `done` is signaled. */
struct member {
    db_work *work; /* NULL: needs the connection exclusively, as the leader */
    void *argument;
    struct member *next; /* in the queue, then in the group */
    pthread_cond_t done;
    bool leads;
    bool over; /* its result is final */
    enum err result;
};

/* ---- the line: with the lock held ---- */

static void
cond_init_steady(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void
join_line(struct sqlite_writer *writer, struct member *me)
{
    if (writer->last == NULL)
        writer->first = me;
    else
        writer->last->next = me;
    writer->last = me;
    writer->waiting++;
}

/* False: it does not stand there any more. */
static bool
leave_line(struct sqlite_writer *writer, struct member *me)
{
    struct member *before = NULL;
    struct member *at = writer->first;
    for (; at != NULL && at != me; at = at->next)
        before = at;
    if (at == NULL)
        return false;
    if (before == NULL)
        writer->first = me->next;
    else
        before->next = me->next;
    if (writer->last == me)
        writer->last = before;
    writer->waiting--;
    me->next = NULL;
    return true;
}

/* Whoever stands in line no longer cannot leave: somebody is at its work, and the result comes,
 * however slow the disk is. */
static void
stand_in_line(struct sqlite_writer *writer, struct member *me)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += LINE_SECONDS;
    int late = 0;
    while (!me->leads && !me->over && late == 0)
        late = pthread_cond_timedwait(&me->done, &writer->lock, &until);
    if (!me->leads && !me->over && leave_line(writer, me)) {
        me->result = ERR_UNAVAILABLE;
        me->over = true;
    }
    while (!me->leads && !me->over)
        pthread_cond_wait(&me->done, &writer->lock);
}

/* ---- the line: who takes the lock ---- */

/* On return it leads, or is over. */
static void
line_up(struct sqlite_writer *writer, struct member *me)
{
    pthread_mutex_lock(&writer->lock);
    if (!writer->led) {
        writer->led = me->leads = true;
    } else {
        cond_init_steady(&me->done);
        join_line(writer, me);
        stand_in_line(writer, me);
        pthread_cond_destroy(&me->done);
    }
    pthread_mutex_unlock(&writer->lock);
}

/* The first in line whose work can be done now; NULL: nobody. */
static struct member *
next_in_line(struct sqlite_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    struct member *next = writer->first;
    if (next != NULL && next->work == NULL)
        next = NULL;
    if (next != NULL)
        leave_line(writer, next);
    pthread_mutex_unlock(&writer->lock);
    return next;
}

static void
let_next_lead(struct sqlite_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    struct member *next = writer->first;
    writer->led = next != NULL;
    if (next != NULL) {
        leave_line(writer, next);
        next->leads = true;
        pthread_cond_signal(&next->done);
    }
    pthread_mutex_unlock(&writer->lock);
}

/* ---- the open transaction ---- */

static sqlite3 *
handle_of(struct sqlite_store *store)
{
    return store->writer_connection.handle;
}

static void
log_error_code(const char *event, int code)
{
    log_error(event, log_number("code", code), log_text("problem", str_of(sqlite3_errstr(code))));
}

static enum err
begin(struct sqlite_store *store)
{
    if (!sqlite_execute(handle_of(store), "BEGIN IMMEDIATE"))
        return ERR_NONE;
    log_error_code("store: cannot begin", sqlite3_extended_errcode(handle_of(store)));
    return ERR_UNAVAILABLE;
}

/* One of the two that every member runs, so that their text is read only once. */
static enum err
step(sqlite3_stmt *statement)
{
    sqlite3_step(statement);
    return sqlite3_reset(statement) == SQLITE_OK ? ERR_NONE : ERR_UNAVAILABLE;
}

/* What cannot be taken back by itself is taken back with the whole group. */
static enum err
undo_all(struct sqlite_store *store)
{
    log_error_code("store: a savepoint was lost", sqlite3_extended_errcode(handle_of(store)));
    sqlite_execute(handle_of(store), "ROLLBACK");
    return ERR_UNAVAILABLE;
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
    if (err && sqlite_execute(handle_of(store), "ROLLBACK TO member"))
        return undo_all(store);
    return step(store->writer.release) ? undo_all(store) : err;
}

/* Some errors (a full disk, an interrupt) take back everything, released savepoints included. */
static bool
whole_transaction_gone(struct sqlite_store *store)
{
    return sqlite3_get_autocommit(handle_of(store)) != 0;
}

/* Ends the process if that is what went wrong. */
static void
exit_on_fsync_error(int code)
{
    if (code != SQLITE_IOERR_FSYNC && code != SQLITE_IOERR_DIR_FSYNC)
        return;
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
        exit_on_fsync_error(code);
        log_error_code("store: a commit failed", code);
        if (!whole_transaction_gone(store))
            sqlite_execute(handle_of(store), "ROLLBACK");
    } else if (store->writer.wal_frames > 0) {
        sqlite_log_mark(store, (uint32_t)store->writer.wal_frames);
    }
    histogram_observe(&store->writer.commit_latency, clock_ticks_ns() - began);
    atomic_fetch_add(&store->writer.commits, 1);
    return err;
}

static int
count_frames(void *context, sqlite3 *handle, const char *name, int frames)
{
    struct sqlite_writer *writer = context;
    (void)handle;
    (void)name;
    writer->wal_frames = frames;
    if (frames < writer->tried_at) /* it has begun anew */
        writer->tried_at = 0;
    return SQLITE_OK;
}

/* Moves the log into the file; the connection is still ours, so nobody else can be doing it. Who
 * reads for long, as a backup does, keeps the log from beginning anew: then it is tried again when
 * it has grown by as much once more. At every commit it would cost two flushes each time, and for a
 * large log the wait for that reader. */
static void
checkpoint(struct sqlite_store *store)
{
    struct sqlite_writer *writer = &store->writer;
    if (writer->wal_frames - writer->tried_at < CHECKPOINT_FRAMES)
        return;
    int mode =
        writer->wal_frames < RESTART_FRAMES ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_RESTART;
    sqlite_pause_snapshots(store);
    sqlite3_busy_timeout(handle_of(store), RESTART_WAIT_MS);
    int code = sqlite3_wal_checkpoint_v2(handle_of(store), NULL, mode, NULL, NULL);
    sqlite3_busy_timeout(handle_of(store), SQLITE_BUSY_MS);
    sqlite_resume_snapshots(store);
    exit_on_fsync_error(code);
    if (code != SQLITE_OK && code != SQLITE_BUSY)
        log_warn("store: a checkpoint failed", log_number("code", code),
                 log_text("problem", str_of(sqlite3_errstr(code))));
    writer->tried_at = writer->wal_frames;
    atomic_fetch_add(&writer->checkpoints, 1);
}

/* ---- a group ---- */

/* Works until nobody waits: *group are those whose work was done. */
static enum err
work_through_line(struct sqlite_store *store, struct member *me, struct member **group,
                  size_t *count)
{
    struct member *member = me;
    for (*count = 0; member != NULL; *count += 1) {
        member->result = run_member(store, member->work, member->argument);
        member->next = *group;
        *group = member;
        if (whole_transaction_gone(store))
            return ERR_UNAVAILABLE;
        member = *count + 1 < GROUP_MAX ? next_in_line(&store->writer) : NULL;
    }
    return ERR_NONE;
}

static void
tell(struct sqlite_writer *writer, struct member *group, const struct member *leader,
     enum err committed)
{
    pthread_mutex_lock(&writer->lock);
    for (struct member *member = group; member != NULL; member = member->next) {
        if (committed)
            member->result = committed;
        member->over = true;
        if (member != leader)
            pthread_cond_signal(&member->done);
    }
    pthread_mutex_unlock(&writer->lock);
}

static void
lead(struct sqlite_store *store, struct member *me)
{
    struct sqlite_writer *writer = &store->writer;
    struct member *group = NULL;
    size_t count = 0;
    me->result = begin(store);
    if (!me->result) {
        enum err err = work_through_line(store, me, &group, &count);
        if (!err)
            err = commit(store);
        sqlite_invalidate_snapshots(
            store);                  /* first: what is read from now on is read anew, see db.h */
        sqlite_bump_versions(store); /* before anybody is answered */
        atomic_fetch_add(&writer->transactions, count);
        if (err)
            atomic_fetch_add(&writer->failed, count);
        tell(writer, group, me, err);
        checkpoint(store);
    }
    let_next_lead(writer);
}

enum err
sqlite_write(struct db *db, db_work *work, void *argument)
{
    struct sqlite_store *store = (struct sqlite_store *)db;
    struct member me = { .work = work, .argument = argument };
    line_up(&store->writer, &me);
    if (me.leads)
        lead(store, &me);
    return me.result;
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
    sqlite_log_mark(store, 0);
    for (int attempt = 0; attempt < TRUNCATE_ATTEMPTS; attempt++) {
        int code = sqlite3_wal_checkpoint_v2(handle_of(store), NULL, SQLITE_CHECKPOINT_TRUNCATE,
                                             NULL, NULL);
        exit_on_fsync_error(code);
        if (code == SQLITE_OK) {
            store->writer.wal_frames = store->writer.tried_at = 0;
            return ERR_NONE;
        }
        if (code != SQLITE_BUSY && code != SQLITE_LOCKED)
            return ERR_UNAVAILABLE;
        nanosleep(&pause, NULL);
    }
    return ERR_UNAVAILABLE;
}

/* A new file is made of what there is, then written over the old one: beside the store, as memory
 * need not have room for it. */
static enum err
rebuild(struct sqlite_store *store)
{
    char folder[PATH_MAX];
    sqlite_folder_of(store->path, folder, sizeof folder);
    sqlite3_temp_directory = folder; /* nobody else makes such files */
    enum err err = sqlite_execute(handle_of(store), "PRAGMA temp_store = FILE; VACUUM");
    int code = sqlite3_extended_errcode(handle_of(store));
    if (err) {
        exit_on_fsync_error(code);
        log_error_code("store: compacting failed", code);
    }
    sqlite_execute(handle_of(store), "PRAGMA temp_store = MEMORY");
    sqlite3_temp_directory = NULL;
    return err;
}

enum err
sqlite_compact(struct db *db, struct why *why)
{
    struct sqlite_store *store = (struct sqlite_store *)db;
    struct member me = { 0 };
    line_up(&store->writer, &me);
    enum err err = me.result;
    if (me.leads) {
        sqlite_pause_snapshots(store);
        err = rebuild(store);
        if (!err)
            err = empty_log(store);
        sqlite_resume_snapshots(store);
        let_next_lead(&store->writer);
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
    sqlite_log_mark(store, 0);
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
    metric_family(page, "penchant_store_checkpoints_total", "counter",
                  "How often moving the log into the file was begun.");
    metric_value(page, "penchant_store_checkpoints_total", "",
                 (int64_t)atomic_load(&writer->checkpoints));
    metric_family(page, "penchant_store_commit_seconds", "histogram", "How long a commit took.");
    metric_histogram(page, "penchant_store_commit_seconds", "", &writer->commit_latency);
    pthread_mutex_lock(&writer->lock);
    size_t waiting = writer->waiting;
    pthread_mutex_unlock(&writer->lock);
    metric_family(page, "penchant_store_waiting", "gauge", "Transactions waiting for their turn.");
    metric_value(page, "penchant_store_waiting", "", (int64_t)waiting);
}
