/* value_words.h - the words of a value, sorted into closed lists: negations, general words, names.
 *
 * For value_none.c and danger.c, which decide what a text denies and what it names. Pure; results
 * are allocated from `mem`. Any thread may call it. */
#ifndef VALUE_VALUE_WORDS_H
#define VALUE_VALUE_WORDS_H

#include "domain/domain.h"

struct arena;

#define WORDS_MAX 40 /* a longer text is a story */

enum word_kind {
    WORD_OTHER,
    WORD_NEGATION,
    WORD_FILLER,
    WORD_SUBJECT,  /* starts a clause: a negation before it ends here */
    WORD_REASON,   /* so does this */
    WORD_MODIFIER, /* of a head */
    WORD_SEVERITY,
    WORD_AROUND, /* beside a value: "not even traces" */
    WORD_HEAD,   /* what can be absent, in any member */
    WORD_ALLERGY,
    WORD_ALLERGIC,
    WORD_INTOLERANCE,
    WORD_DIET,
    WORD_CONDITION,
};

struct word {
    struct str text; /* as written */
    enum word_kind kind;
    bool follows_break; /* a comma, a period, or a dash is before it */
    bool named;         /* part of a value of the vocabulary */
    bool starts_name;
    size_t name_words;
    struct str folded;
};

struct words {
    struct word list[WORDS_MAX];
    size_t count;
};

/* False: no word, or more than WORDS_MAX. Breaks between words are kept as flags, because a
 * negation does not go beyond them. */
bool value_words_read(struct arena *mem, struct str text, struct words *out);

/* The entry of a vocabulary of dangers that the text is a spelling of, in singular or plural or
 * misspelled; NULL: none. */
const struct vocabulary_value *
value_danger_entry(struct arena *mem, const struct vocabulary *vocabulary, struct str folded);

/* Marks the words of the longest value of the vocabulary at each position: "peanut butter" before
 * "peanut". Returns the number of values. */
size_t value_words_name(struct arena *mem, const struct vocabulary *vocabulary,
                        struct words *words);

/* Whether the i-th word exists and is `wanted`, which is lowercase. */
bool value_word_is(const struct words *words, size_t i, const char *wanted);

/* The list ends with NULL. */
bool value_word_is_one_of(const struct words *words, size_t i, const char *const *list);

/* Whether a word of this kind can be absent: an allergy, a diet, a need. */
static inline bool
value_word_is_head(enum word_kind kind)
{
    return kind >= WORD_HEAD;
}

#endif
