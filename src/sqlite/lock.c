/* lock.c - one process per store, by a separate lock file: opening and closing the
 * database file itself would drop SQLite's locks. The lock file also records whether the store was
 * closed cleanly, so that the next start notices a deleted log. */
#include "sqlite/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
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

/* Flushed, because a lost mark would hide a lost log. */
static bool
write_mark(int fd, const char *text)
{
    return ftruncate(fd, 0) == 0 && pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text) &&
           fsync(fd) == 0;
}

/* The checks of the log come before SQLite opens the file: it would drop what follows the damage
 * without an error, and then overwrite it. */
enum err
sqlite_lock(struct sqlite_store *store, struct why *why)
{
    char path[PATH_MAX];
    path_beside(path, sizeof path, store, ".lock");
    store->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (store->lock_fd < 0) {
        int problem = errno;
        if (problem == ENOENT || problem == ENOTDIR) {
            why_set(why, "store: the folder of %s does not exist; create it, or correct --store",
                    store->path);
            return ERR_UNAVAILABLE;
        }
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

/* A mark that the last process left is kept until the first commit: the log that it describes is
 * still there. */
enum err
sqlite_lock_mark_open(struct sqlite_store *store, struct why *why)
{
    if (sqlite_log_is_marked(store->lock_fd) || write_mark(store->lock_fd, SQLITE_LOG_UNMARKED))
        return ERR_NONE;
    why_set(why, "store: cannot write %s.lock: %s", store->path, strerror(errno));
    return ERR_UNAVAILABLE;
}

void
sqlite_lock_mark_closed(struct sqlite_store *store)
{
    write_mark(store->lock_fd, "closed\n"); /* a failure is harmless: the next start finds a log */
}

/* Closing a descriptor of the file drops SQLite's locks on it, so this one stays open. */
enum err
sqlite_lock_file(struct sqlite_store *store, struct why *why)
{
    if (store->file_fd >= 0)
        return ERR_NONE;
    store->file_fd = open(store->path, O_RDONLY | O_CLOEXEC);
    if (store->file_fd < 0 || flock(store->file_fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return ERR_NONE; /* some file systems cannot lock; the lock file is locked anyway */
    why_set(why, "store: %s is in use by another penchant process under another name", store->path);
    return ERR_TAKEN;
}

/* SQLite reads from its cache and from open files, so it does not notice that they are gone. */
static bool
file_is_intact(const struct sqlite_store *store)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof magic];
    struct stat named, opened;
    return stat(store->path, &named) == 0 && fstat(store->file_fd, &opened) == 0 &&
           named.st_ino == opened.st_ino && named.st_dev == opened.st_dev &&
           pread(store->file_fd, head, sizeof head, 0) == sizeof head &&
           memcmp(head, magic, sizeof head) == 0 && file_exists(store, "-wal");
}

/* Also runs a query, since an intact file does not prove that it can be read. A file system that
 * failed is often mounted read-only: reads would go on, and every write would fail. */
enum err
sqlite_ping(struct db *db, struct why *why)
{
    const struct sqlite_store *store = (const struct sqlite_store *)db;
    if (!file_is_intact(store)) {
        why_set(why,
                "The database file is missing, was replaced, or cannot be read. Restore it and "
                "restart the service.");
        return ERR_UNAVAILABLE;
    }
    if (access(store->path, W_OK) != 0) {
        why_set(why, "The database file cannot be written: %s.", strerror(errno));
        return ERR_UNAVAILABLE;
    }
    return db_ping_by_query(db);
}

/* Closing the descriptor releases the lock. */
void
sqlite_unlock(struct sqlite_store *store)
{
    if (store->file_fd >= 0)
        close(store->file_fd);
    if (store->lock_fd >= 0)
        close(store->lock_fd);
    if (store->log_fd >= 0)
        close(store->log_fd);
}
