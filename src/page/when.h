/* when.h - times as text for pages.
 *
 * The reader's time zone is unknown, so recent times are relative ("3 hours ago") and older ones
 * are UTC dates. Results are allocated in the request's arena. Call from the thread that handles
 * the request. */
#ifndef PAGE_WHEN_H
#define PAGE_WHEN_H

#include "base/str.h"

struct call;
struct values;

/* "just now", "3 hours ago", "yesterday", "November 2, 2026". */
struct str when_text(struct call *call, int64_t seconds);

/* "November 2, 2026". */
struct str when_date(struct call *call, int64_t seconds);

/* `name` as text and `name`_iso as RFC 3339, for a <time> element. Neither if `seconds` is not
 * positive. */
void when_put(struct call *call, struct values *values, const char *name, int64_t seconds);

#endif
