/* ranking.h - adds up weights by name, and returns the heaviest: artists by listening time.
 *
 * Names are copied into the arena, once each. At most RANKING_NAMES_MAX names are counted; further
 * new ones are ignored. Not thread-safe. */
#ifndef TRANSFER_RANKING_H
#define TRANSFER_RANKING_H

#include "base/str.h"

struct arena;
struct ranking;

#define RANKING_NAMES_MAX 32768
#define RANKING_NAME_MAX 200 /* bytes; longer names are ignored */

struct ranking_row {
    struct str name;
    int64_t weight;
    int64_t count; /* how often it was added */
};

struct ranking *ranking_new(struct arena *mem);
void ranking_add(struct ranking *ranking, struct str name, int64_t weight);

/* The rows with at least this weight and count, heaviest first, then in the order in which they
 * were added. Returns how many of `most` there are. */
size_t ranking_top(const struct ranking *ranking, int64_t least_weight, int64_t least_count,
                   struct ranking_row *out, size_t most);

#endif
