/* log.c - detects a damaged write-ahead log.
 *
 * When SQLite recovers a log it drops everything after the first damaged frame without an error,
 * including commits that were acknowledged. The lock file therefore holds a high-water mark: the
 * salts that identify the log and the number of its frames after the last commit. The mark is
 * written after each commit without a flush, and the system is asked once per second to write it
 * out. At startup the log is read the way SQLite reads it; if it ends before the mark, commits are
 * lost. A restarted log has other salts, and everything of the log before it is in the file. */
#include "sqlite/sqlite.h"

#include "base/arena.h"
#include "base/clock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define LOG_HEADER_BYTES 32
#define LOG_MAGIC 0x377f0682u /* the lowest bit is set if the checksums read big-endian words */
#define MARK_FORMAT "open %08x %08x %010u\n"
#define MARK_BYTES 34
#define WRITE_OUT_MS 1000

static uint32_t
big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t
little_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

/* The checksum of SQLite's file format; `length` is a multiple of 8. */
static void
add_checksum(uint32_t sum[2], const unsigned char *bytes, size_t length, bool is_big_endian)
{
    uint32_t (*word)(const unsigned char *) = is_big_endian ? big_endian : little_endian;
    for (size_t i = 0; i < length; i += 8) {
        sum[0] += word(bytes + i) + sum[1];
        sum[1] += word(bytes + i + 4) + sum[0];
    }
}

static bool
matches(const uint32_t sum[2], const unsigned char *stored)
{
    return sum[0] == big_endian(stored) && sum[1] == big_endian(stored + 4);
}

/* Reads the header of a write-ahead log (SQLite file format, section 4.1). False: no valid header,
 * which is also the case for an empty log. */
bool
sqlite_log_start(int fd, struct sqlite_log_position *at)
{
    unsigned char header[LOG_HEADER_BYTES];
    *at = (struct sqlite_log_position){ 0 };
    if (pread(fd, header, sizeof header, 0) != sizeof header ||
        (big_endian(header) & ~1u) != LOG_MAGIC)
        return false;
    bool is_big_endian = big_endian(header) & 1u;
    uint32_t page = big_endian(header + 8), sum[2] = { 0, 0 };
    add_checksum(sum, header, 24, is_big_endian);
    if (page < 512 || page > SQLITE_PAGE_BYTES_MAX || page % 8 != 0 || !matches(sum, header + 24))
        return false;
    *at = (struct sqlite_log_position){
        .salts = { big_endian(header + 16), big_endian(header + 20) },
        .page_bytes = page,
        .sum = { sum[0], sum[1] },
        .is_big_endian = is_big_endian,
    };
    return true;
}

/* A frame belongs to the log if its salts are those of the header and its checksum continues that
 * of the frame before. After a restart of the log, old frames follow the new ones; their salts
 * differ. */
bool
sqlite_log_next(int fd, struct sqlite_log_position *at, unsigned char *frame, bool *commits)
{
    size_t length = SQLITE_FRAME_HEADER_BYTES + at->page_bytes;
    off_t offset = LOG_HEADER_BYTES + (off_t)at->frames * (off_t)length;
    if (pread(fd, frame, length, offset) != (ssize_t)length || !matches(at->salts, frame + 8))
        return false;
    uint32_t sum[2] = { at->sum[0], at->sum[1] };
    add_checksum(sum, frame, 8, at->is_big_endian);
    add_checksum(sum, frame + SQLITE_FRAME_HEADER_BYTES, at->page_bytes, at->is_big_endian);
    if (!matches(sum, frame + 16))
        return false;
    at->sum[0] = sum[0];
    at->sum[1] = sum[1];
    at->frames++;
    *commits = big_endian(frame + 4) != 0;
    return true;
}

/* Counts the frames up to the last one that SQLite will recover. False: no valid header. */
static bool
scan_log(int fd, struct sqlite_log_mark *found)
{
    struct sqlite_log_position at;
    bool commits = false;
    *found = (struct sqlite_log_mark){ 0 };
    if (!sqlite_log_start(fd, &at))
        return false;
    found->salts[0] = at.salts[0];
    found->salts[1] = at.salts[1];
    unsigned char *frame = memory_alloc(1, SQLITE_FRAME_HEADER_BYTES + at.page_bytes);
    while (sqlite_log_next(fd, &at, frame, &commits))
        if (commits)
            found->frames = at.frames;
    free(frame);
    return true;
}

/* False for a store that was closed cleanly. */
static bool
read_mark(int lock_fd, struct sqlite_log_mark *mark)
{
    char text[MARK_BYTES + 1] = { 0 };
    return pread(lock_fd, text, MARK_BYTES, 0) == MARK_BYTES &&
           sscanf(text, "open %8x %8x %10u", &mark->salts[0], &mark->salts[1], &mark->frames) == 3;
}

bool
sqlite_log_is_marked(int lock_fd)
{
    struct sqlite_log_mark mark;
    return read_mark(lock_fd, &mark);
}

int
sqlite_log_open(const char *path)
{
    char log[PATH_MAX];
    snprintf(log, sizeof log, "%s-wal", path);
    return open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

/* Other salts: the log restarted after the mark, so that everything before is in the file. */
bool
sqlite_log_is_cut(const char *path, int lock_fd, struct sqlite_log_mark *mark,
                  struct sqlite_log_mark *found)
{
    *found = (struct sqlite_log_mark){ 0 };
    bool is_marked = read_mark(lock_fd, mark) && mark->frames > 0;
    int fd = sqlite_log_open(path);
    if (fd < 0)
        return is_marked;
    bool is_valid = scan_log(fd, found);
    close(fd);
    bool is_same = found->salts[0] == mark->salts[0] && found->salts[1] == mark->salts[1];
    return is_marked && (!is_valid || (is_same && found->frames < mark->frames));
}

/* The mark in the lock file says how long the log was: at the next start, a shorter log is a lost
 * one. It is written without waiting for the disk. */
void
sqlite_log_mark(struct sqlite_store *store, uint32_t frames)
{
    unsigned char salts[8] = { 0 };
    char text[MARK_BYTES + 1];
    if (store->log_fd < 0)
        store->log_fd = sqlite_log_open(store->path);
    if (frames > 0 && pread(store->log_fd, salts, sizeof salts, 16) != sizeof salts)
        return;
    snprintf(text, sizeof text, MARK_FORMAT, big_endian(salts), big_endian(salts + 4), frames);
    if (pwrite(store->lock_fd, text, MARK_BYTES, 0) != MARK_BYTES)
        return; /* the mark stays old: damage may go unnoticed, but no data is lost */
    int64_t now = clock_ticks_ns() / 1000000;
    /* The log is about to be emptied. Without the flush, a crash could leave the old mark beside an
     * empty log, and the store would not start. */
    if (frames == 0)
        fdatasync(store->lock_fd);
    else if (now - store->log_written_out_ms >= WRITE_OUT_MS) {
        store->log_written_out_ms = now;
        sync_file_range(store->lock_fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    }
}
