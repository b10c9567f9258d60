/* hint_ranked.h - a fact that can become a hint, with what decides its place. It points into the
 * caller's facts, and one thread uses it. */
#ifndef HINT_HINT_RANKED_H
#define HINT_HINT_RANKED_H

#include "value/statement.h"
#include "model/atom.h"

struct ranked {
    const struct atom *atom;
    const struct member *member;
    int32_t score;        /* 0 to HINT_ONE; -1: it is left out */
    enum concern concern; /* of a statement */
    bool decides;         /* a statement that says what the user wants: statement_decides() */
};

#endif
