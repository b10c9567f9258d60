/* clock.h - wall-clock and monotonic time.
 *
 * Times are whole seconds since 1970-01-01 UTC, 64 bits. A request reads the clock once and passes
 * the time on, so that all its decisions use the same time. In a fault injection build (see
 * fault_injection.h) a test can stop and move the first two clocks. Safe from any thread. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/err.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

int64_t clock_now(void);       /* seconds; for stored and displayed times */
int64_t clock_steady_ms(void); /* monotonic milliseconds; for deadlines */

/* Lets clock_now() follow another clock, such as the database's, which the monotonic clock
 * interpolates: its time in nanoseconds minus clock_ticks_ns(). 0: the system's clock. */
void clock_follow_ns(int64_t difference);
int64_t clock_followed_ns(void); /* that difference */
int64_t clock_real_ns(void);     /* the system's clock, in nanoseconds */

/* Whether the system's clock differs by more than a second from the one that is followed. `why`
 * gets the difference. */
bool clock_is_wrong(struct why *why);

int64_t
clock_ticks_ns(void); /* monotonic nanoseconds; for measuring durations; never moved by tests */

/* Waits for a condition variable until `until` of clock_ticks_ns(), with the lock held. Like
 * pthread_cond_wait(), it may return true early. False: `until` has passed. */
bool clock_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until);

/* Waits for a semaphore until `until` of clock_ticks_ns(). False: it was not posted in time. */
bool clock_sem_wait(sem_t *semaphore, int64_t until);

static inline int64_t
clock_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#endif
