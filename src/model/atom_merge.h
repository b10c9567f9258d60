/* atom_merge.h - merges the values of a preference write into a domain's atoms: what becomes a new
 * atom, what confirms or replaces one, and what waits for the user's decision.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef MODEL_ATOM_MERGE_H
#define MODEL_ATOM_MERGE_H

#include "model/view.h"

struct preference_item;

/* The result for one value. */
struct preference_outcome {
    enum {
        OUTCOME_STORED,
        OUTCOME_KNOWN,   /* was stored before */
        OUTCOME_WAITING, /* held until the user confirms it */
        OUTCOME_REFUSED, /* the user marked it as wrong */
    } status;
    struct str atom_id;
};

struct preference_counts {
    int64_t added, updated, unchanged, suppressed, held;
};

struct atom_merge {
    struct arena *mem;
    const struct domain *domain;
    struct str source; /* of the values: an app's id, or SOURCE_USER */
    int64_t now;
    struct str (*new_id)(struct arena *mem); /* the id of a new atom */
    struct view view;                        /* what the writer sees */
    bool limited;                            /* it does not see everything in the domain */
    bool waits;                              /* new values are held */
    size_t room;                             /* then: how many more may wait */

    struct sourced_atom *atoms; /* of the domain, with room for one more per value; any order after
                                 * the merge */
    size_t count;
    int64_t sequence;    /* of the newest atom of the user */
    bool changed;        /* the atoms must be saved */
    bool record_changed; /* the record must be rebuilt; held atoms do not even change its time */
    struct preference_counts counts;
};

/* Merges one value and adds it to the counts. Returns NULL, or the limit that it would exceed, as
 * the rest of a sentence: nothing of the write may then be saved. `outcome` may be NULL. */
const char *atom_merge_item(struct atom_merge *merge, const struct preference_item *item,
                            struct preference_outcome *outcome);

#endif
