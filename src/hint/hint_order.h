/* hint_order.h - which hints concern a question, and in which order they are told.
 *
 * Critical ones first, whatever their domain; then domains take turns, so that each is heard once
 * before any is heard twice. Pure. */
#ifndef HINT_HINT_ORDER_H
#define HINT_HINT_ORDER_H

#include "hint/context.h"
#include "hint/hint.h"

enum hint_format { HINT_TEXT, HINT_JSON, HINT_BULLETS };

struct hint_query {
    const struct hint_set *hint_sets;    /* of the domains that may be told */
    size_t set_count;                    /* at most DOMAINS_MAX */
    uint64_t sensitive;                  /* bits by card: its sensitive members may be told, too */
    const struct context_match *context; /* not known: as if none was given */
    bool domains_named;                  /* who asks chose the domains: the context only ranks */
    enum hint_format format;
    int max_tokens;
};

/* One hint that may be told. */
struct rung {
    const struct hint_set *set;
    struct hint *hint;
    uint32_t rank;     /* lower is earlier: what waits, what excludes choices, what matters more */
    uint8_t tier;      /* 0 critical, 1 excludes choices, 2 the rest */
    uint8_t set_index; /* of the card in the question */
};

struct hint_order {
    struct rung *rungs; /* in the order in which they are told */
    size_t count;
    size_t critical;    /* so many at the front */
    int available;      /* hints that concern the question, whether they have a rung or not */
    int facts;          /* of theirs */
    uint64_t hint_sets; /* bits by card: it has one of them */
};

/* As many rungs as there are, but not more than `most` unless all of them are critical. */
void hint_order_make(struct arena *mem, const struct hint_query *query, size_t most,
                     struct hint_order *out);

#endif
