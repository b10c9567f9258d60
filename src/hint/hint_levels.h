/* hint_levels.h - the lengths of a hint and the tokens of each.
 *
 * hint_fewest_items() and hint_more_items() of hint.h say which lengths there are. Pure; results
 * are allocated from `mem`. Any thread may call it. */
#ifndef HINT_HINT_LEVELS_H
#define HINT_HINT_LEVELS_H

#include "hint/hint.h"

/* Sets `levels`, `level_count`, and `is_long` of a hint whose values are known, and clears `exact`
 * and `plain` if a length is not. `list`: an opened hint of the same member that was made before;
 * tokens of plain values in it are not counted again. NULL: none. If a value is not plain, the work
 * is proportional to the square of the number of values. */
void hint_levels_make(struct arena *mem, struct hint *hint, const struct hint *list);

#endif
