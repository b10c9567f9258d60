/* shipped.h - the file to which follow.c appends copied transactions. Private to db/.
 *
 * A folder contains generations. Each is a copy of the store, NAME.db, and NAME.log, a list of
 * records. A record holds complete transactions: frames of SQLite's write-ahead log, each with a
 * page as it was after the transaction. Writing them into the copy, in order, applies the
 * transactions again. The copy was made while records were written: it contains at least the
 * transactions before the first record and at most those before the first record marked `complete`.
 *
 * A record has a checksum that includes the checksum of the one before it. An interrupted write
 * leaves an incomplete record at the end, which readers ignore. One thread per file. */
#ifndef SQLITE_SHIPPED_H
#define SQLITE_SHIPPED_H

#include "sqlite/sqlite.h"

#include <sys/types.h>

struct dirent;

#define SHIPPED_PREFIX "follow-"
#define SHIPPED_TIME "20261114T093000Z"

struct shipped_record {
    int64_t time_ms; /* every commit that was answered before is in this record or an earlier one */
    bool complete;   /* the copy of the store was finished before this record */
    uint32_t first;  /* the place of its first frame in SQLite's log */
    uint32_t count;
    struct sqlite_log_position end; /* after its last frame */
    uint64_t frames_sum;
};

/* A file being read or written. Start with { .fd = … } at its beginning. */
struct shipped_file {
    int fd;
    uint64_t sum; /* of the last record */
    off_t size;   /* of the intact records */
    struct sqlite_log_position end;
    bool has_record;
};

/* Adds a frame to record.frames_sum. */
uint64_t shipped_add_frame(uint64_t sum, const unsigned char *frame, size_t length);

/* Appends a record, whose frames it reads from SQLite's log, and waits until it is on disk. */
enum err shipped_append(struct shipped_file *file, const struct shipped_record *record, int log_fd);

/* Reads the next record without its frames, which are at *frames_at. ERR_NOT_FOUND: no intact
 * record follows. */
enum err shipped_next(struct shipped_file *file, struct shipped_record *record, off_t *frames_at);

/* Writes the frames of a record into a copy of the store. */
enum err shipped_apply(const struct shipped_file *file, const struct shipped_record *record,
                       off_t frames_at, int copy_fd);

/* follow.c: the copies in a folder, oldest first. The caller frees them as for scandir().
 */
int sqlite_list_generations(const char *folder, struct dirent ***out);

#endif
