/* db_sqlite_lock.c - one process per store, by a separate lock file: opening and closing the
 * database file itself would drop SQLite's locks. The lock file also records whether the store was
 * closed cleanly, so that the next start notices a deleted log. */
#include "db/db_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static void
path_beside(char *out, size_t size, const struct sqlite_store *store, const char *ending)
{
    snprintf(out, size, "%s%s", store->path, ending);
}

static bool
file_exists(const struct sqlite_store *store, const char *ending)
{
    char path[PATH_MAX];
    path_beside(path, sizeof path, store, ending);
    return access(path, F_OK) == 0;
}

static bool
marked_open(int fd)
{
    char mark[5] = { 0 };
    return pread(fd, mark, 4, 0) == 4 && strcmp(mark, "open") == 0;
}

static bool
mark(int fd, const char *text)
{
    return ftruncate(fd, 0) == 0 && pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text) &&
           fsync(fd) == 0;
}

enum err
sqlite_lock(struct sqlite_store *store, struct why *why)
{
    char path[PATH_MAX];
    path_beside(path, sizeof path, store, ".lock");
    store->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (store->lock_fd < 0) {
        int problem = errno;
        enum err err = sqlite_check_rights(store->path, why);
        why_set(why, "store: cannot open %s: %s", path, strerror(problem));
        return err ? err : ERR_UNAVAILABLE;
    }
    if (flock(store->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        why_set(why, "store: %s is in use by another penchant process", store->path);
        return ERR_TAKEN;
    }
    if (marked_open(store->lock_fd) && file_exists(store, "") && !file_exists(store, "-wal")) {
        why_set(why,
                "store: %s was not closed cleanly, and %s-wal with its newest writes is missing; "
                "restore it, or delete %s to continue without them",
                store->path, store->path, path);
        return ERR_INVALID;
    }
    struct sqlite_log_mark mark, found;
    if (file_exists(store, "") && sqlite_log_is_cut(store->path, store->lock_fd, &mark, &found)) {
        why_set(why,
                "store: %s-wal is damaged and acknowledged writes are lost: its last intact commit "
                "ends at frame %u, but %u frames were committed; restore a backup, or remove %s to "
                "continue without the lost writes",
                store->path, found.frames, mark.frames, path);
        return ERR_INVALID;
    }
    return sqlite_check_rights(store->path, why);
}

enum err
sqlite_lock_mark_open(struct sqlite_store *store, struct why *why)
{
    if (sqlite_log_is_marked(store->lock_fd) || mark(store->lock_fd, SQLITE_LOG_UNMARKED))
        return ERR_NONE;
    why_set(why, "store: cannot write %s.lock: %s", store->path, strerror(errno));
    return ERR_UNAVAILABLE;
}

void
sqlite_lock_mark_closed(struct sqlite_store *store)
{
    mark(store->lock_fd, "closed\n"); /* a failure is harmless: the next start finds a log */
}

void
sqlite_unlock(struct sqlite_store *store)
{
    if (store->lock_fd >= 0)
        close(store->lock_fd);
    if (store->log_fd >= 0)
        close(store->log_fd);
}
