/* context_features.h - the features of a task: numbers for its words, for pairs of adjacent words,
 * and for parts of words.
 *
 * The classifier adds up what it has learned about each feature (context_classifier.h). The build
 * learns with the same function (tools/classifier_table.c). Pure; any thread may call it. */
#ifndef CONTEXT_CONTEXT_FEATURES_H
#define CONTEXT_CONTEXT_FEATURES_H

#include "base/str.h"

#define FEATURE_BITS 19             /* a feature is below 1 << FEATURE_BITS */
#define FEATURES_MAX ((size_t)4096) /* of a task; further ones are left out */

struct features {
    size_t count;
    uint32_t list[FEATURES_MAX];
};

/* `name` is normalized: words in small letters, separated by '_' (struct label in
 * context_internal.h). Each feature occurs once. */
void context_features(struct str name, struct features *out);

#endif
