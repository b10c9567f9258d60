/* value_remark.h - what people write beside a danger: how bad it is ("severe allergy"), what it
 * does
 * ("makes my mouth itch"), what helps ("carry an EpiPen"), and what is not meant ("prawns are ok").
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef VALUE_VALUE_REMARK_H
#define VALUE_VALUE_REMARK_H

#include "value/value_words.h"

/* Whether a part of a list only describes another part of it. */
bool value_is_remark(struct arena *mem, const struct member *member, struct str text);

/* "Olives" of a text that only says that the user does not like them: "I don't like olives".
 * Absent: it says something else. */
struct str value_disliked(struct arena *mem, const struct member *member, struct str text);

/* Whether the i-th word is about a reaction and thus no content: "upset", "stomach". */
bool value_word_describes(const struct words *words, size_t i);

/* Makes fillers of the clauses that say what is not meant, after a clause that names something:
 * "eggs, but baked is ok". The words must be marked by value_words_name(). */
void value_words_set_aside(struct words *words);

#endif
