/* trace.c - the traceparent header of W3C Trace Context has fixed positions, so it is checked in
 * place, without splitting it. */
#include "base/trace.h"

#include "base/ascii.h"

#include <string.h>

/* version-traceid-parentid-flags, all in lowercase hexadecimal digits */
enum { TRACE_AT = 3, PARENT_AT = 36, FLAGS_AT = 53, TRACE_LENGTH = 32, PARENT_LENGTH = 16 };

static bool
is_hex(struct str text, size_t at, size_t length)
{
    for (size_t i = at; i < at + length; i++)
        if (!ascii_is_digit(text.ptr[i]) && !(text.ptr[i] >= 'a' && text.ptr[i] <= 'f'))
            return false;
    return true;
}

/* All zeros mean that there is no id (§3.2.2.3 and 3.2.2.4). */
static bool
is_zero(struct str text, size_t at, size_t length)
{
    for (size_t i = at; i < at + length; i++)
        if (text.ptr[i] != '0')
            return false;
    return true;
}

/* A later version may append fields, and ff is not a version. */
static bool
ends_well(struct str parent)
{
    if (str_starts(parent, STR("00")))
        return parent.len == TRACEPARENT_LENGTH;
    return !str_starts(parent, STR("ff")) &&
           (parent.len == TRACEPARENT_LENGTH || parent.ptr[TRACEPARENT_LENGTH] == '-');
}

/* W3C Trace Context §3.2. An invalid header is ignored, as the specification requires, and so is an
 * id of zeros. A later version may have more fields at its end. */
struct str
trace_id(struct str parent)
{
    bool valid = parent.len >= TRACEPARENT_LENGTH && is_hex(parent, 0, 2) && ends_well(parent) &&
                 parent.ptr[TRACE_AT - 1] == '-' && parent.ptr[PARENT_AT - 1] == '-' &&
                 parent.ptr[FLAGS_AT - 1] == '-' && is_hex(parent, TRACE_AT, TRACE_LENGTH) &&
                 is_hex(parent, PARENT_AT, PARENT_LENGTH) && is_hex(parent, FLAGS_AT, 2) &&
                 !is_zero(parent, TRACE_AT, TRACE_LENGTH) &&
                 !is_zero(parent, PARENT_AT, PARENT_LENGTH);
    return valid ? (struct str){ parent.ptr + TRACE_AT, TRACE_LENGTH } : STR_NONE;
}

/* Writes version 00. Of the flags only "sampled" is passed on, since the others are not known. */
void
trace_continue(struct str parent, const char *span, char out[TRACEPARENT_LENGTH + 1])
{
    char last = parent.ptr[FLAGS_AT + 1];
    bool sampled = (last <= '9' ? last - '0' : last - 'a' + 10) & 1;
    memcpy(out, "00", 2);
    memcpy(out + 2, parent.ptr + 2, PARENT_AT - 2);
    memcpy(out + PARENT_AT, span, PARENT_LENGTH);
    memcpy(out + FLAGS_AT - 1, sampled ? "-01" : "-00", 4);
}
