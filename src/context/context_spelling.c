/* context_spelling.c - strong keywords with one letter too many, too few, or exchanged:
 * "resturant".
 *
 * Only labels that match nothing get here. Words with another letter are not corrected, because too
 * many are words themselves ("cooling" is not "cooking"), except for vowels. */
#include "context/context_internal.h"

#include <string.h>

#define WORDS_MAX 12   /* words of a label that is corrected */
#define UNKNOWN_MAX 4  /* words that are tried */
#define LETTERS_MIN 7  /* of the keyword */
#define LETTERS_MAX 20 /* of the word */

struct attempt {
    const struct context_index *index;
    char bytes[LETTERS_MAX + 1];
    size_t len;
    bool found;
};

static void
try_it(struct attempt *attempt, size_t len)
{
    if (attempt->found || len < LETTERS_MIN)
        return;
    const struct term *term =
        context_index_find(attempt->index, (struct str){ attempt->bytes, len });
    for (const struct use *use = term == NULL ? NULL : term->uses; use != NULL; use = use->next)
        attempt->found = attempt->found || use->kind == USE_STRONG;
    attempt->len = attempt->found ? len : 0;
}

/* Leaves a letter out, or exchanges two. */
static void
try_fewer(struct attempt *attempt, struct str word)
{
    for (size_t i = 1; i < word.len && !attempt->found; i++) {
        memcpy(attempt->bytes, word.ptr, i);
        memcpy(attempt->bytes + i, word.ptr + i + 1, word.len - i - 1);
        try_it(attempt, word.len - 1);
    }
    for (size_t i = 1; i + 1 < word.len && !attempt->found; i++) {
        memcpy(attempt->bytes, word.ptr, word.len);
        attempt->bytes[i] = word.ptr[i + 1];
        attempt->bytes[i + 1] = word.ptr[i];
        try_it(attempt, word.len);
    }
}

static bool
is_vowel(char c)
{
    return strchr("aeiouy", c) != NULL;
}

/* Adds a vowel or doubles a letter, or replaces a vowel. */
static void
try_others(struct attempt *attempt, struct str word)
{
    for (size_t i = 1; i < word.len; i++)
        for (char c = 'a'; c <= 'z' && !attempt->found; c++) {
            if (!is_vowel(c) && c != word.ptr[i])
                continue;
            memcpy(attempt->bytes, word.ptr, i);
            attempt->bytes[i] = c;
            memcpy(attempt->bytes + i + 1, word.ptr + i, word.len - i);
            try_it(attempt, word.len + 1);
            if (attempt->found || !is_vowel(c) || !is_vowel(word.ptr[i]))
                continue;
            memcpy(attempt->bytes + i + 1, word.ptr + i + 1, word.len - i - 1);
            try_it(attempt, word.len);
        }
}

static bool
is_plain(struct str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] < 'a' || word.ptr[i] > 'z')
            return false;
    return word.len + 1 >= LETTERS_MIN && word.len < LETTERS_MAX;
}

static struct str
replace(const struct label *label, size_t at, struct str with, char buffer[CORRECTED_MAX])
{
    size_t len = 0;
    for (size_t i = 0; i < label->count; i++) {
        struct str word = i == at ? with : label->words[i].text;
        if (len + word.len + 1 > CORRECTED_MAX)
            return STR_NONE;
        memcpy(buffer + len, word.ptr, word.len);
        len += word.len;
        buffer[len++] = ' ';
    }
    return (struct str){ buffer, len };
}

struct str
context_correct(const struct context_index *index, const struct label *label,
                char buffer[CORRECTED_MAX])
{
    struct attempt attempt = { .index = index };
    size_t unknown = 0;
    for (size_t i = 0; i < label->count && label->count <= WORDS_MAX; i++) {
        struct str word = label->words[i].text;
        if (label->words[i].term != NULL || !is_plain(word) || ++unknown > UNKNOWN_MAX)
            continue;
        if (word.ptr[word.len - 1] == 's')
            word.len--;
        try_fewer(&attempt, word);
        try_others(&attempt, word);
        if (attempt.found)
            return replace(label, i, (struct str){ attempt.bytes, attempt.len }, buffer);
    }
    return STR_NONE;
}
