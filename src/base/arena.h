/* arena.h - a region allocator: many allocations, freed together.
 *
 * One arena serves one request or one command. Memory from an arena is valid until arena_reset() or
 * arena_free(). Both overwrite it, because requests carry passwords and tokens. New memory is zero.
 * Allocation never fails: when the system has no memory, the process logs one line and aborts. Not
 * thread-safe: only one thread may use an arena at a time. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_reset(struct arena *arena);
void arena_free(struct arena *arena); /* NULL is allowed */

/* Zeroed and aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);

/* Bytes currently allocated from the system. */
size_t arena_size(const struct arena *arena);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))

void *arena_alloc_array(struct arena *arena, size_t count, size_t size);

/* For data that outlives a request: zeroed, never NULL. Release it with free(). */
void *memory_alloc(size_t count, size_t size);

#endif
