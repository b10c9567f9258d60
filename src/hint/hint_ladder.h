/* hint_ladder.h - which hints fit into a budget.
 *
 * Hints are put in an order that does not depend on the budget, and are added and lengthened along
 * it, one fact at a time: the steps of a ladder. The budget picks the highest step that fits.
 * Nothing is ever taken back on the way up, so more budget never tells less, and what keeps a
 * person safe stands on the lowest steps. Pure. */
#ifndef HINT_HINT_LADDER_H
#define HINT_HINT_LADDER_H

#include "hint/hint_order.h"

/* A step: this hint is now told with that many values. */
struct step {
    uint32_t rung;
    uint16_t level;
    bool strong;    /* with its emphasis */
    bool keyed;     /* in JSON: as a member of its own, not in the summary alone */
    int cost;       /* of all that is told by then; in JSON not known */
    int hint_count; /* how many hints */
    bool safety;    /* all of them critical */
};

struct ladder {
    struct hint_order order;
    const struct rung *rungs; /* of the order */
    size_t rung_count;
    size_t allowed; /* no more of them can be told */
    const struct step *steps;
    size_t step_count; /* those that the budget could reach */
    size_t height;     /* all there would be */
};

/* Only as high as the budget could reach, by the number of hints. */
void hint_ladder_make(struct arena *mem, const struct hint_query *query, struct ladder *out);

/* How many hints the budget allows, whatever they cost. */
static inline int
hint_ladder_most(int max_tokens)
{
    return max_tokens / 20 > 1 ? max_tokens / 20 : 1;
}

#endif
