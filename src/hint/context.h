/* context.h - what an agent says it is doing, matched to domains.
 *
 * Agents send labels of their own making: "restaurant_search", "bookFlight", "dinner ideas for
 * tonight". Definitions name contexts, their aliases and keywords; an index of all of them is made
 * once, is read-only and shared between threads. Finding takes hash look-ups for each word of the
 * label, allocates nothing and does not fail: a label that means none of the domains is not known,
 * and then everything is as if there was no context. docs/DOMAINS.md says how labels are compared.
 */
#ifndef HINT_CONTEXT_H
#define HINT_CONTEXT_H

#include "domain/domain.h"

#define CONTEXT_MAX 128 /* bytes; longer ones are never known */

struct context_choice {
    const struct domain *domain;
    const struct context *context; /* NULL: the domain, no particular context of it */
};

struct context_match {
    bool known;
    size_t count; /* of different domains, in the order of their names; 0 if not known */
    struct context_choice list[DOMAINS_MAX];
};

struct context_index;

/* An index of the contexts of all domains, to be kept in domains->contexts. It points into the
 * domains, which must outlive it. */
const struct context_index *context_index_make(struct arena *mem, const struct domains *domains);

/* Any bytes will do. */
void context_find(const struct context_index *index, struct str text, struct context_match *out);

/* NULL: it does not match. */
const struct context_choice *context_chosen(const struct context_match *match,
                                            const struct domain *domain);

/* Whether a domain's critical members are told because a context of another domain is among its
 * safety_contexts. A domain that was chosen without a particular context counts as all of its. */
bool context_is_safety(const struct context_match *match, const struct domain *domain);

#endif
