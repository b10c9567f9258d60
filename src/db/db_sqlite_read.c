/* Reading: a connection for every thread, and the moment it sees.
 *
 * To see one state of the store all through a read, SQLite takes locks and looks at its log, which
 * takes as long as finding a row. But between two commits there is only one state, and this process
 * alone commits. So a reader that is done keeps its transaction open, and goes on in it with the
 * next read, unless there was a commit meanwhile. A read sees the moment of its first statement,
 * not of its beginning: what its caller found in memory before is then never newer than what it
 * reads, and may be kept together with it.
 *
 * `moments` counts: by two when there is a newer state, raised before any write is answered; odd
 * while the log is moved into the file, which every open transaction would hinder: then nobody
 * keeps one, and those that idle readers have kept are ended. */
#include "db/db_sqlite.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/workers.h"

#include <stdlib.h>

struct sqlite_reader {
    struct sqlite_connection connection;
    struct sqlite_store *store;
    struct sqlite_reader *next;  /* of all */
    struct sqlite_reader *spare; /* of those whose thread has ended */
    sqlite3_stmt *begin;
    sqlite3_stmt *end;
    pthread_mutex_t in_use; /* by its thread; in between, whoever stops the moments */
    uint64_t snapshot;      /* what the open transaction sees; 0: none is open */
    uint64_t commits;       /* that it is sure to see */
    size_t reads;           /* that are going on, one in another */
    bool seeing;            /* they have had their first statement */
};

/* Threads that answer requests as they come are as many as cores, and read all the time; workers
 * are as many as an operator says, and mostly write. */
static const char many_pages[] = "PRAGMA cache_size = -4096";
static const char few_pages[] = "PRAGMA cache_size = -256";

/* ---- each thread's own ---- */

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

static struct sqlite_reader *
reader_open(struct sqlite_store *store)
{
    struct why why = { 0 };
    struct sqlite_reader *reader = memory_alloc(1, sizeof *reader);
    struct sqlite_connection *connection = &reader->connection;
    if (sqlite_connect(store->path, SQLITE_OPEN_READONLY, &connection->handle, &why)) {
        log_error("no reading connection", log_text("problem", str_of(why.text)));
        free(reader);
        return NULL;
    }
    reader->store = store;
    connection->statements = memory_alloc(db_statement_count(), sizeof *connection->statements);
    pthread_mutex_init(&reader->in_use, NULL);
    if (prepare(reader, "BEGIN", &reader->begin) && prepare(reader, "COMMIT", &reader->end))
        return reader;
    log_error("no reading connection",
              log_text("problem", str_of(sqlite3_errmsg(connection->handle))));
    reader_close(reader);
    return NULL;
}

static struct sqlite_reader *
reader_of_thread(struct sqlite_store *store)
{
    struct sqlite_readers *readers = &store->readers;
    struct sqlite_reader *reader = pthread_getspecific(readers->of_thread);
    if (reader != NULL)
        return reader;
    pthread_mutex_lock(&readers->lock);
    reader = readers->spare;
    if (reader != NULL)
        readers->spare = reader->spare;
    pthread_mutex_unlock(&readers->lock);
    if (reader == NULL) {
        reader = reader_open(store);
        if (reader == NULL)
            return NULL;
        pthread_mutex_lock(&readers->lock);
        reader->next = readers->all;
        readers->all = reader;
        pthread_mutex_unlock(&readers->lock);
    }
    sqlite_execute(reader->connection.handle, workers_is_current() ? few_pages : many_pages);
    pthread_setspecific(readers->of_thread, reader);
    return reader;
}

static void
thread_ended(void *value)
{
    struct sqlite_reader *reader = value;
    struct sqlite_readers *readers = &reader->store->readers;
    pthread_mutex_lock(&readers->lock);
    reader->spare = readers->spare;
    readers->spare = reader;
    pthread_mutex_unlock(&readers->lock);
}

void
sqlite_readers_start(struct sqlite_store *store)
{
    pthread_mutex_init(&store->readers.lock, NULL);
    pthread_key_create(&store->readers.of_thread, thread_ended);
    atomic_store(&store->readers.snapshots, 2);
}

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

/* ---- moments ---- */

static void
let_go(struct sqlite_reader *reader)
{
    if (reader->snapshot == 0)
        return;
    sqlite3_step(reader->end);
    sqlite3_reset(reader->end);
    reader->snapshot = 0;
}

/* Both counters are looked at before the store is: a commit in between makes the moment newer than
 * it is thought to be, never older. Moments rise before commits do, so they are looked at last. */
static enum err
choose_snapshot(struct sqlite_reader *reader)
{
    reader->commits = sqlite_commits(&reader->store->db);
    uint64_t now = atomic_load(&reader->store->readers.snapshots);
    if (reader->snapshot == now)
        return ERR_NONE;
    let_go(reader);
    sqlite3_step(reader->begin);
    if (sqlite3_reset(reader->begin) != SQLITE_OK)
        return ERR_UNAVAILABLE;
    reader->snapshot = now;
    return ERR_NONE;
}

enum err
sqlite_pin_snapshot(struct sqlite_tx *tx)
{
    struct sqlite_reader *reader = tx->reader;
    enum err err = reader->seeing ? ERR_NONE : choose_snapshot(reader);
    reader->seeing = !err;
    tx->tx.commits = reader->commits;
    return err;
}

static bool
may_keep(const struct sqlite_reader *reader)
{
    return reader->snapshot % 2 == 0 &&
           reader->snapshot == atomic_load(&reader->store->readers.snapshots);
}

enum err
sqlite_read(struct db *db, db_work *work, void *argument)
{
    struct sqlite_reader *reader = reader_of_thread((struct sqlite_store *)db);
    if (reader == NULL)
        return ERR_UNAVAILABLE;
    struct sqlite_tx tx = { .tx = { .db = db },
                            .connection = &reader->connection,
                            .reader = reader };
    if (reader->reads++ == 0)
        pthread_mutex_lock(&reader->in_use);
    enum err err = work(&tx.tx, argument);
    if (!err)
        err = tx.tx.broken;
    if (--reader->reads == 0) {
        reader->seeing = false;
        if (err || !may_keep(reader))
            let_go(reader);
        pthread_mutex_unlock(&reader->in_use);
    }
    return err;
}

void
sqlite_invalidate_snapshots(struct sqlite_store *store)
{
    atomic_fetch_add(&store->readers.snapshots, 2);
}

/* A reader that is busy lets go by itself. */
void
sqlite_pause_snapshots(struct sqlite_store *store)
{
    atomic_fetch_add(&store->readers.snapshots, 1);
    pthread_mutex_lock(&store->readers.lock);
    for (struct sqlite_reader *reader = store->readers.all; reader != NULL; reader = reader->next) {
        if (pthread_mutex_trylock(&reader->in_use) != 0)
            continue;
        let_go(reader);
        pthread_mutex_unlock(&reader->in_use);
    }
    pthread_mutex_unlock(&store->readers.lock);
}

void
sqlite_resume_snapshots(struct sqlite_store *store)
{
    atomic_fetch_add(&store->readers.snapshots, 1);
}

/* ---- how much they keep ---- */

void
sqlite_readers_metrics(struct sqlite_store *store, struct buf *page)
{
    int64_t bytes = 0, count = 0;
    pthread_mutex_lock(&store->readers.lock);
    for (struct sqlite_reader *reader = store->readers.all; reader != NULL; reader = reader->next) {
        int used = 0, most = 0;
        count++;
        if (pthread_mutex_trylock(&reader->in_use) != 0)
            continue;
        sqlite3_db_status(reader->connection.handle, SQLITE_DBSTATUS_CACHE_USED, &used, &most, 0);
        bytes += used;
        pthread_mutex_unlock(&reader->in_use);
    }
    pthread_mutex_unlock(&store->readers.lock);
    metric_family(page, "penchant_store_readers", "gauge", "Threads that have read so far.");
    metric_value(page, "penchant_store_readers", "", count);
    metric_family(page, "penchant_store_reader_bytes", "gauge",
                  "What they keep of the store in memory; not of those that read just now.");
    metric_value(page, "penchant_store_reader_bytes", "", bytes);
}
