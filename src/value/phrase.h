/* phrase.h - the grammar of short values: whether a text fits into a sentence.
 *
 * A hint puts values into a sentence of the definition. A member can state the form that its
 * sentence needs: "while {list}" needs "running", not "when I run". Word lists decide, not a
 * parser: a text that does not plainly have the form is written into a looser sentence, in
 * quotation marks if it is a clause.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef VALUE_PHRASE_H
#define VALUE_PHRASE_H

#include "domain/domain.h"

bool phrase_fits(enum phrase_form form, struct str text);

/* Whether it continues something instead of naming it: "with friends". A name starts with a capital
 * letter: "Without Remorse". */
bool phrase_is_fragment(struct str text);

/* Whether it starts with a negation or names everything but something: "no oven". */
bool phrase_excludes(struct str text);

/* Whether it has a subject or a verb of its own: "I eat everything", "when it rains". */
bool phrase_is_clause(struct str text);

/* Whether it is a sentence about the speaker: "I want to see Iceland", not "I Am the Walrus" or
 * "I, Robot". */
bool phrase_is_speech(struct str text);

/* Whether it begins like the rest of a sentence: "whatever my team uses", "used to play cello". */
bool phrase_begins_clause(struct str text);

/* Whether it needs a plural around it: "earth tones", "jeans and shirts". `is_one`: it is known
 * that "and" is a part of it, as in "drum and bass". */
bool phrase_is_several(struct str text, bool is_one);

/* Whether it could continue the item before it or be continued by the item after it in a list: "and
 * then the user wants". */
bool phrase_reads_on(struct str text);

/* The same for what an app wrote and no vocabulary knows, which may be more often so: "no wait". */
bool phrase_is_part(struct str text);

/* "SENIOR ENGINEER" becomes "senior engineer"; "SRE" and "QA LEAD" have abbreviations. */
struct str phrase_without_capitals(struct arena *mem, struct str text);

/* "my dog Rex" becomes "their dog Rex". */
struct str phrase_third_person(struct arena *mem, struct str text);

#endif
