/* hint_lengths.h - how many values each length of a hint names.
 *
 * That follows from the definition and from how many values there are, so a card does not keep it.
 * Pure. */
#ifndef HINT_HINT_LENGTHS_H
#define HINT_HINT_LENGTHS_H

#include "domain/domain.h"

/* How many the shortest one names, and the one behind the one that names `items`; 0: there is
 * none. The longest names no more values than are kept. */
int hint_fewest_items(const struct member *member, int total);
int hint_more_items(const struct member *member, int total, int items);

/* How many lengths there are: at least one, at most HINT_LENGTHS_MAX. */
#define HINT_LENGTHS_MAX 96
size_t hint_length_count(const struct member *member, int total);

/* How many values of `total` the longest one or JSON names. */
size_t hint_value_limit(const struct member *member, int total);

#endif
