/* buf.h - text that grows, up to a ceiling.
 *
 * Lives in an arena. Past the ceiling nothing more is added and `overflow` is set, so that a writer
 * need not check each step: it checks once, at the end. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

struct buf {
    struct arena *mem;
    char *ptr;
    size_t len;
    size_t room;
    size_t max;
    bool overflow;
};

struct buf buf_in(struct arena *mem, size_t max);

void buf_add(struct buf *buf, struct str s);
void buf_add_c(struct buf *buf, const char *c);
void buf_add_char(struct buf *buf, char c);
void buf_add_int(struct buf *buf, int64_t number);
void buf_add_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What was written so far. Valid until the next addition. */
struct str buf_str(const struct buf *buf);

#endif
