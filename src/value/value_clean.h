/* value_clean.h - finds the value in what a user or an app wrote.
 *
 * "Severe peanut allergy" in the member for allergies is the value peanuts, and "I eat everything"
 * is no diet. Works on members with a vocabulary, with phrases to trim, or with a sentence for
 * "none". Other members keep every text.
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

/* Whether the definition has a sentence for "none", so that the absence of values is a fact worth
 * storing. */
bool value_has_none(const struct member *member);

/* Whether the member lists what the user must not have. Its values are found in longer texts. */
bool value_lists_dangers(const struct member *member);

/* The entry of a text or of what trimming leaves of it, which *left is set to; NULL: none. */
const struct vocabulary_value *value_find(struct arena *mem, const struct member *member,
                                          struct str text, struct str *left);

/* The values that a text about dangers names; see value_named(). */
size_t value_find_named(struct arena *mem, const struct member *member, struct str text,
                        struct str *out, size_t max);

#endif
