#include "dispatch/throttle.h"

#include "base/arena.h"
#include "base/clock.h"
#include "crypt/random.h"
#include "dispatch/attempts.h"

#include <pthread.h>

#define SETS 4096
#define WAYS 4

struct slot {
    uint64_t caller;
    int64_t began_ms;
    int64_t count;
};

struct throttle {
    struct db *db; /* NULL: this node alone */
    pthread_mutex_t lock;
    int64_t limit;
    int64_t window_ms;
    uint64_t seed; /* makes hash collisions unpredictable */
    struct slot slots[SETS][WAYS];
};

struct throttle *
throttle_new(struct arena *mem, int64_t limit, int64_t window_ms)
{
    struct throttle *throttle = ARENA_NEW(mem, struct throttle);
    pthread_mutex_init(&throttle->lock, NULL);
    throttle->limit = limit;
    throttle->window_ms = window_ms;
    random_bytes(&throttle->seed, sizeof throttle->seed);
    return throttle;
}

void
throttle_share(struct throttle *throttle, struct db *db)
{
    throttle->db = db;
}

void
throttle_free(struct throttle *throttle)
{
    pthread_mutex_destroy(&throttle->lock);
}

static uint64_t
mix(uint64_t seed, struct str caller)
{
    uint64_t hash = seed ^ 0xcbf29ce484222325u;
    for (size_t i = 0; i < caller.len; i++) {
        hash = (hash ^ (unsigned char)caller.ptr[i]) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    hash *= 0x9e3779b97f4a7c15u;
    return (hash ^ (hash >> 32)) | 1; /* 0 is a free slot */
}

/* The slot in which `caller` is counted. If it has none, the slot to replace: an expired one, else
 * the one with the fewest counts, of those the oldest. So a crowd of new callers cannot reset the
 * count of one that is near its limit. */
static struct slot *
find_slot(struct throttle *throttle, uint64_t caller, int64_t now)
{
    struct slot *set = throttle->slots[(caller >> 8) % SETS], *chosen = NULL;
    for (size_t i = 0; i < WAYS; i++) {
        struct slot *slot = &set[i];
        if (now - slot->began_ms >= throttle->window_ms)
            *slot = (struct slot){ .began_ms = now - throttle->window_ms };
        if (slot->caller == caller)
            return slot;
        if (chosen == NULL || slot->count < chosen->count ||
            (slot->count == chosen->count && slot->began_ms < chosen->began_ms))
            chosen = slot;
    }
    return chosen;
}

/* `own` is the limit of this caller. `state` may be NULL. */
static int64_t
check_here(struct throttle *throttle, struct str caller, bool count, int64_t own,
           struct throttle_state *state)
{
    if (own == 0)
        return 0;
    int64_t now = clock_steady_ms(), wait = 0;
    uint64_t hash = mix(throttle->seed, caller);
    pthread_mutex_lock(&throttle->lock);
    struct slot *slot = find_slot(throttle, hash, now);
    int64_t common = throttle->limit == 0 ? own : throttle->limit;
    if (slot->count >= (slot->caller == hash ? own : common)) /* or all slots of the set are full */
        wait = (slot->began_ms + throttle->window_ms - now + 999) / 1000;
    else if (count && slot->caller != hash)
        *slot = (struct slot){ .caller = hash, .began_ms = now, .count = 1 };
    else if (count)
        slot->count++;
    if (state != NULL)
        *state = (struct throttle_state){
            .limit = own,
            .remaining = wait != 0 ? 0 : own - slot->count,
            .reset = (slot->began_ms + throttle->window_ms - now + 999) / 1000,
        };
    pthread_mutex_unlock(&throttle->lock);
    return wait;
}

static struct attempt
attempt_of(const struct throttle *throttle, struct str caller, int64_t limit)
{
    return (struct attempt){ caller, limit, throttle->window_ms / 1000, clock_now() };
}

static int64_t
check(struct throttle *throttle, struct str caller, bool count, int64_t own,
      struct throttle_state *state)
{
    int64_t wait = check_here(throttle, caller, count, own, state);
    if (wait != 0 || own == 0 || throttle->db == NULL)
        return wait;
    struct attempt attempt = attempt_of(throttle, caller, own);
    enum err err = count ? attempts_take(throttle->db, &attempt, &wait)
                         : attempts_wait(throttle->db, &attempt, &wait);
    return err ? 0 : wait;
}

int64_t
throttle_take_limited(struct throttle *throttle, struct str caller, int64_t limit,
                      struct throttle_state *state)
{
    *state = (struct throttle_state){ 0 };
    return check(throttle, caller, true, limit, state);
}

int64_t
throttle_limit(const struct throttle *throttle)
{
    return throttle->limit;
}

int64_t
throttle_wait(struct throttle *throttle, struct str caller)
{
    return check(throttle, caller, false, throttle->limit, NULL);
}

int64_t
throttle_take(struct throttle *throttle, struct str caller)
{
    return check(throttle, caller, true, throttle->limit, NULL);
}

int64_t
throttle_take_shared(struct throttle *throttle, int64_t times)
{
    return check(throttle, STR(""), true, throttle->limit * times, NULL);
}

void
throttle_return(struct throttle *throttle, struct str caller)
{
    uint64_t hash = mix(throttle->seed, caller);
    pthread_mutex_lock(&throttle->lock);
    struct slot *slot = find_slot(throttle, hash, clock_steady_ms());
    if (slot->caller == hash && slot->count > 0)
        slot->count--;
    pthread_mutex_unlock(&throttle->lock);
    if (throttle->db == NULL)
        return;
    struct attempt attempt = attempt_of(throttle, caller, throttle->limit);
    attempts_return(throttle->db, &attempt);
}

static int64_t
check_both(struct throttle *throttle, struct str one, struct str other, bool count)
{
    int64_t first = check(throttle, one, count, throttle->limit, NULL);
    int64_t second = str_present(other) ? check(throttle, other, count, throttle->limit, NULL) : 0;
    return first > second ? first : second;
}

int64_t
throttle_wait_both(struct throttle *throttle, struct str one, struct str other)
{
    return check_both(throttle, one, other, false);
}

int64_t
throttle_take_both(struct throttle *throttle, struct str one, struct str other)
{
    return check_both(throttle, one, other, true);
}
