/* read.c - a read connection per thread, which keeps its snapshot between commits.
 *
 * Opening a read transaction takes locks and reads the log's index, which costs as much as finding
 * a row. Between two commits the snapshot is the same, and only this process commits. So a reader
 * leaves its transaction open and uses it for the next read, unless there was a commit. A read sees
 * the snapshot of its first statement, not of its beginning, so versions that the caller took
 * before are never newer than the rows, and both can be cached together.
 *
 * `snapshots` identifies the current snapshot. A commit adds two before it returns to any writer.
 * The number is odd during a checkpoint, which open transactions would hinder: readers then end
 * theirs after each read, and those of idle readers are ended. */
#include "sqlite/sqlite.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/workers.h"

#include <stdlib.h>

/* The connection of one thread. Other threads only end its snapshot, and only if `in_use` is
 * free. */
struct sqlite_reader {
    struct sqlite_connection connection;
    struct sqlite_tx tx; /* of the reads that are open */
    struct sqlite_store *store;
    struct sqlite_reader *next;
    sqlite3_stmt *begin;
    sqlite3_stmt *end;
    pthread_mutex_t in_use;    /* from the first statement of a read to its end */
    _Atomic uint64_t snapshot; /* of the open transaction; 0: none is open */
    _Atomic int64_t began_ms;  /* the open transaction */
    size_t reads;              /* begun and not ended, nested */
    bool pinned;               /* the reads have had their first statement and hold `in_use` */
};

/* HTTP threads are as many as cores and read all the time. Workers are as many as the operator
 * configures and mostly write. */
static const char http_thread_cache[] = "PRAGMA cache_size = -4096";
static const char worker_cache[] = "PRAGMA cache_size = -256";

/* ---- connections ---- */

/* Statements must be finalized before the connection is closed. */
static void
reader_close(struct sqlite_reader *reader)
{
    sqlite3_finalize(reader->begin);
    sqlite3_finalize(reader->end);
    sqlite_disconnect(&reader->connection);
    pthread_mutex_destroy(&reader->in_use);
    free(reader);
}

static bool
prepare(struct sqlite_reader *reader, const char *text, sqlite3_stmt **out)
{
    return sqlite3_prepare_v3(reader->connection.handle, text, -1, SQLITE_PREPARE_PERSISTENT, out,
                              NULL) == SQLITE_OK;
}

/* One per thread, and kept until the store is closed: opening a connection costs more than a read.
 * Worker threads have another size of page cache than HTTP threads. */
static struct sqlite_reader *
reader_open(struct sqlite_store *store)
{
    struct why why = { 0 };
    struct sqlite_reader *reader = memory_alloc(1, sizeof *reader);
    struct sqlite_connection *connection = &reader->connection;
    if (sqlite_connect(store->path, SQLITE_OPEN_READONLY, &connection->handle, &why)) {
        log_error("store_reader_failed", log_text("problem", str_of(why.text)));
        free(reader);
        return NULL;
    }
    reader->store = store;
    reader->tx = (struct sqlite_tx){ .tx = { .db = &store->db },
                                     .connection = connection,
                                     .reader = reader };
    connection->statements = memory_alloc(db_statement_count(), sizeof *connection->statements);
    pthread_mutex_init(&reader->in_use, NULL);
    sqlite_execute(connection->handle, workers_is_current() ? worker_cache : http_thread_cache);
    if (prepare(reader, "BEGIN", &reader->begin) && prepare(reader, "COMMIT", &reader->end))
        return reader;
    log_error("store_reader_failed",
              log_text("problem", str_of(sqlite3_errmsg(connection->handle))));
    reader_close(reader);
    return NULL;
}

/* A connection stays open until the store closes, even if its thread ends. */
static struct sqlite_reader *
reader_of_thread(struct sqlite_store *store)
{
    struct sqlite_readers *readers = &store->readers;
    struct sqlite_reader *reader = pthread_getspecific(readers->of_thread);
    if (reader != NULL)
        return reader;
    reader = reader_open(store);
    if (reader == NULL)
        return NULL;
    pthread_mutex_lock(&readers->lock);
    reader->next = readers->all;
    readers->all = reader;
    pthread_mutex_unlock(&readers->lock);
    pthread_setspecific(readers->of_thread, reader);
    return reader;
}

void
sqlite_readers_start(struct sqlite_store *store)
{
    pthread_mutex_init(&store->readers.lock, NULL);
    pthread_key_create(&store->readers.of_thread, NULL);
    atomic_store(&store->readers.snapshots, 2);
}

/* No thread may read any more. */
void
sqlite_readers_stop(struct sqlite_store *store)
{
    struct sqlite_reader *next;
    for (struct sqlite_reader *reader = store->readers.all; reader != NULL; reader = next) {
        next = reader->next;
        reader_close(reader);
    }
    pthread_key_delete(store->readers.of_thread);
    pthread_mutex_destroy(&store->readers.lock);
}

/* ---- snapshots ---- */

/* Call with `in_use` locked. An open snapshot keeps SQLite from reusing the log. */
static void
release_snapshot(struct sqlite_reader *reader)
{
    if (reader->snapshot == 0)
        return;
    sqlite3_step(reader->end);
    sqlite3_reset(reader->end);
    reader->snapshot = 0;
}

/* Both counters are read before the transaction begins: a commit in between makes the snapshot
 * newer than its number, never older. A commit raises `snapshots` first, so it is read last. */
static enum err
begin_snapshot(struct sqlite_reader *reader)
{
    reader->tx.tx.commits = versions_commits(&reader->store->versions);
    uint64_t now = atomic_load(&reader->store->readers.snapshots);
    if (reader->snapshot == now)
        return ERR_NONE;
    release_snapshot(reader);
    sqlite3_step(reader->begin);
    if (sqlite3_reset(reader->begin) != SQLITE_OK)
        return ERR_UNAVAILABLE;
    reader->began_ms = clock_steady_ms();
    reader->snapshot = now;
    return ERR_NONE;
}

/* Only the first statement of a read needs the snapshot, so a read that is answered from memory
 * never takes the lock. `in_use` is held until sqlite_end_read(). */
enum err
sqlite_pin_snapshot(struct sqlite_reader *reader)
{
    if (reader->pinned)
        return ERR_NONE;
    pthread_mutex_lock(&reader->in_use);
    reader->pinned = true;
    return begin_snapshot(reader);
}

static bool
may_keep(const struct sqlite_reader *reader)
{
    return reader->snapshot % 2 == 0 &&
           reader->snapshot == atomic_load(&reader->store->readers.snapshots);
}

/* NULL: no connection could be opened. Reads of one thread nest: they share the snapshot. */
struct db_tx *
sqlite_begin_read(struct db *db)
{
    struct sqlite_reader *reader = reader_of_thread((struct sqlite_store *)db);
    if (reader == NULL)
        return NULL;
    reader->reads++;
    return &reader->tx.tx;
}

/* The snapshot may be kept for the next read, as long as nothing was committed since; after an
 * error it never is. */
enum err
sqlite_end_read(struct db_tx *tx)
{
    struct sqlite_reader *reader = ((struct sqlite_tx *)tx)->reader;
    enum err err = tx->broken;
    if (--reader->reads > 0 || !reader->pinned)
        return err;
    if (err || !may_keep(reader))
        release_snapshot(reader);
    tx->broken = ERR_NONE;
    reader->pinned = false;
    pthread_mutex_unlock(&reader->in_use);
    return err;
}

void
sqlite_invalidate_snapshots(struct sqlite_store *store)
{
    atomic_fetch_add(&store->readers.snapshots, 2);
}

/* A busy reader ends its own transaction after the read: see may_keep(). */
void
sqlite_pause_snapshots(struct sqlite_store *store)
{
    atomic_fetch_add(&store->readers.snapshots, 1);
    pthread_mutex_lock(&store->readers.lock);
    for (struct sqlite_reader *reader = store->readers.all; reader != NULL; reader = reader->next) {
        if (pthread_mutex_trylock(&reader->in_use) != 0)
            continue;
        release_snapshot(reader);
        pthread_mutex_unlock(&reader->in_use);
    }
    pthread_mutex_unlock(&store->readers.lock);
}

void
sqlite_resume_snapshots(struct sqlite_store *store)
{
    atomic_fetch_add(&store->readers.snapshots, 1);
}

/* ---- metrics ---- */

/* Readers in use are skipped instead of waited for. `began_ms` is read without a lock, so the age
 * can be off by one read. */
void
sqlite_readers_metrics(struct sqlite_store *store, struct buf *page)
{
    int64_t bytes = 0, count = 0, oldest_ms = 0, now_ms = clock_steady_ms();
    uint64_t current = atomic_load(&store->readers.snapshots);
    pthread_mutex_lock(&store->readers.lock);
    for (struct sqlite_reader *reader = store->readers.all; reader != NULL; reader = reader->next) {
        int used = 0, most = 0;
        count++;
        if (pthread_mutex_trylock(&reader->in_use) != 0) {
            /* A snapshot that is still the newest hinders no checkpoint. */
            int64_t age_ms = now_ms - reader->began_ms;
            if (reader->snapshot != 0 && reader->snapshot != current && age_ms > oldest_ms)
                oldest_ms = age_ms;
            continue;
        }
        sqlite3_db_status(reader->connection.handle, SQLITE_DBSTATUS_CACHE_USED, &used, &most, 0);
        bytes += used;
        pthread_mutex_unlock(&reader->in_use);
    }
    pthread_mutex_unlock(&store->readers.lock);
    metric_put(page, "penchant_store_readers", "gauge",
               "Read connections, one per thread that has read.", count);
    metric_put(page, "penchant_store_reader_bytes", "gauge",
               "Page cache of read connections that are not in use.", bytes);
    metric_family(page, "penchant_store_oldest_snapshot_seconds", "gauge",
                  "Age of the oldest outdated snapshot in use; it lets the write-ahead log grow.");
    metric_seconds(page, "penchant_store_oldest_snapshot_seconds", "", oldest_ms);
}
