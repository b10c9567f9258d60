/* timekeeper.c - compares the wall clock with the highest time seen (steps back) and with the
 * monotonic clock (steps ahead).
 *
 * Requests change only `highest`, without the lock. The lock is taken for a step back, which
 * changes three values; requests read them without it. A request that reads some of them early
 * decides as if it had come a little earlier. */
#include "base/timekeeper.h"

#include "base/clock.h"
#include "base/log.h"

#include <pthread.h>
#include <stdatomic.h>

#define TOLERANCE_SECONDS (5 * 60)
#define TRUST_AFTER_MS (60 * 60 * 1000)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for changing the atomics below */
static _Atomic int64_t highest;
static _Atomic int64_t set_back_at;
static _Atomic int64_t expired_until;

/* Of housekeeping. `trusted` advances with the monotonic clock. */
static int64_t trusted; /* 0: nothing known */
static int64_t trusted_at_ms;
static int64_t ahead_since_ms; /* 0: the wall clock is not ahead */

/* Threads that notice the same step compare again under the lock; only the first one changes and
 * logs something. expired_until never decreases, so that several steps back do not make anything
 * valid again. */
static void
set_back(int64_t now)
{
    pthread_mutex_lock(&lock);
    int64_t before = atomic_load(&highest);
    bool is_first = now < before - TOLERANCE_SECONDS; /* not another thread's step */
    if (is_first) {
        if (before > atomic_load(&expired_until))
            atomic_store(&expired_until, before);
        atomic_store(&set_back_at, now);
        atomic_store(&highest, now);
    }
    pthread_mutex_unlock(&lock);
    if (is_first)
        log_warn("clock_set_back", log_number("seconds", before - now));
}

/* Every thread reports the time that it sees, so a clock that was set back is noticed by the first
 * request afterwards. */
int64_t
timekeeper_now(void)
{
    int64_t now = clock_now();
    int64_t seen = atomic_load_explicit(&highest, memory_order_relaxed);
    if (now < seen - TOLERANCE_SECONDS)
        set_back(now);
    else
        /* Another thread may have stored a later time; a failed exchange loads it into `seen`. */
        while (now > seen && !atomic_compare_exchange_weak(&highest, &seen, now))
            continue;
    return now;
}

int64_t
timekeeper_created_at(int64_t now)
{
    return now == atomic_load_explicit(&set_back_at, memory_order_relaxed) ? now + 1 : now;
}

/* True also for a credential from the future, and for one that may have expired before the clock
 * was set back: both cannot be valid for certain. */
bool
timekeeper_rejects(int64_t created_at, int64_t expires_at, int64_t now)
{
    return created_at > now + TOLERANCE_SECONDS ||
           (expires_at <= atomic_load_explicit(&expired_until, memory_order_relaxed) &&
            created_at <= atomic_load_explicit(&set_back_at, memory_order_relaxed));
}

/* While the wall clock is ahead of what the monotonic clock predicts, the prediction is used. After
 * an hour the new time is trusted. */
int64_t
timekeeper_deletion_time(void)
{
    int64_t now = timekeeper_now();
    int64_t ms = clock_steady_ms();
    int64_t expected = trusted + (ms - trusted_at_ms) / 1000;
    if (trusted != 0 && now > expected + TOLERANCE_SECONDS) {
        if (ahead_since_ms == 0) {
            ahead_since_ms = ms;
            log_warn("clock_ahead", log_number("seconds", now - expected));
        }
        if (ms - ahead_since_ms < TRUST_AFTER_MS)
            return expected;
    }
    trusted = now;
    trusted_at_ms = ms;
    ahead_since_ms = 0;
    return now;
}

/* `trusted` is advanced to now, because the monotonic clock of the next process cannot be compared
 * with this one's. */
struct timekeeper_state
timekeeper_save(void)
{
    return (struct timekeeper_state){
        .highest = atomic_load(&highest),
        .set_back_at = atomic_load(&set_back_at),
        .expired_until = atomic_load(&expired_until),
        .trusted = trusted + (clock_steady_ms() - trusted_at_ms) / 1000,
    };
}

/* Before other threads use the clock. */
void
timekeeper_load(struct timekeeper_state state)
{
    atomic_store(&highest, state.highest);
    atomic_store(&set_back_at, state.set_back_at);
    atomic_store(&expired_until, state.expired_until);
    trusted = state.trusted;
    trusted_at_ms = clock_steady_ms();
    ahead_since_ms = 0;
    timekeeper_now();
}
