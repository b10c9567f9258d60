/* hint_ladder.h - lists the selections from which a token budget picks one.
 *
 * The order of hints does not depend on the budget. Each step of the ladder adds a hint (a rung) or
 * lengthens one by a fact. The budget picks the highest step that fits. No step removes anything,
 * so a larger budget never includes less. Critical hints are on the lowest steps.
 *
 * Pure; results are allocated from `mem`. */
#ifndef HINT_HINT_LADDER_H
#define HINT_HINT_LADDER_H

#include "hint/hint_order.h"

/* One step: the rung is now included at this level. */
struct step {
    uint32_t rung;
    uint16_t level;
    bool strong;    /* with its emphasis */
    bool keyed;     /* in JSON: has its own key, in addition to the summary */
    int cost;       /* tokens of everything selected so far; not set for JSON */
    int hint_count; /* hints selected so far */
    bool safety;    /* all of them are critical */
};

struct ladder {
    struct hint_order order;
    const struct rung *rungs; /* of the order */
    size_t rung_count;
    size_t allowed; /* upper bound of rungs that can be selected */
    const struct step *steps;
    size_t step_count; /* steps the budget could reach */
    size_t height;     /* steps with an unlimited budget */
};

/* Builds only the steps that the budget could reach, judged by the number of hints. */
void hint_ladder_make(struct arena *mem, const struct hint_query *query, struct ladder *out);

/* The maximum number of hints for a budget, whatever their cost. */
static inline int
hint_ladder_most(int max_tokens)
{
    return max_tokens / 20 > 1 ? max_tokens / 20 : 1;
}

#endif
