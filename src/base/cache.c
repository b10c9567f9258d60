/* cache.c - sixteen independent shards, each a hash table with chaining and a list in order of use.
 *
 * The first byte of a key selects the shard, its last eight bytes the slot, so the two choices are
 * independent. A shard has a sixteenth of the memory and one lock, which is held also while a value
 * is copied out: another thread may free the entry as soon as it is released. Tables grow and never
 * shrink; their bytes count toward the maximum like those of entries. */
#include "base/cache.h"

#include "base/arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS 16          /* each with its own lock, to reduce contention */
#define SLOTS_FIRST 64     /* of a shard's table; doubled as it fills */
#define MALLOC_OVERHEAD 16 /* approximate allocator overhead per block */
#define SHARE_OF_SHARD 8   /* a value may take an eighth of its shard */

/* In two lists at once: that of its slot, to be found, and that of its shard, by age. */
struct entry {
    struct entry *next_in_slot;
    struct entry *newer, *older;
    struct cache_key key;
    size_t length;
    _Alignas(16) char value[];
};

/* A part of the cache with a lock of its own, so that threads rarely wait for each other. Every
 * entry is in the list from `newest` to `oldest`, from whose end entries are evicted. */
struct shard {
    pthread_mutex_t lock;
    struct entry **slots;
    size_t slot_count; /* a power of two */
    size_t entries;
    size_t bytes; /* entries and slots */
    struct entry *newest, *oldest;
    uint64_t hits, misses;
};

struct cache {
    size_t shard_max;
    struct shard shards[SHARDS];
};

/* bytes_max = 0 makes a cache that stores nothing. */
struct cache *
cache_new(size_t bytes_max)
{
    struct cache *cache = memory_alloc(1, sizeof *cache);
    cache->shard_max = bytes_max / SHARDS;
    for (size_t i = 0; i < SHARDS; i++)
        pthread_mutex_init(&cache->shards[i].lock, NULL);
    return cache;
}

/* No thread may use the cache any more. */
void
cache_free(struct cache *cache)
{
    if (cache == NULL)
        return;
    for (size_t i = 0; i < SHARDS; i++) {
        struct entry *next;
        for (struct entry *at = cache->shards[i].newest; at != NULL; at = next) {
            next = at->older;
            free(at);
        }
        free(cache->shards[i].slots);
        pthread_mutex_destroy(&cache->shards[i].lock);
    }
    free(cache);
}

/* ---- one shard, with its lock held ---- */

/* Keys are uniformly distributed, so their bytes serve as the hash. */
static struct shard *
shard_of(struct cache *cache, const struct cache_key *key)
{
    return &cache->shards[key->bytes[0] % SHARDS];
}

/* Keys are fingerprints, so some of their bytes are a good hash. The shard is chosen by other
 * bytes. */
static struct entry **
slot_of(struct shard *shard, const struct cache_key *key)
{
    uint64_t hash;
    memcpy(&hash, key->bytes + 8, sizeof hash);
    return &shard->slots[hash & (shard->slot_count - 1)];
}

static size_t
size_of(const struct entry *entry)
{
    return sizeof *entry + entry->length + MALLOC_OVERHEAD;
}

/* Call with the lock of the shard held. */
static struct entry *
find(struct shard *shard, const struct cache_key *key)
{
    if (shard->slot_count == 0)
        return NULL;
    struct entry *at = *slot_of(shard, key);
    while (at != NULL && memcmp(&at->key, key, sizeof *key) != 0)
        at = at->next_in_slot;
    return at;
}

/* Removes the entry from the list in order of use, but not from its slot. */
static void
unlink_use(struct shard *shard, struct entry *entry)
{
    *(entry->newer == NULL ? &shard->newest : &entry->newer->older) = entry->older;
    *(entry->older == NULL ? &shard->oldest : &entry->older->newer) = entry->newer;
}

/* The entry becomes the newest of its shard. */
static void
link_newest(struct shard *shard, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = shard->newest;
    *(shard->newest == NULL ? &shard->oldest : &shard->newest->newer) = entry;
    shard->newest = entry;
}

/* The entry must be in a slot and in the list. Frees it. */
static void
drop(struct shard *shard, struct entry *entry)
{
    struct entry **at = slot_of(shard, &entry->key);
    while (*at != entry)
        at = &(*at)->next_in_slot;
    *at = entry->next_in_slot;
    unlink_use(shard, entry);
    shard->entries--;
    shard->bytes -= size_of(entry);
    free(entry);
}

/* Each entry is also in the list, so walking the list rehashes the whole table. */
static void
grow(struct shard *shard)
{
    struct entry **before = shard->slots;
    size_t count = shard->slot_count == 0 ? SLOTS_FIRST : shard->slot_count * 2;
    shard->bytes += (count - shard->slot_count) * sizeof *before;
    shard->slots = memory_alloc(count, sizeof *before);
    shard->slot_count = count;
    for (struct entry *at = shard->newest; at != NULL; at = at->older) {
        struct entry **slot = slot_of(shard, &at->key);
        at->next_in_slot = *slot;
        *slot = at;
    }
    free(before);
}

/* ---- for callers ---- */

/* A hit moves the entry to the front, unless it is there already. */
struct str
cache_get(struct cache *cache, struct arena *mem, const struct cache_key *key)
{
    struct shard *shard = shard_of(cache, key);
    struct str value = STR_NONE;
    pthread_mutex_lock(&shard->lock);
    struct entry *entry = find(shard, key);
    if (entry == NULL) {
        shard->misses++;
    } else {
        shard->hits++;
        char *copy = arena_alloc(mem, entry->length + 1);
        memcpy(copy, entry->value, entry->length);
        value = (struct str){ copy, entry->length };
        if (entry != shard->newest) {
            unlink_use(shard, entry);
            link_newest(shard, entry);
        }
    }
    pthread_mutex_unlock(&shard->lock);
    return value;
}

/* Does not change the age of the entry, and counts no hit. */
bool
cache_has(struct cache *cache, const struct cache_key *key)
{
    struct shard *shard = shard_of(cache, key);
    pthread_mutex_lock(&shard->lock);
    bool found = find(shard, key) != NULL;
    pthread_mutex_unlock(&shard->lock);
    return found;
}

/* A value that would take too large a part of a shard is not stored, since it would evict too
 * much. */
void
cache_put(struct cache *cache, const struct cache_key *key, struct str value)
{
    struct shard *shard = shard_of(cache, key);
    if (sizeof(struct entry) + value.len + MALLOC_OVERHEAD > cache->shard_max / SHARE_OF_SHARD)
        return;
    /* Allocated and filled before the lock is taken, so that other threads do not wait for it. */
    struct entry *entry = malloc(sizeof *entry + value.len);
    if (entry == NULL)
        return; /* best effort: not cached */
    entry->key = *key;
    entry->length = value.len;
    memcpy(entry->value, value.ptr, value.len);
    pthread_mutex_lock(&shard->lock);
    struct entry *before = find(shard, key);
    if (before != NULL)
        drop(shard, before);
    if (shard->entries >= shard->slot_count)
        grow(shard);
    struct entry **slot = slot_of(shard, key);
    entry->next_in_slot = *slot;
    *slot = entry;
    link_newest(shard, entry);
    shard->entries++;
    shard->bytes += size_of(entry);
    /* Never evicts the new entry itself, even if the table alone exceeds the maximum. */
    while (shard->bytes > cache->shard_max && shard->oldest != entry)
        drop(shard, shard->oldest);
    pthread_mutex_unlock(&shard->lock);
}

bool
cache_enabled(const struct cache *cache)
{
    return cache->shard_max > 0;
}

/* Shards are read one after another, while others change; for metrics this is enough. */
struct cache_counts
cache_count(struct cache *cache)
{
    struct cache_counts counts = { 0 };
    for (size_t i = 0; i < SHARDS; i++) {
        struct shard *shard = &cache->shards[i];
        pthread_mutex_lock(&shard->lock);
        counts.hits += shard->hits;
        counts.misses += shard->misses;
        counts.bytes += shard->bytes;
        counts.entries += shard->entries;
        pthread_mutex_unlock(&shard->lock);
    }
    return counts;
}
