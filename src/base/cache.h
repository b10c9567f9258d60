/* cache.h - an in-memory LRU cache with a maximum size.
 *
 * Best effort: the least recently used entries are evicted first, and any entry may be evicted at
 * any time. A key is 16 uniformly distributed bytes; its bytes serve as the hash. Bookkeeping
 * counts toward the maximum. Values are copied in and out. Safe from any thread. */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include "base/str.h"

struct arena;
struct cache;

#define CACHE_KEY_BYTES 16

struct cache_key {
    unsigned char bytes[CACHE_KEY_BYTES];
};

struct cache *cache_new(size_t bytes_max); /* 0: disabled */
void cache_free(struct cache *cache);      /* NULL is allowed */

/* False if bytes_max was 0; callers can then skip computing a key. */
bool cache_enabled(const struct cache *cache);

/* A copy in the arena, aligned for any type; absent if the key is not cached. */
struct str cache_get(struct cache *cache, struct arena *mem, const struct cache_key *key);

/* Whether the key is cached. Does not count as a use. */
bool cache_has(struct cache *cache, const struct cache_key *key);

/* Replaces the entry of this key. A value larger than an eighth of a shard is not stored. */
void cache_put(struct cache *cache, const struct cache_key *key, struct str value);

struct cache_counts {
    uint64_t hits, misses, bytes, entries;
};
struct cache_counts cache_count(struct cache *cache);

#endif
