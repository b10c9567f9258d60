/* inflect.c - rules for English plurals and "-ing". */
#include "value/inflect.h"

#include "base/arena.h"
#include "base/ascii.h"

#include <string.h>

#define WORD_MAX 32 /* letters; longer words are in no list */

/* `list` has a space around each word. */
static bool
is_in(struct str word, const char *list)
{
    char wanted[WORD_MAX + 3];
    if (word.len == 0 || word.len > WORD_MAX)
        return false;
    wanted[0] = ' ';
    for (size_t i = 0; i < word.len; i++)
        wanted[i + 1] = ascii_to_lower(word.ptr[i]);
    wanted[word.len + 1] = ' ';
    wanted[word.len + 2] = '\0';
    return strstr(list, wanted) != NULL;
}

static bool
is_vowel(char c)
{
    return c != '\0' && strchr("aeiouAEIOU", c) != NULL;
}

/* ---- plurals ---- */

bool
inflect_is_plural_of(struct str many, struct str one)
{
    if (many.len <= one.len || one.len < 2)
        return false;
    if (str_starts(many, one)) {
        struct str ending = str_from(many, one.len);
        return str_eq_c(ending, "s") || str_eq_c(ending, "es");
    }
    struct str stem = str_first(one, one.len - 1); /* "berry" and "berries" */
    return one.ptr[one.len - 1] == 'y' && str_starts(many, stem) &&
           str_eq_c(str_from(many, stem.len), "ies");
}

bool
inflect_is_plural(struct str word)
{
    static const char irregular[] = " fish sheep children people men women mice geese feet teeth "
                                    "poultry equipment cookware furniture cattle livestock ";
    char before = word.len > 2 ? word.ptr[word.len - 2] : 's';
    return is_in(word, irregular) ||
           (str_ends(word, STR("s")) && before != 's' && before != 'u' && before != 'i');
}

/* ---- -ing ---- */

/* A short word with one vowel before its last consonant doubles it: "run", "swim", "knit", not
 * "read", "draw", or "garden". */
static bool
doubles_last_letter(struct str word)
{
    size_t vowels = 0;
    for (size_t i = 0; i < word.len; i++)
        vowels += is_vowel(word.ptr[i]);
    return vowels == 1 && word.len > 2 && is_vowel(word.ptr[word.len - 2]) &&
           strchr("wxyWXY", word.ptr[word.len - 1]) == NULL && !is_vowel(word.ptr[word.len - 1]);
}

static bool
has_vowel(struct str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (is_vowel(word.ptr[i]) || word.ptr[i] == 'y')
            return true;
    return false;
}

/* Not "read," of a list. */
static bool
is_lower(struct str word)
{
    size_t i = 0;
    while (i < word.len && ascii_is_lower(word.ptr[i]))
        i++;
    return i == word.len;
}

/* "running"; in "sing" and "bring" the ending is a part of the verb. */
static bool
is_gerund(struct str word)
{
    return word.len > 3 && str_ends(word, STR("ing")) && has_vowel(str_first(word, word.len - 3));
}

struct str
inflect_gerund(struct arena *mem, struct str text)
{
    size_t length = str_index(text, ' ');
    struct str word = str_first(text, length), rest = str_from(text, length);
    if (word.len < 2 || !is_lower(word) || !has_vowel(word) || is_gerund(word))
        return text;
    char last = word.ptr[word.len - 1], before = word.ptr[word.len - 2];
    if (str_ends(word, STR("ie"))) /* "lie" */
        return str_format(mem, "%.*sying%.*s", (int)word.len - 2, word.ptr, STR_ARG(rest));
    if (last == 'e' && before != 'e' && before != 'o' && before != 'y' &&
        has_vowel(str_first(word, word.len - 1))) /* not "see", "hoe", "dye", "be" */
        return str_format(mem, "%.*sing%.*s", (int)word.len - 1, word.ptr, STR_ARG(rest));
    return str_format(mem, "%.*s%.*sing%.*s", STR_ARG(word), doubles_last_letter(word) ? 1 : 0,
                      &last, STR_ARG(rest));
}
