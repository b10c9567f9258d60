/* terms.c - stems, hashes, and the words that say nothing about a topic.
 *
 * The stemmer only removes the most frequent English endings. It need not give real words, only the
 * same result for the forms of one word: "dish" and "dishes", "plan" and "planning". `common` has
 * stems, as stem() leaves them ("alreadi"), sorted for bisection. */
#include "domain/terms.h"

#include <string.h>

#define WORD_MAX 32 /* bytes; longer words are cut */

/* Stems of words without a topic, sorted. */
static const char *const common[] = {
    "about",  "actual",  "after",     "again",    "all",      "almost",    "alreadi", "also",
    "alwai",  "am",      "an",        "and",      "ani",      "another",   "app",     "are",
    "around", "as",      "ask",       "at",       "availabl", "awai",      "bad",     "be",
    "becaus", "been",    "befor",     "best",     "better",   "big",       "both",    "but",
    "by",     "can",     "chang",     "check",    "com",      "could",     "dai",     "decid",
    "did",    "do",      "doe",       "don",      "each",     "els",       "enough",  "especial",
    "even",   "ever",    "everi",     "favorit",  "few",      "find",      "first",   "for",
    "from",   "generat", "get",       "giv",      "go",       "good",      "got",     "great",
    "had",    "has",     "hav",       "hello",    "help",     "her",       "hi",      "him",
    "his",    "how",     "id",        "idea",     "if",       "im",        "in",      "into",
    "is",     "it",      "ive",       "just",     "keep",     "kind",      "know",    "last",
    "less",   "let",     "lik",       "list",     "littl",    "ll",        "look",    "lot",
    "lov",    "mad",     "main",      "mak",      "mani",     "mayb",      "me",      "mean",
    "might",  "mor",     "most",      "much",     "must",     "my",        "near",    "need",
    "never",  "new",     "next",      "nic",      "no",       "not",       "now",     "of",
    "off",    "ok",      "old",       "on",       "onli",     "opt",       "option",  "or",
    "other",  "our",     "out",       "over",     "own",      "pick",      "plan",    "pleas",
    "prefer", "provid",  "put",       "question", "real",     "recommend", "request", "right",
    "sai",    "sam",     "search",    "see",      "she",      "should",    "show",    "sinc",
    "small",  "so",      "som",       "someth",   "soon",     "still",     "such",    "suggest",
    "sur",    "tak",     "tell",      "than",     "that",     "the",       "thei",    "their",
    "them",   "then",    "ther",      "thes",     "thi",      "thing",     "think",   "thos",
    "tim",    "to",      "todai",     "tomorrow", "tonight",  "too",       "tri",     "up",
    "us",     "use",     "user",      "usual",    "ve",       "veri",      "wai",     "want",
    "was",    "we",      "week",      "well",     "wer",      "what",      "when",    "wher",
    "whi",    "which",   "whil",      "who",      "will",     "with",      "without", "work",
    "would",  "yes",     "yesterdai", "yet",      "you",      "your",
};

/* Binary search. Common words say nothing about the topic of a text. */
static bool
is_common(const char *stem)
{
    size_t low = 0, high = sizeof common / sizeof common[0];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = stem[0] - common[middle][0]; /* decides most comparisons */
        order = order != 0 ? order : strcmp(stem, common[middle]);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

static bool
ends_with(const char *word, size_t length, const char *end)
{
    size_t size = strlen(end);
    return length > size + 2 && memcmp(word + length - size, end, size) == 0;
}

/* Removes the endings of plurals and verb forms: "dishes", "eating", "planned". The order matters:
 * the plural first, then the verb ending, then a doubled consonant, a final e, and y. */
static size_t
stem(char *word, size_t length)
{
    if (length > 3 && word[length - 1] == 's' && word[length - 2] != 's' && word[length - 2] != 'u')
        length--;
    if (ends_with(word, length, "ing"))
        length -= 3;
    else if (ends_with(word, length, "ed") || ends_with(word, length, "ly"))
        length -= 2;
    if (length > 3 && word[length - 1] == word[length - 2] && word[length - 1] != 's' &&
        word[length - 1] != 'l' && (word[length - 1] & 0x80) == 0)
        length--;
    if (length > 3 && word[length - 1] == 'e')
        length--;
    if (length > 2 && word[length - 1] == 'y')
        word[length - 1] = 'i';
    return length;
}

/* The search in `common` costs most and comes last. */
static void
add_word(struct terms *terms, char *word, size_t length)
{
    uint32_t hash = 2166136261u;
    length = stem(word, length);
    word[length] = '\0';
    if (length < 2 || terms->count == TERMS_MAX)
        return;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)word[i]) * 16777619u;
    hash = (hash ^ hash >> TERM_BITS) & ((1u << TERM_BITS) - 1);
    if (terms_has(terms, hash) || is_common(word))
        return;
    terms->filter[hash >> 6 & 15] |= (uint64_t)1 << (hash & 63);
    terms->list[terms->count++] = hash;
}

static bool
is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool
is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Whether a word of a label begins inside a run of letters: "bookFlight". */
static bool
is_camel(struct str text, size_t at)
{
    return at > 0 && is_upper(text.ptr[at]) && is_lower(text.ptr[at - 1]);
}

/* Bytes above 0x7f belong to words, so other scripts have terms as well; a capital after a small
 * letter begins a word ("camelCase"). Longer words are cut, not dropped. */
void
terms_add(struct terms *terms, struct str text)
{
    char word[WORD_MAX + 1];
    size_t length = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_word = is_lower(c) || is_upper(c) || (c >= '0' && c <= '9') || (c & 0x80) != 0;
        if (length > 0 && (!is_word || is_camel(text, i))) {
            add_word(terms, word, length);
            length = 0;
        }
        if (is_word && length < WORD_MAX)
            word[length++] = (char)(is_upper(c) ? c | 0x20 : c);
    }
    if (length > 0)
        add_word(terms, word, length);
}
