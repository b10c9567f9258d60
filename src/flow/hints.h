/* hints.h - what an agent is told about a person. */
#ifndef FLOW_HINTS_H
#define FLOW_HINTS_H

#include "base/err.h"
#include "model/hint_answer.h"

struct arena;
struct db;
struct json;

#define HINTS_TOKENS_OTHERWISE 100
#define HINTS_TOKENS_MAX 4000

struct hints_wish {
    struct str user_id;
    struct str cards; /* as token_access() found them; absent: to be read */
    const struct domains *domains;
    uint64_t reach;     /* bits by place in `domains`: may be told */
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

enum err hints_read(struct db *db, struct arena *mem, const struct hints_wish *wish,
                    struct hints *out);

/* The same from cards that are at hand, each of a different domain. */
void hints_from_cards(struct arena *mem, const struct hints_wish *wish,
                      const struct hint_card *cards, size_t count, struct hints *out);

/* As the API answers. */
void hints_write(struct json *out, const struct hints_wish *wish, const struct hints *hints);

#endif
