/* Any bytes as the log of a followed store: its intact records are read and applied to a copy. The
 * checksums of a header are made right where its first byte is odd, since random input would never
 * have them; the frames' checksum too. */
#include "fuzz.h"

#include "db/row_sum.h"
#include "sqlite/shipped.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEADER 80
#define RECORDS_MAX 64

static uint32_t
get32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void
put64(uint8_t *out, uint64_t number)
{
    for (int i = 7; i >= 0; i--, number >>= 8)
        out[i] = (uint8_t)number;
}

/* Each record of the input whose first byte is odd becomes a valid one, if its numbers allow it. */
static void
repair(uint8_t *bytes, size_t size)
{
    uint64_t previous = 0;
    for (size_t at = 0; at + HEADER <= size && (bytes[at] & 1);) {
        uint8_t *header = bytes + at;
        static const uint32_t pages[] = { 0, 512, 1024, 4096 };
        uint32_t page = pages[header[23] & 3];
        size_t length = SQLITE_FRAME_HEADER_BYTES + page;
        uint32_t count = page == 0 ? 0 : header[39] & 7;
        uint64_t frames = 0;
        if (at + HEADER + count * length > size)
            return;
        memcpy(header, "PENSHIP1", 8);
        header[8] &= 0x7f; /* times are not negative */
        for (int i = 0; i < 4; i++) {
            header[20 + i] = (uint8_t)(page >> (24 - 8 * i));
            header[36 + i] = (uint8_t)(count >> (24 - 8 * i));
        }
        for (uint32_t i = 0; i < count; i++) {
            uint8_t *frame = header + HEADER + i * length;
            frame[0] = frame[1] = 0; /* pages of a small database */
            frame[4] = frame[5] = 0;
            frames = shipped_add_frame(frames, frame, length);
        }
        put64(header + 48, frames);
        previous = row_sum_mix(previous, (struct str){ (const char *)header, 72 });
        put64(header + 72, previous);
        at += HEADER + count * length;
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("shipped", 0), copy = memfd_create("copy", 0);
    uint8_t *bytes = malloc(size + 1);
    struct shipped_file file = { .fd = fd };
    struct shipped_record record;
    off_t frames_at, before = 0;
    MUST(fd >= 0 && copy >= 0 && bytes != NULL);
    memcpy(bytes, data, size);
    repair(bytes, size);
    MUST(write(fd, bytes, size) == (ssize_t)size);
    for (int i = 0; i < RECORDS_MAX && !shipped_next(&file, &record, &frames_at); i++) {
        size_t length = SQLITE_FRAME_HEADER_BYTES + record.end.page_bytes;
        MUST(file.size > before && file.size <= (off_t)size);
        MUST(frames_at + (off_t)record.count * (off_t)length == file.size);
        before = file.size;
        if (shipped_apply(&file, &record, frames_at, copy) == ERR_NONE && record.count > 0) {
            uint32_t pages = get32(bytes + file.size - length + 4);
            MUST(lseek(copy, 0, SEEK_END) == (off_t)pages * (off_t)record.end.page_bytes);
        }
    }
    free(bytes);
    close(fd);
    close(copy);
    return 0;
}
