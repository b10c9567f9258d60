/* context.h - matches an agent's description of its task to domains and their contexts.
 *
 * Agents send free-form labels: "restaurant_search", "bookFlight", "dinner ideas for tonight".
 * Definitions list contexts, aliases and keywords, and a classifier knows the tasks of built-in
 * domains. docs/DOMAINS.md describes the matching rules.
 *
 * The index is built once, is read-only, and may be shared between threads. context_find() does a
 * few hash lookups for each word, adds up the weights of about ten features a word, allocates
 * nothing and cannot fail. */
#ifndef CONTEXT_CONTEXT_H
#define CONTEXT_CONTEXT_H

#include "domain/domain.h"

#define CONTEXT_MAX 2048 /* bytes; longer labels never match */

/* How much a member of a domain matters to the task, learned from examples: 0 if it does for half
 * of such tasks, and CONTEXT_SCORE_ONE more where it is 2.7 times as likely. */
#define CONTEXT_SCORED 64 /* members of a domain that can have one */
#define CONTEXT_SCORE_ONE 8
#define CONTEXT_NO_SCORE INT8_MIN /* not learned */

struct context_choice {
    const struct domain *domain;
    const struct context *context; /* NULL: the domain, without a specific context */
    const struct context *second;  /* about as likely as `context`; NULL: none is */
    bool by_name;                  /* the task is the context's name, and no more */
    bool scored;                   /* the scores are set: one of them at least is learned */
    int8_t scores[CONTEXT_SCORED]; /* in the order of the domain's members */
};

struct context_match {
    bool known;
    bool unrelated; /* not known, and about something else: money, a calendar, settings */
    size_t count;   /* distinct domains, sorted by name; 0 if not known */
    struct context_choice list[DOMAINS_MAX];
};

struct context_index;

/* Builds the index to be stored in domains->contexts. It is allocated from `mem` and points into
 * `domains`, which must outlive it. */
const struct context_index *context_index_make(struct arena *mem, const struct domains *domains);

/* A number that no other index of the process has. */
uint64_t context_index_serial(const struct context_index *index);

/* `text` may be any bytes. */
void context_find(const struct context_index *index, struct str text, struct context_match *out);

/* The same by names and keywords alone: for texts that are no tasks, such as statements. */
void context_find_by_words(const struct context_index *index, struct str text,
                           struct context_match *out);

/* NULL: the domain is not part of the match. */
const struct context_choice *context_chosen(const struct context_match *match,
                                            const struct domain *domain);

/* Whether a context of the match has one of these names. A domain matched without a context counts
 * as all of its contexts. */
bool context_is_among(const struct context_match *match, const struct str *names, size_t count);

/* Whether the domain's critical members must be included because the match contains one of its
 * safety_contexts from another domain. A domain matched without a context counts as all of its
 * contexts. In a domain without critical members and safety_contexts, only statements are critical;
 * they are included wherever a domain with critical members is matched. */
bool context_is_safety(const struct context_match *match, const struct domain *domain);

#endif
