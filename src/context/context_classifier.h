/* context_classifier.h - how likely a task is about each built-in domain, about none of them, or
 * about money, a calendar, reminders, leave, or settings; about each context of a domain; and how
 * likely each member of a domain matters to it.
 *
 * Linear classifiers (classifier/linear.h), which the build learns from data/tasks.
 * context_weigh.c decides what the scores of domains and contexts mean beside keywords, and
 * selection/hint_order.c what those of members mean beside the weights of the definition.
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
#define CLASS_MEMBERS_MAX 200 /* of all classes */

/* Of contexts and members, several features share a weight: they are learned from fewer tasks. */
#define CONTEXT_FEATURE_BITS 15
#define MEMBER_FEATURE_BITS 13

/* Written by the build. */
struct classifier_table {
    char classes[CLASSES_MAX][CLASS_NAME_MAX];         /* unused ones are empty */
    char contexts[CLASS_CONTEXTS_MAX][CLASS_NAME_MAX]; /* "other": none of the class's contexts */
    char members[CLASS_MEMBERS_MAX][CLASS_NAME_MAX];
    uint8_t first_context[CLASSES_MAX], context_count[CLASSES_MAX];
    uint8_t first_member[CLASSES_MAX], member_count[CLASSES_MAX];
    int32_t bias[CLASSES_MAX], context_bias[CLASS_CONTEXTS_MAX], member_bias[CLASS_MEMBERS_MAX];
    int8_t weights[1 << FEATURE_BITS][CLASSES_MAX];
    int8_t context_weights[1 << CONTEXT_FEATURE_BITS][CLASS_CONTEXTS_MAX];
    int8_t member_weights[1 << MEMBER_FEATURE_BITS][CLASS_MEMBERS_MAX];
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

/* The members of the class whose importance is learned. */
size_t context_class_members(size_t class);
struct str context_class_member(size_t class, size_t member);

/* Sets the score of each of them: 0 if the member matters to half of such tasks, and
 * LINEAR_SCORE_SCALE more where it is 2.7 times as likely. */
void context_classify_members(const struct features *features, size_t class,
                              int32_t out[CLASS_MEMBERS_MAX]);

#endif
