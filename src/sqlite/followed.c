/* followed.c - makes a backup out of a folder that follow.c has filled. */
#include "sqlite/shipped.h"

#include "base/arena.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES (1024 * 1024)

/* The last record of the file that may be used, counted from 1; 0: none. Records before the copy
 * was complete are not enough: the copy may contain a later state than they do. Sets the times of
 * *out. */
static size_t
find_last(int fd, int64_t until_ms, struct db_followed *out)
{
    struct shipped_file file = { .fd = fd };
    struct shipped_record record;
    struct stat found;
    off_t frames_at;
    size_t last = 0;
    bool ended_early = false;
    for (size_t i = 1; !shipped_next(&file, &record, &frames_at); i++) {
        if (record.complete && out->first_ms == 0)
            out->first_ms = record.time_ms;
        if (record.time_ms > until_ms) {
            ended_early = true;
            if (out->first_ms > 0)
                break;
        } else if (record.complete) {
            last = i;
            out->time_ms = record.time_ms;
        }
    }
    if (!ended_early && fstat(fd, &found) == 0)
        out->unread_bytes = found.st_size - file.size;
    return last;
}

/* read() and write() may transfer less than they were asked to; both loops continue where they
 * stopped. */
static enum err
copy_file(const char *from, int to)
{
    int fd = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    char *bytes = memory_alloc(1, COPY_BYTES);
    ssize_t length = fd < 0 ? -1 : 1;
    while (length > 0 && (length = read(fd, bytes, COPY_BYTES)) > 0)
        for (ssize_t done = 0; done < length;) {
            ssize_t written = write(to, bytes + done, (size_t)(length - done));
            if (written <= 0) {
                length = -1;
                break;
            }
            done += written;
        }
    free(bytes);
    if (fd >= 0)
        close(fd);
    return length == 0 ? ERR_NONE : ERR_UNAVAILABLE;
}

/* The frames may say that the database has a log; a backup has none (see sqlite_check_log()). */
static bool
has_no_log(int fd)
{
    static const unsigned char versions[2] = { 1, 1 };
    return pwrite(fd, versions, sizeof versions, 18) == sizeof versions;
}

/* Frames are whole pages, so that applying one twice, or one that the copy already has, does no
 * harm. */
static enum err
build(const char *copy, int log_fd, size_t last, const char *file, struct why *why)
{
    struct shipped_file shipped = { .fd = log_fd };
    struct shipped_record record;
    off_t frames_at;
    unlink(file); /* left by an interrupted restore */
    int fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    enum err err = fd < 0 ? ERR_UNAVAILABLE : copy_file(copy, fd);
    for (size_t i = 0; i < last && !err; i++) {
        err = shipped_next(&shipped, &record, &frames_at);
        if (!err)
            err = shipped_apply(&shipped, &record, frames_at, fd);
    }
    if (!err && (!has_no_log(fd) || fsync(fd) != 0))
        err = ERR_UNAVAILABLE;
    if (err)
        why_set(why, "restore: cannot write %s from %s: %s", file, copy, strerror(errno));
    if (fd >= 0)
        close(fd);
    if (err)
        unlink(file);
    return err;
}

/* ERR_NOT_FOUND: this generation has nothing up to that time. */
static enum err
build_from(struct arena *mem, const char *folder, const char *name, int64_t until_ms,
           const char *file, struct db_followed *out, struct why *why)
{
    const char *copy = str_format(mem, "%s/%s", folder, name).ptr;
    const char *log = str_format(mem, "%s/%.*s.log", folder, (int)strlen(name) - 3, name).ptr;
    int fd = open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return ERR_NOT_FOUND;
    int64_t first = out->first_ms;
    *out = (struct db_followed){ 0 };
    size_t last = find_last(fd, until_ms, out);
    if (out->first_ms == 0)
        out->first_ms = first;
    enum err err = last == 0 ? ERR_NOT_FOUND : build(copy, fd, last, file, why);
    close(fd);
    return err;
}

/* A generation that begins after that time has nothing to offer; an older one may. */
enum err
sqlite_followed(const char *folder, int64_t until_ms, const char *file, struct db_followed *out,
                struct why *why)
{
    struct dirent **found = NULL;
    struct arena *mem = arena_new();
    int count = sqlite_list_generations(folder, &found);
    enum err err = ERR_NOT_FOUND;
    for (int i = count - 1; i >= 0; i--) { /* the newest first */
        if (err == ERR_NOT_FOUND)
            err = build_from(mem, folder, found[i]->d_name, until_ms, file, out, why);
        free(found[i]);
    }
    free(found);
    arena_free(mem);
    if (err == ERR_NOT_FOUND && out->first_ms == 0)
        why_set(why, "restore: %s contains nothing that `penchant backup --follow` has written",
                folder);
    return err;
}
