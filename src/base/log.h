/* log.h - structured log lines on standard error.
 *
 * A line is an event name and named fields: log_info("request", log_text("path", path),
 * log_number("status", 200)). Event names are stable snake_case tokens. Fields are text or numbers;
 * secrets have their own type without a field constructor, so they cannot be logged by accident.
 * Control characters in values are escaped, so an event is always one line.
 *
 * Logging never blocks on a disk or a pipe: after log_start() lines go to a bounded queue, and a
 * separate thread writes them. If the queue is full, lines are dropped and counted; the count is
 * logged when the queue has space again. Before log_start() and after log_stop() lines are written
 * directly. Safe from any thread. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/str.h"

enum log_level { LOG_SILENT, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
enum log_format { LOG_AS_TEXT, LOG_AS_JSON };

struct log_field {
    const char *key;
    struct str text; /* absent for a number */
    int64_t number;
};

static inline struct log_field
log_text(const char *key, struct str text)
{
    return (struct log_field){ .key = key, .text = text.ptr == NULL ? STR("") : text };
}

static inline struct log_field
log_number(const char *key, int64_t number)
{
    return (struct log_field){ .key = key, .number = number };
}

void log_setup(enum log_format format, enum log_level level);
bool log_enabled(enum log_level level);
void log_start(void);
/* Until the next call, lines of this thread have this id as their first field; absent: none. The
 * text must stay valid. */
void log_set_request(struct str id);
void log_stop(void); /* flushes the queue; gives up after two seconds if the reader blocks */
uint64_t log_dropped(void);

/* Use the macros below. Their array starts with a dummy element, so that an event without fields
 * needs no special case. */
void log_write(enum log_level level, const char *event, const struct log_field *fields,
               size_t count);

#define LOG_WRITE(level, event, ...)                                            \
    log_write(                                                                  \
        (level), (event), (const struct log_field[]){ { 0 }, __VA_ARGS__ } + 1, \
        sizeof((const struct log_field[]){ { 0 }, __VA_ARGS__ }) / sizeof(struct log_field) - 1)

#define log_error(event, ...) LOG_WRITE(LOG_ERROR, event, __VA_ARGS__)
#define log_warn(event, ...) LOG_WRITE(LOG_WARN, event, __VA_ARGS__)
#define log_info(event, ...) LOG_WRITE(LOG_INFO, event, __VA_ARGS__)
#define log_debug(event, ...) LOG_WRITE(LOG_DEBUG, event, __VA_ARGS__)

#endif
