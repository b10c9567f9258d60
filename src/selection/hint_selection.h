/* hint_selection.h - selects the hints that fit into a token budget.
 *
 * Selecting is a fixed sequence of steps: each adds a hint (a candidate of the order) or lengthens
 * one by a fact. No step removes anything, and the sequence does not depend on the budget, which
 * only ends it: before the first step that does not fit. So a larger budget never includes less.
 * Critical hints are the first steps. The rest of the budget is used for text other than facts.
 *
 * About 20 tokens per hint: below this average, hints grow before new ones are added. A step that
 * is long compared to what is selected already waits for shorter ones, so that little of a budget
 * stays unused, unless it never waits (struct candidate).
 *
 * Pure; results are allocated from `mem`. Any thread may call them. */
#ifndef SELECTION_HINT_SELECTION_H
#define SELECTION_HINT_SELECTION_H

#include "selection/hint_steps.h"

void hint_select(struct arena *mem, const struct hint_query *query, struct selection *out);

#endif
