/* hint_dangers.h - compares statements about allergies with the other facts.
 *
 * Users state an allergy in their own words, besides or instead of the member for it. Hints contain
 * it once, and no favorite that contains the allergen. Pure; scratch memory comes from `mem`. Any
 * thread may call them. */
#ifndef HINT_HINT_DANGERS_H
#define HINT_HINT_DANGERS_H

#include "value/statement.h"
#include "domain/named_values.h"
#include "domain/value_text.h"
#include "model/atom.h"

/* The text of a fact, and the values of its member's vocabulary that the text names. */
struct dish {
    struct str text;
    struct named_values named;
};

/* A fact that can become a hint, with what decides its place. It points into the caller's facts. */
struct ranked {
    const struct atom *atom;
    const struct member *member;
    int32_t score;           /* 0 to HINT_ONE; -1: it is left out */
    enum concern concern;    /* of a statement */
    bool sensitive;          /* a statement about health, or personal_statement() */
    bool decides;            /* a statement that says what the user wants: statement_decides() */
    const struct dish *dish; /* NULL until hint_dish() has read it */
};

/* The member for the most serious dangers, such as allergies. NULL: the domain has none. */
const struct member *hint_gravest_member(const struct domain *domain);

/* The text of a fact; "" if it is none. */
struct str hint_fact_text(struct arena *mem, const struct atom *atom);

/* Read once for each fact, because it is compared with everything that the user avoids. The member
 * has a vocabulary. */
const struct dish *hint_dish(struct arena *mem, struct ranked *fact);

/* Sets the score of facts to leave out to -1: denials of one allergy ("no peanut allergy"), which
 * are neither an allergy nor the lack of any; of a statement and the typed fact that says the same,
 * the less serious one, or the statement; preferences for what contains an allergen that only a
 * statement names. */
void hint_dangers_resolve(struct arena *mem, const struct domain *domain, struct ranked *facts,
                          size_t count);

#endif
