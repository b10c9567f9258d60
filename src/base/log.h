/* log.h - structured lines about what happened.
 *
 * A line is an event and named values: log_info("request", log_text("path", path),
 * log_number("status", 200)). There is a field for text and one for numbers, and no other: a secret
 * is a type of its own without a field, so it cannot be logged by accident. Control characters in
 * values are escaped; a line is always one line.
 *
 * Logging never waits for a disk or a pipe: after log_start() lines go to a bounded queue that a
 * thread of its own writes to standard error; lines that find it full are dropped and counted, and
 * the count is logged when there is room again. Before log_start() and after log_stop() lines are
 * written at once. Safe from any thread. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/str.h"

enum log_level { LOG_SILENT, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
enum log_format { LOG_AS_TEXT, LOG_AS_JSON };

struct log_field {
    const char *key;
    struct str text; /* absent: the field is a number */
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
void log_stop(void); /* writes what is queued, waiting at most two seconds for a blocked reader */
uint64_t log_dropped(void);

/* The array's first element is a filler, so that an event without fields is no special case. */
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
