/* sqlite.h - declarations shared by the files of the SQLite engine. Private to sqlite/.
 *
 *   sqlite.c       opening, statements
 *   read.c         read connections and their snapshots
 *   commit.c       the write connection: group commit and checkpoints
 *   compact.c      removes all traces of deleted data from the files
 *   log.c          reads the write-ahead log and detects a damaged one
 *   reserve.c      disk space for transactions that revoke access
 *   files.c        checks of the files before SQLite uses them
 *   lock.c         the lock file: one process per store
 *   maintenance.c  backup and check
 *   restore.c      restoring a backup
 *   follow.c       copies the log to another folder, continuously
 *   shipped.c      the file of copied transactions
 *   followed.c     makes a backup of these
 *
 * Any thread may call these functions, as db.h describes, unless a declaration says otherwise. The
 * store owns its connections and frees them when it is closed. */
#ifndef SQLITE_SQLITE_H
#define SQLITE_SQLITE_H

#include "base/metric.h"
#include "db/driver.h"
#include "db/versions.h"

#include <pthread.h>
#include <sqlite3.h>

struct sqlite_store;

#define SQLITE_PARAMETERS_MAX 64
#define SQLITE_BUSY_MS 2000

/* A prepared statement. SQLite numbers parameters by first appearance; `index` maps $n to that. */
struct sqlite_statement {
    sqlite3_stmt *handle; /* NULL: not prepared yet */
    size_t parameters;
    unsigned char index[SQLITE_PARAMETERS_MAX];
};

/* A connection with its prepared statements. Used by one thread at a time. */
struct sqlite_connection {
    sqlite3 *handle;
    struct sqlite_statement *statements; /* by the program's statement number */
};

struct sqlite_reader;

struct sqlite_tx {
    struct db_tx tx;
    struct sqlite_connection *connection;
    struct sqlite_reader *reader; /* NULL: a write transaction */
};

struct member;

/* The write connection's queue; see commit.c. */
struct sqlite_writer {
    pthread_mutex_t lock;
    bool has_leader;
    struct member *first, **end;
    size_t waiting;
    int wal_frames;      /* in the write-ahead log */
    int checkpointed_at; /* frames at the last checkpoint of this log; 0: none yet */
    sqlite3_stmt *savepoint;
    sqlite3_stmt *release;

    _Atomic uint64_t transactions;
    _Atomic uint64_t commits;
    _Atomic uint64_t failed;
    _Atomic uint64_t checkpoints;
    struct histogram commit_latency;
};

/* Each reading thread has its own connection until the store closes. */
struct sqlite_readers {
    pthread_key_t of_thread;
    pthread_mutex_t lock;
    struct sqlite_reader *all;
    _Atomic uint64_t snapshots; /* see read.c */
};

struct sqlite_store {
    struct db db;
    char *path;
    int lock_fd;
    int file_fd; /* the store itself: locked, and read by readiness checks */
    int log_fd;  /* the write-ahead log, to read its salts; -1: not open */
    int64_t log_written_out_ms;
    int reserve_fd; /* -1: none */
    bool has_reserve;
    bool prepare_lazily; /* see db_settings */
    struct sqlite_connection writer_connection;
    struct sqlite_writer writer;
    struct versions versions;
    struct touched touched; /* by the open write transaction */
    struct sqlite_readers readers;
};

/* sqlite.c */
enum err sqlite_connect(const char *path, int flags, sqlite3 **out, struct why *why);
enum err sqlite_execute(sqlite3 *handle, const char *script);
void sqlite_disconnect(struct sqlite_connection *connection);

/* read.c. Invalidate, pause, and resume: only by the thread that has the write
 * connection. */
void sqlite_readers_start(struct sqlite_store *store);
void sqlite_readers_stop(struct sqlite_store *store);
struct db_tx *sqlite_begin_read(struct db *db);
enum err sqlite_end_read(struct db_tx *tx);
enum err sqlite_pin_snapshot(struct sqlite_reader *reader);   /* before each statement of a read */
void sqlite_invalidate_snapshots(struct sqlite_store *store); /* after a commit */
void sqlite_pause_snapshots(struct sqlite_store *store);      /* until resumed */
void sqlite_resume_snapshots(struct sqlite_store *store);
void sqlite_readers_metrics(struct sqlite_store *store, struct buf *page);

/* commit.c */
enum err sqlite_writer_start(struct sqlite_store *store);
void sqlite_writer_stop(struct sqlite_store *store);
void sqlite_writer_metrics(struct sqlite_store *store, struct buf *page);
enum err sqlite_write(struct db *db, db_work *work, void *argument, bool urgent);

/* Waits for its turn like a write, but runs the work without a transaction and with snapshots
 * paused. ERR_UNAVAILABLE also if the turn did not come in time. */
enum err sqlite_write_alone(struct sqlite_store *store,
                            enum err (*work)(struct sqlite_store *store));

/* After a failed fsync(), the kernel may have dropped the pages and a second one would succeed
 * although nothing was written. Only a restart, which reads the file again, shows its state. */
void sqlite_exit_on_fsync_error(int code);

/* compact.c */
enum err sqlite_compact(struct db *db, struct why *why);

/* files.c */
bool sqlite_is_absent(const char *path); /* or is empty */
enum err sqlite_check_rights(const char *path, struct why *why);
enum err sqlite_inspect(const char *address, db_work *work, void *argument, struct why *why);
enum err sqlite_check_log(sqlite3 *handle, const char *path, struct why *why);
void sqlite_files_metrics(const struct sqlite_store *store, struct buf *page);
void sqlite_folder_of(const char *file, char *out, size_t size);

/* The high-water mark of a log: what identifies it, and its frames after the last commit. */
struct sqlite_log_mark {
    uint32_t salts[2];
    uint32_t frames;
};

/* A place in a log: the next frame, and the checksum of everything before it. */
struct sqlite_log_position {
    uint32_t salts[2]; /* 0: the log is empty and has no header */
    uint32_t page_bytes;
    uint32_t frames;
    uint32_t sum[2];
    bool is_big_endian; /* the words that checksums are made of */
};

/* A frame is this header and a page. The header begins with the number of the page and, in the last
 * frame of a transaction, the pages of the database after it, both big-endian. */
#define SQLITE_FRAME_HEADER_BYTES 24
#define SQLITE_PAGE_BYTES_MAX 65536

/* log.c. The first place in a log. False: there is no valid header. */
bool sqlite_log_start(int fd, struct sqlite_log_position *at);

/* Reads the next frame, and whether it is the last of a transaction. False: no valid frame
 * follows. */
bool sqlite_log_next(int fd, struct sqlite_log_position *at, unsigned char *frame, bool *commits);

int sqlite_log_open(const char *path); /* of this store; -1: none */

/* True if the log ends before the mark in the lock file: commits are lost. Before
 * SQLite opens the store, or beside a store that no process has locked. */
bool sqlite_log_is_cut(const char *path, int lock_fd, struct sqlite_log_mark *mark,
                       struct sqlite_log_mark *found);

bool sqlite_log_is_marked(int lock_fd);
#define SQLITE_LOG_UNMARKED "open 00000000 00000000 0000000000\n"

/* Writes the mark. 0 frames, durable: the log is about to be emptied. Only by the thread that has
 * the write connection. */
void sqlite_log_mark(struct sqlite_store *store, uint32_t frames);

/* reserve.c. Refill and release: only by the thread that has the write connection. */
void sqlite_reserve_open(struct sqlite_store *store);
void sqlite_reserve_close(struct sqlite_store *store);
void sqlite_reserve_refill(struct sqlite_store *store);  /* if possible; then not full any more */
void sqlite_reserve_release(struct sqlite_store *store); /* if the disk is full */

/* lock.c */
enum err sqlite_lock(struct sqlite_store *store, struct why *why); /* ERR_TAKEN: locked */
enum err sqlite_lock_mark_open(struct sqlite_store *store, struct why *why);
void sqlite_lock_mark_closed(struct sqlite_store *store); /* after the last checkpoint */

/* Locks the file itself, which other names may lead to. Nothing, if it does not exist yet. */
enum err sqlite_lock_file(struct sqlite_store *store, struct why *why);
void sqlite_unlock(struct sqlite_store *store); /* after all connections are closed */
enum err sqlite_ping(struct db *db, struct why *why);

/* maintenance.c */
enum err sqlite_backup(const char *address, const char *file,
                       void (*progress)(void *context, int percent), void *context,
                       struct why *why);
enum err sqlite_check(const char *address, struct buf *report, struct why *why);
enum err sqlite_flush_folder(const char *file); /* of this file */

/* follow.c, followed.c: see db_follow() and db_followed(). */
enum err sqlite_follow(const struct db_follow *how, struct why *why);
enum err sqlite_followed(const char *folder, int64_t until_ms, const char *file,
                         struct db_followed *out, struct why *why);

/* restore.c */
enum err sqlite_restore(const char *address, const char *file,
                        enum err (*prepare)(struct db *db, void *context), void *context,
                        struct arena *mem, struct str *aside, struct why *why);

#endif
