/* maintenance.c - backup, check, and inspection. Each opens its own read connection, so all may run
 * while a service uses the store. */
#include "sqlite/sqlite.h"

#include "base/arena.h"
#include "base/buf.h"
#include "db/row_sum.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define PAGES_AT_ONCE 512
#define FINDINGS_MAX 100

/* The messages distinguish a store that is missing from one that this user may not read. */
static enum err
connect_readonly(const char *address, sqlite3 **out, struct why *why)
{
    const char *path = db_address_rest(address);
    if (sqlite_is_absent(path))
        return db_missing(path, why);
    if (access(path, R_OK) != 0) {
        why_set(why, "store: cannot read %s: %s", path, strerror(errno));
        return ERR_UNAVAILABLE;
    }
    return sqlite_connect(path, SQLITE_OPEN_READONLY, out, why);
}

/* The open transaction of `from` holds its snapshot, so that the copy does not start again whenever
 * the service commits. */
static int
copy_pages(sqlite3 *from, sqlite3 *to, void (*progress)(void *context, int percent), void *context)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    if (backup == NULL)
        return sqlite3_errcode(to);
    int code;
    do {
        code = sqlite3_backup_step(backup, PAGES_AT_ONCE);
        int total = sqlite3_backup_pagecount(backup);
        if (progress != NULL && total > 0)
            progress(context, 100 - (int)(100LL * sqlite3_backup_remaining(backup) / total));
    } while (code == SQLITE_OK);
    int finished = sqlite3_backup_finish(backup);
    return code == SQLITE_DONE ? finished : code;
}

/* A new name is durable only after its folder is. */
enum err
sqlite_flush_folder(const char *file)
{
    char path[PATH_MAX];
    sqlite_folder_of(file, path, sizeof path);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return ERR_UNAVAILABLE;
    int code = fsync(fd);
    close(fd);
    return code == 0 ? ERR_NONE : ERR_UNAVAILABLE;
}

/* The copy appears under its name whole or not at all, and never replaces another file. */
static enum err
publish(const char *part, const char *file, struct why *why)
{
    if (renameat2(AT_FDCWD, part, AT_FDCWD, file, RENAME_NOREPLACE) == 0)
        return sqlite_flush_folder(file);
    int problem = errno;
    /* Not every file system can rename without replacing; a link never replaces. */
    if (problem != EEXIST && link(part, file) == 0) {
        unlink(part);
        return sqlite_flush_folder(file);
    }
    if (problem != EEXIST)
        problem = errno;
    why_set(why, "backup: cannot rename %s to %s: %s%s", part, file, strerror(problem),
            problem == EEXIST ? "" : "; the copy is complete and can be renamed");
    if (problem == EEXIST)
        unlink(part);
    return problem == EEXIST ? ERR_TAKEN : ERR_UNAVAILABLE;
}

/* Writes to FILE.part and renames it when it is complete and flushed, so that a file with the final
 * name is always a whole backup. All pages are from one read transaction. */
enum err
sqlite_backup(const char *address, const char *file, void (*progress)(void *context, int percent),
              void *context, struct why *why)
{
    char part[PATH_MAX];
    if (access(file, F_OK) == 0) {
        why_set(why, "backup: %s exists already; choose another name", file);
        return ERR_TAKEN;
    }
    snprintf(part, sizeof part, "%s.part", file);
    unlink(part); /* left by an interrupted backup */
    sqlite3 *from = NULL;
    sqlite3 *to = NULL;
    enum err err = connect_readonly(address, &from, why);
    if (err)
        return err;
    err = sqlite_connect(part, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &to, why);
    if (!err) {
        sqlite_execute(from, "BEGIN; SELECT count(*) FROM sqlite_schema");
        /* Without WAL, so that the copy can be opened on read-only media. */
        if (copy_pages(from, to, progress, context) != SQLITE_OK ||
            sqlite_execute(to, "PRAGMA journal_mode = DELETE")) {
            why_set(why, "backup: cannot write %s: %s", part, sqlite3_errmsg(to));
            err = ERR_UNAVAILABLE;
        }
    }
    sqlite3_close_v2(from);
    if (to != NULL && sqlite3_close_v2(to) != SQLITE_OK)
        err = ERR_UNAVAILABLE;
    if (err) {
        unlink(part);
        return err;
    }
    return publish(part, file, why);
}

/* Adds each row of a pragma to the report as a line. An error of SQLite is a finding, too: a
 * damaged file may stop the check itself. */
static enum err
report_rows(sqlite3 *handle, const char *pragma, struct buf *report)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(handle, pragma, -1, &statement, NULL);
    int findings = 0;
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        if (text != NULL && strcmp(text, "ok") != 0 && findings++ < FINDINGS_MAX)
            buf_add_format(report, "%s\n", text);
        code = SQLITE_OK;
    }
    if (code != SQLITE_DONE)
        buf_add_format(report, "%s\n", sqlite3_errmsg(handle));
    sqlite3_finalize(statement);
    return ERR_NONE;
}

/* A process that has the store open keeps the log intact itself. */
static void
check_log(const char *path, struct buf *report)
{
    char lock[PATH_MAX];
    struct sqlite_log_mark mark, found;
    snprintf(lock, sizeof lock, "%s.lock", path);
    int fd = open(lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_SH | LOCK_NB) == 0 && sqlite_log_is_cut(path, fd, &mark, &found))
        buf_add_format(report, "%s-wal: intact up to frame %u of %u committed frames\n", path,
                       found.frames, mark.frames);
    close(fd);
}

static struct str
column_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return (struct str){ text, (size_t)sqlite3_column_bytes(statement, column) };
}

/* Verifies the checksums of the rows after `key`; false if there are none. */
static bool
check_sums(sqlite3_stmt *statement, const char *name, int64_t *key, struct buf *report)
{
    bool found = false;
    sqlite3_bind_int64(statement, 1, *key);
    for (; sqlite3_step(statement) == SQLITE_ROW; found = true) {
        struct row_sum row = {
            .user_id = column_text(statement, 0),
            .domain = column_text(statement, 1),
            .numbers = { sqlite3_column_int64(statement, 2), sqlite3_column_int64(statement, 3) },
            .text = column_text(statement, 4),
        };
        *key = sqlite3_column_int64(statement, 5);
        row_sum_report(&row, name, report);
    }
    sqlite3_reset(statement);
    return found;
}

/* Finds texts whose checksum does not match. A problem is a line of the report, not an error. */
static enum err
check_rows(sqlite3 *handle, struct buf *report)
{
    for (size_t i = 0; i < sizeof row_sum_queries / sizeof *row_sum_queries; i++) {
        sqlite3_stmt *statement = NULL;
        int64_t key = INT64_MIN;
        if (sqlite3_prepare_v2(handle, row_sum_queries[i].sql->text, -1, &statement, NULL) !=
            SQLITE_OK)
            return ERR_UNAVAILABLE;
        while (check_sums(statement, row_sum_queries[i].name, &key, report))
            continue;
        sqlite3_finalize(statement);
    }
    return ERR_NONE;
}

/* ERR_NONE with an empty report: nothing is wrong. */
enum err
sqlite_check(const char *address, struct buf *report, struct why *why)
{
    sqlite3 *handle = NULL;
    check_log(db_address_rest(address), report);
    enum err err = connect_readonly(address, &handle, why);
    if (err)
        return err;
    err = report_rows(handle, "PRAGMA integrity_check(100)", report);
    if (!err)
        err = report_rows(handle, "PRAGMA foreign_key_check", report);
    if (!err && check_rows(handle, report))
        buf_add_format(report, "%s\n", sqlite3_errmsg(handle));
    sqlite3_close_v2(handle);
    return err;
}

/* The struct db exists only for this call: `work` must not write, and must not ask for versions. */
enum err
sqlite_inspect(const char *address, db_work *work, void *argument, struct why *why)
{
    struct db db = { .driver = &db_sqlite_driver };
    struct sqlite_connection connection = { 0 };
    struct sqlite_tx tx = { .tx = { .db = &db }, .connection = &connection };
    enum err err = connect_readonly(address, &connection.handle, why);
    if (err)
        return err;
    connection.statements = memory_alloc(db_statement_count(), sizeof *connection.statements);
    err = sqlite_execute(connection.handle, "BEGIN");
    if (!err)
        err = work(&tx.tx, argument);
    if (err)
        why_set(why, "store: cannot read %s: %s", db_address_rest(address),
                sqlite3_errmsg(connection.handle));
    sqlite_disconnect(&connection);
    return err;
}
