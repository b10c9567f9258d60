/* linear.h - scores of a linear classifier.
 *
 * The score of an output is the sum of its weights of the text's features, in integers, so that
 * every processor gets the same. The build learns the weights (tools/classifier_table.c). The
 * owners of tables are context/context_classifier.c and reading/statement_class.c.
 *
 * Pure; any thread may call these functions. */
#ifndef CLASSIFIER_LINEAR_H
#define CLASSIFIER_LINEAR_H

#include "classifier/features.h"

#define LINEAR_WEIGHT_SCALE 24                        /* a weight of 1.0 */
#define LINEAR_SCORE_SCALE (64 * LINEAR_WEIGHT_SCALE) /* a score of 1.0: 2.7 times as likely */

/* Adds the weights of `count` outputs from `first` on to `sums`. A row of the table has `width`
 * outputs; 2^shift features share a row. Inline, so that constants unroll it. */
static inline void
linear_add(const struct features *features, const int8_t *weights, size_t width, unsigned shift,
           size_t first, size_t count, int32_t *sums)
{
    for (size_t i = 0; i < features->count; i++)
        for (size_t k = 0; k < count; k++)
            sums[k] += weights[(features->list[i] >> shift) * width + first + k];
}

/* The sum of weights * 64 / sqrt(number of features) + bias. */
int32_t linear_score(int32_t sum, const struct features *features, int32_t bias);

#endif
