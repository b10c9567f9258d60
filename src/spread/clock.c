/* clock.c - chooses the database whose clock this process follows, and finds clocks that are wrong.
 *
 * The clocks of all databases that are up are compared with that of the one that is followed, and
 * that of this machine if their number is even; the median is right. The process follows one
 * database as long as its clock agrees with the median within a second, also while it is down: the
 * monotonic clock continues its time. Otherwise it follows the first database that agrees. So a
 * wrong clock of one database changes nothing for the users of any. */
#include "spread/spread.h"

#include "base/clock.h"
#include "base/log.h"

#include <stdlib.h>

#define SECOND_NS ((int64_t)1000000000)
#define FOLLOW_NS 50000000 /* smaller differences are the network's */

/* 0: not known yet. */
static int64_t
clock_of(const struct spread_store *store, size_t database)
{
    return spread_is_open(store, database) ? atomic_load(&store->of[database]->clock) : 0;
}

static bool
agree(int64_t a, int64_t b, int64_t within)
{
    return a - b <= within && b - a <= within;
}

static int
compare(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* False: no database is up. */
static bool
find_median(const struct spread_store *store, int64_t *out)
{
    int64_t clocks[SPREAD_MAX + 1];
    size_t count = 0;
    bool any_up = false;
    for (size_t i = 0; i < store->count; i++) {
        bool up = clock_of(store, i) != 0 && !spread_is_down(store, i);
        any_up = any_up || up;
        if (up || i == store->clock.followed)
            clocks[count++] = clock_of(store, i);
    }
    if (!any_up)
        return false;
    if (count % 2 == 0)
        clocks[count++] = clock_real_ns() - clock_ticks_ns();
    qsort(clocks, count, sizeof *clocks, compare);
    *out = clocks[count / 2];
    return true;
}

/* The one that is followed already, or the first that agrees. If two databases and this machine all
 * disagree, the first that is up. */
static size_t
choose(const struct spread_store *store, int64_t median)
{
    size_t chosen = store->clock.followed, up = SPREAD_MAX;
    if (chosen != SPREAD_MAX && agree(clock_of(store, chosen), median, SECOND_NS))
        return chosen;
    for (size_t i = 0; i < store->count; i++) {
        if (clock_of(store, i) == 0 || spread_is_down(store, i))
            continue;
        if (agree(clock_of(store, i), median, SECOND_NS))
            return i;
        up = up == SPREAD_MAX ? i : up;
    }
    return chosen != SPREAD_MAX ? chosen : up;
}

/* Rounded, with its sign; 0: less than a second. */
static int64_t
seconds_off(int64_t clock, int64_t right)
{
    int64_t difference = clock - right;
    if (clock == 0 || agree(clock, right, SECOND_NS))
        return 0;
    return (difference + (difference < 0 ? -SECOND_NS : SECOND_NS) / 2) / SECOND_NS;
}

/* Call with the lock held. A log line per change. */
static void
log_differences(struct spread_store *store, int64_t right)
{
    struct spread_clock *clock = &store->clock;
    for (size_t i = 0; i < store->count; i++) {
        int64_t off = spread_is_down(store, i) ? 0 : seconds_off(clock_of(store, i), right);
        bool differs = off != 0;
        if (differs && !clock->differs[i])
            log_warn("store_clock_differs", log_number("database", (int64_t)i + 1),
                     log_number("seconds", off),
                     log_text("effect", STR("none: this node follows the clock of another one")));
        if (!differs && clock->differs[i])
            log_info("store_clock_agrees", log_number("database", (int64_t)i + 1));
        clock->differs[i] = differs;
    }
    struct why why = { 0 };
    bool differs = clock_is_wrong(&why);
    if (differs && !clock->machine_differs)
        log_warn(store->watched ? "store_not_ready" : "machine_clock_differs",
                 log_text("problem", str_of(why.text)));
    if (!differs && clock->machine_differs)
        log_info("store_ready");
    clock->machine_differs = differs;
}

void
spread_clock_follow(struct spread_store *store)
{
    int64_t median;
    pthread_mutex_lock(&store->clock.lock);
    if (find_median(store, &median)) {
        store->clock.followed = choose(store, median);
        int64_t right = clock_of(store, store->clock.followed);
        if (!agree(right, clock_followed_ns(), FOLLOW_NS))
            clock_follow_ns(right);
        log_differences(store, right);
    }
    pthread_mutex_unlock(&store->clock.lock);
}

bool
spread_clock_differs(const struct spread_store *store, size_t database, struct why *why)
{
    int64_t followed = clock_followed_ns();
    int64_t off = followed == 0 ? 0 : seconds_off(clock_of(store, database), followed);
    if (off != 0)
        why_set(why, "The clock of its server differs by %lld seconds from the others. Correct it.",
                (long long)off);
    return off != 0;
}
