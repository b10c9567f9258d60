/* arena.h - a region allocator: many allocations, freed together.
 *
 * One arena serves one request or one command. Memory from an arena is valid until arena_reset() or
 * arena_free(). Both overwrite it, because requests carry passwords and tokens. New memory is zero.
 * Allocation never fails: when the system has no memory, the process logs one line and aborts. An
 * arena with a limit remembers that it was exceeded; the loops that allocate as much as their input
 * demands check that and give up. Not thread-safe: only one thread may use an arena at a time. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_reset(struct arena *arena);
void arena_free(struct arena *arena); /* NULL is allowed */

/* Zeroed and aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);

/* Grows a block: allocates `size` bytes and moves the first `used` bytes of `old` there. `old` is
 * NULL or the result of arena_grow(), and invalid afterwards: a large one is freed at once. */
void *arena_grow(struct arena *arena, void *old, size_t used, size_t size);

/* Bytes currently allocated from the system. */
size_t arena_size(const struct arena *arena);

/* Memory that several arenas share. */
struct arena_budget {
    size_t max;
    _Atomic size_t used;
};

/* The first ARENA_OWN_BYTES of an arena are not taken from the budget. */
#define ARENA_OWN_BYTES ((size_t)64 * 1024)

/* Limits the arena to `max` bytes and to what is left of the budget; 0 and NULL: no limit. The
 * budget must outlive the arena. */
void arena_limit(struct arena *arena, size_t max, struct arena_budget *budget);

/* Takes memory that will be needed from the budget in advance. */
void arena_reserve(struct arena *arena, size_t bytes);

/* Whether the arena has exceeded a limit since the last arena_reset() or arena_limit(). */
enum arena_excess { ARENA_WITHIN_LIMITS, ARENA_OVER_MAX, ARENA_OVER_BUDGET };
enum arena_excess arena_excess(const struct arena *arena);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))

void *arena_alloc_array(struct arena *arena, size_t count, size_t size);

/* For data that outlives a request: zeroed, never NULL. Release it with free(). */
void *memory_alloc(size_t count, size_t size);

#endif
