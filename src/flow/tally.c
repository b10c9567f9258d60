#include "flow/tally_parts.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/metric.h"

#include <endian.h>
#include <string.h>

#define PLACES 32768                /* of a lane; a power of two */
#define PEOPLE_MAX (PLACES / 4 * 3) /* the rest is for apps, whose counts matter more */
#define PROBES 32                   /* places that are looked at before one is left out */

struct tally *
tally_new(void)
{
    struct arena *mem = arena_new();
    struct tally *tally = ARENA_NEW(mem, struct tally);
    tally->mem = mem;
    tally->refusals = ARENA_ARRAY(mem, struct kept_refusal, TALLY_REFUSALS);
    tally->emptied_at = clock_steady_ms();
    pthread_mutex_init(&tally->mem_lock, NULL);
    pthread_mutex_init(&tally->taken_lock, NULL);
    pthread_mutex_init(&tally->refusal_lock, NULL);
    for (size_t i = 0; i < TALLY_LANES; i++)
        pthread_mutex_init(&tally->lanes[i].lock, NULL);
    metric_register(tally_write_metrics, tally);
    return tally;
}

void
tally_free(struct tally *tally)
{
    if (tally == NULL)
        return;
    metric_forget(tally);
    for (size_t i = 0; i < TALLY_LANES; i++)
        pthread_mutex_destroy(&tally->lanes[i].lock);
    pthread_mutex_destroy(&tally->taken_lock);
    pthread_mutex_destroy(&tally->refusal_lock);
    pthread_mutex_destroy(&tally->mem_lock);
    arena_free(tally->mem); /* and the tally itself with it */
}

void
tally_write_metrics(struct buf *page, void *context)
{
    struct tally *tally = context;
    metric_family(page, "penchant_usage_left_out_total", "counter",
                  "Counts of use and refusals that found no room until they were written.");
    metric_value(page, "penchant_usage_left_out_total", "",
                 (int64_t)atomic_load_explicit(&tally->left_out, memory_order_relaxed));
}

void
tally_leave_out(struct tally *tally)
{
    atomic_fetch_add_explicit(&tally->left_out, 1, memory_order_relaxed);
}

bool
tally_is_id(struct str id, struct str prefix)
{
    return id.len == TALLY_ID_LENGTH && str_starts(id, prefix);
}

/* ---- counting ---- */

static struct lane *
own_lane(struct tally *tally)
{
    static _Atomic unsigned next;
    static _Thread_local unsigned mine; /* 0: not chosen yet */
    if (mine == 0)
        mine = 1 + atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) % TALLY_LANES;
    return &tally->lanes[mine - 1];
}

/* Both ids are random text of ours, so a few of their bytes are as good as a hash of all. */
static size_t
first_place(const struct tally_entry *key)
{
    uint64_t user[2], app;
    memcpy(user, key->user + 10, sizeof user);
    memcpy(&app, key->app + 18, sizeof app);
    uint64_t mixed = ((user[0] ^ app) * 0x9e3779b97f4a7c15u) ^ (user[1] + (uint64_t)key->day);
    mixed = (mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9u;
    return (size_t)(mixed >> 40) % PLACES;
}

static bool
same_key(const struct tally_entry *a, const struct tally_entry *b)
{
    return a->day == b->day && memcmp(a->user, b->user, sizeof a->user) == 0 &&
           memcmp(a->app, b->app, sizeof a->app) == 0;
}

/* The entry of that key, or a free place for it; NULL: neither. Under the lane's lock. */
static struct tally_entry *
find_place(struct lane *lane, const struct tally_entry *key, bool add)
{
    size_t at = first_place(key);
    for (size_t i = 0; i < PROBES; i++) {
        struct tally_entry *place = &lane->places[(at + i) % PLACES];
        if (place->day != 0 && same_key(place, key))
            return place;
        if (place->day != 0)
            continue;
        if (!add || (key->user[0] != '\0' && lane->used >= PEOPLE_MAX))
            return NULL;
        memcpy(place->user, key->user, sizeof place->user);
        memcpy(place->app, key->app, sizeof place->app);
        place->day = key->day;
        lane->used++;
        return place;
    }
    return NULL;
}

static uint32_t
sum(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static void
merge(struct tally_entry *into, const struct tally_entry *from)
{
    for (size_t i = 0; i < USAGE_OUTCOMES; i++)
        into->counts[i] = sum(into->counts[i], from->counts[i]);
    if (from->last_use > into->last_use)
        into->last_use = from->last_use;
}

static void
add(struct tally *tally, struct lane *lane, const struct tally_entry *entry)
{
    struct tally_entry *place = find_place(lane, entry, true);
    if (place == NULL)
        tally_leave_out(tally);
    else
        merge(place, entry);
    if (lane->used >= PEOPLE_MAX / 2)
        atomic_store_explicit(&lane->filling, true, memory_order_relaxed);
}

/* Locked, with its places there. */
static struct lane *
enter_lane(struct tally *tally)
{
    struct lane *lane = own_lane(tally);
    pthread_mutex_lock(&lane->lock);
    if (lane->places == NULL) {
        pthread_mutex_lock(&tally->mem_lock);
        lane->places = ARENA_ARRAY(tally->mem, struct tally_entry, PLACES);
        pthread_mutex_unlock(&tally->mem_lock);
    }
    return lane;
}

void
tally_count(struct tally *tally, struct str user, struct str app, enum usage_outcome outcome,
            int64_t now)
{
    struct tally_entry entry = { .day = (int32_t)usage_day_of(now), .last_use = now };
    if (!tally_is_id(app, STR("app_")) || entry.day <= 0)
        return;
    memcpy(entry.app, app.ptr, sizeof entry.app);
    entry.counts[outcome] = 1;
    struct lane *lane = enter_lane(tally);
    add(tally, lane, &entry);
    bool served = outcome == USAGE_CALL || outcome == USAGE_TOKENS; /* being refused is no use */
    if (served && tally_is_id(user, STR("usr_"))) {
        memcpy(entry.user, user.ptr, sizeof entry.user);
        add(tally, lane, &entry);
    }
    pthread_mutex_unlock(&lane->lock);
}

bool
tally_is_filling(const struct tally *tally)
{
    for (size_t i = 0; i < TALLY_LANES; i++)
        if (atomic_load_explicit(&tally->lanes[i].filling, memory_order_relaxed))
            return true;
    return false;
}

/* ---- taking ---- */

/* As memcmp() says, in a third of its steps: what stands behind the prefix as three numbers. */
static int
compare_ids(const char *left, const char *right)
{
    static const size_t words[] = { 4, 12, TALLY_ID_LENGTH - sizeof(uint64_t) };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        uint64_t a, b;
        memcpy(&a, left + words[i], sizeof a);
        memcpy(&b, right + words[i], sizeof b);
        if (a != b)
            return be64toh(a) < be64toh(b) ? -1 : 1;
    }
    return 0;
}

static int
compare_entries(const void *left, const void *right)
{
    const struct tally_entry *a = left, *b = right;
    int order = compare_ids(a->app, b->app);
    if (order == 0)
        order = (a->day > b->day) - (a->day < b->day);
    return order != 0 ? order : compare_ids(a->user, b->user);
}

static size_t
empty_lane(struct lane *lane, struct tally_entry *out)
{
    size_t count = 0;
    for (size_t i = 0; count < lane->used && i < PLACES; i++) {
        if (lane->places[i].day == 0)
            continue;
        out[count++] = lane->places[i];
        lane->places[i] = (struct tally_entry){ 0 };
    }
    lane->used = 0;
    atomic_store_explicit(&lane->filling, false, memory_order_relaxed);
    return count;
}

void
tally_take(struct tally *tally, struct arena *mem, struct tally_entry **entries, size_t *count)
{
    struct tally_entry *all[TALLY_LANES];
    size_t counts[TALLY_LANES], total = 0, kept = 0;
    pthread_mutex_lock(&tally->taken_lock); /* who looks now waits, and misses nothing */
    for (size_t i = 0; i < TALLY_LANES; i++) {
        struct lane *lane = &tally->lanes[i];
        pthread_mutex_lock(&lane->lock);
        all[i] = ARENA_ARRAY(mem, struct tally_entry, lane->used);
        counts[i] = empty_lane(lane, all[i]);
        pthread_mutex_unlock(&lane->lock);
        total += counts[i];
    }
    struct tally_entry *out = ARENA_ARRAY(mem, struct tally_entry, total);
    for (size_t i = 0, at = 0; i < TALLY_LANES; at += counts[i], i++)
        if (counts[i] > 0)
            memcpy(out + at, all[i], counts[i] * sizeof *out);
    if (total > 1)
        qsort(out, total, sizeof *out, compare_entries);
    for (size_t i = 0; i < total; i++) {
        if (kept > 0 && same_key(&out[kept - 1], &out[i]))
            merge(&out[kept - 1], &out[i]);
        else
            out[kept++] = out[i];
    }
    tally->taken = *entries = out;
    tally->taken_count = *count = kept;
    pthread_mutex_unlock(&tally->taken_lock);
}

void
tally_set_written(struct tally *tally, size_t count)
{
    pthread_mutex_lock(&tally->taken_lock);
    tally->taken += count;
    tally->taken_count -= count;
    pthread_mutex_unlock(&tally->taken_lock);
}

void
tally_return(struct tally *tally)
{
    pthread_mutex_lock(&tally->taken_lock);
    for (size_t i = 0; i < tally->taken_count; i++) {
        struct lane *lane = enter_lane(tally);
        add(tally, lane, &tally->taken[i]);
        pthread_mutex_unlock(&lane->lock);
    }
    tally->taken = NULL;
    tally->taken_count = 0;
    pthread_mutex_unlock(&tally->taken_lock);
}

int64_t
tally_emptied_at(const struct tally *tally)
{
    return atomic_load(&tally->emptied_at);
}

void
tally_set_emptied(struct tally *tally, int64_t steady_ms)
{
    atomic_store(&tally->emptied_at, steady_ms);
}

void
tally_look(struct tally *tally, struct str user, struct str app, int64_t day,
           struct tally_entry *out)
{
    struct tally_entry key = { .day = (int32_t)day };
    *out = (struct tally_entry){ 0 };
    if (!tally_is_id(app, STR("app_")))
        return;
    memcpy(key.app, app.ptr, sizeof key.app);
    if (tally_is_id(user, STR("usr_")))
        memcpy(key.user, user.ptr, sizeof key.user);
    pthread_mutex_lock(&tally->taken_lock);
    const struct tally_entry *taken =
        tally->taken_count == 0
            ? NULL
            : bsearch(&key, tally->taken, tally->taken_count, sizeof key, compare_entries);
    if (taken != NULL)
        merge(out, taken);
    for (size_t i = 0; i < TALLY_LANES; i++) {
        struct lane *lane = &tally->lanes[i];
        pthread_mutex_lock(&lane->lock);
        const struct tally_entry *found =
            lane->places == NULL ? NULL : find_place(lane, &key, false);
        if (found != NULL)
            merge(out, found);
        pthread_mutex_unlock(&lane->lock);
    }
    pthread_mutex_unlock(&tally->taken_lock);
}
