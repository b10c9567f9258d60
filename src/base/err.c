#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

/* Without a default case, so that the compiler reports an error that has no name. */
const char *
err_name(enum err err)
{
    switch (err) {
    case ERR_NONE:
        return "none";
    case ERR_INVALID:
        return "invalid";
    case ERR_UNAUTHENTICATED:
        return "unauthenticated";
    case ERR_FORBIDDEN:
        return "forbidden";
    case ERR_NOT_FOUND:
        return "not_found";
    case ERR_TAKEN:
        return "taken";
    case ERR_TOO_LARGE:
        return "too_large";
    case ERR_RATE:
        return "rate";
    case ERR_UNAVAILABLE:
        return "unavailable";
    case ERR_UNCONFIRMED:
        return "unconfirmed";
    case ERR_INTERNAL:
        return "internal";
    }
    return "unknown";
}

/* The first reason is kept, because it is the closest to the cause. */
void
why_set(struct why *why, const char *format, ...)
{
    if (why == NULL || why->text[0] != '\0')
        return;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(why->text, sizeof why->text, format, args);
    va_end(args);
    if (length < (int)sizeof why->text)
        return;
    size_t end = sizeof why->text - 1;
    while (end > 0 && ((unsigned char)why->text[end - 1] & 0xC0) == 0x80)
        end--; /* a character that may be cut off is left out */
    if (end > 0 && (unsigned char)why->text[end - 1] >= 0xC0)
        end--;
    why->text[end] = '\0';
}
