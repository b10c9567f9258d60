/* nearest.h - finds the known word that a mistyped one probably means. Pure; any thread may call
 * them. */
#ifndef TEXT_NEAREST_H
#define TEXT_NEAREST_H

#include "base/str.h"

/* The number of characters (bytes) to insert, delete, replace, or swap with a neighbor to turn one
 * word into the other; words longer than NEAREST_MAX bytes differ by NEAREST_MAX. */
#define NEAREST_MAX 64
size_t nearest_distance(struct str a, struct str b);

/* Whether `typed` is close enough to `known` to suggest it: at most one difference in every three
 * characters. */
bool nearest_is_typo(struct str typed, struct str known);

#endif
