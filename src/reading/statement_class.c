#include "reading/statement_class.h"

#include "base/arena.h"

/* Included by the assembler, as in tokenizer/tokenizer_table.c. */
extern const struct statement_table statement_table __attribute__((visibility("hidden")));
__asm__(".section .rodata\n"
        ".balign 64\n"
        ".type statement_table, %object\n"
        "statement_table:\n"
        ".incbin \"build/statement.table\"\n"
        ".size statement_table, . - statement_table\n"
        ".previous\n");

/* Longer statements are read in parts that overlap. */
#define PART_WORDS ((size_t)24)
#define PART_STEP ((size_t)12)

static void
classify_part(struct features *features, struct str words, struct statement_scores *out)
{
    int32_t sums[STATEMENT_CLASSES] = { 0 };
    features_read(words, ' ', features);
    linear_add(features, statement_table.weights[0], STATEMENT_CLASSES,
               FEATURE_BITS - STATEMENT_FEATURE_BITS, 0, STATEMENT_CLASSES, sums);
    for (size_t k = 0; k < STATEMENT_CLASSES; k++)
        out->of[k] = linear_score(sums[k], features, statement_table.bias[k]);
    for (size_t k = STATEMENT_CLASSES; k > 0; k--)
        out->of[k - 1] -= out->of[STATEMENT_OTHER];
}

static int32_t
greatest(const struct statement_scores *scores)
{
    int32_t greatest = scores->of[STATEMENT_ALLERGY];
    for (size_t k = STATEMENT_ALLERGY; k < STATEMENT_CLASSES; k++)
        greatest = scores->of[k] > greatest ? scores->of[k] : greatest;
    return greatest;
}

/* The first `count` words; all that are left if there are fewer. */
static struct str
first_words(struct str words, size_t count)
{
    struct str rest = words, word;
    while (count > 0 && str_cut(&rest, ' ', &word))
        count--;
    return str_present(rest) ? str_first(words, (size_t)(rest.ptr - words.ptr)) : words;
}

void
statement_classify(struct arena *mem, struct str key, struct statement_scores *out)
{
    struct features *features = ARENA_NEW(mem, struct features);
    struct str rest = key;
    classify_part(features, first_words(rest, PART_WORDS), out);
    while (first_words(rest, PART_WORDS).len < rest.len) {
        struct statement_scores scores;
        rest = str_from(rest, first_words(rest, PART_STEP).len);
        classify_part(features, first_words(rest, PART_WORDS), &scores);
        if (greatest(&scores) > greatest(out))
            *out = scores;
    }
}
