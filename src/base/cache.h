/* cache.h - bytes worth keeping, up to a ceiling.
 *
 * Who asks must be able to do without: what was not used for longest goes first, and anything may
 * be gone at any time. A key is 16 bytes that are as good as random. Everything counts against the
 * ceiling, the bookkeeping included. Safe from any thread; a value is copied in and out. */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include "base/str.h"

struct arena;
struct cache;

#define CACHE_KEY_BYTES 16

struct cache_key {
    unsigned char bytes[CACHE_KEY_BYTES];
};

struct cache *cache_new(size_t bytes_max); /* 0: keeps nothing */
void cache_free(struct cache *cache);      /* NULL is fine */

/* False: made to keep nothing, so that nobody needs to make a key. */
bool cache_enabled(const struct cache *cache);

/* Absent: not there. The copy is aligned for any type. */
struct str cache_get(struct cache *cache, struct arena *mem, const struct cache_key *key);

/* Takes the place of what the key held. A value too large to share the room with others is not
 * kept. */
void cache_put(struct cache *cache, const struct cache_key *key, struct str value);

struct cache_counts {
    uint64_t hits, misses, bytes, entries;
};
struct cache_counts cache_count(struct cache *cache);

#endif
