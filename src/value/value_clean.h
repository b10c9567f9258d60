/* value_clean.h - finds the value in what a user or an app wrote.
 *
 * "Severe peanut allergy" in the member for allergies is the value peanuts, "I eat everything" is
 * no diet, and "milk, eggs and soy" are three values. Works on members with a vocabulary, with
 * phrases to trim, or with a sentence for "none". Other members keep every text: "Earth, Wind &
 * Fire" is one artist.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef VALUE_VALUE_CLEAN_H
#define VALUE_VALUE_CLEAN_H

#include "domain/domain.h"
#include "domain/value_text.h"

/* Sets *key and, if the text is another wording of the value, *shown. `text` has single spaces and
 * no invisible characters. False: too many combining marks on one letter. */
bool value_clean(struct arena *mem, const struct member *member, struct str text, struct str *shown,
                 struct str *key);

/* Whether the text names nothing and denies nothing: "unknown", "not sure", "yes". */
bool value_is_no_answer(struct arena *mem, struct str text);

/* Splits a list of values written as one text into its parts, without what only describes them:
 * "no nuts, severe allergy" is nuts. Returns 1 and the text itself if it is one value. */
size_t value_parts(struct arena *mem, const struct member *member, struct str text,
                   struct str **out);

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
