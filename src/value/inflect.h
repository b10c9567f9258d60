/* inflect.h - forms of English words: what a person would write where a value was typed.
 *
 * For values that are put into a sentence: "bake bread" becomes "baking bread", "80s" becomes "the
 * 1980s", "golden retriever" becomes "a golden retriever", "spanish" becomes "Spanish". Rules and
 * short lists of exceptions decide; a text that no rule covers stays as it is.
 *
 * Pure; results are allocated from `mem` or point into the text. Any thread may call it. */
#ifndef VALUE_INFLECT_H
#define VALUE_INFLECT_H

#include "base/str.h"

struct arena;

/* Whether `many` is the plural of `one`; both are folded. */
bool inflect_is_plural_of(struct str many, struct str one);

/* Whether a noun in small letters looks like a plural: "dumbbells", not "bus" or "tennis". */
bool inflect_is_plural(struct str word);

/* The first word with "-ing": "bake bread" becomes "baking bread". */
struct str inflect_gerund(struct arena *mem, struct str text);

#endif
