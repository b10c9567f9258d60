/* hint_rank.h - selects the facts for hints and sorts them by score.
 *
 * Integers only and no clock: the age of a fact is relative to the newest fact of its domain, so
 * the same facts give the same bytes on every machine and every day. Pure; results are allocated
 * from `mem`. Any thread may call it. */
#ifndef HINT_HINT_RANK_H
#define HINT_HINT_RANK_H

#include "hint/hint_dangers.h"

/* Returns the number of active facts for hints, in the order of the definition's members, the best
 * of each member first, statements about safety before others, then those that say what the user
 * wants. Left out are: one of two
 * contradicting facts; of equal facts that exclude something, all but the most serious ("allergic
 * to peanuts" and "dislikes peanuts"), also if a statement says it; a preference for something that
 * contains an allergen; "no peanut allergy", which is none and no lack of any; "none"
 * or "alone" beside another value, or the other value; a fact from apps that has not been repeated
 * for a long time. */
size_t hint_rank(struct arena *mem, const struct domain *domain, const struct atom *atoms,
                 size_t count, struct ranked **out);

#endif
