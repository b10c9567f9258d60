/* hint_order.h - selects the hints that match a query and sorts them by importance.
 *
 * Critical hints come first, whatever their domain. Then domains take turns, so that each has one
 * hint before any has two. Within a domain: what excludes choices and matters to the context; what
 * shares words with the task; the user's statements and what the context depends on; the rest. In
 * each of these groups, facts that the user stated or accepted come before those of apps.
 *
 * The order does not depend on the budget or the format. It is computed as far as it is read. Pure;
 * results are allocated from `mem`. Any thread may call them. */
#ifndef SELECTION_HINT_ORDER_H
#define SELECTION_HINT_ORDER_H

#include "context/context_task.h"
#include "hint/hint.h"

enum hint_format { HINT_TEXT, HINT_JSON, HINT_BULLETS };

/* Hints that a query without a known context includes, besides domains that are always relevant. */
enum hint_fallback {
    HINT_EVERYTHING,  /* no context was given, or the caller wants the mix */
    HINT_ONLY_SAFETY, /* the context matches nothing: critical members that are not sensitive */
    HINT_NOTHING,     /* the context is about something else */
};

struct hint_query {
    const struct hint_set *hint_sets;    /* of the domains that the app may read */
    size_t set_count;                    /* at most DOMAINS_MAX */
    const struct domains *domains;       /* all that exist; NULL: facts concern only their own */
    uint64_t sensitive;                  /* bit n: sensitive members of the n-th set may be used */
    const struct context_match *context; /* not known: `fallback` decides */
    const struct terms *task;            /* of the context as written; NULL: none */
    enum hint_fallback fallback;
    bool domains_named; /* the request names domains: the context only ranks */
    enum hint_format format;
    int max_tokens;
};

/* One hint that may be included. */
struct candidate {
    const struct hint_set *set;
    struct hint *hint;
    uint32_t rank;     /* order within the domain, lowest first */
    uint8_t tier;      /* 0 critical, 1 excludes choices, 2 the rest */
    uint8_t set_index; /* index in query->hint_sets */
    uint8_t wanted;    /* the first values to name, because a word of the task is among them */
    bool never_waits;  /* keeps its place, however long it is */
};

/* The hints of one domain that are not critical. */
struct hint_queue {
    struct candidate *next, *end;
    uint32_t best;
};

struct hint_order {
    struct candidate *candidates; /* most important first, as far as fetched */
    size_t count;                 /* number of candidates fetched */
    size_t critical;              /* number of critical candidates, which come first */
    int available;                /* hints that match the query */
    int facts;                    /* of these hints, and like them without a hint */
    uint64_t hint_sets;           /* bit n: the n-th set has one of these hints */
    bool safety_withheld; /* a critical fact is not among the candidates: the context does not
                             concern it, it is sensitive, or there are too many statements */
    struct hint_queue queues[DOMAINS_MAX], always; /* private, as are those below */
    size_t queue_count, turn, round;
    size_t always_taken, others_taken;
    size_t long_after;
};

/* Finds the matching hints. Critical candidates are fetched. */
void hint_order_make(struct arena *mem, const struct hint_query *query, struct hint_order *out);

/* Fetches the next candidate. False: there are no more. */
bool hint_order_next(struct hint_order *order);

#endif
