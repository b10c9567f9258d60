/* buf.c - a buffer that grows in an arena up to a limit. Exceeding the limit is no error of each
 * addition; it sets `overflow`, which the caller checks once at the end. */
#include "base/buf.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Nothing is allocated before the first addition. */
struct buf
buf_in(struct arena *mem, size_t max)
{
    return (struct buf){ .mem = mem, .max = max };
}

/* Doubles the capacity, but never beyond `max`. After the first addition that does not fit, all
 * later ones are dropped, too, so that a truncated text has no gaps. */
bool
buf_reserve(struct buf *buf, size_t more)
{
    if (buf->overflow || more > buf->max - buf->len || arena_excess(buf->mem)) {
        buf->overflow = true;
        buf->capacity = buf->len; /* so that a later, shorter addition is dropped too */
        return false;
    }
    size_t need = buf->len + more;
    if (need <= buf->capacity)
        return true;
    size_t capacity = buf->capacity < 128 ? 256 : buf->capacity * 2;
    if (capacity < need)
        capacity = need;
    if (capacity > buf->max)
        capacity = buf->max;
    buf->ptr = arena_grow(buf->mem, buf->ptr, buf->len, capacity);
    buf->capacity = capacity;
    return true;
}

/* The magnitude is computed unsigned, because INT64_MIN has no positive counterpart. */
void
buf_add_int(struct buf *buf, int64_t number)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        digits[--at] = '-';
    buf_add(buf, (struct str){ digits + at, sizeof digits - at });
}

/* Formats on the stack first. A longer text is formatted a second time, into the arena, when its
 * length is known. */
void
buf_add_format(struct buf *buf, const char *format, ...)
{
    char small[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length < 0)
        return;
    if ((size_t)length < sizeof small) {
        buf_add(buf, (struct str){ small, (size_t)length });
        return;
    }
    char *large = arena_alloc(buf->mem, (size_t)length + 1);
    va_start(args, format);
    vsnprintf(large, (size_t)length + 1, format, args);
    va_end(args);
    buf_add(buf, (struct str){ large, (size_t)length });
}

struct str
buf_str(const struct buf *buf)
{
    return buf->ptr == NULL ? STR("") : (struct str){ buf->ptr, buf->len };
}
