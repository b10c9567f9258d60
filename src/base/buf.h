/* buf.h - a growing byte buffer with a maximum size.
 *
 * The bytes are allocated from an arena. An addition that would exceed the maximum, or that needs
 * more memory in an arena over its limit, is dropped and sets `overflow`, and so is every later
 * one. Writers therefore check `overflow` once, at the end.
 * Not thread-safe. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

struct buf {
    struct arena *mem;
    char *ptr;
    size_t len;
    size_t capacity;
    size_t max;
    bool overflow;
};

struct buf buf_in(struct arena *mem, size_t max);

/* Ensures capacity for `more` further bytes, or sets `overflow` and returns false. */
bool buf_reserve(struct buf *buf, size_t more);

/* Inline because most additions are very short. */
static inline void
buf_add(struct buf *buf, struct str s)
{
    if (s.len == 0 || (s.len > buf->capacity - buf->len && !buf_reserve(buf, s.len)))
        return;
    memcpy(buf->ptr + buf->len, s.ptr, s.len);
    buf->len += s.len;
}

static inline void
buf_add_char(struct buf *buf, char c)
{
    if (buf->len < buf->capacity || buf_reserve(buf, 1))
        buf->ptr[buf->len++] = c;
}

static inline void
buf_add_c(struct buf *buf, const char *c)
{
    buf_add(buf, str_of(c));
}

void buf_add_int(struct buf *buf, int64_t number);
void buf_add_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The content so far. Valid until the next addition. */
struct str buf_str(const struct buf *buf);

#endif
