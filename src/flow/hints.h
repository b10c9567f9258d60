/* hints.h - what an agent is told about a person. */
#ifndef FLOW_HINTS_H
#define FLOW_HINTS_H

#include "base/err.h"
#include "hint/hint_answer.h"

struct arena;
struct db;
struct json;

#define HINTS_TOKENS_DEFAULT 100
#define HINTS_TOKENS_MAX 4000

struct hints_params {
    struct str user_id;
    struct str hint_sets; /* as token_access() found them; absent: to be read */
    const struct domains *domains;
    uint64_t allowed;   /* bits by place in `domains`: may be told */
    uint64_t sensitive; /* … their sensitive members, too */
    bool domains_named; /* the reach was chosen by who asks: the context only ranks inside it */
    struct str context; /* absent: none; at most CONTEXT_MAX bytes */
    enum hint_format format;
    int max_tokens;
};

struct hints {
    struct hint_answer answer;
    struct context_match match;
    uint64_t considered; /* bits by place in `domains` */
    bool renew;          /* a card had to be made from the facts: see renewal.h */
};

/* "text", "json", "bullets". */
bool hints_format_read(struct str name, enum hint_format *out);

enum err hints_read(struct db *db, struct arena *mem, const struct hints_params *params,
                    struct hints *out);

/* The same from cards that are at hand, each of a different domain. */
void hints_from_sets(struct arena *mem, const struct hints_params *params,
                     const struct hint_set *hint_sets, size_t count, struct hints *out);

/* As the API answers. */
void hints_write(struct json *out, const struct hints_params *params, const struct hints *hints);

#endif
