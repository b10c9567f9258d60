/* terms.h - words of a task and of facts, reduced to terms that can be compared quickly.
 *
 * A term is a hash of a word's stem: "restaurants" and "Restaurant" have the same term. Words that
 * say nothing about a topic ("find", "good", "today") have none. Two different words rarely share a
 * term; a wrong match only moves a hint forward.
 *
 * Pure; allocates nothing. Any thread may call it. */
#ifndef DOMAIN_TERMS_H
#define DOMAIN_TERMS_H

#include "base/str.h"

#define TERM_BITS 18
#define TERMS_MAX 63

/* A word of a hint, and the index of the value that contains it. */
struct term {
    uint32_t hash;
    uint8_t value;
};

/* A set of terms. Words beyond TERMS_MAX are ignored. */
struct terms {
    uint32_t list[TERMS_MAX];
    uint64_t filter[16]; /* bit n: there is a term whose low bits are n */
    size_t count;
};

static inline bool
terms_has(const struct terms *terms, uint32_t hash)
{
    if ((terms->filter[hash >> 6 & 15] >> (hash & 63) & 1) == 0)
        return false;
    for (size_t i = 0; i < terms->count; i++)
        if (terms->list[i] == hash)
            return true;
    return false;
}

/* Adds the words of a text: a sentence, a label ("restaurant_search"), or a name ("bookFlight"). */
void terms_add(struct terms *terms, struct str text);

#endif
