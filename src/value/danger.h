/* danger.h - what a text of the user says about things that can harm the user.
 *
 * A statement can name something that the user must not have: "peanuts could kill me". Word lists
 * decide. In doubt, what it names is a danger; what denies one is in value_none.h.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef VALUE_DANGER_H
#define VALUE_DANGER_H

#include "value/statement.h"

#define DANGERS_MAX 16 /* that one statement names */

struct dangers {
    struct str keys[DANGERS_MAX]; /* of the vocabulary */
    size_t count;
    bool allergies; /* not only intolerances */
    bool whole;     /* the statement says nothing else */
    bool alone;     /* nor is it about a condition, which says more than what it excludes */
};

/* Finds the values of the member's vocabulary that a statement of this concern names. False: none,
 * or it denies something. */
bool danger_in_statement(struct arena *mem, const struct member *member, enum concern concern,
                         struct str statement, struct dangers *out);

/* Whether a text that is about safety is about an allergy: "I carry an EpiPen". */
bool danger_is_allergy(struct arena *mem, struct str statement);

#endif
