/* value_none.h - what a text denies, and what it names.
 *
 * "No known allergies" means that there is none. "No shellfish because of allergies" names
 * shellfish. Both are negations, so a text means "none" only if it consists of nothing but words
 * of closed lists: negations, general words such as "known" and "allergies", and fillers. Every
 * other text keeps its content. In doubt a text is not "none": a wrong "none" can harm.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef VALUE_VALUE_NONE_H
#define VALUE_VALUE_NONE_H

#include "domain/domain.h"
#include "value/value_words.h"

struct arena;

/* Whether the member's sentence for "none" denies what a word of this kind names: allergies, a
 * diet.
 */
bool value_is_about(const struct member *member, enum word_kind head);

/* Whether the text says that the user has none of what the member lists. */
bool value_means_none(struct arena *mem, const struct member *member, struct str text);

/* Whether the text has a negation, or too many words to decide. */
bool value_has_negation(struct arena *mem, struct str text);

/* Whether the text denies one value of the member: "no peanut allergy", "not to peanuts". */
bool value_is_denial(struct arena *mem, const struct member *member, struct str text);

/* The values of the vocabulary that a text names, as parts of the text, if its other words add
 * nothing: "absolutely no nuts or shrimp!" names nuts and shrimp. 0: it says more, it denies, or it
 * names more than `max`. */
size_t value_named(struct arena *mem, const struct member *member, struct str text, struct str *out,
                   size_t max);

/* Whether the value plainly says that the user does not have one of what the member lists, or not
 * any more, and names nothing else: "no peanut allergy", not "no nuts, allergy" or "no nuts
 * allergy"; "used to be allergic to milk". */
bool value_denies(struct arena *mem, const struct member *member, struct str value);

#endif
