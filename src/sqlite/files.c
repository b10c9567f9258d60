/* files.c - checks before SQLite uses a path: does a store exist, are its files writable,
 * and does the log beside it belong to it. */
#include "sqlite/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* With the slash at its end. A name without a slash is in the current folder. */
void
sqlite_folder_of(const char *file, char *out, size_t size)
{
    const char *slash = strrchr(file, '/');
    if (slash == NULL)
        snprintf(out, size, ".");
    else
        snprintf(out, size, "%.*s", (int)(slash - file + 1), file);
}

/* An empty file counts as absent: SQLite creates it when it opens a store, and a crash may leave
 * it. */
bool
sqlite_is_absent(const char *path)
{
    struct stat found;
    if (stat(path, &found) != 0)
        return errno == ENOENT || errno == ENOTDIR;
    return S_ISREG(found.st_mode) && found.st_size == 0;
}

/* ---- permissions ---- */

/* A missing file passes: SQLite creates it if the folder is writable. */
static enum err
check_writable(const char *what, const char *path, struct why *why)
{
    if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 || errno == ENOENT)
        return ERR_NONE;
    why_set(
        why,
        "store: the %s %s is not writable: %s; the store's folder and all of its files must belong "
        "to the user that runs penchant (user id %u): chown them, and chmod u+rw",
        what, path, strerror(errno), (unsigned)geteuid());
    return ERR_UNAVAILABLE;
}

/* SQLite opens a read-only file without an error and fails at the first write, in a request. */
enum err
sqlite_check_rights(const char *path, struct why *why)
{
    static const char *const endings[] = { "", "-wal", "-shm", ".lock" };
    char beside[PATH_MAX];
    enum err err = ERR_NONE;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && !err; i++) {
        snprintf(beside, sizeof beside, "%s%s", path, endings[i]);
        err = check_writable("file", beside, why);
    }
    sqlite_folder_of(path, beside, sizeof beside);
    return err ? err : check_writable("folder", beside, why);
}

/* ---- metrics ---- */

/* Nothing is written if the file is missing: a wrong number would be worse than none. */
void
sqlite_files_metrics(const struct sqlite_store *store, struct buf *page)
{
    char path[PATH_MAX];
    struct stat file = { 0 }, log = { 0 };
    struct statvfs disk;
    snprintf(path, sizeof path, "%s-wal", store->path);
    stat(path, &log);
    if (stat(store->path, &file) != 0)
        return;
    metric_put(page, "penchant_store_file_bytes", "gauge", "Size of the store's file.",
               file.st_size);
    metric_put(page, "penchant_store_wal_bytes", "gauge",
               "Size of the write-ahead log; it is reused and shrinks when the service stops.",
               log.st_size);
    if (statvfs(store->path, &disk) == 0)
        metric_put(page, "penchant_store_disk_free_bytes", "gauge",
                   "Disk space that the service can use on the store's file system.",
                   (int64_t)(disk.f_bavail * disk.f_frsize));
}

/* ---- the log ---- */

#define HEADER_BYTES 20
#define HEADER_WRITER 18 /* offset of the write version: 1 rollback journal, 2 WAL */

/* Reads through SQLite's descriptor: closing another one would drop its POSIX locks on the file. */
static bool
has_no_wal(sqlite3 *handle)
{
    sqlite3_file *file = NULL;
    unsigned char header[HEADER_BYTES] = { 0 };
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK &&
           file != NULL && file->pMethods != NULL &&
           file->pMethods->xRead(file, header, sizeof header, 0) == SQLITE_OK &&
           header[HEADER_WRITER] == 1;
}

/* SQLite would replay any log it finds, even one of another store. The header of a store says WAL
 * before the first byte of its log is written, and the header of a backup does not. So a log beside
 * a file without WAL belongs to another store. The log is checked before the header, because a
 * service may be starting on the file at the same time. */
enum err
sqlite_check_log(sqlite3 *handle, const char *path, struct why *why)
{
    char log[PATH_MAX];
    struct stat found;
    snprintf(log, sizeof log, "%s-wal", path);
    if (stat(log, &found) != 0 || found.st_size == 0 || !has_no_wal(handle))
        return ERR_NONE;
    why_set(why,
            "store: %s is a backup, and %s is the log of another store, which would damage it; "
            "move the "
            "log and the files ending in -shm and .lock away, then start again",
            path, log);
    return ERR_INVALID;
}
