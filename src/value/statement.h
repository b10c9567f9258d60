/* statement.h - statements: a user's own sentences, one value each.
 *
 * A member whose hint text puts {value} into a sentence of its own holds statements. Two statements
 * are equal if they differ only in case, punctuation, contractions, and filler words.
 *
 * Users state an allergy in their own words, not only in the member for allergies. A statement
 * about an allergy, an intolerance, a condition, a medication, a pregnancy, a physical limit, or a
 * religious or medical diet is as critical as such a member, in whatever words
 * (reading/statement_class.h).
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef VALUE_STATEMENT_H
#define VALUE_STATEMENT_H

#include "domain/domain.h"

struct arena;

enum concern {
    CONCERN_NONE,
    CONCERN_FOOD,    /* an allergy, an intolerance, or a religious diet */
    CONCERN_PRIVATE, /* a condition, a medication, a pregnancy, a physical limit: sensitive */
};

/* Whether the member holds statements. */
static inline bool
statement_holds(const struct member *member)
{
    return member->hint.for_each;
}

/* Whether the statement says what the user wants, needs, or refuses, and not only something about
 * the user: "I need a desk", and not "I was born in Chile". */
bool statement_decides(struct str key);

/* In a domain without critical members, the statement must be certain: "allergic to country music"
 * is no allergy. */
enum concern statement_concern(const struct domain *domain, struct str text);

/* Whether all that a private statement is about is what the user cannot do, such as climb stairs:
 * it does not matter to food. */
bool statement_is_physical(struct str text);

#endif
