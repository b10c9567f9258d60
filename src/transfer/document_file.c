/* document_file.c - a window into the file: `bytes` is what was read and not returned yet, within
 * `buffer`, which grows up to the size of the largest document.
 *
 * A document is returned as a part of the buffer, without a copy, and dropped by the next call. The
 * file may be a pipe, so nothing is read twice: the layout is found out from what is in the buffer.
 * Old buffers stay in the arena until its end; they double, so together they are not larger than
 * the last. */
#include "transfer/document_file.h"

#include "base/arena.h"
#include "transfer/transfer.h"
#include "text/json_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 10
#define BUFFER_FIRST ((size_t)64 * 1024)
#define BUFFER_MAX (TRANSFER_OWN_MAX + 2) /* plus a newline, and one byte to detect excess */

/* Lines are returned from the buffer without a copy; the buffer grows to the longest one. */
struct document_file {
    struct arena *mem;
    int fd;
    char *buffer;
    size_t buffer_size;
    char *bytes; /* in the buffer: the first byte not returned yet */
    size_t length;
    size_t consumed; /* bytes to drop before the next line */
    size_t line;
    int64_t size, taken;
    bool at_end;
    bool one_per_line;
    bool whole_returned;
};

/* Makes room for reading: overwrites returned bytes, and grows the buffer if that is not enough. */
static void
make_space(struct document_file *file)
{
    size_t size = file->buffer_size;
    if (file->bytes + file->length < file->buffer + size)
        return;
    if (file->bytes == file->buffer) {
        size = size * 2 < BUFFER_MAX ? size * 2 : BUFFER_MAX;
        file->buffer = arena_alloc(file->mem, size);
        file->buffer_size = size;
    }
    memmove(file->buffer, file->bytes, file->length);
    file->bytes = file->buffer;
}

/* Reads until the buffer has a newline (with `to_newline`), is full, or the file ends. */
static enum err
fill(struct document_file *file, bool to_newline, struct why *why)
{
    size_t seen = 0;
    while (!file->at_end && file->length < BUFFER_MAX) {
        if (to_newline && file->length > seen &&
            memchr(file->bytes + seen, '\n', file->length - seen) != NULL)
            break;
        seen = file->length;
        make_space(file);
        char *end = file->bytes + file->length;
        ssize_t got = read(file->fd, end, (size_t)(file->buffer + file->buffer_size - end));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            why_set(why, "cannot be read: %s", strerror(errno));
            return ERR_UNAVAILABLE;
        }
        file->at_end = got == 0;
        file->length += (size_t)got;
        file->taken += got;
    }
    return ERR_NONE;
}

static struct str
first_line(const struct document_file *file)
{
    struct str have = { file->bytes, file->length };
    return str_first(have, str_index(have, '\n'));
}

/* A blank line between documents is skipped. */
static bool
is_blank(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr(" \t\r\n", text.ptr[i]) == NULL || text.ptr[i] == '\0')
            return false;
    return true;
}

/* Moves the start of the window; make_space() uses the bytes before it again. */
static void
drop(struct document_file *file, size_t count)
{
    file->length -= count;
    file->bytes += count;
}

static struct str
after_line(const struct document_file *file, struct str line)
{
    return str_from((struct str){ file->bytes, file->length }, line.len);
}

/* One document per line if the first line that is not blank is a document and more text follows. */
static enum err
detect_layout(struct document_file *file, struct why *why)
{
    enum err err = fill(file, true, why);
    struct str line = first_line(file);
    while (!err && line.len < file->length && is_blank(line)) {
        drop(file, line.len + 1);
        file->line++;
        err = fill(file, true, why);
        line = first_line(file);
    }
    if (err || line.len == file->length)
        return err;
    const struct json_value *unused;
    struct arena *mem = arena_new();
    bool is_document = json_read(mem, line, DEPTH_MAX, &unused, NULL) == ERR_NONE;
    arena_free(mem);
    if (is_document && is_blank(after_line(file, line)))
        err = fill(file, false, why); /* a second document may follow */
    file->one_per_line = is_document && !is_blank(after_line(file, line));
    return err;
}

/* *out is set even if the layout cannot be detected, so that the caller closes the file. */
enum err
document_file_open(struct arena *mem, const char *name, struct document_file **out, struct why *why)
{
    struct stat info = { 0 };
    bool standard = strcmp(name, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        why_set(why, "cannot open %s: %s", name, strerror(errno));
        return ERR_NOT_FOUND;
    }
    struct document_file *file = ARENA_NEW(mem, struct document_file);
    file->mem = mem;
    file->fd = fd;
    file->buffer = file->bytes = arena_alloc(mem, BUFFER_FIRST);
    file->buffer_size = BUFFER_FIRST;
    file->size = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : 0;
    *out = file;
    struct why problem = { 0 };
    enum err err = detect_layout(file, &problem);
    if (err)
        why_set(why, "%s %s", name, problem.text);
    return err;
}

void
document_file_close(struct document_file *file)
{
    if (file != NULL && file->fd != STDIN_FILENO)
        close(file->fd);
}

/* Blank lines are skipped and counted, so that errors name the right line. */
static enum err
next_line(struct document_file *file, struct document *out, struct why *why)
{
    struct str line;
    do {
        drop(file, file->consumed);
        enum err err = fill(file, true, why);
        if (err)
            return err;
        line = first_line(file);
        if (line.len > TRANSFER_OWN_MAX) {
            why_set(why,
                    "the document on line %zu is larger than 64 MiB; later lines were "
                    "not read",
                    file->line + 1);
            return ERR_TOO_LARGE;
        }
        file->consumed = line.len < file->length ? line.len + 1 : line.len;
        file->line++;
    } while (is_blank(line) && file->consumed > 0);
    if (file->consumed > 0)
        *out = (struct document){ line, file->line };
    return ERR_NONE;
}

/* The only document of a file may span lines; it is read completely. */
enum err
document_file_next(struct document_file *file, struct document *out, struct why *why)
{
    *out = (struct document){ 0 };
    if (file->one_per_line)
        return next_line(file, out, why);
    enum err err = fill(file, false, why);
    struct str whole = { file->bytes, file->length };
    if (err || file->whole_returned || is_blank(whole))
        return err;
    if (whole.len > TRANSFER_OWN_MAX + 1) {
        why_set(why, "the document is larger than 64 MiB");
        return ERR_TOO_LARGE;
    }
    file->whole_returned = true;
    out->text = str_ends(whole, STR("\n")) ? str_first(whole, whole.len - 1) : whole;
    return ERR_NONE;
}

bool
document_file_is_many(const struct document_file *file)
{
    return file->one_per_line;
}

/* Of the bytes that were returned, not of those that were read ahead. */
int
document_file_percent(const struct document_file *file)
{
    return file->size == 0 ? 0 : (int)((file->taken - (int64_t)file->length) * 100 / file->size);
}
