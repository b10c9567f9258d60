/* article.c - "a" or "an" follows pronunciation, which spelling only suggests. Lists have the
 * exceptions that occur in values. */
#include "value/article.h"

#include "base/ascii.h"

#include <string.h>

static bool
is_in(char c, const char *letters)
{
    return c != '\0' && strchr(letters, c) != NULL;
}

static bool
starts_with_one_of(struct str word, const char *const *starts)
{
    for (; *starts != NULL; starts++)
        if (word.len >= strlen(*starts) &&
            str_eq_nocase(str_first(word, strlen(*starts)), str_of(*starts)))
            return true;
    return false;
}

/* Pronounced letter by letter: "SRE", "HTML", "X-ray", "F#"; not "NASA" or "DASH". */
static bool
is_initialism(struct str word)
{
    bool vowel = false;
    for (size_t i = 0; i < word.len; i++) {
        if (!ascii_is_upper(word.ptr[i]))
            return false;
        vowel = vowel || is_in(word.ptr[i], "AEIOUY");
    }
    return word.len > 0 && (word.len <= 3 || !vowel);
}

/* Numbers pronounced with a leading vowel: "8-bit", "11-year", "18th", "80s". */
static bool
begins_with_vowel_number(struct str text)
{
    size_t digits = 0;
    while (digits < text.len && ascii_is_digit(text.ptr[digits]))
        digits++;
    return digits > 0 && (text.ptr[0] == '8' || (digits == 2 && (str_starts(text, STR("11")) ||
                                                                 str_starts(text, STR("18")))));
}

/* The order matters: numbers and initialisms are read differently from words with the same letters.
 * `not_spoken` has exceptions from `spoken`: "uninspired" against "unicorn". */
const char *
article_of(struct str text)
{
    static const char *const silent[] = { "hour", "honest", "hono", "heir", NULL };
    static const char *const spoken[] = { "eu",  "ewe", "one", "once", "use",  "usa",
                                          "usu", "uti", "uto", "ukr",  "ukul", "uran",
                                          "uri", "uro", "uni", "ufo",  NULL };
    static const char *const not_spoken[] = { "unin", "unim", "unid", "onei", NULL };
    size_t length = 0;
    while (length < text.len && ascii_is_letter(text.ptr[length]))
        length++;
    struct str word = str_first(text, length);
    if (begins_with_vowel_number(text))
        return "an";
    if (is_initialism(word))
        return is_in(word.ptr[0], "AEFHILMNORSX") ? "an" : "a";
    if (starts_with_one_of(word, silent))
        return "an";
    if (starts_with_one_of(word, spoken) && !starts_with_one_of(word, not_spoken))
        return "a";
    return word.len > 0 && is_in(word.ptr[0], "aeiouAEIOU") ? "an" : "a";
}
