/* hint_elsewhere.h - facts about safety that concern other domains than the one they were stated
 * in.
 *
 * An allergy to cashews matters to food, also if it was stated about daily life. What a domain's
 * own vocabulary names stays there: an allergy to dust does not matter to food. A fact that no
 * vocabulary names concerns the domains that know what contains what, such as food: in doubt it is
 * included. Pure; results are allocated from `mem`. Any thread may call these functions. */
#ifndef HINT_HINT_ELSEWHERE_H
#define HINT_HINT_ELSEWHERE_H

#include "hint/hint.h"

struct ranked;

/* When a hint set is made: whether a critical fact may concern another domain, and whether a fact
 * that excludes choices is also included in the safety contexts of its domain, because it would be
 * critical as a statement: a halal diet, no alcohol. */
bool hint_elsewhere_is_open(struct arena *mem, const struct domain *domain,
                            const struct ranked *fact);
bool hint_elsewhere_is_carried(struct arena *mem, const struct domain *domain,
                               const struct ranked *fact);

/* For a request: whether an open hint of the domain `of` concerns `other`. */
bool hint_elsewhere_concerns(struct arena *mem, const struct domains *domains,
                             const struct domain *of, struct hint *hint,
                             const struct domain *other);

/* For a request: leaves out what an open hint of another set contradicts: that there are no
 * allergies, and favorites that contain the allergen. */
void hint_elsewhere_resolve(struct arena *mem, const struct domains *domains, struct hint_set *sets,
                            size_t count);

#endif
