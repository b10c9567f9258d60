/* ranking.c - names with weights, of which the heaviest are wanted. The hash table grows with the
 * number of names. */
#include "transfer/ranking.h"

#include "base/arena.h"

#define SLOTS_FIRST 256

/* A hash table of names with open addressing; `rows` has them in a stable order. */
struct ranking {
    struct arena *mem;
    struct ranking_row *rows; /* in the order in which they were added */
    size_t count, room;
    uint32_t *slots; /* index of a row plus 1; 0: free */
    size_t slot_count;
};

struct ranking *
ranking_new(struct arena *mem)
{
    struct ranking *ranking = ARENA_NEW(mem, struct ranking);
    ranking->mem = mem;
    return ranking;
}

/* FNV-1a with linear probing. Names come from the user's own file, and their number is bounded, so
 * collisions harm no one else. */
static size_t
slot_of(const struct ranking *ranking, struct str name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < name.len; i++)
        hash = (hash ^ (unsigned char)name.ptr[i]) * 0x100000001b3u;
    size_t slot = (size_t)(hash ^ hash >> 32) & (ranking->slot_count - 1);
    while (ranking->slots[slot] != 0 && !str_eq(ranking->rows[ranking->slots[slot] - 1].name, name))
        slot = (slot + 1) & (ranking->slot_count - 1);
    return slot;
}

/* At most half of the slots are in use. */
static void
make_room(struct ranking *ranking)
{
    if (ranking->count < ranking->room)
        return;
    size_t room = ranking->room == 0 ? SLOTS_FIRST / 2 : ranking->room * 2;
    ranking->rows = arena_grow(ranking->mem, ranking->rows, ranking->count * sizeof *ranking->rows,
                               room * sizeof *ranking->rows);
    ranking->room = room;
    ranking->slot_count = room * 2;
    ranking->slots =
        /* Nothing is copied: all positions change with the number of slots. */
        arena_grow(ranking->mem, ranking->slots, 0, ranking->slot_count * sizeof(uint32_t));
    memset(ranking->slots, 0, ranking->slot_count * sizeof(uint32_t));
    for (size_t i = 0; i < ranking->count; i++)
        ranking->slots[slot_of(ranking, ranking->rows[i].name)] = (uint32_t)(i + 1);
}

/* Names beyond RANKING_NAMES_MAX are dropped, so a file with millions of names needs no more
 * memory. */
void
ranking_add(struct ranking *ranking, struct str name, int64_t weight)
{
    if (name.len == 0 || name.len > RANKING_NAME_MAX)
        return;
    make_room(ranking);
    size_t slot = slot_of(ranking, name);
    if (ranking->slots[slot] == 0) {
        if (ranking->count == RANKING_NAMES_MAX)
            return;
        ranking->rows[ranking->count] =
            (struct ranking_row){ .name = str_copy(ranking->mem, name) };
        ranking->slots[slot] = (uint32_t)++ranking->count;
    }
    struct ranking_row *row = &ranking->rows[ranking->slots[slot] - 1];
    row->weight += weight;
    row->count++;
}

/* Insertion into a short sorted list. Equal weights stay in their order, because a row moves only
 * past lighter ones. */
size_t
ranking_top(const struct ranking *ranking, int64_t least_weight, int64_t least_count,
            struct ranking_row *out, size_t most)
{
    size_t found = 0;
    for (size_t i = 0; i < ranking->count; i++) {
        const struct ranking_row *row = &ranking->rows[i];
        if (row->weight < least_weight || row->count < least_count)
            continue;
        size_t at = found;
        while (at > 0 && out[at - 1].weight < row->weight)
            at--;
        if (at == most)
            continue;
        size_t moved = found < most ? found - at : most - 1 - at;
        memmove(&out[at + 1], &out[at], moved * sizeof *out);
        out[at] = *row;
        found += found < most;
    }
    return found;
}
