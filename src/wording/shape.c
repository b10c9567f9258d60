/* shape.c - word lists and endings decide; a text that no rule covers stays as it is. */
#include "wording/shape.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "value/article.h"
#include "value/inflect.h"
#include "value/phrase.h"
#include "value/statement.h"
#include "value/word_lists.h"
#include "wording/quality.h"

#include <string.h>

/* ---- forms ---- */

/* "keep it simple", "a window that's really one", not "it support" */
static bool
refers_back(struct str text)
{
    struct str word;
    words_next(&text, &word);
    while (words_next(&text, &word))
        if (ascii_is_lower(word.ptr[0]) && words_in(word, " it them that's "))
            return true;
    return false;
}

bool
shape_is_clause(enum phrase_form form, struct str text)
{
    bool goal = form == FORM_VERB && str_starts(text, STR("be "));
    return phrase_is_clause(goal ? str_from(text, 3) : text) || refers_back(text);
}

bool
shape_fits(enum phrase_form form, struct str text)
{
    bool surely = form != FORM_QUALITY || quality_is(text, NO_NAME) || str_ends(text, STR("ing"));
    return surely && !shape_is_clause(form, text) && phrase_fits(form, text);
}

/* "with rails", "moving to Vue", and "no points" in a list of frameworks or programs. */
bool
shape_is_no_item(struct str text)
{
    return phrase_is_fragment(text) || phrase_excludes(text) ||
           (ascii_is_lower(text.ptr[0]) && words_count(text) > 1 &&
            words_in(words_first(text), " using moving trying switching looking starting getting "
                                        "working migrating playing to still prefer prefers "));
}

/* As a goal, "stronger" is to get stronger, and "flexible" to be flexible. */
struct str
shape_goal(struct arena *mem, struct str text)
{
    static const char comparatives[] = " stronger fitter healthier faster leaner bigger slimmer "
                                       "thinner lighter quicker toned fit bulky skinny muscular ";
    if (str_index(text, ' ') == text.len && words_in(text, comparatives))
        return str_format(mem, "get %.*s", STR_ARG(text));
    return quality_is(text, NO_NAME) ? str_format(mem, "be %.*s", STR_ARG(text)) : text;
}

/* "wife and 2 daughters" becomes "their wife and 2 daughters", "family of 5" "a family of 5". */
struct str
shape_company(struct arena *mem, struct str text)
{
    static const char relatives[] =
        " wife husband spouse partner girlfriend boyfriend fiance fiancee mom mum mother dad "
        "father "
        "son daughter brother sister grandma grandpa grandmother grandfather parents in-laws boss "
        "bf gf hubby missus roommate flatmate ";
    static const char groups[] = " family group couple bunch team crowd ";
    struct str first = str_first(text, str_index(text, ' ')), after = str_from(text, first.len);
    if (!ascii_is_lower(text.ptr[0]))
        return text;
    if (words_in(first, relatives) || str_starts(text, STR("best friend")))
        return str_format(mem, "their %.*s", STR_ARG(text));
    bool of = words_in(first, groups) && str_starts(after, STR(" of "));
    bool group =
        words_in(words_last(text), groups) && words_count(text) == 2 && quality_is(first, NO_NAME);
    return of || group ? str_format(mem, "a %.*s", STR_ARG(text)) : text;
}

/* A preposition reads well after "is", and not after "stay at". A negation reads well after "works
 * well with", and not as a thing: "includes no oven". */
bool
shape_breaks_off(enum phrase_form form, struct str text)
{
    return form == FORM_ANY || form == FORM_THING
               ? phrase_excludes(text) || (form == FORM_THING && phrase_is_fragment(text))
               : (form == FORM_NOUN || form == FORM_ADJECTIVE || form == FORM_QUALITY ||
                  form == FORM_COMPANY) &&
                     (phrase_is_fragment(text) || str_starts(text, STR("to ")) ||
                      (phrase_excludes(text) && !str_starts(text, STR("no "))));
}

bool
shape_is_rest(const struct member *member, struct str text)
{
    return !statement_holds(member) && member->vocabulary == NULL && phrase_begins_clause(text);
}

/* ---- of the user ---- */

bool
shape_is_own(struct str text)
{
    static const char people[] =
        " brother sister mom mum mother dad father son daughter wife husband partner girlfriend "
        "boyfriend fiance spouse friend friends cousin uncle aunt auntie grandma grandpa nana "
        "grandmother grandfather grandparents parents family kid kids child children nephew niece "
        "neighbor neighbour neighbors boss colleague colleagues coworker roommate flatmate teacher "
        "ex buddy mate mates in-laws local own favorite favourite usual old neighborhood ";
    struct str rest = text, word;
    if (!words_next(&rest, &word) || !ascii_is_lower(text.ptr[0]))
        return false;
    if (words_in(word, " where wherever ") && !words_next(&rest, &word))
        return false; /* "where my grandfather was born" */
    if (!words_in(word, " my our ") || !words_next(&rest, &word))
        return false;
    if (words_in(word, " best older younger little big late ") && !words_next(&rest, &word))
        return false;
    if (str_ends(word, STR("'s")))
        word = str_first(word, word.len - 2);
    else if (str_ends(word, STR("\u2019s")))
        word = str_first(word, word.len - 4);
    return words_in(word, people);
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
    struct str last = words_last(text);
    size_t words = 1;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool in_last = text.ptr + i >= last.ptr;
        words += c == ' ';
        if (!ascii_is_lower(c) && c != ' ' && c != '-' && (in_last || !ascii_is_alphanumeric(c)))
            return false;
    }
    return last.len > 1 && ascii_is_alphanumeric(text.ptr[0]) && words <= THING_WORDS_MAX &&
           !starts_with_number(text) && !str_ends(last, STR("ing"));
}

struct str
shape_with_article(struct arena *mem, struct str text)
{
    static const char determiners[] =
        " a an the my our their his her its some any no one two three four five six seven eight "
        "nine ten several many few both all another lots plenty ";
    static const char *const names[] = { " named ", " called ", " (" };
    for (size_t i = 0; i < 3; i++) { /* "dog called Max", "freezer (small)" */
        size_t at = str_find(text, str_of(names[i]));
        if (at < text.len)
            return str_format(mem, "%.*s%.*s",
                              STR_ARG(shape_with_article(mem, str_first(text, at))),
                              STR_ARG(str_from(text, at)));
    }
    struct str first = str_first(text, str_index(text, ' '));
    if (!needs_article(text) || words_in(first, determiners) ||
        inflect_is_plural(words_last(text)) || str_find(text, STR(" and ")) < text.len ||
        str_find(text, STR(" the ")) < text.len || str_find(text, STR(" of ")) < text.len)
        return text;
    return str_format(mem, "%s %.*s", article_of(text), STR_ARG(text));
}

/* ---- places ---- */

struct str
shape_place(struct str text)
{
    static const struct {
        const char *written, *shown;
    } places[] = { { "us", "the US" },
                   { "usa", "the USA" },
                   { "uk", "the UK" },
                   { "uae", "the UAE" },
                   { "eu", "the EU" },
                   { "united states", "the United States" },
                   { "united kingdom", "the United Kingdom" },
                   { "united arab emirates", "the United Arab Emirates" },
                   { "netherlands", "the Netherlands" },
                   { "philippines", "the Philippines" },
                   { "maldives", "the Maldives" },
                   { "bahamas", "the Bahamas" },
                   { "seychelles", "the Seychelles" },
                   { "azores", "the Azores" },
                   { "canary islands", "the Canary Islands" },
                   { "galapagos", "the Galapagos" },
                   { "faroe islands", "the Faroe Islands" },
                   { "dominican republic", "the Dominican Republic" },
                   { "czech republic", "the Czech Republic" },
                   { "alps", "the Alps" },
                   { "dolomites", "the Dolomites" },
                   { "himalayas", "the Himalayas" },
                   { "rockies", "the Rockies" },
                   { "andes", "the Andes" },
                   { "caribbean", "the Caribbean" },
                   { "balkans", "the Balkans" },
                   { "mediterranean", "the Mediterranean" },
                   { "amazon", "the Amazon" },
                   { "sahara", "the Sahara" },
                   { "grand canyon", "the Grand Canyon" },
                   { "middle east", "the Middle East" },
                   { "moon", "the moon" },
                   { "arctic", "the Arctic" },
                   { "us of a", "the US" } };
    struct str name = text;
    if (name.len > 4 && str_eq_nocase(str_first(name, 4), STR("the ")))
        name = str_from(name, 4);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (str_eq_nocase(name, str_of(places[i].written)))
            return str_of(places[i].shown);
    return text;
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
shape_decade(struct arena *mem, struct str text)
{
    struct str part = STR(""), rest = text;
    if (str_starts(rest, STR("the ")) || str_starts(rest, STR("The ")))
        rest = str_from(rest, 4);
    size_t end = str_index(rest, ' ');
    if (end < rest.len && words_in(str_first(rest, end), " early mid late ")) {
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
    return words_in(
        word, " english french german spanish italian portuguese japanese chinese "
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
shape_proper(struct arena *mem, struct str text)
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
