/* arena.h - memory that dies together.
 *
 * One arena serves one request (or one command). Everything made from it is valid until
 * arena_reset() or arena_free(), which also overwrite the bytes, since requests carry passwords and
 * tokens. Fresh memory is zero. Allocation does not fail: without memory the process says one line
 * and stops. Not for threads: one user at a time. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_reset(struct arena *arena);
void arena_free(struct arena *arena); /* NULL is fine */

/* Zeroed, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);

/* How many bytes it holds from the system now. */
size_t arena_size(const struct arena *arena);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))

void *arena_alloc_array(struct arena *arena, size_t count, size_t size);

/* For what must live longer than a request: zeroed, never NULL, freed with free(). */
void *memory_alloc(size_t count, size_t size);

#endif
