/* hint_pairs.h - writes an object value in words.
 *
 * "king bed, high floor, and non-smoking" where the definition has a phrase for each property;
 * otherwise names and values, "bed king, floor high". Pure; results are allocated from `mem`. Any
 * thread may call them. */
#ifndef HINT_HINT_PAIRS_H
#define HINT_HINT_PAIRS_H

#include "base/str.h"

struct arena;
struct json_value;
struct member;

/* Properties are in the definition's order. *count is their number. `by_app`: texts that are not
 * plainly names are quoted. */
struct str hint_pairs(struct arena *mem, const struct member *member,
                      const struct json_value *object, bool by_app, size_t *count);

bool hint_is_word_byte(char c); /* ASCII letters and digits, and all bytes above ASCII */

/* The length of the start of `rest` that repeats the last word of `value`: " music" after "world
 * music". */
size_t hint_overlap(struct str value, struct str rest);

#endif
