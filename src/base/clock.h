/* clock.h - what time it is.
 *
 * Times are whole seconds since 1970 in UTC, 64 bits. A request reads the clock once and hands the
 * time on, so that all it decides is decided at one moment. In a rehearsal build (see rehearsal.h)
 * a test can stop and move the first two; the third always tells the truth. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_now(void);       /* seconds; for what is stored and told */
int64_t clock_steady_ms(void); /* milliseconds that only go forward; for deadlines */
int64_t clock_ticks_ns(void);  /* nanoseconds; for measuring how long something took */

#endif
