/* hint_order.h - selects the hints that match a query and sorts them by importance.
 *
 * Critical hints come first, whatever their domain. Then domains take turns, so that each has one
 * hint before any has two. Pure; results are allocated from `mem`. */
#ifndef HINT_HINT_ORDER_H
#define HINT_HINT_ORDER_H

#include "hint/context.h"
#include "hint/hint.h"

enum hint_format { HINT_TEXT, HINT_JSON, HINT_BULLETS };

/* What a query without a known context includes, besides domains that are always relevant. */
enum hint_fallback {
    HINT_EVERYTHING,  /* no context was given, or the caller wants the mix */
    HINT_ONLY_SAFETY, /* the context matches nothing: critical members that are not sensitive */
    HINT_NOTHING,     /* the context is about something else */
};

struct hint_query {
    const struct hint_set *hint_sets;    /* of the domains that the app may read */
    size_t set_count;                    /* at most DOMAINS_MAX */
    uint64_t sensitive;                  /* bit n: sensitive members of the n-th set may be used */
    const struct context_match *context; /* not known: `fallback` decides */
    enum hint_fallback fallback;
    bool domains_named; /* the request names domains: the context only ranks */
    enum hint_format format;
    int max_tokens;
};

/* One hint that may be included. */
struct rung {
    const struct hint_set *set;
    struct hint *hint;
    uint32_t
        rank;     /* order within the domain, lowest first: is_long, tier, by_app, weight * score */
    uint8_t tier; /* 0 critical, 1 excludes choices, 2 the rest */
    uint8_t set_index; /* index in query->hint_sets */
};

struct hint_order {
    struct rung *rungs; /* most important first */
    size_t count;
    size_t critical;      /* number of critical rungs, which come first */
    int available;        /* hints that match the query, with or without a rung */
    int facts;            /* of these hints */
    uint64_t hint_sets;   /* bit n: the n-th set has one of these hints */
    bool safety_withheld; /* a critical hint matches but is sensitive, and the app may not see it */
};

/* Returns at most `most` rungs, or more if all of them are critical. */
void hint_order_make(struct arena *mem, const struct hint_query *query, size_t most,
                     struct hint_order *out);

#endif
