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

struct chunk {
    struct chunk *next;
    size_t size;
    size_t used;
    max_align_t bytes[];
};

struct arena {
    struct chunk *current; /* the newest; the older ones after it are full */
};

static _Noreturn void
out_of_memory(size_t size)
{
    fprintf(stderr, "penchant: out of memory (asked for %zu bytes)\n", size);
    abort();
}

void *
memory_alloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        out_of_memory(size);
    return memory;
}

static struct chunk *
chunk_new(size_t size)
{
    struct chunk *chunk = memory_alloc(1, sizeof *chunk + size);
    chunk->size = size;
    ASAN_POISON_MEMORY_REGION(chunk->bytes, size);
    return chunk;
}

struct arena *
arena_new(void)
{
    struct arena *arena = memory_alloc(1, sizeof *arena);
    arena->current = chunk_new(FIRST_CHUNK);
    return arena;
}

void *
arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4)
        out_of_memory(size);
    size_t need = (size + REDZONE + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct chunk *chunk = arena->current;
    if (chunk->size - chunk->used < need) {
        size_t grown = chunk->size * 2;
        if (grown > LARGEST_KEPT)
            grown = LARGEST_KEPT;
        chunk = chunk_new(need > grown ? need : grown);
        chunk->next = arena->current;
        arena->current = chunk;
    }
    char *memory = (char *)chunk->bytes + chunk->used;
    chunk->used += need;
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
    return memory;
}

void *
arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        out_of_memory(SIZE_MAX);
    return arena_alloc(arena, total);
}

static void
chunk_wipe(struct chunk *chunk)
{
    ASAN_UNPOISON_MEMORY_REGION(chunk->bytes, chunk->used);
    explicit_bzero(chunk->bytes, chunk->used);
    chunk->used = 0;
    ASAN_POISON_MEMORY_REGION(chunk->bytes, chunk->size);
}

static void
chunk_free(struct chunk *chunk)
{
    chunk_wipe(chunk);
    ASAN_UNPOISON_MEMORY_REGION(chunk->bytes, chunk->size);
    free(chunk);
}

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
    if (keep == NULL)
        keep = chunk_new(FIRST_CHUNK);
    keep->next = NULL;
    arena->current = keep;
}

void
arena_free(struct arena *arena)
{
    if (arena == NULL)
        return;
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
    size_t total = 0;
    for (const struct chunk *chunk = arena->current; chunk != NULL; chunk = chunk->next)
        total += chunk->size;
    return total;
}
