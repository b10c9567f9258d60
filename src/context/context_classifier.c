#include "context/context_classifier.h"

/* Included by the assembler, as in tokenizer/tokenizer_table.c. */
extern const struct classifier_table classifier_table __attribute__((visibility("hidden")));
__asm__(".section .rodata\n"
        ".balign 64\n"
        ".type classifier_table, %object\n"
        "classifier_table:\n"
        ".incbin \"build/classifier.table\"\n"
        ".size classifier_table, . - classifier_table\n"
        ".previous\n");

struct str
context_class_name(size_t class)
{
    return str_of(classifier_table.classes[class]);
}

void
context_classify(const struct features *features, struct class_scores *out)
{
    int32_t sums[CLASSES_MAX] = { 0 };
    linear_add(features, classifier_table.weights[0], CLASSES_MAX, 0, 0, CLASSES_MAX, sums);
    for (size_t k = 0; k < CLASSES_MAX; k++)
        out->of[k] = linear_score(sums[k], features, classifier_table.bias[k]);
    for (size_t k = CLASSES_MAX; k > 0; k--)
        out->of[k - 1] -= out->of[CLASS_NONE];
}

struct likely_contexts
context_classify_within(const struct features *features, size_t class)
{
    size_t first = classifier_table.first_context[class];
    size_t count = classifier_table.context_count[class], best = 0, second = 1;
    int32_t scores[CLASS_CONTEXTS_MAX] = { 0 };
    linear_add(features, classifier_table.context_weights[0], CLASS_CONTEXTS_MAX,
               FEATURE_BITS - CONTEXT_FEATURE_BITS, first, count, scores);
    if (count < 2)
        return (struct likely_contexts){ STR_NONE, STR_NONE, 0 };
    for (size_t k = 0; k < count; k++)
        scores[k] = linear_score(scores[k], features, classifier_table.context_bias[first + k]);
    for (size_t k = 0; k < count; k++) {
        if (scores[k] > scores[best] || k == 0) {
            second = k == 0 ? 1 : best;
            best = k;
        } else if (k != best && scores[k] > scores[second])
            second = k;
    }
    return (struct likely_contexts){ str_of(classifier_table.contexts[first + best]),
                                     str_of(classifier_table.contexts[first + second]),
                                     scores[best] - scores[second] };
}

size_t
context_class_members(size_t class)
{
    return classifier_table.member_count[class];
}

struct str
context_class_member(size_t class, size_t member)
{
    return str_of(classifier_table.members[classifier_table.first_member[class] + member]);
}

void
context_classify_members(const struct features *features, size_t class,
                         int32_t out[CLASS_MEMBERS_MAX])
{
    size_t first = classifier_table.first_member[class];
    size_t count = classifier_table.member_count[class];
    for (size_t k = 0; k < count; k++)
        out[k] = 0;
    linear_add(features, classifier_table.member_weights[0], CLASS_MEMBERS_MAX,
               FEATURE_BITS - MEMBER_FEATURE_BITS, first, count, out);
    for (size_t k = 0; k < count; k++)
        out[k] = linear_score(out[k], features, classifier_table.member_bias[first + k]);
}
