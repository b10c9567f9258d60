/* hint_json.h - hints as an object: by domain a summary in sentences, and members as values.
 *
 * A domain's summary begins with the first of its summary's sentences as soon as anything of the
 * domain is selection, and only grows: a fact once told stays told on every higher step. Pure. */
#ifndef HINT_HINT_JSON_H
#define HINT_HINT_JSON_H

#include "hint/hint_ladder.h"

/* How things stand after some steps of a ladder. */
struct selection {
    const struct step **by_rung; /* the latest step of each */
    size_t count;                /* the first so many rungs are told */
};

void selection_after(struct arena *mem, const struct ladder *ladder, size_t steps,
                     struct selection *out);

/* The objects of one ladder, of which several are counted and one is written. What one of them
 * has in common with the one that was counted before it is not counted again. */
struct hint_objects;

struct hint_objects *hint_objects_of(struct arena *mem, const struct ladder *ladder);

/* The tokens of the object's text, and the text: compact JSON, {} if nothing is told. */
size_t hint_object_count(struct hint_objects *objects, const struct selection *selection);
struct str hint_object_write(struct hint_objects *objects, const struct selection *selection);

/* How many values of each rung the object names. */
void hint_object_shown(struct hint_objects *objects, const struct selection *selection, int *shown);

#endif
