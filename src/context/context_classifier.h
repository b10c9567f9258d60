/* context_classifier.h - how likely a task is about each built-in domain, about none of them, or
 * about money, a calendar, reminders, leave, or settings, and about each context of a domain.
 *
 * Linear classifiers (classifier/linear.h), which the build learns from the tasks of data/tasks.
 * context.c decides what the scores mean beside keywords.
 *
 * Pure; any thread may call it. */
#ifndef CONTEXT_CONTEXT_CLASSIFIER_H
#define CONTEXT_CONTEXT_CLASSIFIER_H

#include "classifier/linear.h"

#define CLASS_NONE ((size_t)0)
#define CLASS_UNRELATED ((size_t)1)    /* money, a calendar, reminders, leave, or settings */
#define CLASS_FIRST_DOMAIN ((size_t)2) /* the others have the names of domains */
#define CLASSES_MAX 8
#define CLASS_CONTEXTS_MAX 56 /* of all classes */
#define CLASS_NAME_MAX 32     /* with the NUL at the end */

/* Contexts share the weights of this many features: they are learned from fewer tasks. */
#define CONTEXT_FEATURE_BITS 15

/* Written by the build. */
struct classifier_table {
    char classes[CLASSES_MAX][CLASS_NAME_MAX];         /* unused ones are empty */
    char contexts[CLASS_CONTEXTS_MAX][CLASS_NAME_MAX]; /* "other": none of the class's contexts */
    uint8_t first_context[CLASSES_MAX], context_count[CLASSES_MAX];
    int32_t bias[CLASSES_MAX], context_bias[CLASS_CONTEXTS_MAX];
    int8_t weights[1 << FEATURE_BITS][CLASSES_MAX];
    int8_t context_weights[1 << CONTEXT_FEATURE_BITS][CLASS_CONTEXTS_MAX];
};

struct class_scores {
    int32_t of[CLASSES_MAX]; /* relative to that of CLASS_NONE, which is 0 */
};

/* Empty: there is no such class. */
struct str context_class_name(size_t class);

/* `features` are those of the task. */
void context_classify(const struct features *features, struct class_scores *out);

/* The names of the two contexts of the class that the task is most likely about, the likelier one
 * first, and by how much it is more likely. Absent: the class has fewer contexts. */
struct likely_contexts {
    struct str first, second;
    int32_t lead;
};
struct likely_contexts context_classify_within(const struct features *features, size_t class);

#endif
