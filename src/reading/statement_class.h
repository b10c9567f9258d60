/* statement_class.h - classifies a statement: allergy, faith, health, physical limit, or none of
 * these.
 *
 * A linear classifier (classifier/linear.h), which the build learns from the statements of
 * data/statements. Words alone cannot decide: "I can't eat without music" is no allergy, and "my
 * tongue itches after kiwi" has no word for one.
 *
 * Pure; scratch memory comes from `mem`. Any thread may call it. */
#ifndef READING_STATEMENT_CLASS_H
#define READING_STATEMENT_CLASS_H

#include "classifier/linear.h"

struct arena;

enum statement_class {
    STATEMENT_OTHER,
    STATEMENT_ALLERGY,  /* or an intolerance, of the user or of persons who eat with the user */
    STATEMENT_FAITH,    /* what a religion says about food, or no alcohol as a rule of life */
    STATEMENT_HEALTH,   /* a condition, a pregnancy, a medication, a medical diet */
    STATEMENT_PHYSICAL, /* only what the user cannot do or perceive, such as climb stairs */
};

#define STATEMENT_CLASSES 5
#define STATEMENT_FEATURE_BITS 17

/* Written by the build (tools/classifier_table.c). */
struct statement_table {
    int32_t bias[STATEMENT_CLASSES];
    int8_t weights[1 << STATEMENT_FEATURE_BITS][STATEMENT_CLASSES];
};

/* Relative to STATEMENT_OTHER, whose score is 0; LINEAR_SCORE_SCALE: 2.7 times as likely. */
struct statement_scores {
    int32_t of[STATEMENT_CLASSES];
};

/* `key` is that of the statement (statement_key.h). Of a long statement, the part with the greatest
 * score decides, since a few words of it may be about safety. */
void statement_classify(struct arena *mem, struct str key, struct statement_scores *out);

#endif
