/* log.c - formats a line in a buffer on the stack, and adds it to the queue under the lock.
 *
 * Formatting needs no lock: format and level change only at a start or a reload, and the request
 * id belongs to the thread. The writing thread takes the longest contiguous part of the ring,
 * writes it without the lock, and only then removes it, so that no line is overwritten while it is
 * being written. A line has at most 2,048 bytes: values are truncated, and fields that no longer
 * fit are left out, so that the line stays well formed. */
#include "base/log.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/utf8_decode.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 2048
#define QUEUE_BYTES ((size_t)256 * 1024)
#define STOP_WAIT_NS ((int64_t)2 * 1000000000)

static enum log_format current_format = LOG_AS_TEXT;
static enum log_level current_level = LOG_INFO;

/* A ring buffer. A line is added completely or dropped; the thread writes all that is queued. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    pthread_cond_t emptied;
    pthread_t thread;
    char *bytes;
    size_t start;
    size_t length;
    bool running;
    bool stopping;
    uint64_t dropped_unreported;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER,
            .filled = PTHREAD_COND_INITIALIZER,
            .emptied = PTHREAD_COND_INITIALIZER };

static _Atomic uint64_t dropped;
static _Thread_local struct str request_id;

void
log_setup(enum log_format format, enum log_level level)
{
    current_format = format;
    current_level = level;
}

bool
log_enabled(enum log_level level)
{
    return level <= current_level;
}

void
log_set_request(struct str id)
{
    request_id = id;
}

uint64_t
log_dropped(void)
{
    return atomic_load(&dropped);
}

/* ---- formatting a line ---- */

/* One line of the log, on the stack of the thread that logs. */
struct line {
    char bytes[LINE_MAX_BYTES];
    size_t length;
};

/* A line that is too long is cut; the newline always fits. */
static void
add(struct line *line, const char *bytes, size_t length)
{
    size_t available =
        sizeof line->bytes - 1 - line->length; /* one byte is reserved for the newline */
    if (length > available)
        length = available;
    memcpy(line->bytes + line->length, bytes, length);
    line->length += length;
}

static void
add_c(struct line *line, const char *text)
{
    add(line, text, strlen(text));
}

/* Adds text for a double-quoted string with JSON escapes. C1 control characters are escaped too,
 * because some terminals act on them. Invalid UTF-8 becomes U+FFFD to keep the line valid. */
static void
add_escaped(struct line *line, struct str text)
{
    size_t length;
    for (size_t i = 0; i < text.len; i += length) {
        char escape[16];
        char c = text.ptr[i];
        int32_t point;
        size_t sequence = utf8_decode(text.ptr + i, text.len - i, &point);
        length = sequence == 0 ? 1 : sequence;
        if (c == '"' || c == '\\')
            add(line, (char[]){ '\\', c }, 2);
        else if (sequence == 0)
            add_c(line, "\\ufffd");
        else if (point < 0x20 || (point >= 0x7f && point < 0xa0))
            add(line, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)point));
        else
            add(line, text.ptr + i, length);
        if (line->length > sizeof line->bytes - 64)
            return; /* a long value is truncated; the line stays well formed */
    }
}

/* Whether a value needs no quotes in text format. A value with an equals sign needs them, because
 * tools split fields there. */
static bool
plain(struct str text)
{
    if (text.len == 0)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c <= 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '=')
            return false;
    }
    return true;
}

static const char *
level_name(enum log_level level)
{
    static const char *const names[] = { "silent", "error", "warn", "info", "debug" };
    return names[level];
}

/* In UTC, in seconds. */
static void
add_time(struct line *line)
{
    time_t now = (time_t)clock_now();
    struct tm utc;
    char text[32];
    gmtime_r(&now, &utc);
    add(line, text, strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc));
}

/* Leaves the field out if less than 128 bytes are left. Keys are short literals. */
static void
add_field(struct line *line, const struct log_field *field)
{
    bool json = current_format == LOG_AS_JSON;
    char digits[24];
    if (line->length > sizeof line->bytes - 128)
        return;
    add_c(line, json ? ",\"" : " ");
    add_c(line, field->key);
    add_c(line, json ? "\":" : "=");
    if (field->text.ptr == NULL) {
        add(line, digits,
            (size_t)snprintf(digits, sizeof digits, "%lld", (long long)field->number));
    } else if (!json && plain(field->text)) {
        add_escaped(line, field->text);
    } else {
        add_c(line, "\"");
        add_escaped(line, field->text);
        add_c(line, "\"");
    }
}

/* In the thread that logs, so that the queue has bytes and no pointers into the memory of a
 * request. */
static void
make_line(struct line *line, enum log_level level, const char *event,
          const struct log_field *fields, size_t count)
{
    line->length = 0;
    if (current_format == LOG_AS_JSON) {
        add_c(line, "{\"time\":\"");
        add_time(line);
        add_c(line, "\",\"level\":\"");
        add_c(line, level_name(level));
        add_c(line, "\",\"event\":\"");
        add_escaped(line, str_of(event));
        add_c(line, "\"");
    } else {
        add_time(line);
        add_c(line, " ");
        add_c(line, level_name(level));
        add_c(line, " ");
        add_c(line, event);
    }
    if (str_present(request_id)) {
        struct log_field id = log_text("id", request_id);
        add_field(line, &id);
    }
    for (size_t i = 0; i < count; i++)
        add_field(line, &fields[i]);
    if (current_format == LOG_AS_JSON)
        add_c(line, "}");
    line->bytes[line->length++] = '\n';
}

/* Blocks if the reader of standard error is slow, so normally only the log thread calls it. */
static void
write_all(const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDERR_FILENO, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 &&
            errno == EAGAIN) { /* another process set O_NONBLOCK on the shared pipe */
            poll(&(struct pollfd){ .fd = STDERR_FILENO, .events = POLLOUT }, 1, -1);
            continue;
        }
        if (written <= 0)
            return; /* a full disk or a closed pipe: cannot be reported */
        bytes += written;
        length -= (size_t)written;
    }
}

/* ---- the queue ---- */

/* Call with the lock held. False: the line does not fit. It is never split. */
static bool
enqueue(const struct line *line)
{
    if (line->length > QUEUE_BYTES - queue.length)
        return false;
    size_t end = (queue.start + queue.length) % QUEUE_BYTES;
    size_t first = QUEUE_BYTES - end < line->length ? QUEUE_BYTES - end : line->length;
    memcpy(queue.bytes + end, line->bytes, first);
    memcpy(queue.bytes, line->bytes + first, line->length - first);
    queue.length += line->length;
    return true;
}

/* Call with the lock held. If the report itself does not fit, the count stays for the next time. */
static void
report_dropped(void)
{
    struct line line;
    struct log_field count = log_number("lines", (int64_t)queue.dropped_unreported);
    make_line(&line, LOG_WARN, "log_lines_dropped", &count, 1);
    if (enqueue(&line))
        queue.dropped_unreported = 0;
}

/* The thread. When stopping, it ends only after the queue is empty. */
static void *
write_lines(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        while (queue.length == 0 && !queue.stopping)
            pthread_cond_wait(&queue.filled, &queue.lock);
        if (queue.length == 0)
            break;
        size_t start = queue.start;
        size_t length = queue.length;
        if (length > QUEUE_BYTES - start)
            length = QUEUE_BYTES - start;
        pthread_mutex_unlock(&queue.lock);
        write_all(queue.bytes + start, length); /* not overwritten while queued */
        pthread_mutex_lock(&queue.lock);
        queue.start = (start + length) % QUEUE_BYTES;
        queue.length -= length;
        if (queue.dropped_unreported > 0)
            report_dropped();
    }
    queue.running = false;
    pthread_cond_broadcast(&queue.emptied);
    pthread_mutex_unlock(&queue.lock);
    return NULL;
}

/* If the thread cannot be started, lines are written directly as before. */
static void
free_queue(void)
{
    pthread_join(queue.thread, NULL);
    free(queue.bytes);
    queue.bytes = NULL;
}

/* May be called again after log_stop(), as a restart in place does. A thread that is still blocked
 * in write() is kept instead of starting a second one. */
void
log_start(void)
{
    pthread_mutex_lock(&queue.lock);
    bool blocked = queue.running; /* since log_stop(): the thread goes on when it can */
    if (blocked)
        queue.stopping = false;
    pthread_mutex_unlock(&queue.lock);
    if (blocked)
        return;
    if (queue.bytes != NULL)
        free_queue(); /* the thread has ended meanwhile */
    queue.bytes = memory_alloc(1, QUEUE_BYTES);
    queue.running = true;
    queue.stopping = false;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* only the main thread handles signals */
    if (pthread_create(&queue.thread, NULL, write_lines, NULL) != 0)
        queue.running = false;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A reader that blocks, such as a full pipe, must not keep the process from ending or starting
 * again: after two seconds, the thread is left alone with its memory. */
void
log_stop(void)
{
    int64_t until = clock_ticks_ns() + STOP_WAIT_NS;
    bool late = false;
    pthread_mutex_lock(&queue.lock);
    if (!queue.running) {
        pthread_mutex_unlock(&queue.lock);
        return;
    }
    queue.stopping = true;
    pthread_cond_signal(&queue.filled);
    while (queue.running && !late)
        late = !clock_cond_wait(&queue.emptied, &queue.lock, until);
    pthread_mutex_unlock(&queue.lock);
    if (!late)
        free_queue();
}

/* Never waits for the reader of the log: if the queue is full, the line is dropped and counted.
 * Before log_start() and after log_stop(), the caller writes itself. */
void
log_write(enum log_level level, const char *event, const struct log_field *fields, size_t count)
{
    if (!log_enabled(level))
        return;
    struct line line;
    make_line(&line, level, event, fields, count);
    pthread_mutex_lock(&queue.lock);
    if (queue.running) {
        if (enqueue(&line)) {
            pthread_cond_signal(&queue.filled);
        } else {
            atomic_fetch_add(&dropped, 1);
            queue.dropped_unreported++;
        }
        pthread_mutex_unlock(&queue.lock);
        return;
    }
    pthread_mutex_unlock(&queue.lock);
    write_all(line.bytes, line.length);
}
