/* mention.h - finds words of a list in a statement, and whether each mention is a claim.
 *
 * "I have asthma" claims it. "I do not have asthma", "if I had asthma", and "a book about asthma"
 * mention it. Works on the words of a statement's key: lowercase, without articles, with a space
 * around each.
 *
 * Pure; any thread may call it. */
#ifndef READING_MENTION_H
#define READING_MENTION_H

#include "base/str.h"

struct arena;

#define TOKENS_MAX 64 /* later words of a statement are not looked at */

struct tokens {
    struct str list[TOKENS_MAX];
    size_t count;
};

/* Rules that exclude a mention, besides hypotheses, topics, and names of businesses. */
enum mention_rules {
    MENTION_ANY = 0,     /* every mention counts */
    MENTION_CLAIM = 1,   /* not "if I were allergic", not "a kosher deli" */
    MENTION_NOT_NO = 2,  /* nor "I am not pregnant" */
    MENTION_NOT_OVER = 4 /* nor "I used to be allergic" */
};

void tokens_read(struct str words, struct tokens *out);

/* Whether the i-th word is in a list separated by commas, whose words may end in '*': "swell*". */
bool tokens_in(const struct tokens *tokens, size_t i, const char *list);

/* Whether the statement has a word or phrase of a list separated by commas, which counts under the
 * rules. Words of seven letters and more are also found misspelled, unless they follow '='. */
bool mention_in(struct str words, const char *list, unsigned rules);

/* Whether the mention of `length` words from the i-th one on counts under the rules. A business is
 * no need, unless the statement wants one: "looking for a kosher deli". */
bool mention_counts(const struct tokens *tokens, size_t i, size_t length, unsigned rules);

/* Whether the word is `wanted` with a letter wrong, or two in long words. */
bool mention_resembles(struct str word, struct str wanted);

/* Whether what an allergy is to, or what gives hives, is no substance: "allergic to meetings",
 * "small talk gives me hives". */
bool mention_is_figure(struct str words);

/* The words without a judgment and what it judges: "bad coffee" of "my allergy to bad coffee". The
 * same words if there is none. Allocated from `mem`. */
struct str mention_without_judged(struct arena *mem, struct str words);

#endif
