#include "base/clock.h"

#include "base/fault_injection.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#define SECOND_NS ((int64_t)1000000000)

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/* clock_gettime() cannot fail for the clocks that are used here. */
static struct timespec
read_clock(clockid_t id)
{
    struct timespec now = { 0 };
    clock_gettime(id, &now);
    return now;
}

/* Set by the thread that watches the database (postgres/monitor.c), read by all. */
static _Atomic int64_t followed;

void
clock_follow_ns(int64_t difference)
{
    followed = difference;
}

int64_t
clock_followed_ns(void)
{
    return followed;
}

int64_t
clock_real_ns(void)
{
    struct timespec now = read_clock(CLOCK_REALTIME);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + fault_injection_skew_ms() * 1000000;
}

bool
clock_is_wrong(struct why *why)
{
    int64_t difference = clock_real_ns() - clock_ticks_ns() - followed;
    if (followed == 0 || (difference <= SECOND_NS && difference >= -SECOND_NS))
        return false;
    why_set(why,
            "The clock of this machine differs by %lld seconds from the database's. Correct it.",
            (long long)((difference + (difference < 0 ? -SECOND_NS : SECOND_NS) / 2) / SECOND_NS));
    return true;
}

/* A clock that a test has stopped wins over the database's clock. */
int64_t
clock_now(void)
{
    int64_t stopped = fault_injection_now(), difference = followed;
    if (stopped != 0)
        return stopped;
    return (difference != 0 ? clock_ticks_ns() + difference : clock_real_ns()) / 1000000000;
}

int64_t
clock_steady_ms(void)
{
    struct timespec now = read_clock(CLOCK_MONOTONIC);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + fault_injection_forward_ms();
}

int64_t
clock_ticks_ns(void)
{
    struct timespec now = read_clock(CLOCK_MONOTONIC);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Timed waits use CLOCK_MONOTONIC, so that a clock that is set back does not prolong them. */
static struct timespec
timespec_of(int64_t ns)
{
    return (struct timespec){ ns / SECOND_NS, ns % SECOND_NS };
}

bool
clock_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until)
{
    struct timespec end = timespec_of(until);
    return pthread_cond_clockwait(cond, lock, CLOCK_MONOTONIC, &end) == 0;
}

bool
clock_sem_wait(sem_t *semaphore, int64_t until)
{
    struct timespec end = timespec_of(until);
    while (sem_clockwait(semaphore, CLOCK_MONOTONIC, &end) != 0)
        if (errno != EINTR)
            return false;
#ifdef __SANITIZE_THREAD__
    __tsan_acquire(semaphore); /* ThreadSanitizer knows sem_post(), but not sem_clockwait() */
#endif
    return true;
}
