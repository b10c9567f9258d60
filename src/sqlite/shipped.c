/* shipped.c - the records of a file that follow.c appends to: a header of 80 bytes, then frames of
 * SQLite's log.
 *
 * A header's checksum includes that of the record before, so that a record that is missing,
 * repeated, or of another file ends the chain. It also covers the checksum of the frames. A reader
 * stops at the first record that is not intact; what follows is incomplete or damaged. Numbers of
 * the header are big-endian, as in SQLite's log. */
#include "sqlite/shipped.h"

#include "base/arena.h"
#include "db/row_sum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_HEADER_BYTES 80
#define COMPLETE 1u
#define BIG_ENDIAN_WORDS 2u

static const char magic[8] = "PENSHIP1";

/* ---- the header of a record: big-endian numbers ---- */

enum {
    AT_MAGIC = 0,
    AT_TIME = 8,
    AT_FLAGS = 16,
    AT_PAGE_BYTES = 20,
    AT_SALTS = 24,
    AT_FIRST = 32,
    AT_COUNT = 36,
    AT_LOG_SUM = 40,
    AT_FRAMES_SUM = 48,
    AT_ZERO = 56,
    AT_SUM = 72, /* of everything before it, and of the previous record */
};

static void
put32(unsigned char *out, uint32_t number)
{
    for (int i = 3; i >= 0; i--, number >>= 8)
        out[i] = (unsigned char)number;
}

static uint32_t
get32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void
put64(unsigned char *out, uint64_t number)
{
    put32(out, (uint32_t)(number >> 32));
    put32(out + 4, (uint32_t)number);
}

static uint64_t
get64(const unsigned char *bytes)
{
    return (uint64_t)get32(bytes) << 32 | get32(bytes + 4);
}

static uint64_t
sum_header(uint64_t previous, const unsigned char *header)
{
    return row_sum_mix(previous, (struct str){ (const char *)header, AT_SUM });
}

/* The checksum covers the checksum of the previous record, too, so that a record that is missing or
 * in the wrong place is noticed. */
static void
write_header(unsigned char *out, const struct shipped_record *record, uint64_t previous)
{
    const struct sqlite_log_position *end = &record->end;
    memset(out, 0, RECORD_HEADER_BYTES);
    memcpy(out + AT_MAGIC, magic, sizeof magic);
    put64(out + AT_TIME, (uint64_t)record->time_ms);
    put32(out + AT_FLAGS,
          (record->complete ? COMPLETE : 0) | (end->is_big_endian ? BIG_ENDIAN_WORDS : 0));
    put32(out + AT_PAGE_BYTES, end->page_bytes);
    put32(out + AT_SALTS, end->salts[0]);
    put32(out + AT_SALTS + 4, end->salts[1]);
    put32(out + AT_FIRST, record->first);
    put32(out + AT_COUNT, record->count);
    put32(out + AT_LOG_SUM, end->sum[0]);
    put32(out + AT_LOG_SUM + 4, end->sum[1]);
    put64(out + AT_FRAMES_SUM, record->frames_sum);
    put64(out + AT_SUM, sum_header(previous, out));
}

/* False: the record is torn, from another file, or damaged. Records are read in order, because each
 * needs the checksum of the one before. */
static bool
read_header(const unsigned char *header, uint64_t previous, struct shipped_record *out)
{
    uint32_t flags = get32(header + AT_FLAGS), page = get32(header + AT_PAGE_BYTES);
    *out = (struct shipped_record){
        .time_ms = (int64_t)get64(header + AT_TIME),
        .complete = flags & COMPLETE,
        .first = get32(header + AT_FIRST),
        .count = get32(header + AT_COUNT),
        .end = { .salts = { get32(header + AT_SALTS), get32(header + AT_SALTS + 4) },
                 .page_bytes = page,
                 .sum = { get32(header + AT_LOG_SUM), get32(header + AT_LOG_SUM + 4) },
                 .is_big_endian = flags & BIG_ENDIAN_WORDS },
        .frames_sum = get64(header + AT_FRAMES_SUM),
    };
    out->end.frames = out->first + out->count;
    bool page_is_valid = page >= 512 && page <= SQLITE_PAGE_BYTES_MAX && (page & (page - 1)) == 0;
    return memcmp(header + AT_MAGIC, magic, sizeof magic) == 0 &&
           get64(header + AT_SUM) == sum_header(previous, header) && out->time_ms >= 0 &&
           out->end.frames >= out->first && (page_is_valid || (page == 0 && out->count == 0));
}

/* ---- writing ---- */

/* pwrite() may write less than it was asked to. */
static bool
write_all(int fd, const unsigned char *bytes, size_t length, off_t at)
{
    while (length > 0) {
        ssize_t written = pwrite(fd, bytes, length, at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
        at += written;
    }
    return true;
}

uint64_t
shipped_add_frame(uint64_t sum, const unsigned char *frame, size_t length)
{
    return row_sum_mix(sum, (struct str){ (const char *)frame, length });
}

#define LOG_HEADER_BYTES 32 /* of SQLite's log */

/* The size and the checksum of the struct change only after the flush: after an error the next
 * record overwrites the incomplete one. */
enum err
shipped_append(struct shipped_file *file, const struct shipped_record *record, int log_fd)
{
    size_t length = SQLITE_FRAME_HEADER_BYTES + record->end.page_bytes;
    unsigned char header[RECORD_HEADER_BYTES];
    unsigned char *frame = memory_alloc(1, length);
    off_t at = file->size + RECORD_HEADER_BYTES;
    write_header(header, record, file->sum);
    bool written = write_all(file->fd, header, sizeof header, file->size);
    for (uint32_t i = 0; i < record->count && written; i++, at += (off_t)length) {
        off_t from = LOG_HEADER_BYTES + (off_t)(record->first + i) * (off_t)length;
        written = pread(log_fd, frame, length, from) == (ssize_t)length &&
                  write_all(file->fd, frame, length, at);
    }
    free(frame);
    if (!written || fdatasync(file->fd) != 0)
        return ERR_UNAVAILABLE;
    file->sum = sum_header(file->sum, header);
    file->size = at;
    file->end = record->end;
    file->has_record = true;
    return ERR_NONE;
}

/* ---- reading ---- */

/* Reads the frames into memory one by one: a record may be larger than memory. */
static bool
frames_are_intact(const struct shipped_file *file, const struct shipped_record *record, off_t at)
{
    size_t length = SQLITE_FRAME_HEADER_BYTES + record->end.page_bytes;
    unsigned char *frame = memory_alloc(1, length);
    uint64_t sum = 0;
    bool intact = true;
    for (uint32_t i = 0; i < record->count && intact; i++, at += (off_t)length) {
        intact = pread(file->fd, frame, length, at) == (ssize_t)length && get32(frame) > 0;
        sum = shipped_add_frame(sum, frame, length);
    }
    /* It ends with a transaction. */
    intact = intact && sum == record->frames_sum && (record->count == 0 || get32(frame + 4) > 0);
    free(frame);
    return intact;
}

/* It continues the record before it, or SQLite's log has started again. */
static bool
continues(const struct shipped_file *file, const struct shipped_record *record)
{
    const struct sqlite_log_position *before = &file->end, *end = &record->end;
    bool same_log = before->salts[0] == end->salts[0] && before->salts[1] == end->salts[1];
    return !file->has_record || record->first == (same_log ? before->frames : 0);
}

/* ERR_NOT_FOUND is the end of the file as well as damage: the caller compares file->size with the
 * length of the file. */
enum err
shipped_next(struct shipped_file *file, struct shipped_record *record, off_t *frames_at)
{
    unsigned char header[RECORD_HEADER_BYTES];
    struct stat found;
    if (fstat(file->fd, &found) != 0 ||
        pread(file->fd, header, sizeof header, file->size) != sizeof header ||
        !read_header(header, file->sum, record) || !continues(file, record))
        return ERR_NOT_FOUND;
    *frames_at = file->size + RECORD_HEADER_BYTES;
    off_t bytes =
        (off_t)record->count * (off_t)(SQLITE_FRAME_HEADER_BYTES + record->end.page_bytes);
    if (bytes > found.st_size - *frames_at || !frames_are_intact(file, record, *frames_at))
        return ERR_NOT_FOUND;
    file->sum = sum_header(file->sum, header);
    file->size = *frames_at + bytes;
    file->end = record->end;
    file->has_record = true;
    return ERR_NONE;
}

/* The frame begins with the number of its page, counted from 1. */
enum err
shipped_apply(const struct shipped_file *file, const struct shipped_record *record, off_t frames_at,
              int copy_fd)
{
    size_t page = record->end.page_bytes, length = SQLITE_FRAME_HEADER_BYTES + page;
    unsigned char *frame = memory_alloc(1, length);
    bool written = true;
    for (uint32_t i = 0; i < record->count && written; i++) {
        off_t at = frames_at + (off_t)i * (off_t)length;
        written = pread(file->fd, frame, length, at) == (ssize_t)length && get32(frame) > 0 &&
                  write_all(copy_fd, frame + SQLITE_FRAME_HEADER_BYTES, page,
                            (off_t)(get32(frame) - 1) * (off_t)page);
    }
    if (written && record->count > 0) /* the last frame says how large the database is */
        written = ftruncate(copy_fd, (off_t)get32(frame + 4) * (off_t)page) == 0;
    free(frame);
    return written ? ERR_NONE : ERR_UNAVAILABLE;
}
