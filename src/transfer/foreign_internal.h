/* foreign_internal.h - the facts of a file while it is read. Private to the files of
 * foreign_file.h, which this header does not include, so that the include graph has no cycle. Facts
 * are in the arena `work`; one thread reads a file. */
#ifndef TRANSFER_FOREIGN_INTERNAL_H
#define TRANSFER_FOREIGN_INTERNAL_H

#include "value/value.h"
#include "transfer/foreign_kind.h"
#include "transfer/ranking.h"

#define FOREIGN_TOP 20 /* most values of one member from a service */

struct arena;
struct foreign_file;
struct foreign_params;

struct foreign_fact {
    const struct domain *domain;
    const struct member *member;
    struct str json; /* the value */
};

struct foreign_import {
    const struct foreign_params *params;
    struct arena *work; /* until the document is written */
    struct arena *row;  /* reset after each row */
    struct foreign_file *out;
    struct foreign_fact facts[FOREIGN_FACTS_MAX];
    size_t count;
};

/* The values in a text, which can be a list. False: the member does not accept it. */
bool foreign_values(struct arena *mem, const struct member *member, struct str text,
                    struct value **out, size_t *count);

/* Adds the facts of a text. False: no such member, an invalid value, or too many facts. */
bool foreign_add(struct foreign_import *import, const struct domain *domain,
                 const struct member *member, struct str text);

/* Adds the names of a ranking with at least this weight and count, heaviest first. */
void foreign_add_top(struct foreign_import *import, const char *domain, const char *member,
                     const struct ranking *ranking, int64_t least_weight, int64_t least_count);

/* Readers, by the first bytes of the text. *known is set if the text is theirs. */
enum foreign_problem foreign_spotify(struct foreign_import *import, struct str text, bool *known);
enum foreign_problem foreign_table(struct foreign_import *import, struct str text, bool *known);
enum foreign_problem foreign_memories(struct foreign_import *import, struct str text);

#endif
