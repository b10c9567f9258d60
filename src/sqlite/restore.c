/* restore.c - puts a backup in place of the store. The copy is complete before the old
 * store is moved aside, and nothing is deleted. */
#include "sqlite/sqlite.h"

#include "base/arena.h"
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define REPORT_MAX (64 * 1024)

/* Before anything is locked or moved, so that a damaged backup leaves the store as it is. */
static enum err
verify(const char *backup, struct arena *mem, struct why *why)
{
    struct buf report = buf_in(mem, REPORT_MAX);
    enum err err = sqlite_check(backup, &report, why);
    if (!err && report.len > 0) {
        struct str first = STR_NONE, rest = buf_str(&report);
        str_cut(&rest, '\n', &first);
        why_set(why, "restore: %s is damaged (%.*s); nothing was changed; use another backup",
                db_address_rest(backup), STR_ARG(first));
        err = ERR_INVALID;
    }
    return err;
}

/* Makes the copy beside the store and lets the caller change it. */
static enum err
make_copy(const char *backup, const char *copy, enum err (*prepare)(struct db *db, void *context),
          void *context, struct arena *mem, struct why *why)
{
    struct db *db = NULL;
    struct db_settings settings = { .address = str_format(mem, "sqlite:%s", copy).ptr,
                                    .connections = 1,
                                    .must_exist = true };
    unlink(copy); /* left by an interrupted restore */
    enum err err = sqlite_backup(backup, copy, NULL, NULL, why);
    if (!err)
        err = db_open(&settings, &db, why);
    if (err)
        return err;
    err = prepare(db, context);
    if (err)
        why_set(why, "restore: cannot write %s", copy);
    db_close(db);
    unlink(str_format(mem, "%s.lock", copy).ptr);
    return err;
}

/* Keeps the old store and its log under another name. The store's own name stays in use until the
 * copy replaces it, so that an interrupted restore never leads to a new, empty store. */
static enum err
keep_aside(const char *path, const char *aside, struct arena *mem, struct why *why)
{
    const char *log = str_format(mem, "%s-wal", path).ptr;
    const char *aside_log = str_format(mem, "%s-wal", aside).ptr;
    if (link(path, aside) == 0 && (rename(log, aside_log) == 0 || errno == ENOENT)) {
        unlink(str_format(mem, "%s-shm", path).ptr);
        return ERR_NONE;
    }
    why_set(why, "restore: cannot keep %s as %s: %s; nothing was changed", path, aside,
            strerror(errno));
    return ERR_UNAVAILABLE;
}

/* The lock of the service: it cannot start until the restore has ended. */
static enum err
lock(const char *path, struct arena *mem, int *fd, struct why *why)
{
    const char *name = str_format(mem, "%s.lock", path).ptr;
    *fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*fd < 0) {
        why_set(why, "restore: cannot open %s: %s", name, strerror(errno));
        return ERR_UNAVAILABLE;
    }
    if (flock(*fd, LOCK_EX | LOCK_NB) != 0) {
        why_set(why, "restore: %s is in use; stop the service and try again", path);
        close(*fd);
        return ERR_TAKEN;
    }
    return ERR_NONE;
}

/* Root restores for the user that owns the folder, who could not open files of root. */
static bool
give_to_owner(const char *path, const char *copy, int lock_fd)
{
    char folder[PATH_MAX];
    struct stat found;
    if (geteuid() != 0)
        return true;
    sqlite_folder_of(path, folder, sizeof folder);
    return stat(folder, &found) == 0 && chown(copy, found.st_uid, found.st_gid) == 0 &&
           fchown(lock_fd, found.st_uid, found.st_gid) == 0;
}

/* The backup is verified, copied beside the store, and prepared there, before anything of the store
 * changes; the old store is kept under another name (*aside). The last step is a rename, so a crash
 * leaves the old store or the new one. The lock keeps the service from running meanwhile. */
enum err
sqlite_restore(const char *address, const char *file,
               enum err (*prepare)(struct db *db, void *context), void *context, struct arena *mem,
               struct str *aside, struct why *why)
{
    const char *path = db_address_rest(address);
    const char *backup = str_format(mem, "sqlite:%s", file).ptr;
    const char *copy = str_format(mem, "%s.restored", path).ptr;
    char when[32];
    time_t now = time(NULL);
    struct tm parts;
    int fd = -1;
    strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &parts));
    enum err err = verify(backup, mem, why);
    if (!err)
        err = lock(path, mem, &fd, why);
    if (err)
        return err;
    err = make_copy(backup, copy, prepare, context, mem, why);
    if (!err && !sqlite_is_absent(path)) {
        *aside = str_format(mem, "%s.replaced-%s", path, when);
        err = keep_aside(path, aside->ptr, mem, why);
    }
    /* The lock file describes the log of the old store. */
    if (!err && (!give_to_owner(path, copy, fd) || ftruncate(fd, 0) != 0 ||
                 rename(copy, path) != 0 || sqlite_flush_folder(path))) {
        why_set(why, "restore: cannot rename %s to %s: %s", copy, path, strerror(errno));
        err = ERR_UNAVAILABLE;
    }
    close(fd);
    return err;
}
