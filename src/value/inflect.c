/* inflect.c - rules for English plurals, "-ing", articles, decades, and capital letters. */
#include "value/inflect.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "value/article.h"

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

static struct str
last_word(struct str text)
{
    size_t start = text.len;
    while (start > 0 && text.ptr[start - 1] != ' ')
        start--;
    return str_from(text, start);
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

struct str
inflect_gerund(struct arena *mem, struct str text)
{
    size_t length = str_index(text, ' ');
    struct str word = str_first(text, length), rest = str_from(text, length);
    if (word.len < 2 || !ascii_is_lower(word.ptr[0]) || str_ends(word, STR("ing")))
        return text;
    char last = word.ptr[word.len - 1], before = word.ptr[word.len - 2];
    if (str_ends(word, STR("ie"))) /* "lie" */
        return str_format(mem, "%.*sying%.*s", (int)word.len - 2, word.ptr, STR_ARG(rest));
    if (last == 'e' && before != 'e' && before != 'o' &&
        before != 'y') /* not "see", "hoe", "dye" */
        return str_format(mem, "%.*sing%.*s", (int)word.len - 1, word.ptr, STR_ARG(rest));
    return str_format(mem, "%.*s%.*sing%.*s", STR_ARG(word), doubles_last_letter(word) ? 1 : 0,
                      &last, STR_ARG(rest));
}

/* ---- articles ---- */

#define THING_WORDS_MAX 3 /* a longer text is a description */

static bool
starts_with_number(struct str text)
{
    size_t digits = 0;
    while (digits < text.len && ascii_is_digit(text.ptr[digits]))
        digits++;
    return digits > 0 && digits < text.len && text.ptr[digits] == ' ';
}

/* A few words, the last of which is in small letters: a brand or a measure can come before it, as
 * in "Peloton bike" and "20kg kettlebell". Names, numbers of things, and all other texts stay as
 * they are. */
static bool
needs_article(struct str text)
{
    struct str last = last_word(text);
    size_t words = 1;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool in_last = text.ptr + i >= last.ptr;
        words += c == ' ';
        if (!ascii_is_lower(c) && c != ' ' && c != '-' && (in_last || !ascii_is_alphanumeric(c)))
            return false;
    }
    return last.len > 1 && ascii_is_alphanumeric(text.ptr[0]) && words <= THING_WORDS_MAX &&
           !starts_with_number(text);
}

struct str
inflect_with_article(struct arena *mem, struct str text)
{
    static const char determiners[] =
        " a an the my our their his her its some any no one two three four five six seven eight "
        "nine ten several many few both all another lots plenty ";
    struct str first = str_first(text, str_index(text, ' '));
    if (!needs_article(text) || is_in(first, determiners) || inflect_is_plural(last_word(text)) ||
        str_find(text, STR(" and ")) < text.len || str_find(text, STR(" the ")) < text.len ||
        str_find(text, STR(" of ")) < text.len)
        return text;
    return str_format(mem, "%s %.*s", article_of(text), STR_ARG(text));
}

/* ---- decades ---- */

/* The century of a decade with two digits. "20s" can be either, so that it stays. */
static const char *
century_of(struct str digits)
{
    if (digits.len == 4)
        return "";
    return digits.ptr[0] == '0' || digits.ptr[0] == '1' ? "20" : digits.ptr[0] == '2' ? "" : "19";
}

/* "80s", "the '80s", "early 1980s": one form for all, "the early 1980s". Any other text is returned
 * as it is. */
struct str
inflect_decade(struct arena *mem, struct str text)
{
    struct str part = STR(""), rest = text;
    if (str_starts(rest, STR("the ")) || str_starts(rest, STR("The ")))
        rest = str_from(rest, 4);
    size_t end = str_index(rest, ' ');
    if (end < rest.len && is_in(str_first(rest, end), " early mid late ")) {
        part = str_first(rest, end + 1);
        rest = str_from(rest, end + 1);
    }
    rest = str_starts(rest, STR("'")) ? str_from(rest, 1) : rest;
    size_t digits = 0;
    while (digits < rest.len && ascii_is_digit(rest.ptr[digits]))
        digits++;
    struct str number = str_first(rest, digits), ending = str_from(rest, digits);
    if ((digits != 2 && digits != 4) || number.ptr[digits - 1] != '0' ||
        (!str_eq_c(ending, "s") && !str_eq_c(ending, "'s")))
        return text;
    return str_format(mem, "the %.*s%s%.*ss", STR_ARG(part), century_of(number), STR_ARG(number));
}

/* ---- capital letters ---- */

/* Without words that mean something else in lowercase: "polish", "turkey". */
static bool
is_proper(struct str word)
{
    return is_in(word,
                 " english french german spanish italian portuguese japanese chinese "
                 "mandarin cantonese korean arabic hindi urdu bengali russian ukrainian "
                 "dutch swedish norwegian danish finnish greek hebrew vietnamese thai "
                 "indonesian turkish persian farsi tagalog swahili catalan czech hungarian "
                 "romanian mexican indian american british asian african european caribbean cuban "
                 "peruvian brazilian ethiopian moroccan lebanese irish scottish japan germany "
                 "france spain italy portugal china korea india mexico canada brazil norway "
                 "sweden iceland ireland scotland england europe asia africa australia ");
}

/* Words that are always capitalized, such as "italian". Copies the text only if something
 * changes. */
struct str
inflect_proper(struct arena *mem, struct str text)
{
    char *out = NULL;
    for (size_t i = 0; i < text.len;) {
        size_t end = i;
        while (end < text.len && text.ptr[end] != ' ' && text.ptr[end] != ',')
            end++;
        if (end > i && ascii_is_lower(text.ptr[i]) &&
            is_proper((struct str){ text.ptr + i, end - i })) {
            if (out == NULL) {
                out = arena_alloc(mem, text.len);
                memcpy(out, text.ptr, text.len);
            }
            out[i] = (char)(text.ptr[i] - 'a' + 'A');
        }
        i = end + 1;
    }
    return out == NULL ? text : (struct str){ out, text.len };
}
