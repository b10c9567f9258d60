/* shape.h - forms of values: what a person would write in a sentence where a value was typed.
 *
 * "80s" becomes "the 1980s", "golden retriever" "a golden retriever", "spanish" "Spanish", and
 * "wife" "their wife". Rules and short lists of exceptions decide; a text that no rule covers stays
 * as it is.
 *
 * Pure; results are allocated from `mem` or point into the text. Any thread may call it. */
#ifndef WORDING_SHAPE_H
#define WORDING_SHAPE_H

#include "domain/domain.h"

struct arena;

/* Whether the text fits into a sentence that needs the form. */
bool shape_fits(enum phrase_form form, struct str text);

/* Whether it has a subject or a verb of its own, or refers to something else: "keep it simple". "Be
 * healthy" is a goal. */
bool shape_is_clause(enum phrase_form form, struct str text);

/* Whether it is only the rest of a sentence where the form needs a thing: "with friends", "no
 * oven". */
bool shape_breaks_off(enum phrase_form form, struct str text);

/* Whether it is a clause without its subject, which says nothing as a value: "whatever my team
 * uses". */
bool shape_is_rest(const struct member *member, struct str text);

/* Whether it is no item of a list of frameworks or programs: "with rails", "moving to Vue", "no
 * points". */
bool shape_is_no_item(struct str text);

/* Whether it is somebody or something of the user, in small letters: "my brother's pub", not "my
 * bloody valentine". */
bool shape_is_own(struct str text);

/* As a goal, "stronger" is to get stronger, and "flexible" to be flexible. */
struct str shape_goal(struct arena *mem, struct str text);

/* "wife and 2 daughters" becomes "their wife and 2 daughters", "family of 5" "a family of 5". */
struct str shape_company(struct arena *mem, struct str text);

/* "us" becomes "the US", "Netherlands" "the Netherlands"; other names stay as they are. */
struct str shape_place(struct str text);

/* With "a" or "an" if it is a singular noun without a determiner: not "two cats", "my dog", "Rex",
 * or "dumbbells". */
struct str shape_with_article(struct arena *mem, struct str text);

/* "80s", "80's", and "the 1980s" become "the 1980s", "early 2000s" becomes "the early 2000s". */
struct str shape_decade(struct arena *mem, struct str text);

/* Capital letters for languages and nationalities. */
struct str shape_proper(struct arena *mem, struct str text);

#endif
