/* hint_rank.h - which facts are told, and which first.
 *
 * Whole numbers only and no clock: how recent a fact is counts from the newest one of its domain,
 * so the same facts give the same bytes on every machine and on every day. Pure. */
#ifndef HINT_HINT_RANK_H
#define HINT_HINT_RANK_H

#include "model/atom.h"

struct ranked {
    const struct atom *atom;
    const struct member *member;
    int32_t score; /* 0 to HINT_ONE */
};

/* The active facts that can be told, in the order of the definition's members, the best of each
 * first. Of two that contradict each other one is left out, and so is what an app once guessed and
 * nobody has repeated for long. */
size_t hint_rank(struct arena *mem, const struct domain *domain, const struct atom *atoms,
                 size_t count, struct ranked **out);

#endif
