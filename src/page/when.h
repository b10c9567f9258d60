/* when.h - moments in words. Nobody knows the reader's clock, so what is near is told as so long
 * ago, and what is far as a date of the UTC calendar. */
#ifndef PAGE_WHEN_H
#define PAGE_WHEN_H

#include "base/str.h"

struct call;
struct values;

/* "just now", "3 hours ago", "yesterday", "November 2, 2026". */
struct str when_text(struct call *call, int64_t seconds);

/* "November 2, 2026". */
struct str when_date(struct call *call, int64_t seconds);

/* The value `name` in words, and `name`_iso as RFC 3339, for a <time> element. Never: neither. */
void when_put(struct call *call, struct values *values, const char *name, int64_t seconds);

#endif
