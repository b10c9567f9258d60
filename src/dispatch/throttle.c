/* throttle.c - a table of fixed size: SETS sets of WAYS slots, chosen by a keyed hash of the
 * caller.
 *
 * One mutex protects a table; no function holds it while it waits for the store. The table decides
 * first. Only a caller below its limit here is also counted in the store, if the limit is shared
 * (`db`), and without an answer from the store the table alone decides.
 *
 * For the limit of tokens, which must not wait for the store, `busy` remembers callers that use
 * much of their limit; rate_share.c exchanges these counts with other nodes once per second. */
#include "dispatch/throttle.h"

#include "base/arena.h"
#include "base/clock.h"
#include "crypt/random.h"
#include "dispatch/attempts.h"

#include <pthread.h>

#define SETS 4096
#define WAYS 4

/* The count of one caller in its current window. caller 0: free. */
struct slot {
    uint64_t caller;
    int64_t began_ms;
    int64_t count;
};

/* A caller that has used more than a part of its limit in a window. */
#define BUSY_PART 8
#define BUSY_WAYS 4
#define BUSY_WINDOWS 3 /* windows for which its calls and those of other nodes are remembered */
#define LEAST_PART 16  /* of the limit: allowed whatever other nodes count */

/* A caller near its limit, whose calls are exchanged with other nodes. */
struct busy {
    uint64_t caller;
    int64_t key;             /* the same in all processes */
    int64_t began_ms, calls; /* its current window, and the calls in it, also refused ones */
    int64_t last_calls;      /* in the window before */
    int64_t others;
};

/* A fixed table, so a flood of callers cannot fill the memory. The lock protects `slots` and
 * `busy`. */
struct throttle {
    struct db *db;     /* NULL: this node alone */
    const char *kind;  /* of failures: the store is asked only after one; NULL: always */
    struct busy *busy; /* THROTTLE_BUSY_MAX; NULL: not watched */
    pthread_mutex_t lock;
    int64_t limit;
    int64_t window_ms;
    uint64_t seed; /* makes hash collisions unpredictable */
    struct slot slots[SETS][WAYS];
};

/* The random seed keeps callers from choosing keys that share a slot with others. */
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
throttle_share_failures(struct throttle *throttle, struct db *db, const char *kind)
{
    throttle->db = db;
    throttle->kind = kind;
}

void
throttle_free(struct throttle *throttle)
{
    pthread_mutex_destroy(&throttle->lock);
}

/* FNV-1a with a final multiplication, because the bits that choose the set must depend on all
 * bytes. Seed 0 gives the key that all nodes share. */
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
 * the one with the fewest counts, of those the oldest. Therefore, a flood of new callers cannot
 * reset the count of a caller that is near its limit. */
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

/* ---- busy callers; call with the lock held ---- */

static bool
is_forgotten(const struct throttle *throttle, const struct busy *busy, int64_t now)
{
    return now - busy->began_ms > BUSY_WINDOWS * throttle->window_ms;
}

/* The entry of the caller. If it has none, one to replace: that which was busy last. */
static struct busy *
find_busy(const struct throttle *throttle, uint64_t caller)
{
    struct busy *set = &throttle->busy[(caller >> 8) % (THROTTLE_BUSY_MAX / BUSY_WAYS) * BUSY_WAYS];
    struct busy *oldest = set;
    for (size_t i = 0; i < BUSY_WAYS; i++) {
        if (set[i].caller == caller)
            return &set[i];
        if (set[i].began_ms < oldest->began_ms)
            oldest = &set[i];
    }
    return oldest;
}

/* Counts a call, allowed or not, of a caller that has used much of its limit. */
static void
note_busy(const struct throttle *throttle, const struct slot *slot, struct str caller)
{
    struct busy *busy = find_busy(throttle, slot->caller);
    if (busy->caller != slot->caller)
        *busy = (struct busy){ .caller = slot->caller, .key = (int64_t)mix(0, caller) };
    if (busy->began_ms == slot->began_ms) {
        busy->calls++;
        return;
    }
    busy->last_calls = busy->calls;
    busy->began_ms = slot->began_ms;
    busy->calls = slot->count;
}

/* The part of the limit that this node allows: its share of the calls to all nodes, refused ones
 * included, or what the others leave. */
static int64_t
part_of(const struct throttle *throttle, uint64_t caller, int64_t limit, int64_t now)
{
    const struct busy *busy = find_busy(throttle, caller);
    if (busy->caller != caller || busy->others == 0 || is_forgotten(throttle, busy, now))
        return limit;
    int64_t own = busy->last_calls != 0 ? busy->last_calls : busy->calls;
    int64_t share = limit * own / (own + busy->others), left = limit - busy->others;
    int64_t least = limit / LEAST_PART + 1;
    share = share > left ? share : left;
    return share > least ? share : least;
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
    /* A slot of another caller was counted against the common limit. */
    int64_t common = throttle->limit == 0 ? own : throttle->limit;
    bool is_busy = throttle->busy != NULL && slot->caller == hash && slot->count > own / BUSY_PART;
    int64_t here = is_busy ? part_of(throttle, hash, own, now) : own;
    if (is_busy && count)
        note_busy(throttle, slot, caller);
    if (slot->count >=
        (slot->caller == hash ? here : common)) /* or all slots of the set are full */
        wait = (slot->began_ms + throttle->window_ms - now + 999) / 1000;
    else if (count && slot->caller != hash)
        *slot = (struct slot){ .caller = hash, .began_ms = now, .count = 1 };
    else if (count)
        slot->count++;
    if (state != NULL)
        *state = (struct throttle_state){
            .limit = own,
            .remaining = wait != 0 || slot->count > here ? 0 : here - slot->count,
            .reset = (slot->began_ms + throttle->window_ms - now + 999) / 1000,
        };
    pthread_mutex_unlock(&throttle->lock);
    return wait;
}

void
throttle_watch_busy(struct throttle *throttle, struct arena *mem)
{
    throttle->busy = ARENA_ARRAY(mem, struct busy, THROTTLE_BUSY_MAX);
}

/* Lists callers whose counts other nodes should know. Counts of a window that has just begun would
 * make a busy caller look idle, so the last complete one is sent. */
size_t
throttle_list_busy(struct throttle *throttle, struct throttle_busy *out, size_t max)
{
    int64_t now = clock_steady_ms();
    size_t count = 0;
    pthread_mutex_lock(&throttle->lock);
    for (size_t i = 0; i < THROTTLE_BUSY_MAX && count < max; i++) {
        const struct busy *busy = &throttle->busy[i];
        /* The last complete window, or the first one if it has not ended yet. */
        bool ended = now - busy->began_ms >= throttle->window_ms || busy->last_calls == 0;
        if (busy->caller != 0 && !is_forgotten(throttle, busy, now))
            out[count++] = (struct throttle_busy){ busy->caller, busy->key,
                                                   ended ? busy->calls : busy->last_calls, 0 };
    }
    pthread_mutex_unlock(&throttle->lock);
    return count;
}

/* The table may have changed since throttle_list_busy(): callers that were replaced are skipped. */
void
throttle_set_others(struct throttle *throttle, const struct throttle_busy *list, size_t count)
{
    pthread_mutex_lock(&throttle->lock);
    for (size_t i = 0; i < count; i++) {
        struct busy *busy = find_busy(throttle, list[i].caller);
        if (busy->caller == list[i].caller)
            busy->others = list[i].others;
    }
    pthread_mutex_unlock(&throttle->lock);
}

/* The kind keeps callers of different limits apart, which share a table of the store. */
static struct attempt
attempt_of(const struct throttle *throttle, struct str caller, int64_t limit)
{
    return (struct attempt){ throttle->kind == NULL ? "" : throttle->kind, caller, limit,
                             throttle->window_ms / 1000, clock_now() };
}

/* Other nodes have counted up to the limit: this one need not ask until the window ends. */
static void
block_here(struct throttle *throttle, struct str caller, int64_t limit, int64_t wait)
{
    int64_t now = clock_steady_ms();
    uint64_t hash = mix(throttle->seed, caller);
    pthread_mutex_lock(&throttle->lock);
    struct slot *slot = find_slot(throttle, hash, now);
    if (slot->caller == hash || slot->count < limit)
        *slot = (struct slot){ .caller = hash,
                               .began_ms = now - throttle->window_ms + wait * 1000,
                               .count = limit };
    pthread_mutex_unlock(&throttle->lock);
}

/* If the store cannot be asked, the attempt is allowed: it was counted here, within the limit. */
static int64_t
check(struct throttle *throttle, struct str caller, bool count, int64_t own,
      struct throttle_state *state)
{
    int64_t wait = check_here(throttle, caller, count, own, state);
    if (wait != 0 || own == 0 || throttle->db == NULL || (!count && throttle->kind != NULL))
        return wait;
    struct attempt attempt = attempt_of(throttle, caller, own);
    enum err err = count ? attempts_take(throttle->db, &attempt, &wait)
                         : attempts_wait(throttle->db, &attempt, &wait);
    if (err)
        return 0;
    if (wait != 0 && throttle->kind != NULL)
        block_here(throttle, caller, own, wait);
    return wait;
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

/* Best effort in the store: a count that is not taken back ends with its window. */
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

/* Both are counted, even if the first is at its limit. */
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
