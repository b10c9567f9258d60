/* time_text.h - formats and parses RFC 3339 times in UTC: 2026-11-14T09:30:00Z. Any thread may call
 * these functions. */
#ifndef TEXT_TIME_TEXT_H
#define TEXT_TIME_TEXT_H

#include "base/str.h"

#define TIME_TEXT_LENGTH 20

struct str time_write(struct arena *mem,
                      int64_t seconds); /* absent outside the years 0000 to 9999 */
bool time_put(char out[TIME_TEXT_LENGTH],
              int64_t seconds);                    /* the same, without a NUL; false if outside */
bool time_read(struct str text, int64_t *seconds); /* only this form and existing dates */

#endif
