/* What lies at a store's path, looked at before SQLite goes on with it: whether there is a store,
 * whether it may be written, whether the log beside it is its own. */
#include "db/db_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void
sqlite_folder_of(const char *file, char *out, size_t size)
{
    const char *slash = strrchr(file, '/');
    if (slash == NULL)
        snprintf(out, size, ".");
    else
        snprintf(out, size, "%.*s", (int)(slash - file + 1), file);
}

bool
sqlite_is_absent(const char *path)
{
    struct stat found;
    if (stat(path, &found) != 0)
        return errno == ENOENT || errno == ENOTDIR;
    return S_ISREG(found.st_mode) && found.st_size == 0;
}

/* ---- rights ---- */

/* What is not there yet is made, which is the folder's right to give. */
static enum err
check_writable(const char *what, const char *path, struct why *why)
{
    if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 || errno == ENOENT)
        return ERR_NONE;
    why_set(
        why,
        "store: the %s %s may not be written: %s; the store's folder and every file of it must "
        "belong to the user that runs penchant (here the user id %u): chown them, and chmod u+rw",
        what, path, strerror(errno), (unsigned)geteuid());
    return ERR_UNAVAILABLE;
}

/* SQLite opens what it may not write for reading, and says so at the first write: to a person. */
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

/* ---- the log ---- */

#define HEADER_BYTES 20
#define HEADER_WRITER 18 /* how it is written: 1 without a log beside it, 2 with one */

/* Through SQLite's own descriptor: closing another one would drop its locks on the file. */
static bool
is_written_without_log(sqlite3 *handle)
{
    sqlite3_file *file = NULL;
    unsigned char header[HEADER_BYTES] = { 0 };
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK &&
           file != NULL && file->pMethods != NULL &&
           file->pMethods->xRead(file, header, sizeof header, 0) == SQLITE_OK &&
           header[HEADER_WRITER] == 1;
}

/* A log does not say whose it is, and SQLite would replay any that lies there. But a store says
 * that it has one before the first byte is written to that, and a backup says that it has none: so
 * a log beside a file that has none was there before the file. The log is looked at first: a
 * service may just be starting on the file. */
enum err
sqlite_check_log(sqlite3 *handle, const char *path, struct why *why)
{
    char log[PATH_MAX];
    struct stat found;
    snprintf(log, sizeof log, "%s-wal", path);
    if (stat(log, &found) != 0 || found.st_size == 0 || !is_written_without_log(handle))
        return ERR_NONE;
    why_set(
        why,
        "store: %s is a backup, and %s is the log of another store, which would damage it: move "
        "that away, and with it the files ending in -shm and .lock, then start again",
        path, log);
    return ERR_INVALID;
}
