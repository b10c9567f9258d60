/* hint_answer.h - selects and writes the hints for one query within its token budget.
 *
 * Pure; the result is allocated from `mem`. Any thread may call it. */
#ifndef SELECTION_HINT_ANSWER_H
#define SELECTION_HINT_ANSWER_H

#include "selection/hint_selection.h"

struct hint_answer {
    struct str hints;     /* JSON: an array of sentences, an object, or a string */
    int tokens;           /* of the sentences joined by line feeds, the object, or the string */
    int available;        /* hints that match the query */
    int omitted;          /* facts of these hints that are not named; "and 4 more" omits 4 */
    bool safety_complete; /* every critical fact of the hint sets is named */
    bool safety_cut;      /* a critical fact that matches the query did not fit */
    uint64_t hint_sets;   /* bit n: the n-th hint set of the query has a matching hint */
    uint16_t named[DOMAINS_MAX]; /* facts that the hints name, by hint set of the query */
    const struct selection *selected;
};

/* "text", "json", "bullets". */
bool hint_format_read(struct str name, enum hint_format *out);
struct str hint_format_name(enum hint_format format);

void hint_answer(struct arena *mem, const struct hint_query *query, struct hint_answer *out);

#endif
