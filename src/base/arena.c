/* arena.c - chunks from calloc(), linked from the newest to the oldest.
 *
 * Small blocks are cut from the newest chunk. Chunks double from 8 KiB to 64 KiB; an arena that
 * already has a megabyte grows by megabytes. A block above 64 KiB has a chunk of its own, which
 * arena_grow() frees early, so that a growing buffer does not keep all its earlier sizes.
 * arena_reset() keeps at most 64 KiB, so that a large request does not occupy memory for as long as
 * the process runs.
 *
 * Unused bytes are always zero: chunks come from calloc(), and used bytes are overwritten before
 * they are used again. Builds with AddressSanitizer make unused bytes inaccessible and leave a gap
 * after each block. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PENCHANT_ASAN
#include <sanitizer/asan_interface.h>
#define REDZONE                                                                       \
    ((size_t)32) /* so that a step past one allocation is seen, not only past a chunk \
                  */
#else
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define REDZONE ((size_t)0)
#endif

#define ALIGNMENT alignof(max_align_t)
#define FIRST_CHUNK ((size_t)8 * 1024)
#define LARGEST_KEPT ((size_t)64 * 1024)
#define LARGE_CHUNK ((size_t)1024 * 1024) /* of an arena that already has so much */

/* One block of memory from malloc(). Allocations are taken from its bytes, front to back. */
struct chunk {
    struct chunk *next;
    size_t size;
    size_t used;
    max_align_t bytes[];
};

struct arena {
    struct chunk *current; /* the newest; the older ones after it are full */
    size_t size;           /* of all chunks */
    size_t max;            /* 0: no limit */
    struct arena_budget *budget;
    size_t taken; /* from the budget */
    enum arena_excess excess;
};

static _Noreturn void
out_of_memory(size_t size)
{
    fprintf(stderr, "penchant: out of memory (asked for %zu bytes)\n", size);
    abort();
}

/* Zeroed. There is no error to return: without memory, the process ends. */
void *
memory_alloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        out_of_memory(size);
    return memory;
}

/* Poisoned for AddressSanitizer until parts of it are allocated. */
static struct chunk *
chunk_new(struct arena *arena, size_t size)
{
    struct chunk *chunk = memory_alloc(1, sizeof *chunk + size);
    chunk->size = size;
    arena->size += size;
    ASAN_POISON_MEMORY_REGION(chunk->bytes, size);
    return chunk;
}

/* With one chunk, so that `current` is never NULL. */
struct arena *
arena_new(void)
{
    struct arena *arena = memory_alloc(1, sizeof *arena);
    arena->current = chunk_new(arena, FIRST_CHUNK);
    return arena;
}

/* ARENA_OVER_MAX is not replaced: such a request is too large, whatever the others use. Bytes above
 * the maximum are counted nevertheless, so that return_budget() gives back exactly what was added.
 */
void
arena_reserve(struct arena *arena, size_t bytes)
{
    if (arena->budget == NULL)
        return;
    arena->taken += bytes;
    if (atomic_fetch_add(&arena->budget->used, bytes) + bytes > arena->budget->max &&
        arena->excess == ARENA_WITHIN_LIMITS)
        arena->excess = ARENA_OVER_BUDGET;
}

/* Takes from the budget what the arena has beyond its own bytes. */
static void
check_limits(struct arena *arena)
{
    if (arena->max != 0 && arena->size > arena->max)
        arena->excess = ARENA_OVER_MAX;
    if (arena->size > ARENA_OWN_BYTES + arena->taken)
        arena_reserve(arena, arena->size - ARENA_OWN_BYTES - arena->taken);
}

/* After this, the arena counts for no budget and has exceeded nothing. */
static void
return_budget(struct arena *arena)
{
    if (arena->taken > 0)
        atomic_fetch_sub(&arena->budget->used, arena->taken);
    arena->taken = 0;
    arena->excess = ARENA_WITHIN_LIMITS;
}

/* The memory that the arena has already counts for the new budget. max = 0 and no budget remove the
 * limits. */
void
arena_limit(struct arena *arena, size_t max, struct arena_budget *budget)
{
    return_budget(arena);
    arena->max = max;
    arena->budget = budget;
    check_limits(arena);
}

enum arena_excess
arena_excess(const struct arena *arena)
{
    return arena->excess;
}

/* A chunk with room for `need` bytes. A large block gets a chunk of its own after the current one,
 * which small blocks continue to fill. */
static struct chunk *
chunk_for(struct arena *arena, size_t need)
{
    struct chunk *current = arena->current;
    bool large = need > LARGEST_KEPT;
    size_t grown = current->size * 2;
    if (grown > LARGEST_KEPT)
        grown = arena->size < LARGE_CHUNK ? LARGEST_KEPT : LARGE_CHUNK;
    struct chunk *chunk = chunk_new(arena, large || need > grown ? need : grown);
    chunk->next = large ? current->next : current;
    if (large)
        current->next = chunk;
    else
        arena->current = chunk;
    check_limits(arena);
    return chunk;
}

/* Never returns NULL: without memory the process ends, so callers need no check. Under
 * AddressSanitizer, a red zone after each block finds overflows. */
void *
arena_alloc(struct arena *arena, size_t size)
{
    /* So that adding the red zone and rounding up cannot overflow. */
    if (size > SIZE_MAX / 4)
        out_of_memory(size);
    size_t need = (size + REDZONE + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct chunk *chunk = arena->current;
    if (chunk->size - chunk->used < need)
        chunk = chunk_for(arena, need);
    char *memory = (char *)chunk->bytes + chunk->used;
    chunk->used += need;
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
    return memory;
}

/* If count * size overflows, the process ends as without memory, instead of using a block that is
 * too small. */
void *
arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        out_of_memory(SIZE_MAX);
    return arena_alloc(arena, total);
}

/* Overwrites the used bytes and makes the chunk empty. explicit_bzero(), because the compiler may
 * remove a memset() before free(). */
static void
chunk_wipe(struct chunk *chunk)
{
    ASAN_UNPOISON_MEMORY_REGION(chunk->bytes, chunk->used);
    explicit_bzero(chunk->bytes, chunk->used);
    chunk->used = 0;
    ASAN_POISON_MEMORY_REGION(chunk->bytes, chunk->size);
}

/* Wiped, because malloc() may give the memory to a part of the program that shows it. */
static void
chunk_free(struct chunk *chunk)
{
    chunk_wipe(chunk);
    ASAN_UNPOISON_MEMORY_REGION(chunk->bytes, chunk->size);
    free(chunk);
}

/* Frees the chunk that has only this block, if there is one. */
static void
free_large(struct arena *arena, const void *block)
{
    for (struct chunk **at = &arena->current->next; *at != NULL; at = &(*at)->next) {
        struct chunk *chunk = *at;
        if ((const void *)chunk->bytes != block || chunk->size <= LARGEST_KEPT)
            continue;
        /* The arena's own bytes were never taken from the budget, so a chunk may give back less
         * than its size. */
        size_t given = chunk->size < arena->taken ? chunk->size : arena->taken;
        if (given > 0)
            atomic_fetch_sub(&arena->budget->used, given);
        arena->taken -= given;
        arena->size -= chunk->size;
        *at = chunk->next;
        chunk_free(chunk);
        return;
    }
}

/* The old block stays in the arena, except a large one, so growing a buffer step by step does not
 * keep every size. */
void *
arena_grow(struct arena *arena, void *old, size_t used, size_t size)
{
    void *grown = arena_alloc(arena, size);
    if (used > 0)
        memcpy(grown, old, used);
    /* Then the old block has a chunk of its own. */
    if (used > LARGEST_KEPT)
        free_large(arena, old);
    return grown;
}

/* Everything is overwritten, since requests contain passwords and tokens; one chunk stays, so that
 * the next request allocates nothing. */
void
arena_reset(struct arena *arena)
{
    /* Keeps one chunk, the newest that is not oversized: it is the size this work asks for. */
    struct chunk *keep = NULL;
    struct chunk *next;
    for (struct chunk *chunk = arena->current; chunk != NULL; chunk = next) {
        next = chunk->next;
        if (keep == NULL && chunk->size <= LARGEST_KEPT) {
            chunk_wipe(chunk);
            keep = chunk;
        } else {
            chunk_free(chunk);
        }
    }
    arena->size = keep == NULL ? 0 : keep->size;
    if (keep == NULL)
        keep = chunk_new(arena, FIRST_CHUNK);
    keep->next = NULL;
    arena->current = keep;
    return_budget(arena);
}

/* NULL is allowed. */
void
arena_free(struct arena *arena)
{
    if (arena == NULL)
        return;
    return_budget(arena);
    struct chunk *next;
    for (struct chunk *chunk = arena->current; chunk != NULL; chunk = next) {
        next = chunk->next;
        chunk_free(chunk);
    }
    free(arena);
}

size_t
arena_size(const struct arena *arena)
{
    return arena->size;
}
