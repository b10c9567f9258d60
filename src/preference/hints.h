/* hints.h - builds the hints about a user that an agent may see. Results are allocated from `mem`.
 * Any thread may call these functions. */
#ifndef PREFERENCE_HINTS_H
#define PREFERENCE_HINTS_H

#include "base/err.h"
#include "selection/hint_answer.h"
#include "model/view.h"

struct arena;
struct db;
struct json;

#define HINTS_TOKENS_DEFAULT 100
#define HINTS_TOKENS_MAX 4000

struct hints_params {
    struct view view;
    struct str hint_sets; /* from token_access(); absent: read them here */
    const struct domains *domains;
    uint64_t allowed;   /* bits by index in `domains`: may be included */
    uint64_t sensitive; /* … with their sensitive members */
    bool domains_named; /* the caller named the domains: the context only ranks within them */
    struct str context; /* absent: none; at most CONTEXT_MAX bytes */
    struct str purpose; /* of the app: the context if there is none */
    bool general;       /* a context that matches nothing counts as none */
    enum hint_format format;
    int max_tokens;
};

struct hints {
    struct hint_answer answer;
    struct context_match match;
    uint64_t considered;         /* bits by index in `domains` */
    uint16_t named[DOMAINS_MAX]; /* facts that the hints name, by the same index */
    bool stale;                  /* a stale hint set was replaced by the atoms: see job/rebuild.h */
};

enum err hints_read(struct db *db, struct arena *mem, const struct hints_params *params,
                    struct hints *out);

/* The same from hint sets in memory, each of a different domain. */
void hints_from_sets(struct arena *mem, const struct hints_params *params,
                     const struct hint_set *hint_sets, size_t count, struct hints *out);

/* The name of the matched context; the domain's if only the domain matched; absent: none. */
struct str hints_matched(const struct hints *hints);

/* Writes the JSON of the API response, whole or without its braces. */
void hints_write(struct json *out, const struct hints_params *params, const struct hints *hints);
void hints_write_members(struct json *out, const struct hints_params *params,
                         const struct hints *hints);

#endif
