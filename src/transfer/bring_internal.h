/* bring_internal.h - the facts of a file while it is read. Private to the files of bring.h, which
 * this header does not include, so that the include graph has no cycle. Facts are in the arena
 * `work`; one thread reads a file. */
#ifndef TRANSFER_BRING_INTERNAL_H
#define TRANSFER_BRING_INTERNAL_H

#include "value/value.h"
#include "transfer/bring_kind.h"
#include "transfer/ranking.h"

#define BRING_TOP 20 /* most values of one member from a service */

struct arena;
struct bring;
struct bring_params;

struct bring_fact {
    const struct domain *domain;
    const struct member *member;
    struct str json; /* the value */
};

struct bringing {
    const struct bring_params *params;
    struct arena *work; /* until the document is written */
    struct arena *row;  /* reset after each row */
    struct bring *out;
    struct bring_fact facts[BRING_FACTS_MAX];
    size_t count;
};

/* The values in a text, which can be a list. False: the member does not accept it. */
bool bring_values(struct arena *mem, const struct member *member, struct str text,
                  struct value **out, size_t *count);

/* Adds the facts of a text. False: no such member, an invalid value, or too many facts. */
bool bring_add(struct bringing *bringing, const struct domain *domain, const struct member *member,
               struct str text);

/* Adds the names of a ranking with at least this weight and count, heaviest first. */
void bring_add_top(struct bringing *bringing, const char *domain, const char *member,
                   const struct ranking *ranking, int64_t least_weight, int64_t least_count);

/* Readers, by the first bytes of the text. *known is set if the text is theirs. */
enum bring_problem bring_spotify(struct bringing *bringing, struct str text, bool *known);
enum bring_problem bring_table(struct bringing *bringing, struct str text, bool *known);
enum bring_problem bring_memories(struct bringing *bringing, struct str text);

#endif
