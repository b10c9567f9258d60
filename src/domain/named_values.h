/* named_values.h - the values of a vocabulary in the name of a dish: "peanut butter cookies"
 * contain peanuts.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef DOMAIN_NAMED_VALUES_H
#define DOMAIN_NAMED_VALUES_H

#include "domain/domain.h"

/* The values of a vocabulary that a dish names, from left to right. */
struct named_values {
    const struct vocabulary_value **list;
    size_t count;
};

/* The longest value at each position: "peanut butter" is no butter. */
void value_names(struct arena *mem, const struct vocabulary *vocabulary, struct str dish,
                 struct named_values *out);

/* Whether one of the values is or contains a food, which is a key of the vocabulary. */
bool named_values_contain(const struct named_values *named, struct str food);

/* Both in one: "peanut butter cookies" contain peanuts, "pad thai with shrimp" shellfish. */
bool value_contains(struct arena *mem, const struct vocabulary *vocabulary, struct str dish,
                    struct str food);

#endif
