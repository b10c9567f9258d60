/* value_parts.h - splits what a user or an app wrote as one text: "milk, eggs and soy" is three
 * values.
 *
 * Pure; results are allocated from `mem`. Any thread may call it. */
#ifndef VALUE_VALUE_PARTS_H
#define VALUE_VALUE_PARTS_H

#include "domain/domain.h"

struct arena;

/* Splits a list of values written as one text into its parts, without what only describes them:
 * "no nuts, severe allergy" is nuts. Returns 1 and the text itself if it is one value. */
size_t value_parts(struct arena *mem, const struct member *member, struct str text,
                   struct str **out);

#endif
