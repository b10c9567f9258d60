/* danger.h - what a text of the user says about things that can harm the user.
 *
 * A value of a member for allergies can deny one: "no peanut allergy". A statement can name one:
 * "peanuts could kill me". Word lists decide. In doubt a text denies nothing, and what it names is
 * a danger.
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
    bool alone;     /* the statement says nothing else */
};

/* Whether the value plainly says that the user does not have one of what the member lists, and
 * names nothing else: "no peanut allergy", not "no nuts, allergy" or "no nuts allergy". */
bool danger_is_denied(struct arena *mem, const struct member *member, struct str value);

/* What a statement of this concern names of the member's vocabulary. False: nothing, or it denies
 * something. */
bool danger_in_statement(struct arena *mem, const struct member *member, enum concern concern,
                         struct str statement, struct dangers *out);

#endif
