/* value_text.h - normalized strings and number formatting for values and definitions.
 *
 * Pure functions; results are allocated from `mem`. Any thread may call them. */
#ifndef DOMAIN_VALUE_TEXT_H
#define DOMAIN_VALUE_TEXT_H

#include "domain/domain.h"

/* The value of a member without one: "none", "n/a", "no known allergies". */
#define VALUE_NONE STR("none")

/* The largest absolute value accepted; every integer up to it is exact in a double. */
#define VALUE_NUMBER_MAX 1e15

/* The form in which values, aliases and vocabularies are compared: case folded, trimmed, runs of
 * white space, '_' and '-' within the text replaced by one space, and apostrophes straight. Absent
 * if the text is not valid UTF-8 or has too many combining marks on one letter. */
struct str value_fold(struct arena *mem, struct str text);

/* The entry of the vocabulary, also by its singular or plural; NULL: none. */
const struct vocabulary_value *value_entry(struct arena *mem, const struct vocabulary *vocabulary,
                                           struct str folded);

/* Replaces each run of Unicode white space by one space and trims. The text must be valid UTF-8. */
struct str value_collapse_spaces(struct arena *mem, struct str text);

bool value_number_fits(double number);

/* The shortest decimal text that parses to the same number. value_number_fits() must be true. */
struct str value_number_text(struct arena *mem, double number);

/* Whether the text is exactly what value_number_text() writes for a number within the member's
 * bounds. */
bool value_is_number_text(const struct member *member, struct str text);

#endif
