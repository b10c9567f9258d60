/* compact.c - removes all traces of deleted data from the files of a store.
 *
 * secure_delete overwrites deleted rows in the file, but older copies of their pages stay in the
 * log until it is truncated. VACUUM cannot run in a transaction, and an open snapshot would keep
 * the log from being emptied. */
#include "sqlite/sqlite.h"

#include "base/log.h"

#include <limits.h>
#include <time.h>

#define TRUNCATE_ATTEMPTS 200 /* a reader may hold the log for a while */
#define TRUNCATE_PAUSE_NS (25 * 1000 * 1000)

/* VACUUM builds its copy in a file next to the store, because it may not fit into memory. */
static enum err
vacuum(struct sqlite_store *store)
{
    sqlite3 *handle = store->writer_connection.handle;
    char folder[PATH_MAX];
    sqlite_folder_of(store->path, folder, sizeof folder);
    sqlite3_temp_directory = folder; /* no other thread creates temporary files */
    enum err err = sqlite_execute(handle, "PRAGMA temp_store = FILE; VACUUM");
    int code = sqlite3_extended_errcode(handle);
    if (err) {
        sqlite_exit_on_fsync_error(code);
        log_error("store_compact_failed", log_number("code", code),
                  log_text("problem", str_of(sqlite3_errstr(code))));
    }
    sqlite_execute(handle, "PRAGMA temp_store = MEMORY");
    sqlite3_temp_directory = NULL;
    return err;
}

static enum err
truncate_log(struct sqlite_store *store)
{
    const struct timespec pause = { 0, TRUNCATE_PAUSE_NS };
    sqlite_log_mark(store, 0);
    for (int attempt = 0; attempt < TRUNCATE_ATTEMPTS; attempt++) {
        int code = sqlite3_wal_checkpoint_v2(store->writer_connection.handle, NULL,
                                             SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
        sqlite_exit_on_fsync_error(code);
        if (code == SQLITE_OK) {
            store->writer.wal_frames = store->writer.checkpointed_at = 0;
            return ERR_NONE;
        }
        if (code != SQLITE_BUSY && code != SQLITE_LOCKED)
            return ERR_UNAVAILABLE;
        nanosleep(&pause, NULL);
    }
    return ERR_UNAVAILABLE;
}

static enum err
compact(struct sqlite_store *store)
{
    enum err err = vacuum(store);
    return err ? err : truncate_log(store);
}

enum err
sqlite_compact(struct db *db, struct why *why)
{
    enum err err = sqlite_write_alone((struct sqlite_store *)db, compact);
    if (err)
        why_set(why, "store: cannot compact: the store is too busy or the disk is full; no data is "
                     "lost, try again later");
    return err;
}
