/* commit.c - group commit: many transactions, one flush.
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
#include "sqlite/sqlite.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"

#include <unistd.h>

#define GROUP_MAX 256
#define QUEUE_NS ((int64_t)10 * 1000000000) /* how long a member waits for its work to begin */
#define CHECKPOINT_FRAMES 4000 /* checkpoint when the log has grown by this many pages */
#define RESTART_FRAMES 16000   /* from this size on, wait for readers, so that the log restarts */
#define FULL_FRAMES 64         /* the same on a full disk: restart the log early */
#define RESTART_WAIT_MS 100    /* enough for requests; a backup holds the log for longer */

/* On the stack of its thread, which waits until `done` is signaled. */
struct member {
    db_work *work; /* NULL: needs the connection exclusively, as the leader */
    void *argument;
    struct member *next; /* in the queue, then in the group */
    pthread_cond_t done;
    bool urgent;
    bool leads;
    bool finished; /* its result is final */
    enum err result;
};

/* ---- the queue: call with the lock held ---- */

/* Members leave the queue in the order in which they came. */
static void
enqueue(struct sqlite_writer *writer, struct member *me)
{
    *writer->end = me;
    writer->end = &me->next;
    writer->waiting++;
}

/* False: the leader has already taken it. */
static bool
dequeue(struct sqlite_writer *writer, struct member *me)
{
    struct member **at = &writer->first;
    while (*at != NULL && *at != me)
        at = &(*at)->next;
    if (*at == NULL)
        return false;
    *at = me->next;
    if (*at == NULL)
        writer->end = at;
    writer->waiting--;
    return true;
}

/* Only a member that is still queued can give up. After the leader has taken it, its work may be
 * committed, so it waits for the result however slow the disk is. */
static void
wait_in_queue(struct sqlite_writer *writer, struct member *me)
{
    int64_t until = clock_ticks_ns() + QUEUE_NS;
    bool late = false;
    while (!me->leads && !me->finished && !late)
        late = !clock_cond_wait(&me->done, &writer->lock, until);
    if (!me->leads && !me->finished && dequeue(writer, me)) {
        me->result = ERR_UNAVAILABLE;
        me->finished = true;
    }
    while (!me->leads && !me->finished)
        pthread_cond_wait(&me->done, &writer->lock);
}

/* ---- the queue: these take the lock ---- */

/* On return the member is the leader, or is finished. */
static void
acquire_writer(struct sqlite_writer *writer, struct member *me)
{
    pthread_mutex_lock(&writer->lock);
    if (!writer->has_leader) {
        writer->has_leader = me->leads = true;
    } else {
        pthread_cond_init(&me->done, NULL);
        enqueue(writer, me);
        wait_in_queue(writer, me);
        pthread_cond_destroy(&me->done);
    }
    pthread_mutex_unlock(&writer->lock);
}

/* Takes the first member, unless the queue is empty or it needs the connection exclusively. */
static struct member *
take_next(struct sqlite_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    struct member *next = writer->first;
    if (next != NULL && next->work == NULL)
        next = NULL;
    if (next != NULL)
        dequeue(writer, next);
    pthread_mutex_unlock(&writer->lock);
    return next;
}

/* The next leader is taken out of the queue here, by the thread that leads now, so that there is
 * never more than one. Without a waiting member, the next one that arrives leads. */
static void
promote_next(struct sqlite_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    struct member *next = writer->first;
    writer->has_leader = next != NULL;
    if (next != NULL) {
        dequeue(writer, next);
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

/* IMMEDIATE takes the write lock now, so that no statement of the group can fail for it later. */
static enum err
begin(struct sqlite_store *store)
{
    if (!sqlite_execute(handle_of(store), "BEGIN IMMEDIATE"))
        return ERR_NONE;
    log_error_code("store_begin_failed", sqlite3_extended_errcode(handle_of(store)));
    return ERR_UNAVAILABLE;
}

static enum err
step(sqlite3_stmt *statement)
{
    sqlite3_step(statement);
    return sqlite3_reset(statement) == SQLITE_OK ? ERR_NONE : ERR_UNAVAILABLE;
}

/* If a member cannot be rolled back alone, the whole group is. */
static enum err
roll_back_all(struct sqlite_store *store)
{
    log_error_code("store_savepoint_failed", sqlite3_extended_errcode(handle_of(store)));
    sqlite_execute(handle_of(store), "ROLLBACK");
    return ERR_UNAVAILABLE;
}

/* Runs one member's work. Check is_rolled_back() afterwards. On a full disk only urgent work runs.
 */
static enum err
run_member(struct sqlite_store *store, struct member *member)
{
    if (store->db.is_full && !member->urgent)
        return ERR_UNAVAILABLE;
    struct sqlite_tx tx = { .tx = { .db = &store->db }, .connection = &store->writer_connection };
    if (step(store->writer.savepoint))
        return ERR_UNAVAILABLE;
    enum err err = member->work(&tx.tx, member->argument);
    if (!err)
        err = tx.tx.broken;
    if (err && sqlite_execute(handle_of(store), "ROLLBACK TO member"))
        return roll_back_all(store);
    return step(store->writer.release) ? roll_back_all(store) : err;
}

/* Some errors (a full disk, an interrupt) roll back everything, including released savepoints. */
static bool
is_rolled_back(struct sqlite_store *store)
{
    return sqlite3_get_autocommit(handle_of(store)) != 0;
}

void
sqlite_exit_on_fsync_error(int code)
{
    if (code != SQLITE_IOERR_FSYNC && code != SQLITE_IOERR_DIR_FSYNC)
        return;
    log_error("store_fsync_failed", log_number("code", code),
              log_text("problem", STR("the state of the file is unknown; the process exits")));
    log_stop();
    _exit(1);
}

/* An error leaves no transaction open, so the next leader can begin one. A full disk is noted
 * (is_full), which makes urgent writes use the reserve. */
static enum err
commit(struct sqlite_store *store)
{
    int64_t began = clock_ticks_ns();
    enum err err = sqlite_execute(handle_of(store), "COMMIT");
    int code = sqlite3_extended_errcode(handle_of(store));
    if (err) {
        sqlite_exit_on_fsync_error(code);
        log_error_code("store_commit_failed", code);
        if (code == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE)
            store->db.is_full = true;
        if (!is_rolled_back(store))
            sqlite_execute(handle_of(store), "ROLLBACK");
    } else if (store->writer.wal_frames > 0) {
        sqlite_log_mark(store, (uint32_t)store->writer.wal_frames);
    }
    histogram_observe(&store->writer.commit_latency, clock_ticks_ns() - began);
    atomic_fetch_add(&store->writer.commits, 1);
    return err;
}

/* The hook of SQLite after each commit, with the number of frames in the log. It runs in the thread
 * of the leader. */
static int
count_frames(void *context, sqlite3 *handle, const char *name, int frames)
{
    struct sqlite_writer *writer = context;
    (void)handle;
    (void)name;
    writer->wal_frames = frames;
    if (frames < writer->checkpointed_at) /* the log has restarted */
        writer->checkpointed_at = 0;
    return SQLITE_OK;
}

/* Moves the log into the file. Only the leader does this, so checkpoints never overlap. A long
 * read, such as a backup, keeps the log from restarting; the next attempt then waits until the log
 * has grown by CHECKPOINT_FRAMES again, because each attempt costs two flushes and perhaps the
 * wait. */
static void
checkpoint(struct sqlite_store *store)
{
    struct sqlite_writer *writer = &store->writer;
    bool is_full = store->db.is_full;
    int grown = writer->wal_frames - writer->checkpointed_at;
    if (grown < (is_full ? FULL_FRAMES : CHECKPOINT_FRAMES))
        return;
    int mode = writer->wal_frames < RESTART_FRAMES && !is_full ? SQLITE_CHECKPOINT_PASSIVE
                                                               : SQLITE_CHECKPOINT_RESTART;
    sqlite_pause_snapshots(store);
    sqlite3_busy_timeout(handle_of(store), RESTART_WAIT_MS);
    int code = sqlite3_wal_checkpoint_v2(handle_of(store), NULL, mode, NULL, NULL);
    sqlite3_busy_timeout(handle_of(store), SQLITE_BUSY_MS);
    sqlite_resume_snapshots(store);
    sqlite_exit_on_fsync_error(code);
    if (code != SQLITE_OK && code != SQLITE_BUSY)
        log_warn("store_checkpoint_failed", log_number("code", code),
                 log_text("problem", str_of(sqlite3_errstr(code))));
    writer->checkpointed_at = writer->wal_frames;
    atomic_fetch_add(&writer->checkpoints, 1);
}

/* ---- a group ---- */

/* Runs members until the queue is empty or the group is full, and links them into *group. */
static enum err
run_group(struct sqlite_store *store, struct member *me, struct member **group, size_t *count)
{
    struct member *member = me;
    for (*count = 0; member != NULL; *count += 1) {
        member->result = run_member(store, member);
        member->next = *group;
        *group = member;
        if (is_rolled_back(store))
            return ERR_UNAVAILABLE;
        member = *count + 1 < GROUP_MAX ? take_next(&store->writer) : NULL;
    }
    return ERR_NONE;
}

/* A member's thread returns as soon as it gets the lock, and its struct with it: the group must not
 * be used afterwards. */
static void
finish_group(struct sqlite_writer *writer, struct member *group, const struct member *leader,
             enum err committed)
{
    pthread_mutex_lock(&writer->lock);
    for (struct member *member = group; member != NULL; member = member->next) {
        if (committed)
            member->result = committed;
        member->finished = true;
        if (member != leader)
            pthread_cond_signal(&member->done);
    }
    pthread_mutex_unlock(&writer->lock);
}

/* Snapshots are invalidated and versions raised before any member returns, so that its caller reads
 * what it has written. Even after an error, the next leader must be promoted, or the queue would
 * stand still. */
static void
run_as_leader(struct sqlite_store *store, struct member *me)
{
    struct sqlite_writer *writer = &store->writer;
    struct member *group = NULL;
    size_t count = 0;
    sqlite_reserve_refill(store);
    me->result = begin(store);
    if (!me->result) {
        enum err err = run_group(store, me, &group, &count);
        if (!err)
            err = commit(store);
        if (err)
            sqlite_reserve_release(store);
        sqlite_invalidate_snapshots(store);                /* before the versions, see read.c */
        versions_raise(&store->versions, &store->touched); /* before any member returns, see db.h */
        atomic_fetch_add(&writer->transactions, count);
        if (err)
            atomic_fetch_add(&writer->failed, count);
        finish_group(writer, group, me, err);
        checkpoint(store);
    }
    promote_next(writer);
}

/* An urgent write, such as a revocation, is repeated once if the disk is full: by then the reserve
 * was released. */
enum err
sqlite_write(struct db *db, db_work *work, void *argument, bool urgent)
{
    struct sqlite_store *store = (struct sqlite_store *)db;
    for (int attempts = urgent ? 2 : 1; attempts > 0; attempts--) {
        struct member me = { .work = work, .argument = argument, .urgent = urgent };
        acquire_writer(&store->writer, &me);
        if (me.leads)
            run_as_leader(store, &me);
        if (me.result != ERR_UNAVAILABLE || !store->db.is_full)
            return me.result;
    }
    return ERR_UNAVAILABLE;
}

enum err
sqlite_write_alone(struct sqlite_store *store, enum err (*work)(struct sqlite_store *store))
{
    struct member me = { 0 };
    acquire_writer(&store->writer, &me);
    if (!me.leads)
        return me.result;
    sqlite_pause_snapshots(store);
    enum err err = work(store);
    sqlite_resume_snapshots(store);
    promote_next(&store->writer);
    return err;
}

/* ---- start and stop ---- */

/* The page cache holds what a group of 64 writers changes. With a smaller one SQLite spills changed
 * pages into the log before the commit, then reads and writes them again. */
static const char writer_pragmas[] = "PRAGMA page_size = 8192;"
                                     "PRAGMA journal_mode = WAL;"
                                     "PRAGMA synchronous = FULL;"
                                     "PRAGMA wal_autocheckpoint = 0;" /* done between two commits */
                                     "PRAGMA journal_size_limit = 67108864;"
                                     "PRAGMA cache_size = -8192;"
                                     "PRAGMA foreign_keys = ON;"
                                     "PRAGMA secure_delete = ON;"
                                     /* Creates the log before the lock file is marked open. */
                                     "SELECT count(*) FROM sqlite_schema;";

static int
prepare(struct sqlite_store *store, const char *text, sqlite3_stmt **out)
{
    return sqlite3_prepare_v3(handle_of(store), text, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
}

/* The statements for savepoints are prepared once: every member of a group runs in a savepoint of
 * its own. */
enum err
sqlite_writer_start(struct sqlite_store *store)
{
    pthread_mutex_init(&store->writer.lock, NULL);
    store->writer.end = &store->writer.first;
    if (sqlite_execute(handle_of(store), writer_pragmas))
        return ERR_UNAVAILABLE;
    /* After the pragmas: wal_autocheckpoint removes the hook. */
    sqlite3_wal_hook(handle_of(store), count_frames, &store->writer);
    if (prepare(store, "SAVEPOINT member", &store->writer.savepoint) == SQLITE_OK &&
        prepare(store, "RELEASE member", &store->writer.release) == SQLITE_OK)
        return ERR_NONE;
    return ERR_UNAVAILABLE;
}

/* The mark of the log is reset before the checkpoint empties the log, so that a crash in between is
 * not mistaken for a lost log. If the checkpoint fails, the log stays, and the next start replays
 * it. */
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

/* Atomic counters, and one short lock for the length of the queue: a scrape never waits for a
 * commit. */
void
sqlite_writer_metrics(struct sqlite_store *store, struct buf *page)
{
    struct sqlite_writer *writer = &store->writer;
    metric_put(page, "penchant_store_transactions_total", "counter", "Write transactions begun.",
               (int64_t)atomic_load(&writer->transactions));
    metric_put(page, "penchant_store_commits_total", "counter",
               "Commits: each carries one or more transactions.",
               (int64_t)atomic_load(&writer->commits));
    metric_put(page, "penchant_store_transactions_failed_total", "counter",
               "Write transactions rolled back because the store failed.",
               (int64_t)atomic_load(&writer->failed));
    metric_put(page, "penchant_store_checkpoints_total", "counter",
               "Checkpoints begun: the write-ahead log is moved into the file.",
               (int64_t)atomic_load(&writer->checkpoints));
    metric_family(page, "penchant_store_commit_seconds", "histogram", "Duration of a commit.");
    metric_histogram(page, "penchant_store_commit_seconds", "", &writer->commit_latency);
    pthread_mutex_lock(&writer->lock);
    size_t waiting = writer->waiting;
    pthread_mutex_unlock(&writer->lock);
    metric_put(page, "penchant_store_waiting", "gauge", "Transactions in the queue.",
               (int64_t)waiting);
}
