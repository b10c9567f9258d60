/* hint_answer.h - hints for one question, within its budget. Pure. */
#ifndef HINT_HINT_ANSWER_H
#define HINT_HINT_ANSWER_H

#include "hint/hint_ladder.h"

struct hint_answer {
    struct str hints;     /* JSON: an array of sentences, an object, or a string */
    int tokens;           /* of the sentences joined by line's ends, the object, or the string */
    int available;        /* hints that concern the question */
    int omitted;          /* facts of theirs that are not told, or only as "and 4 more" */
    bool safety_complete; /* no critical fact is among those */
    uint64_t hint_sets;   /* bits by card of the question: with something to tell */
};

void hint_answer(struct arena *mem, const struct hint_query *query, struct hint_answer *out);

#endif
