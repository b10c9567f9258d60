/* value_trim.h - removes what people write around a value: "severe", "I love", "btw", "🍕".
 *
 * The definition of a member lists its phrases; hedges and chat are the same for all members that
 * do not hold names. What is left has at least one word.
 *
 * Pure; results point into the text. Any thread may call it. */
#ifndef VALUE_VALUE_TRIM_H
#define VALUE_VALUE_TRIM_H

#include "domain/domain.h"

/* Without spaces, hyphens, and punctuation at both ends. */
struct str value_trim_ends(struct str text);

/* "shellfish (severe)": a remark in parentheses describes the value. */
struct str value_trim_remark(struct str text);

/* Removes one phrase of the list, which is separated by commas, from the start or the end. False:
 * none is there, or no word would be left. */
bool value_trim_filler(struct str *text, struct str list, bool at_end);

/* Removes one hedge, one word of chat, or one emoji. */
bool value_trim_fillers(const struct member *member, struct str *text);

/* Removes one phrase of the member, or one filler, from either end. False: there is none, or no
 * word would be left. */
bool value_trim_one_phrase(const struct member *member, struct str *text);

/* Without spaces, periods, commas, and exclamation marks at the end. */
struct str value_trim_marks(struct str text);

/* "nothing" of "nothing right now". */
struct str value_trim_time(struct str text);

#endif
