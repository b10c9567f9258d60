/* usage_counters.c - hash tables with open addressing, one per shard. A request of a user adds to
 * two entries: the app's and the user's.
 *
 * A quarter of each table is for entries of apps only: if there are more users than slots, the
 * totals of apps stay right. Entries are removed only all at once, when a shard is drained, so a
 * free slot ends every search.
 *
 * Locks are taken in this order: taken_lock, the lock of a shard, mem_lock. A drain and a peek hold
 * taken_lock throughout, so that a count is always seen in exactly one place: its shard or `taken`.
 * Requests take only the lock of their own shard. */
#include "job/usage_counters.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/metric.h"
#include "crypt/random.h"
#include "job/usage_counters_internal.h"
#include "store/usage_store.h"

#include <endian.h>
#include <string.h>

#define SLOTS 32768                  /* per shard; a power of two */
#define USERS_MAX (SLOTS / 4 * 3)    /* the rest is for apps, whose counts matter more */
#define RESTORED_MAX (USERS_MAX / 4) /* users put back; the rest is for new counts */
#define PROBES 32                    /* slots to try before a count is dropped */

uint32_t
usage_counters_part(const struct usage_counters *counters)
{
    return counters->part;
}

static void
write_metrics(struct buf *page, void *context)
{
    struct usage_counters *counters = context;
    metric_put(page, "penchant_usage_dropped_total", "counter",
               "Usage counts and refusals dropped because the memory for them was full.",
               (int64_t)atomic_load_explicit(&counters->dropped, memory_order_relaxed));
}

/* `part` is random, so that two processes rarely add to the same row. */
struct usage_counters *
usage_counters_new(void)
{
    struct arena *mem = arena_new();
    struct usage_counters *counters = ARENA_NEW(mem, struct usage_counters);
    counters->mem = mem;
    counters->refusals = ARENA_ARRAY(mem, struct counted_refusal, USAGE_REFUSALS_MAX);
    counters->taken = ARENA_ARRAY(mem, struct usage_range, USAGE_DATABASES_MAX);
    counters->drained_at = ARENA_ARRAY(mem, _Atomic int64_t, USAGE_DATABASES_MAX);
    for (size_t i = 0; i < USAGE_DATABASES_MAX; i++)
        counters->drained_at[i] = clock_steady_ms();
    counters->part = random_below(USAGE_PARTS);
    pthread_mutex_init(&counters->mem_lock, NULL);
    pthread_mutex_init(&counters->taken_lock, NULL);
    pthread_mutex_init(&counters->refusal_lock, NULL);
    pthread_mutex_init(&counters->tool_lock, NULL);
    for (size_t i = 0; i < COUNT_SHARDS; i++)
        pthread_mutex_init(&counters->shards[i].lock, NULL);
    metric_register(write_metrics, counters);
    return counters;
}

/* No thread may count any more; what was not written is lost. */
void
usage_counters_free(struct usage_counters *counters)
{
    if (counters == NULL)
        return;
    metric_unregister(counters);
    for (size_t i = 0; i < COUNT_SHARDS; i++)
        pthread_mutex_destroy(&counters->shards[i].lock);
    pthread_mutex_destroy(&counters->taken_lock);
    pthread_mutex_destroy(&counters->refusal_lock);
    pthread_mutex_destroy(&counters->tool_lock);
    pthread_mutex_destroy(&counters->mem_lock);
    arena_free(counters->mem); /* also holds `counters` */
}

void
usage_counters_drop(struct usage_counters *counters)
{
    atomic_fetch_add_explicit(&counters->dropped, 1, memory_order_relaxed);
}

bool
usage_counters_is_id(struct str id, struct str prefix)
{
    return id.len == USAGE_ID_LENGTH && str_starts(id, prefix);
}

/* Apps of the portal, clients that registered themselves, and clients with a metadata document.
 * They are counted alike. */
bool
usage_counters_is_app(struct str id)
{
    return usage_counters_is_id(id, STR("app_")) || usage_counters_is_id(id, STR("dyn_")) ||
           usage_counters_is_id(id, STR("doc_"));
}

/* ---- counting ---- */

/* Ids are random, so a few of their bytes are as good as a hash of all. */
static size_t
first_slot(const struct usage_counter *key)
{
    uint64_t user[2], app;
    memcpy(user, key->user + 10, sizeof user);
    memcpy(&app, key->app + 18, sizeof app);
    uint64_t mixed = ((user[0] ^ app) * 0x9e3779b97f4a7c15u) ^ (user[1] + (uint64_t)key->day);
    mixed = (mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9u;
    return (size_t)(mixed >> 40) % SLOTS;
}

static bool
same_key(const struct usage_counter *a, const struct usage_counter *b)
{
    return a->day == b->day && memcmp(a->user, b->user, sizeof a->user) == 0 &&
           memcmp(a->app, b->app, sizeof a->app) == 0;
}

/* Call with the lock held. The entry of the key; if there is none and `add`, a new one. NULL: not
 * found, or full. */
static struct usage_counter *
find_slot(struct shard *shard, const struct usage_counter *key, bool add)
{
    size_t at = first_slot(key);
    for (size_t i = 0; i < PROBES; i++) {
        struct usage_counter *slot = &shard->slots[(at + i) % SLOTS];
        if (slot->day != 0 && same_key(slot, key))
            return slot;
        if (slot->day != 0)
            continue;
        if (!add || (key->user[0] != '\0' && shard->used >= USERS_MAX))
            return NULL;
        memcpy(slot->user, key->user, sizeof slot->user);
        memcpy(slot->app, key->app, sizeof slot->app);
        slot->day = key->day;
        shard->used++;
        return slot;
    }
    return NULL;
}

/* Saturates: a count that is too low is better than one that starts again at 0. */
static uint32_t
sum(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/* Sums stop at the maximum instead of starting at 0 again. */
static void
merge(struct usage_counter *into, const struct usage_counter *from)
{
    for (size_t i = 0; i < USAGE_OUTCOMES; i++)
        into->counts[i] = sum(into->counts[i], from->counts[i]);
    if (from->last_use > into->last_use)
        into->last_use = from->last_use;
}

/* Call with the shard's lock held. */
static void
add(struct usage_counters *counters, struct shard *shard, const struct usage_counter *entry)
{
    struct usage_counter *slot = find_slot(shard, entry, true);
    if (slot == NULL)
        usage_counters_drop(counters);
    else
        merge(slot, entry);
    if (shard->used >= USERS_MAX / 2)
        atomic_store_explicit(&shard->filling, true, memory_order_relaxed);
}

/* Returns the shard, locked, with its slots allocated. */
static struct shard *
lock_shard(struct usage_counters *counters, size_t number)
{
    struct shard *shard = &counters->shards[number];
    pthread_mutex_lock(&shard->lock);
    if (shard->slots == NULL) {
        pthread_mutex_lock(&counters->mem_lock);
        shard->slots = ARENA_ARRAY(counters->mem, struct usage_counter, SLOTS);
        pthread_mutex_unlock(&counters->mem_lock);
    }
    return shard;
}

/* Counts the app, and the user if the request was served. Requests with the same user and app share
 * an entry in each shard. */
void
usage_counters_add(struct usage_counters *counters, struct str user, struct str app,
                   enum usage_outcome outcome, int64_t now)
{
    struct usage_counter entry = { .day = (int32_t)usage_day_of(now), .last_use = now };
    if (!usage_counters_is_app(app) || entry.day <= 0)
        return;
    memcpy(entry.app, app.ptr, sizeof entry.app);
    entry.counts[outcome] = 1;
    struct shard *shard = lock_shard(counters, count_shard());
    add(counters, shard, &entry);
    bool served = outcome == USAGE_CALL || outcome == USAGE_TOKENS; /* a refusal is not a use */
    if (served && usage_counters_is_id(user, STR("usr_"))) {
        memcpy(entry.user, user.ptr, sizeof entry.user);
        add(counters, shard, &entry);
    }
    pthread_mutex_unlock(&shard->lock);
}

/* Reads a flag per shard without locks: housekeeping asks often. */
bool
usage_counters_nearly_full(const struct usage_counters *counters)
{
    for (size_t i = 0; i < COUNT_SHARDS; i++)
        if (atomic_load_explicit(&counters->shards[i].filling, memory_order_relaxed))
            return true;
    return false;
}

/* ---- draining ---- */

/* The order of memcmp(), but faster: compares the part after the prefix as three integers. */
static int
compare_ids(const char *left, const char *right)
{
    static const size_t words[] = { 4, 12, USAGE_ID_LENGTH - sizeof(uint64_t) };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        uint64_t a, b;
        memcpy(&a, left + words[i], sizeof a);
        memcpy(&b, right + words[i], sizeof b);
        if (a != b)
            return be64toh(a) < be64toh(b) ? -1 : 1;
    }
    return 0;
}

/* By app and day first, as they are written. */
static int
compare_entries(const void *left, const void *right)
{
    const struct usage_counter *a = left, *b = right;
    int order = compare_ids(a->app, b->app);
    if (order == 0)
        order = (a->day > b->day) - (a->day < b->day);
    return order != 0 ? order : compare_ids(a->user, b->user);
}

/* Call with the lock held; `out` has capacity for shard->used entries. */
static size_t
empty_shard(struct shard *shard, struct usage_counter *out)
{
    size_t count = 0;
    for (size_t i = 0; count < shard->used && i < SLOTS; i++) {
        if (shard->slots[i].day == 0)
            continue;
        out[count++] = shard->slots[i];
        shard->slots[i] = (struct usage_counter){ 0 };
    }
    shard->used = 0;
    atomic_store_explicit(&shard->filling, false, memory_order_relaxed);
    return count;
}

/* Each range keeps the order. */
static void
divide(struct arena *mem, const struct usage_counter *all, size_t count, size_t databases,
       usage_database_of *database_of, void *context, struct usage_range *out)
{
    uint8_t *homes = ARENA_ARRAY(mem, uint8_t, count);
    struct usage_counter *divided = ARENA_ARRAY(mem, struct usage_counter, count);
    struct usage_counter *at[USAGE_DATABASES_MAX];
    memset(out, 0, databases * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        homes[i] = (uint8_t)database_of(context, &all[i]);
        out[homes[i]].count++;
    }
    for (size_t i = 0; i < databases; divided += out[i].count, i++)
        out[i].entries = at[i] = divided;
    for (size_t i = 0; i < count; i++)
        *at[homes[i]]++ = all[i];
}

/* Empties all shards into `taken`, with one entry per key, where a peek still finds the counts
 * until usage_counters_restore(). */
void
usage_counters_drain(struct usage_counters *counters, struct arena *mem, size_t databases,
                     usage_database_of *database_of, void *context, struct usage_range *ranges)
{
    struct usage_counter *all[COUNT_SHARDS];
    size_t counts[COUNT_SHARDS], total = 0, kept = 0;
    pthread_mutex_lock(&counters->taken_lock); /* a peek waits, and misses nothing */
    for (size_t i = 0; i < COUNT_SHARDS; i++) {
        struct shard *shard = &counters->shards[i];
        pthread_mutex_lock(&shard->lock);
        all[i] = ARENA_ARRAY(mem, struct usage_counter, shard->used);
        counts[i] = empty_shard(shard, all[i]);
        pthread_mutex_unlock(&shard->lock);
        total += counts[i];
    }
    struct usage_counter *out = ARENA_ARRAY(mem, struct usage_counter, total);
    for (size_t i = 0, at = 0; i < COUNT_SHARDS; at += counts[i], i++)
        if (counts[i] > 0)
            memcpy(out + at, all[i], counts[i] * sizeof *out);
    if (total > 1)
        qsort(out, total, sizeof *out, compare_entries);
    for (size_t i = 0; i < total; i++) {
        /* The same app and user may have been counted in several shards. */
        if (kept > 0 && same_key(&out[kept - 1], &out[i]))
            merge(&out[kept - 1], &out[i]);
        else
            out[kept++] = out[i];
    }
    divide(mem, out, kept, databases, database_of, context, ranges);
    memcpy(counters->taken, ranges, databases * sizeof *ranges);
    counters->databases = databases;
    pthread_mutex_unlock(&counters->taken_lock);
}

/* Called after each batch has committed, so that a peek finds each count in memory or in the
 * store. */
void
usage_counters_set_written(struct usage_counters *counters, size_t database, size_t count)
{
    pthread_mutex_lock(&counters->taken_lock);
    counters->taken[database].entries += count;
    counters->taken[database].count -= count;
    pthread_mutex_unlock(&counters->taken_lock);
}

/* In the first shard with space, from the thread's own on. Counts that do not fit anymore are
 * dropped, as when counting. */
static void
restore(struct usage_counters *counters, const struct usage_counter *entry)
{
    for (size_t i = 0; i < COUNT_SHARDS; i++) {
        struct shard *shard = lock_shard(counters, (count_shard() + i) % COUNT_SHARDS);
        bool fits = entry->user[0] == '\0' || shard->used < RESTORED_MAX;
        if (fits)
            add(counters, shard, entry);
        pthread_mutex_unlock(&shard->lock);
        if (fits)
            return;
    }
    usage_counters_drop(counters);
}

void
usage_counters_restore(struct usage_counters *counters)
{
    pthread_mutex_lock(&counters->taken_lock);
    for (size_t i = 0; i < counters->databases; i++) {
        const struct usage_range *left = &counters->taken[i];
        for (size_t j = 0; j < left->count; j++)
            restore(counters, &left->entries[j]);
    }
    counters->databases = 0;
    pthread_mutex_unlock(&counters->taken_lock);
}

int64_t
usage_counters_drained_at(const struct usage_counters *counters, size_t database)
{
    return atomic_load(&counters->drained_at[database]);
}

void
usage_counters_set_drained(struct usage_counters *counters, size_t database, int64_t steady_ms)
{
    atomic_store(&counters->drained_at[database], steady_ms);
}

/* taken_lock comes first: a drain that ran between reading `taken` and the shards would make a
 * count appear nowhere. `taken` is sorted, hence the binary search. */
void
usage_counters_peek(struct usage_counters *counters, struct str user, struct str app, int64_t day,
                    struct usage_counter *out)
{
    struct usage_counter key = { .day = (int32_t)day };
    *out = (struct usage_counter){ 0 };
    if (!usage_counters_is_app(app))
        return;
    memcpy(key.app, app.ptr, sizeof key.app);
    if (usage_counters_is_id(user, STR("usr_")))
        memcpy(key.user, user.ptr, sizeof key.user);
    pthread_mutex_lock(&counters->taken_lock);
    for (size_t i = 0; i < counters->databases; i++) {
        const struct usage_range *range = &counters->taken[i];
        const struct usage_counter *taken =
            range->count == 0
                ? NULL
                : bsearch(&key, range->entries, range->count, sizeof key, compare_entries);
        if (taken != NULL)
            merge(out, taken);
    }
    for (size_t i = 0; i < COUNT_SHARDS; i++) {
        struct shard *shard = &counters->shards[i];
        pthread_mutex_lock(&shard->lock);
        const struct usage_counter *found =
            shard->slots == NULL ? NULL : find_slot(shard, &key, false);
        if (found != NULL)
            merge(out, found);
        pthread_mutex_unlock(&shard->lock);
    }
    pthread_mutex_unlock(&counters->taken_lock);
}
