/* follow.c - copies committed transactions to another folder while a service writes them.
 *
 * SQLite reuses its log from the beginning when all of it is in the database file and no reader
 * needs it. To miss nothing, the follower always has a read transaction open. A reader either uses
 * the log, which then is not reused, or began when all of the log was in the file; then the log may
 * be reused once, but what is written there stays until that reader ends. So each cycle begins a
 * new read transaction, copies everything up to the last commit in the log, and only then ends the
 * previous one. The writer alone moves the log into the file (see sqlite_connect()).
 *
 * After a restart the follower continues if the log is the same and still contains what was copied
 * last; otherwise it begins a new generation with a new copy of the store. */
#include "sqlite/shipped.h"

#include "base/arena.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS 200
#define SOON_MS 20           /* a writer that restarts a long log waits 100 ms for readers */
#define LONG_LOG_FRAMES 8000 /* see RESTART_FRAMES */
#define FRAME_MAX (SQLITE_FRAME_HEADER_BYTES + SQLITE_PAGE_BYTES_MAX)
#define SPARE_BYTES (1LL << 30) /* a generation's log may be this much larger than two copies */

/* A copy of the store and the log of the changes after it, as two files. */
struct generation {
    char name[PATH_MAX]; /* of its files, without the ending */
    struct shipped_file file;
    int64_t began_ms;
};

/* `current` is complete; while a copy is made, `next` exists as well, and changes are written to
 * both. */
struct follower {
    const struct db_follow *how;
    const char *path;
    int folder_fd;
    sqlite3 *pin_handles[2]; /* one of them has a read transaction */
    int pinned;
    struct stat store; /* the file that they have open */
    int log_fd;
    struct sqlite_log_position at;   /* everything before it is copied */
    unsigned char *frame;            /* of FRAME_MAX bytes */
    struct generation current, next; /* fd -1: none */

    pthread_t copier; /* makes the copy of `next` */
    bool copying;
    _Atomic bool copied;
    enum err copy_result;
    struct why copy_why;
    struct why *why;
};

/* ---- read transactions ---- */

/* A read transaction begins with its first statement, not with BEGIN. */
static enum err
begin(struct follower *follower, int pin)
{
    sqlite3 *handle = follower->pin_handles[pin];
    if (!sqlite_execute(handle, "BEGIN; SELECT count(*) FROM sqlite_schema"))
        return ERR_NONE;
    why_set(follower->why, "backup: cannot read %s: %s", follower->path, sqlite3_errmsg(handle));
    return ERR_UNAVAILABLE;
}

/* The store has a log only after a service has opened it. Without one, a reader would keep the
 * service from creating it. */
static bool
has_log(sqlite3 *handle)
{
    sqlite3_stmt *statement = NULL;
    bool found =
        sqlite3_prepare_v2(handle, "PRAGMA journal_mode", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW &&
        strcmp((const char *)sqlite3_column_text(statement, 0), "wal") == 0;
    sqlite3_finalize(statement);
    return found;
}

/* Two connections, of which one always has a read transaction: while one keeps the old position,
 * the other begins the next one, so that the writer never overwrites frames that were not
 * copied. */
static enum err
open_store(struct follower *follower)
{
    enum err err = ERR_NONE;
    if (sqlite_is_absent(follower->path))
        return db_missing(follower->path, follower->why);
    for (int i = 0; i < 2 && !err; i++)
        err = sqlite_connect(follower->path, SQLITE_OPEN_READONLY, &follower->pin_handles[i],
                             follower->why);
    if (!err && !has_log(follower->pin_handles[0])) {
        why_set(follower->why,
                "backup: %s has no write-ahead log yet; start the service once, then try again",
                follower->path);
        err = ERR_UNAVAILABLE;
    }
    if (!err && stat(follower->path, &follower->store) != 0)
        err = ERR_UNAVAILABLE;
    return err ? err : begin(follower, 0);
}

/* ERR_TAKEN: another store has taken the place of the one that is open. */
static enum err
check_store(struct follower *follower)
{
    struct stat now;
    if (stat(follower->path, &now) != 0) {
        why_set(follower->why, "backup: %s no longer exists; restore it with `penchant restore %s`",
                follower->path, follower->how->folder);
        return ERR_NOT_FOUND;
    }
    bool same = now.st_ino == follower->store.st_ino && now.st_dev == follower->store.st_dev;
    if (!same)
        why_set(follower->why, "backup: %s was replaced; start again to copy the new store",
                follower->path);
    return same ? ERR_NONE : ERR_TAKEN;
}

/* ---- reading the log ---- */

/* Opens the log again if its name leads to another file. */
static void
open_log(struct follower *follower)
{
    struct stat named, opened;
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s-wal", follower->path);
    if (follower->log_fd >= 0 && stat(name, &named) == 0 && fstat(follower->log_fd, &opened) == 0 &&
        named.st_ino == opened.st_ino)
        return;
    if (follower->log_fd >= 0)
        close(follower->log_fd);
    follower->log_fd = sqlite_log_open(follower->path);
}

/* Reads frames after `at` up to the last commit, and describes them. */
static void
collect(struct follower *follower, struct shipped_record *record)
{
    struct sqlite_log_position at = follower->at, start;
    uint64_t sum = 0;
    bool commits = false;
    record->time_ms = clock_real_ns() / 1000000; /* before the log is read */
    open_log(follower);
    if (!sqlite_log_start(follower->log_fd, &start))
        start = (struct sqlite_log_position){ 0 };
    if (start.salts[0] != at.salts[0] || start.salts[1] != at.salts[1] || start.page_bytes == 0)
        at = start; /* the log is used again from the beginning, or is empty */
    record->first = at.frames;
    record->end = at;
    if (at.page_bytes == 0)
        return;
    size_t length = SQLITE_FRAME_HEADER_BYTES + at.page_bytes;
    while (sqlite_log_next(follower->log_fd, &at, follower->frame, &commits)) {
        sum = shipped_add_frame(sum, follower->frame, length);
        if (!commits)
            continue;
        record->end = at;
        record->count = at.frames - record->first;
        record->frames_sum = sum;
    }
}

/* ---- generations ---- */

static enum err
name_file(char *out, size_t size, const struct generation *generation, const char *ending)
{
    int length = snprintf(out, size, "%s%s", generation->name, ending);
    return length > 0 && (size_t)length < size ? ERR_NONE : ERR_TOO_LARGE;
}

/* The generation may not exist: there is no current one before the first copy, and no next one
 * later. */
static enum err
append(struct follower *follower, struct generation *generation, struct shipped_record *record,
       bool complete)
{
    if (generation->file.fd < 0)
        return ERR_NONE;
    record->complete = complete;
    if (!shipped_append(&generation->file, record, follower->log_fd))
        return ERR_NONE;
    why_set(follower->why, "backup: cannot write %s.log: %s", generation->name, strerror(errno));
    return ERR_UNAVAILABLE;
}

/* Runs in a thread of its own, because copying a large store takes long, while the log must be
 * followed on. Its result is read after pthread_join() only. */
static void *
make_copy(void *context)
{
    struct follower *follower = context;
    char file[PATH_MAX];
    enum err err = name_file(file, sizeof file, &follower->next, ".db");
    if (!err)
        err = sqlite_backup(follower->how->address, file, NULL, NULL, &follower->copy_why);
    follower->copy_result = err;
    follower->copied = true;
    return NULL;
}

/* The log of the new generation begins before its copy, so that every change during the copying is
 * in the log. The file is created exclusively: an existing generation is never overwritten. */
static enum err
begin_generation(struct follower *follower)
{
    struct generation *next = &follower->next;
    struct shipped_record first = { .time_ms = clock_real_ns() / 1000000,
                                    .first = follower->at.frames,
                                    .end = follower->at };
    char file[PATH_MAX], time_text[sizeof SHIPPED_TIME];
    *next = (struct generation){ .file = { .fd = -1 }, .began_ms = first.time_ms };
    for (time_t second = (time_t)(first.time_ms / 1000);; second++) { /* until the name is free */
        struct tm parts;
        strftime(time_text, sizeof time_text, "%Y%m%dT%H%M%SZ", gmtime_r(&second, &parts));
        int length = snprintf(next->name, sizeof next->name, "%s/" SHIPPED_PREFIX "%s",
                              follower->how->folder, time_text);
        if (length < 0 || (size_t)length >= sizeof next->name - 8)
            return ERR_TOO_LARGE;
        name_file(file, sizeof file, next, ".log");
        next->file.fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (next->file.fd >= 0 || errno != EEXIST)
            break;
    }
    if (next->file.fd < 0) {
        why_set(follower->why, "backup: cannot create %s: %s", file, strerror(errno));
        return ERR_UNAVAILABLE;
    }
    enum err err = append(follower, next, &first, false);
    if (!err)
        err = sqlite_flush_folder(file);
    follower->copied = false;
    if (!err && pthread_create(&follower->copier, NULL, make_copy, follower) == 0)
        follower->copying = true;
    else if (!err)
        err = ERR_UNAVAILABLE;
    return err;
}

static int
is_copy(const struct dirent *entry)
{
    struct str name = str_of(entry->d_name);
    return name.len == strlen(SHIPPED_PREFIX SHIPPED_TIME ".db") &&
           str_starts(name, STR(SHIPPED_PREFIX)) && str_ends(name, STR("Z.db"));
}

int
sqlite_list_generations(const char *folder, struct dirent ***out)
{
    return scandir(folder, out, is_copy, alphasort);
}

/* The copy first: without it the rest is ignored. */
static void
delete_generation(const struct follower *follower, const char *copy)
{
    char name[PATH_MAX];
    unlinkat(follower->folder_fd, copy, 0);
    snprintf(name, sizeof name, "%.*s.log", (int)(strlen(copy) - 3), copy);
    unlinkat(follower->folder_fd, name, 0);
}

/* The list is sorted by name, which has the time, so the last ones are the newest. */
static void
delete_older(const struct follower *follower)
{
    struct dirent **found = NULL;
    int count = sqlite_list_generations(follower->how->folder, &found);
    for (int i = 0; i < count; i++) {
        if (i < count - follower->how->keep)
            delete_generation(follower, found[i]->d_name);
        free(found[i]);
    }
    free(found);
}

static int
is_shipped_file(const struct dirent *entry)
{
    return strncmp(entry->d_name, SHIPPED_PREFIX, strlen(SHIPPED_PREFIX)) == 0 &&
           strlen(entry->d_name) > strlen(SHIPPED_PREFIX SHIPPED_TIME);
}

/* Deletes what an interrupted begin_generation() has left: a log without a copy, a part of a copy.
 */
static void
delete_leftovers(const struct follower *follower)
{
    struct dirent **found = NULL;
    int count = scandir(follower->how->folder, &found, is_shipped_file, alphasort);
    for (int i = 0; i < count; i++) {
        char copy[PATH_MAX];
        const char *name = found[i]->d_name;
        const char *ending = name + strlen(SHIPPED_PREFIX SHIPPED_TIME);
        snprintf(copy, sizeof copy, "%.*s.db", (int)(ending - name), name);
        bool is_log = strcmp(ending, ".log") == 0;
        if ((is_log && faccessat(follower->folder_fd, copy, F_OK, 0) != 0) ||
            strncmp(ending, ".db.part", 8) == 0)
            unlinkat(follower->folder_fd, name, 0);
        free(found[i]);
    }
    free(found);
}

/* ---- continuing after a restart ---- */

/* The log still contains what the file ends with. */
static bool
log_contains(const struct follower *follower, const struct sqlite_log_position *end)
{
    struct sqlite_log_position at;
    bool commits;
    if (end->page_bytes == 0 || !sqlite_log_start(follower->log_fd, &at) ||
        at.salts[0] != end->salts[0] || at.salts[1] != end->salts[1] ||
        at.page_bytes != end->page_bytes)
        return false;
    while (at.frames < end->frames &&
           sqlite_log_next(follower->log_fd, &at, follower->frame, &commits))
        continue;
    return at.frames == end->frames && at.sum[0] == end->sum[0] && at.sum[1] == end->sum[1];
}

/* Opens the newest generation if the log continues it. */
static bool
resume(struct follower *follower)
{
    struct generation *current = &follower->current;
    struct dirent **found = NULL;
    struct shipped_record record;
    char file[PATH_MAX];
    off_t frames_at;
    bool complete = false;
    int count = sqlite_list_generations(follower->how->folder, &found);
    if (count > 0)
        snprintf(current->name, sizeof current->name, "%.*s/%.*s", PATH_MAX / 2,
                 follower->how->folder, (int)strlen(SHIPPED_PREFIX SHIPPED_TIME),
                 found[count - 1]->d_name);
    for (int i = 0; i < count; i++)
        free(found[i]);
    free(found);
    if (count <= 0 || name_file(file, sizeof file, current, ".log"))
        return false;
    current->file.fd = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    while (current->file.fd >= 0 && !shipped_next(&current->file, &record, &frames_at)) {
        complete = complete || record.complete;
        if (current->began_ms == 0)
            current->began_ms = record.time_ms;
    }
    open_log(follower);
    if (current->file.fd >= 0 && complete && log_contains(follower, &current->file.end) &&
        ftruncate(current->file.fd, current->file.size) == 0) {
        follower->at = current->file.end;
        return true;
    }
    if (current->file.fd >= 0)
        close(current->file.fd);
    *current = (struct generation){ .file = { .fd = -1 } };
    return false;
}

/* ---- one look ---- */

/* Only now does the new generation replace the current one, which was complete until here. Older
 * ones are deleted afterwards. */
static enum err
finish_copy(struct follower *follower, struct shipped_record *record)
{
    pthread_join(follower->copier, NULL);
    follower->copying = false;
    if (follower->copy_result) {
        why_set(follower->why, "%s", follower->copy_why.text);
        return follower->copy_result;
    }
    enum err err = append(follower, &follower->next, record, true);
    if (err)
        return err;
    if (follower->current.file.fd >= 0)
        close(follower->current.file.fd);
    follower->current = follower->next;
    follower->next.file.fd = -1;
    delete_older(follower);
    follower->how->report(follower->how->context, follower->current.name, false);
    return ERR_NONE;
}

/* Restoring applies the whole log, so that its length decides how long that takes. */
static bool
is_outgrown(const struct follower *follower)
{
    const struct generation *current = &follower->current;
    return clock_real_ns() / 1000000 - current->began_ms >= follower->how->copy_every_s * 1000 ||
           current->file.size > 2 * follower->store.st_size + SPARE_BYTES;
}

/* While a copy is being made, the transactions go to both generations: the copy sees some state
 * between its beginning and its end, and the log of the next one must have everything from the
 * beginning on. */
static enum err
look(struct follower *follower, bool *soon)
{
    struct shipped_record record = { 0 };
    int other = 1 - follower->pinned;
    bool copied = follower->copying && follower->copied;
    enum err err = begin(follower, other);
    if (!err)
        err = check_store(follower);
    if (err)
        return err;
    collect(follower, &record);
    if (record.count > 0)
        err = append(follower, &follower->current, &record, true);
    if (!err && copied)
        err = finish_copy(follower, &record);
    else if (!err && record.count > 0)
        err = append(follower, &follower->next, &record, false);
    follower->at = record.end;
    *soon = record.count > 0 && record.end.frames >= LONG_LOG_FRAMES;
    if (!err && !follower->copying && is_outgrown(follower))
        err = begin_generation(follower);
    sqlite_execute(follower->pin_handles[follower->pinned], "COMMIT");
    follower->pinned = other;
    return err;
}

/* The lock on the folder lasts until the process ends, so two processes never write to the same
 * generation. */
static enum err
start(struct follower *follower)
{
    follower->folder_fd = open(follower->how->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (follower->folder_fd < 0) {
        why_set(follower->why, "backup: cannot open the folder %s: %s", follower->how->folder,
                strerror(errno));
        return ERR_NOT_FOUND;
    }
    if (flock(follower->folder_fd, LOCK_EX | LOCK_NB) != 0) {
        why_set(follower->why, "backup: another process follows a store to %s",
                follower->how->folder);
        return ERR_TAKEN;
    }
    enum err err = open_store(follower);
    if (err)
        return err;
    delete_leftovers(follower);
    if (resume(follower)) {
        follower->how->report(follower->how->context, follower->current.name, true);
        return ERR_NONE;
    }
    struct shipped_record record = { 0 };
    collect(follower, &record);
    follower->at = record.end; /* the copy will contain what is before it */
    return begin_generation(follower);
}

/* After the stop, looks once more, so that a backup has all that was committed before. Everything
 * is closed here, whatever has failed before. */
enum err
sqlite_follow(const struct db_follow *how, struct why *why)
{
    struct follower follower = { .how = how,
                                 .path = db_address_rest(how->address),
                                 .folder_fd = -1,
                                 .log_fd = -1,
                                 .frame = memory_alloc(1, FRAME_MAX),
                                 .current = { .file = { .fd = -1 } },
                                 .next = { .file = { .fd = -1 } },
                                 .why = why };
    bool soon = false;
    enum err err = start(&follower);
    while (!err && how->wait(how->context, soon ? SOON_MS : POLL_MS))
        err = look(&follower, &soon);
    if (!err)
        err = look(&follower, &soon); /* what was committed meanwhile */
    if (follower.copying)
        pthread_join(follower.copier, NULL);
    for (int i = 0; i < 2; i++)
        sqlite3_close_v2(follower.pin_handles[i]);
    int fds[] = { follower.current.file.fd, follower.next.file.fd, follower.log_fd,
                  follower.folder_fd };
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(follower.frame);
    return err;
}
