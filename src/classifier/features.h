/* features.h - the features of a text: numbers for its words, for pairs of adjacent words, and for
 * parts of words.
 *
 * A classifier adds up what it has learned about each feature (linear.h). The build learns with the
 * same function (tools/classifier_table.c). Pure; any thread may call it. */
#ifndef CLASSIFIER_FEATURES_H
#define CLASSIFIER_FEATURES_H

#include "base/str.h"

#define FEATURE_BITS 19             /* a feature is below 1 << FEATURE_BITS */
#define FEATURES_MAX ((size_t)4096) /* of a text; further ones are left out */

struct features {
    size_t count;
    uint32_t list[FEATURES_MAX];
};

/* `words` are in small letters, with `separator` between them. Each feature occurs once. */
void features_read(struct str words, char separator, struct features *out);

#endif
