#include "dispatch/throttle.h"

#include "base/arena.h"
#include "base/clock.h"
#include "crypt/random.h"

#include <pthread.h>

#define SETS 4096
#define WAYS 4

struct slot {
    uint64_t caller;
    int64_t began_ms;
    int64_t count;
};

struct throttle {
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

/* The caller's slot; NULL: none, or its window has ended. */
static struct slot *
find_slot(struct throttle *throttle, uint64_t caller, int64_t now)
{
    struct slot *set = throttle->slots[(caller >> 8) % SETS];
    for (size_t i = 0; i < WAYS; i++)
        if (set[i].caller == caller)
            return now - set[i].began_ms < throttle->window_ms ? &set[i] : NULL;
    return NULL;
}

/* A new window for the caller: in its own slot, else in a free one, else in the oldest. */
static struct slot *
make_slot(struct throttle *throttle, uint64_t caller, int64_t now)
{
    struct slot *set = throttle->slots[(caller >> 8) % SETS];
    struct slot *chosen = &set[0];
    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].caller == caller) {
            chosen = &set[i];
            break;
        }
        if (chosen->caller != 0 && (set[i].caller == 0 || set[i].began_ms < chosen->began_ms))
            chosen = &set[i];
    }
    *chosen = (struct slot){ .caller = caller, .began_ms = now };
    return chosen;
}

static int64_t
check(struct throttle *throttle, struct str caller, bool count)
{
    if (throttle->limit == 0)
        return 0;
    int64_t now = clock_steady_ms(), wait = 0;
    uint64_t hash = mix(throttle->seed, caller);
    pthread_mutex_lock(&throttle->lock);
    struct slot *slot = find_slot(throttle, hash, now);
    if (slot == NULL && count)
        slot = make_slot(throttle, hash, now);
    if (slot != NULL && slot->count >= throttle->limit)
        wait = (slot->began_ms + throttle->window_ms - now + 999) / 1000;
    else if (count)
        slot->count++;
    pthread_mutex_unlock(&throttle->lock);
    return wait;
}

int64_t
throttle_wait(struct throttle *throttle, struct str caller)
{
    return check(throttle, caller, false);
}

int64_t
throttle_take(struct throttle *throttle, struct str caller)
{
    return check(throttle, caller, true);
}

static int64_t
check_both(struct throttle *throttle, struct str one, struct str other, bool count)
{
    int64_t first = check(throttle, one, count), second = check(throttle, other, count);
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
