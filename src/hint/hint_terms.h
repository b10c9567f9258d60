/* hint_terms.h - words of a task and of facts, reduced to terms that can be compared quickly.
 *
 * A term is a hash of a word's stem: "restaurants" and "Restaurant" have the same term. Words that
 * say nothing about a topic ("find", "good", "today") have none. Two different words rarely share a
 * term; a wrong match only moves a hint forward.
 *
 * Pure; allocates nothing. Any thread may call it. */
#ifndef HINT_HINT_TERMS_H
#define HINT_HINT_TERMS_H

#include "base/str.h"

#define HINT_TERM_BITS 18
#define HINT_TERMS_MAX 63

/* A word of a hint, and the index of the value that contains it. */
struct hint_term {
    uint32_t hash;
    uint8_t value;
};

/* A set of terms. Words beyond HINT_TERMS_MAX are ignored. */
struct hint_terms {
    uint32_t list[HINT_TERMS_MAX];
    uint64_t filter[16]; /* bit n: there is a term whose low bits are n */
    size_t count;
};

static inline bool
hint_terms_has(const struct hint_terms *terms, uint32_t hash)
{
    if ((terms->filter[hash >> 6 & 15] >> (hash & 63) & 1) == 0)
        return false;
    for (size_t i = 0; i < terms->count; i++)
        if (terms->list[i] == hash)
            return true;
    return false;
}

/* Adds the words of a text: a sentence, a label ("restaurant_search"), or a name ("bookFlight"). */
void hint_terms_add(struct hint_terms *terms, struct str text);

#endif
