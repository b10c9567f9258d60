/* hint_units.h - token counts of the parts of a JSON object, computed when a hint set is made.
 *
 * The tokenizer splits text into pieces first, and no piece continues from punctuation into a word
 * or from a word into two punctuation characters. So an object's tokens are the sum of those of its
 * keys, values, and sentences, as long as these start and end with a letter or digit. Where they do
 * not, punctuation around them shares tokens with them, depending on what follows. The counts here
 * are the maximum over everything that can surround a part: their sum is never too low, and a
 * request need not run the tokenizer to know what fits.
 *
 * Pure; scratch memory is allocated from `mem`. Any thread may call them. */
#ifndef HINT_HINT_UNITS_H
#define HINT_HINT_UNITS_H

#include "hint/hint.h"

struct tokenizer_series;

#define HINT_OBJECT_TOKENS 1 /* of the braces around all domains, if there are any */
#define HINT_MERGE_TOKENS 1  /* between the values of two hints below the same key */

/* If all hints of a domain have exact counts, the sum of its parts is too high by at least this. */
#define HINT_EXACT_LESS 1

/* The domain's name and an empty summary. */
int hint_units_name(struct arena *mem, const struct domain *domain);

/* The key of a member and the punctuation around its values. */
int hint_units_key(struct arena *mem, const struct member *member);

/* A sentence as a part of a summary. The series counts the lengths of one hint, one after another.
 */
int hint_units_said(struct arena *mem, struct tokenizer_series *series, struct str sentence);

/* The first `items` values of a hint below its key, without the key. */
int hint_units_keyed(struct arena *mem, struct tokenizer_series *series, const struct hint *hint,
                     int items);

/* Whether hint_units_said() and hint_units_keyed() are exact for this length of a hint. */
bool hint_units_exact(struct arena *mem, const struct hint *hint, int items, struct str sentence);

/* The exact tokens of a key or of a domain's name alone, and of the punctuation after a part. The
 * punctuation between two parts is one token, except where it is listed here. */
enum hint_part { PART_SENTENCE, PART_ARRAY, PART_STRING, PART_RAW };
enum hint_ending { BEFORE_KEY, BEFORE_DOMAIN, AT_END };
enum hint_part hint_units_part(const struct member *member);
int hint_units_bare_name(const struct hint_set *set);
int hint_units_bare_key(const struct hint *hint);
int hint_units_close(enum hint_part part, enum hint_ending ending);

/* A value as JSON without its quotation marks; empty if it is no string. hint_units_exact() needs
 * plain ends of it: ASCII letters or digits. */
struct str hint_units_inside(const struct hint_value *value);
bool hint_units_has_plain_ends(struct str text);

/* Adds a value as JSON. */
struct json;
void hint_units_value(struct json *out, const struct hint_value *value);

#endif
