/* hint_json.h - writes hints as a JSON object: for each domain a summary and its members' values.
 *
 * The summary of a domain has its first sentence as soon as any hint of the domain is selected, and
 * only grows: a fact included at one step is included at every higher step.
 *
 * Pure; results are allocated from `mem`. A struct hint_objects belongs to one thread. */
#ifndef HINT_HINT_JSON_H
#define HINT_HINT_JSON_H

#include "hint/hint_ladder.h"

/* The hints selected after a number of steps of a ladder. */
struct selection {
    const struct step **by_rung; /* the latest step of each rung */
    size_t count;                /* the first `count` rungs are selected */
};

void selection_after(struct arena *mem, const struct ladder *ladder, size_t steps,
                     struct selection *out);

/* Counts the tokens of several objects of one ladder and writes one of them. Parts that an object
 * shares with the one counted before it are not counted again. */
struct hint_objects;

struct hint_objects *hint_objects_of(struct arena *mem, const struct ladder *ladder);

/* The number of tokens of the object, and its text: compact JSON, {} if nothing is selected. */
size_t hint_object_count(struct hint_objects *objects, const struct selection *selection);
struct str hint_object_write(struct hint_objects *objects, const struct selection *selection);

/* Sets shown[i] to the number of values that the object names for rung i. */
void hint_object_shown(struct hint_objects *objects, const struct selection *selection, int *shown);

#endif
