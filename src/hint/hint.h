/* hint.h - what an agent could be told about a person: one member of a domain in one sentence.
 *
 * A card holds the hints of one person in one domain, with everything about them that does not
 * depend on who asks for what: contradictions are settled, values ranked, and the tokens of every
 * length a hint can have are counted. It is made when something is written and kept with the
 * record as text, so that reading counts nothing. Pure. */
#ifndef HINT_HINT_H
#define HINT_HINT_H

#include "base/str.h"
#include "domain/domain.h"

struct arena;
struct atom;
struct buf;

#define HINT_ONE 65536 /* of weights and scores */

/* Which sentence, where it is none of those for single values: made from a pattern; and of an
 * object that has only one property. */
#define HINT_FROM_PATTERN (-1)
#define HINT_OF_ONE (-2)

struct hint_value {
    struct str shown; /* as it stands in a sentence, but for quotation marks */
    struct str json;  /* as it is kept; absent: `shown` as a JSON string */
    bool quote;       /* could be mistaken for more than a name: always in quotation marks */
};

/* A length of a hint: how many of its values it names, and the tokens that costs. "Last" is the
 * count without the line's end, which some endings share a token with ("C++.\n"). */
struct hint_level {
    int items;
    int text, text_last;
    int strong, strong_last; /* with the member's emphasis */
    int bullet, bullet_last;
};

struct hint {
    const struct member *member;
    int sentence;                    /* of member->hint.values, or HINT_FROM_PATTERN … */
    int32_t score;                   /* of its best value: how well founded, how recent */
    int total;                       /* values there are to tell */
    int without_hint;                /* facts of the member that have no hint: too many */
    bool is_long;                    /* even with its fewest values, and not critical */
    const struct hint_value *values; /* best first; as many as the longest level or JSON names */
    size_t value_count;
    const struct hint_level *levels; /* each naming more than the one before; at least one */
    size_t level_count;
    struct str encoded; /* values and levels as the card has them, until hint_open() */
    uint8_t digits;     /* of a count there */
};

struct hint_set {
    const struct domain *domain;
    int heading;        /* tokens of the domain's line above bullets */
    struct hint *hints; /* in the order of the definition's members */
    size_t count;
};

/* From all atoms of the domain, in any order. */
void hint_set_make(struct arena *mem, const struct domain *domain, const struct atom *atoms,
                   size_t count, struct hint_set *out);

/* As one text, and back. False: made from another definition, by another version, or damaged. The
 * card points into the text; of a hundred hints a question tells five, so values and levels of a
 * hint are there only after hint_open(). */
struct str hint_set_write(struct arena *mem, const struct hint_set *set);
bool hint_set_read(struct arena *mem, const struct domain *domain, struct str text,
                   struct hint_set *out);

/* Does nothing where they are there already. */
void hint_open(struct arena *mem, struct hint *hint);

#endif
