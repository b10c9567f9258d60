/* word_lists.h - cuts a text into words, and lists of words that make a text more than a name.
 *
 * A list of the languages that most people speak can never be complete. What is not in it is
 * limited by name_is_plain() in other ways: number of words, letter case, signs.
 *
 * Pure; any thread may call it. */
#ifndef VALUE_WORD_LISTS_H
#define VALUE_WORD_LISTS_H

#include "base/str.h"

enum word_list {
    WORDS_CLAUSE,         /* English pronouns, auxiliaries, conjunctions */
    WORDS_FOREIGN_CLAUSE, /* the same in other languages */
    WORDS_ORDER,          /* verbs and roles that begin an order, but can be nouns: "book" */
    WORDS_ORDER_ANYWHERE, /* verbs and adverbs that are hardly part of a name: "ignore", "now" */
    WORDS_VERB,           /* verbs that are hardly nouns: "deliver" */
    WORDS_VERB_FIRST,     /* begin an order or an announcement if a word follows: "wire", "dear" */
    WORDS_FOREIGN_ORDER,  /* verbs of other languages that begin or end an order */
    WORDS_SERVICE,        /* what orders are about, and tastes are not: "payment", "allergies" */
    WORDS_RESULT,         /* end a claim that has no verb: "peanuts safe" */
    WORD_LISTS,
};

/* Cuts the next word of letters, digits, and apostrophes from the front. False: none is left. */
bool words_next(struct str *rest, struct str *word);

size_t words_count(struct str text);
struct str words_first(struct str text); /* "" if there is none */
struct str words_last(struct str text);

/* In any letter case; `list` has a space around each word. A word of 30 or more bytes is in none.
 */
bool words_in(struct str word, const char *list);
bool words_in_list(struct str word, enum word_list list);

/* Whether a text without spaces or letter case contains a part that makes it a sentence: Chinese,
 * Japanese, and endings of verbs in Hindi, Bengali, and Urdu. */
bool words_has_order_part(struct str text);

#endif
