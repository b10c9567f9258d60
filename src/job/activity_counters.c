/* activity_counters.c - hash tables with open addressing, one per shard, whose entries have a cell
 * per domain.
 *
 * The first slot depends on the user alone, and entries are removed only all at once, when a shard
 * is drained. So all entries of a user follow the same slot without a free one in between, and a
 * peek reads these slots instead of the whole table. Within a shard, an app has at most one entry
 * per action, outcome, and day for a user.
 *
 * Locks are taken in this order: taken_lock, the lock of a shard, mem_lock. A drain and a peek hold
 * taken_lock throughout, so that a count is always seen in exactly one place: its shard or `taken`.
 * Requests take only the lock of their own shard. */
#include "job/activity_counters.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/metric.h"
#include "job/count_shard.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define SHARD_BYTES ((size_t)4 * 1024 * 1024)
#define PROBES 128 /* slots to try; more than a user has entries, as the user decides the first */

/* Times and facts of one domain. Both stop at their maximum. */
struct cell {
    uint32_t times, facts;
};

/* Counts of one user, app, action, and day. The members up to `day` are the key and are compared as
 * bytes. */
struct entry {
    char user[USAGE_ID_LENGTH];
    char app[USAGE_ID_LENGTH];
    uint8_t action, refused;
    uint16_t unused; /* so that the key has no padding */
    int32_t day;     /* 0: free slot; the last part of the key */
    int64_t first_at, last_at;
    struct cell cells[]; /* by index of the domain; the last is for requests without a domain */
};

/* A part of the table with a lock of its own. Each thread usually counts in the same shard. */
struct shard {
    pthread_mutex_t lock;
    char *slots; /* hash table; NULL: not used yet */
    size_t used;
    _Atomic bool filling;
};

struct activity_counters {
    struct arena *mem;
    pthread_mutex_t mem_lock;
    const struct domains *domains;
    size_t cells;
    size_t stride; /* bytes per slot */
    size_t slots;  /* per shard, a power of two */
    struct shard shards[COUNT_SHARDS];
    pthread_mutex_t taken_lock;
    struct activity_batch taken; /* drained and not written yet */
    _Atomic uint64_t dropped;
};

static void
write_metrics(struct buf *page, void *context)
{
    struct activity_counters *counters = context;
    metric_put(page, "penchant_activity_dropped_total", "counter",
               "Reads missing from users' activity because the memory for them was full.",
               (int64_t)atomic_load_explicit(&counters->dropped, memory_order_relaxed));
}

/* The table of each shard is sized here by the number of domains, and its memory is never more than
 * SHARD_BYTES. It is allocated when the shard is first used. */
struct activity_counters *
activity_counters_new(const struct domains *domains)
{
    struct arena *mem = arena_new();
    struct activity_counters *counters = ARENA_NEW(mem, struct activity_counters);
    counters->mem = mem;
    counters->domains = domains;
    counters->cells = domains->count + 1;
    counters->stride = sizeof(struct entry) + counters->cells * sizeof(struct cell);
    counters->slots = 1;
    while (2 * counters->slots * counters->stride <= SHARD_BYTES)
        counters->slots *= 2;
    pthread_mutex_init(&counters->mem_lock, NULL);
    pthread_mutex_init(&counters->taken_lock, NULL);
    for (size_t i = 0; i < COUNT_SHARDS; i++)
        pthread_mutex_init(&counters->shards[i].lock, NULL);
    metric_register(write_metrics, counters);
    return counters;
}

/* No thread may count any more; what was not written is lost. */
void
activity_counters_free(struct activity_counters *counters)
{
    if (counters == NULL)
        return;
    metric_unregister(counters);
    for (size_t i = 0; i < COUNT_SHARDS; i++)
        pthread_mutex_destroy(&counters->shards[i].lock);
    pthread_mutex_destroy(&counters->taken_lock);
    pthread_mutex_destroy(&counters->mem_lock);
    arena_free(counters->mem); /* also holds `counters` */
}

/* ---- counting ---- */

/* Returns the shard, locked, with its slots allocated. */
static struct shard *
lock_shard(struct activity_counters *counters, size_t number)
{
    struct shard *shard = &counters->shards[number];
    pthread_mutex_lock(&shard->lock);
    if (shard->slots == NULL) {
        pthread_mutex_lock(&counters->mem_lock);
        /* Up to 4 MiB per shard, allocated when a thread first counts in it. */
        shard->slots = (char *)ARENA_ARRAY(counters->mem, uint64_t,
                                           counters->slots * counters->stride / sizeof(uint64_t));
        pthread_mutex_unlock(&counters->mem_lock);
    }
    return shard;
}

/* All entries of a user follow the same slot. Ids are random, so a few of their bytes suffice. */
static size_t
first_slot(const struct activity_counters *counters, const char *user)
{
    uint64_t part;
    memcpy(&part, user + USAGE_ID_LENGTH - sizeof part, sizeof part);
    part = (part ^ (part >> 29)) * 0x9e3779b97f4a7c15u;
    return (size_t)(part >> 32) & (counters->slots - 1);
}

static struct entry *
slot_at(const struct activity_counters *counters, const struct shard *shard, size_t number)
{
    return (struct entry *)(void *)(shard->slots +
                                    (number & (counters->slots - 1)) * counters->stride);
}

#define KEY_BYTES (offsetof(struct entry, day) + sizeof(int32_t))

/* Call with the lock held. NULL: full. */
static struct entry *
find_slot(struct activity_counters *counters, struct shard *shard, const struct entry *key)
{
    size_t at = first_slot(counters, key->user);
    for (size_t i = 0; i < PROBES; i++) {
        struct entry *slot = slot_at(counters, shard, at + i);
        if (slot->day != 0 && memcmp(slot, key, KEY_BYTES) == 0)
            return slot;
        if (slot->day != 0)
            continue;
        /* A fuller table could need more than PROBES probes, also for users who have entries. */
        if (shard->used >= counters->slots / 4 * 3)
            return NULL;
        memcpy(slot, key, KEY_BYTES);
        slot->first_at = key->first_at;
        shard->used++;
        if (shard->used >= counters->slots / 2)
            atomic_store_explicit(&shard->filling, true, memory_order_relaxed);
        return slot;
    }
    return NULL;
}

/* Saturates: a count that is too low is better than one that starts again at 0. */
static uint32_t
sum(uint32_t a, uint64_t b)
{
    return b > UINT32_MAX - a ? UINT32_MAX : (uint32_t)(a + b);
}

static void
drop(struct activity_counters *counters)
{
    atomic_fetch_add_explicit(&counters->dropped, 1, memory_order_relaxed);
}

/* Call with the lock held. */
static struct entry *
open_entry(struct activity_counters *counters, struct shard *shard, const struct entry *key)
{
    struct entry *slot = find_slot(counters, shard, key);
    if (slot == NULL) {
        drop(counters);
        return NULL;
    }
    if (key->first_at < slot->first_at)
        slot->first_at = key->first_at;
    if (key->last_at > slot->last_at)
        slot->last_at = key->last_at;
    return slot;
}

/* False: not an id. Ids have one length, so that they need no NUL in the tables. */
static bool
read_id(struct str id, char out[USAGE_ID_LENGTH])
{
    if (id.len == USAGE_ID_LENGTH)
        memcpy(out, id.ptr, USAGE_ID_LENGTH);
    return id.len == USAGE_ID_LENGTH;
}

/* Never waits for the store. If the shard is full, the request is not counted, and a metric counts
 * that. */
void
activity_counters_add(struct activity_counters *counters, const struct activity_count *count)
{
    struct entry key = { .action = (uint8_t)count->action,
                         .refused = count->refused,
                         .day = (int32_t)usage_day_of(count->now),
                         .first_at = count->now,
                         .last_at = count->now };
    if (!read_id(count->user_id, key.user) || !read_id(count->app_id, key.app) || key.day <= 0)
        return;
    struct shard *shard = lock_shard(counters, count_shard());
    struct entry *entry = open_entry(counters, shard, &key);
    if (entry != NULL && count->domains == 0) {
        struct cell *cell = &entry->cells[counters->cells - 1];
        cell->times = sum(cell->times, 1);
    }
    for (uint64_t left = entry == NULL ? 0 : count->domains; left != 0; left &= left - 1) {
        size_t domain = (size_t)__builtin_ctzll(left);
        /* The bits come from the caller; a number beyond the domains would be a cell of the next
         * entry. */
        if (domain >= counters->cells - 1)
            break;
        struct cell *cell = &entry->cells[domain];
        cell->times = sum(cell->times, 1);
        if (!count->refused)
            cell->facts = sum(cell->facts, count->facts[domain]);
    }
    pthread_mutex_unlock(&shard->lock);
}

/* Reads a flag per shard without locks: housekeeping asks often. */
bool
activity_counters_nearly_full(const struct activity_counters *counters)
{
    for (size_t i = 0; i < COUNT_SHARDS; i++)
        if (atomic_load_explicit(&counters->shards[i].filling, memory_order_relaxed))
            return true;
    return false;
}

/* ---- draining ---- */

/* Each used cell becomes one record. */
static size_t
cells_used(const struct activity_counters *counters, const struct entry *entry)
{
    size_t count = 0;
    for (size_t i = 0; i < counters->cells; i++)
        count += entry->cells[i].times > 0;
    return count;
}

/* One record per domain. */
static void
add_records(const struct activity_counters *counters, struct arena *mem, const struct entry *entry,
            struct activity_batch *out)
{
    struct str user = str_copy(mem, (struct str){ entry->user, sizeof entry->user });
    struct str app = str_copy(mem, (struct str){ entry->app, sizeof entry->app });
    for (size_t i = 0; i < counters->cells; i++) {
        if (entry->cells[i].times == 0)
            continue;
        bool named = i < counters->cells - 1;
        out->list[out->count++] = (struct counted_activity){
            .user_id = user,
            .record = { .day = entry->day,
                        .app_id = app,
                        .app_name = STR(""),
                        .action = activity_name((enum activity_action)entry->action),
                        .refused = entry->refused != 0,
                        .subject = named ? counters->domains->list[i].name : STR(""),
                        .times = entry->cells[i].times,
                        .facts = entry->cells[i].facts,
                        .first_at = entry->first_at,
                        .last_at = entry->last_at },
        };
    }
}

/* By user, then day: writing locks the rows of days in this order. */
static int
compare_records(const void *left, const void *right)
{
    const struct counted_activity *a = left, *b = right;
    int order = memcmp(a->user_id.ptr, b->user_id.ptr, USAGE_ID_LENGTH);
    if (order == 0)
        order = (a->record.day > b->record.day) - (a->record.day < b->record.day);
    return order;
}

/* Counted before the arrays for them are allocated. */
static size_t
count_records(const struct activity_counters *counters, const struct shard *shard)
{
    size_t count = 0;
    for (size_t i = 0; shard->used > 0 && i < counters->slots; i++)
        if (slot_at(counters, shard, i)->day != 0)
            count += cells_used(counters, slot_at(counters, shard, i));
    return count;
}

/* Call with the lock held. Appends to the batch. */
static void
empty_shard(struct activity_counters *counters, struct arena *mem, struct shard *shard,
            struct activity_batch *out)
{
    struct counted_activity *more =
        ARENA_ARRAY(mem, struct counted_activity, out->count + count_records(counters, shard));
    if (out->count > 0)
        memcpy(more, out->list, out->count * sizeof *more);
    out->list = more;
    for (size_t i = 0; shard->used > 0 && i < counters->slots; i++) {
        struct entry *slot = slot_at(counters, shard, i);
        if (slot->day == 0)
            continue;
        add_records(counters, mem, slot, out);
        memset(slot, 0, counters->stride);
    }
    shard->used = 0;
    atomic_store_explicit(&shard->filling, false, memory_order_relaxed);
}

/* Empties all shards into `taken`, where a peek still finds the records until
 * activity_counters_finish(). One thread drains at a time. */
void
activity_counters_drain(struct activity_counters *counters, struct arena *mem,
                        struct activity_batch *out)
{
    *out = (struct activity_batch){ 0 };
    pthread_mutex_lock(&counters->taken_lock); /* a peek waits, and misses nothing */
    for (size_t i = 0; i < COUNT_SHARDS; i++) {
        struct shard *shard = &counters->shards[i];
        pthread_mutex_lock(&shard->lock);
        if (shard->used > 0)
            empty_shard(counters, mem, shard, out);
        pthread_mutex_unlock(&shard->lock);
    }
    if (out->count > 1)
        qsort(out->list, out->count, sizeof *out->list, compare_records);
    counters->taken = *out;
    pthread_mutex_unlock(&counters->taken_lock);
}

static size_t
cell_of(const struct activity_counters *counters, struct str subject)
{
    const struct domain *domain = domains_find(counters->domains, subject);
    return domain == NULL ? counters->cells - 1 : (size_t)(domain - counters->domains->list);
}

/* The first shard with space, from that of the calling thread on, locked. NULL: none. */
static struct shard *
lock_shard_with_space(struct activity_counters *counters)
{
    for (size_t i = 0; i < COUNT_SHARDS; i++) {
        struct shard *shard = lock_shard(counters, (count_shard() + i) % COUNT_SHARDS);
        if (shard->used < counters->slots / 4)
            return shard;
        pthread_mutex_unlock(&shard->lock);
    }
    return NULL;
}

/* The counts may now be in another shard than before. They are merged with what was counted
 * meanwhile. */
static void
put_back(struct activity_counters *counters, const struct counted_activity *one)
{
    const struct activity *record = &one->record;
    struct entry key = { .action = (uint8_t)activity_named(record->action),
                         .refused = record->refused,
                         .day = (int32_t)record->day,
                         .first_at = record->first_at,
                         .last_at = record->last_at };
    read_id(one->user_id, key.user);
    read_id(record->app_id, key.app);
    struct shard *shard = lock_shard_with_space(counters);
    if (shard == NULL) {
        drop(counters);
        return;
    }
    struct entry *entry = open_entry(counters, shard, &key);
    if (entry != NULL) {
        struct cell *cell = &entry->cells[cell_of(counters, record->subject)];
        cell->times = sum(cell->times, (uint64_t)record->times);
        cell->facts = sum(cell->facts, (uint64_t)record->facts);
    }
    pthread_mutex_unlock(&shard->lock);
}

void
activity_counters_set_written(struct activity_counters *counters,
                              struct counted_activity *const *records, size_t count)
{
    pthread_mutex_lock(&counters->taken_lock);
    for (size_t i = 0; i < count; i++)
        records[i]->written = true;
    pthread_mutex_unlock(&counters->taken_lock);
}

void
activity_counters_finish(struct activity_counters *counters)
{
    pthread_mutex_lock(&counters->taken_lock);
    for (size_t i = 0; i < counters->taken.count; i++)
        if (!counters->taken.list[i].written)
            put_back(counters, &counters->taken.list[i]);
    counters->taken = (struct activity_batch){ 0 };
    pthread_mutex_unlock(&counters->taken_lock);
}

/* ---- peeking ---- */

/* Call with the lock held. Counts first, so that the list is allocated once. */
static void
peek_shard(const struct activity_counters *counters, struct arena *mem, const struct shard *shard,
           struct str user_id, struct activity_batch *out)
{
    size_t at = first_slot(counters, user_id.ptr), count = out->count;
    const struct entry *found[PROBES];
    size_t found_count = 0;
    for (size_t i = 0; i < PROBES && slot_at(counters, shard, at + i)->day != 0; i++) {
        const struct entry *slot = slot_at(counters, shard, at + i);
        if (memcmp(slot->user, user_id.ptr, sizeof slot->user) != 0)
            continue;
        found[found_count++] = slot;
        count += cells_used(counters, slot);
    }
    if (found_count == 0)
        return;
    struct counted_activity *more = ARENA_ARRAY(mem, struct counted_activity, count);
    if (out->count > 0)
        memcpy(more, out->list, out->count * sizeof *more);
    out->list = more;
    for (size_t i = 0; i < found_count; i++)
        add_records(counters, mem, found[i], out);
}

/* Call with taken_lock held. Copies the ids, because the memory of the drained batch may be reset
 * when it has been written. */
static void
peek_taken(const struct activity_counters *counters, struct arena *mem, struct str user_id,
           struct activity_batch *out)
{
    const struct activity_batch *taken = &counters->taken;
    size_t first = 0, last = taken->count;
    while (first < last) { /* the user's first record */
        size_t middle = first + (last - first) / 2;
        if (str_order(taken->list[middle].user_id, user_id) < 0)
            first = middle + 1;
        else
            last = middle;
    }
    while (last < taken->count && str_eq(taken->list[last].user_id, user_id))
        last++;
    out->list = ARENA_ARRAY(mem, struct counted_activity, last - first);
    for (size_t i = first; i < last; i++) {
        if (taken->list[i].written)
            continue;
        struct counted_activity *one = &out->list[out->count++];
        *one = taken->list[i];
        one->user_id = user_id;
        one->record.app_id = str_copy(mem, taken->list[i].record.app_id);
    }
}

/* taken_lock comes first: a drain that ran between reading `taken` and the shards would make a
 * record appear nowhere. */
void
activity_counters_peek(struct activity_counters *counters, struct arena *mem, struct str user_id,
                       struct activity_batch *out)
{
    *out = (struct activity_batch){ 0 };
    if (user_id.len != USAGE_ID_LENGTH)
        return;
    pthread_mutex_lock(&counters->taken_lock);
    peek_taken(counters, mem, user_id, out);
    for (size_t i = 0; i < COUNT_SHARDS; i++) {
        struct shard *shard = &counters->shards[i];
        pthread_mutex_lock(&shard->lock);
        if (shard->used > 0)
            peek_shard(counters, mem, shard, user_id, out);
        pthread_mutex_unlock(&shard->lock);
    }
    pthread_mutex_unlock(&counters->taken_lock);
}
