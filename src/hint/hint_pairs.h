/* hint_pairs.h - an object of a few properties in words.
 *
 * "king bed, high floor, and non-smoking" where the definition has a phrase for each property;
 * otherwise its names and values, "bed king, floor high". Pure. */
#ifndef HINT_HINT_PAIRS_H
#define HINT_HINT_PAIRS_H

#include "base/str.h"

struct arena;
struct json_value;
struct member;

/* In the definition's order. `count` is how many properties there are. */
struct str hint_pairs(struct arena *mem, const struct member *member,
                      const struct json_value *object, size_t *count);

/* "world music" before " music": how much of `rest` a value's last word has said already. */
size_t hint_overlap(struct str value, struct str rest);

#endif
