/* hint_json.h - hints as an object: by domain a summary in sentences, and members as values.
 *
 * A domain's summary begins with the first of its summary's sentences as soon as anything of the
 * domain is told, and only grows: a fact once told stays told on every higher step. Pure. */
#ifndef MODEL_HINT_JSON_H
#define MODEL_HINT_JSON_H

#include "model/hint_ladder.h"

/* How things stand after some steps of a ladder. */
struct told {
    const struct step **by_rung; /* the latest step of each */
    size_t count;                /* the first so many rungs are told */
};

void told_after(struct arena *mem, const struct ladder *ladder, size_t steps, struct told *out);

/* Whether no earlier rung is of this one's domain. */
bool told_first_of_domain(const struct ladder *ladder, size_t rung);

/* Compact JSON; {} if nothing is told. */
struct str hint_json_object(struct arena *mem, const struct ladder *ladder,
                            const struct told *told);

/* How many values of each rung the object names. */
void hint_json_shown(struct arena *mem, const struct ladder *ladder, const struct told *told,
                     int *shown);

#endif
