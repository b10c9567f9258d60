#include "wording/describe.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "value/phrase.h"
#include "value/word_lists.h"
#include "wording/quality.h"

#include <string.h>

#define WORDS_MAX 8
#define BEFORE_NOUN_MAX 3 /* words that can come before the noun: "really good thai" */

/* A lowercase word from the list and the space after it. */
static bool
skip(struct str *text, const char *list)
{
    struct str first = str_first(*text, str_index(*text, ' '));
    if (first.len == 0 || first.len >= text->len || !words_in(first, list))
        return false;
    *text = str_from(*text, first.len + 1);
    return true;
}

/* ---- where and how ---- */

static bool
is_adverb(struct str text)
{
    static const char nouns[] = " family only fly supply july jelly belly italy ";
    return words_in(text, " alone online offline outdoors outside indoors inside abroad together "
                          "manually freelance part-time full-time nights weekends anywhere "
                          "everywhere upstairs downstairs ") ||
           (text.len > 5 && str_ends(text, STR("ly")) && str_index(text, ' ') == text.len &&
            !words_in(text, nouns));
}

static bool
is_manner(struct str text)
{
    return phrase_is_fragment(text) || is_adverb(text);
}

/* "works at a bank": the sentence has the verb already. */
static struct str
without_verb_of_work(struct str text)
{
    struct str rest = text;
    skip(&rest, " i ");
    skip(&rest, " currently now ");
    return skip(&rest, " work works working worked ") && is_manner(rest) ? rest : text;
}

/* "far from the center", "good for dancing" */
static bool
is_quality_phrase(struct str text)
{
    size_t space = str_index(text, ' ');
    return space + 1 < text.len && quality_is(str_first(text, space), NO_NAME) &&
           words_in(words_first(str_from(text, space + 1)), " from to for of with in on at by as ");
}

/* ---- the noun ---- */

/* "films, books, and podcasts" and "people", not "equipment" */
static bool
is_noun_of_many(struct str noun)
{
    return str_ends(noun, STR("s")) || str_ends(noun, STR("people"));
}

/* "food that is too spicy", "spicy food" */
static struct str
before_noun(struct arena *mem, const struct member *member, struct str text)
{
    if (words_in(words_first(text), " too so not as ") && quality_is(text, NO_NAME))
        return str_format(mem, "%.*s that %s %.*s", STR_ARG(member->hint.noun),
                          is_noun_of_many(member->hint.noun) ? "are" : "is", STR_ARG(text));
    return str_format(mem, "%.*s %.*s", STR_ARG(text), STR_ARG(member->hint.noun));
}

static struct str
after_noun(struct arena *mem, const struct member *member, struct str text)
{
    return str_format(mem, "%.*s %.*s", STR_ARG(member->hint.noun), STR_ARG(text));
}

/* "made in China", "tested on animals" */
static bool
is_participle_phrase(struct str text)
{
    struct str first = words_first(text), rest = str_from(text, first.len);
    bool participle =
        words_in(first, " made grown built sold set shot run done written sung containing "
                        "involving starring featuring using ") ||
        (first.len > 4 && str_ends(first, STR("ed")));
    return participle && rest.len > 1 &&
           (str_ends(first, STR("ing")) || phrase_is_fragment(str_from(rest, 1)));
}

/* "anything my mom makes" */
static bool
is_relative(struct str text)
{
    return words_in(words_first(text), " my our the their ") && words_count(text) > 2;
}

static bool
has_fragment_inside(struct str text)
{
    for (size_t i = 1; i < text.len; i++)
        if (text.ptr[i - 1] == ' ' && phrase_is_fragment(str_from(text, i)))
            return true;
    return false;
}

/* What follows "anything". "Anything by Prince" needs a noun for works, which only a sentence of
 * its own has. */
static bool
after_opener(struct arena *mem, const struct member *member, struct str text, struct str *out)
{
    if (str_starts(text, STR("by ")) && member->vocabulary == NULL &&
        !str_present(member->hint.described))
        return false;
    bool after = phrase_is_fragment(text) || is_participle_phrase(text) || is_relative(text) ||
                 is_quality_phrase(text);
    if (!after && (words_count(text) > BEFORE_NOUN_MAX || has_fragment_inside(text)))
        return false;
    *out = after ? after_noun(mem, member, phrase_third_person(mem, text))
                 : before_noun(mem, member, text);
    return true;
}

/* "small ones" */
static bool
replace_ones(struct arena *mem, const struct member *member, struct str text, struct str *out)
{
    struct str last = words_last(text);
    if (!words_in(last, " ones ") || last.len + 1 >= text.len)
        return false;
    *out = before_noun(mem, member, str_first(text, text.len - last.len - 1));
    return true;
}

static bool
skip_opener(struct str *text)
{
    struct str rest = *text;
    if (!skip(&rest, " anything anyone anybody everything everyone something someone anywhere "
                     "somewhere everywhere any "))
        return false;
    if (str_starts(*text, STR("any ")) && !phrase_is_fragment(rest))
        return false; /* "any rapper" has its noun */
    if (skip(&rest, " that which who ") && !skip(&rest, " is are "))
        return false;
    skip(&rest, " that's thats who's ");
    *text = rest;
    return !words_in(words_first(rest), " else but except goes ");
}

static bool
with_noun(struct arena *mem, const struct member *member, struct str text, struct str *out)
{
    bool no_vocabulary = member->vocabulary == NULL,
         names = no_vocabulary && form_takes_names(member->hint.form);
    enum quality_doubt doubt = !no_vocabulary                             ? NO_NAME
                               : names && member->hint.form != FORM_PLACE ? HARDLY_A_NAME
                                                                          : SELDOM_A_NAME;
    struct str noun = member->hint.noun, rest = text;
    if (!str_present(noun))
        return false;
    if (skip_opener(&rest))
        return !phrase_is_clause(rest) && after_opener(mem, member, rest, out);
    if (phrase_is_clause(text))
        return false;
    *out = text;
    if (str_present(member->hint.described) && text.len > noun.len && str_ends(text, noun) &&
        text.ptr[text.len - noun.len - 1] == ' ')
        return true; /* "fast food" has it */
    if (replace_ones(mem, member, text, out))
        return true;
    if (quality_is(text, doubt)) {
        *out = before_noun(mem, member, text);
        return true;
    }
    *out = after_noun(mem, member, phrase_third_person(mem, text));
    return !names && (is_manner(text) || is_participle_phrase(text) ||
                      (!no_vocabulary && is_quality_phrase(text)));
}

enum description
describe_value_of(struct arena *mem, const struct member *member, struct str text, struct str *out)
{
    if (text.len == 0 || !ascii_is_lower(text.ptr[0]) || phrase_excludes(text) ||
        words_count(text) > WORDS_MAX)
        return DESCRIBES_NOTHING;
    for (size_t i = 0; i < text.len; i++)
        if (strchr(",;:\"()", text.ptr[i]) != NULL)
            return DESCRIBES_NOTHING;
    struct str manner = without_verb_of_work(text);
    bool self = words_in(words_last(manner), " myself ourselves ") && words_count(manner) == 2;
    if (str_present(member->hint.manner) && is_manner(manner) &&
        (self || !phrase_is_clause(manner))) {
        *out = phrase_third_person(mem, manner);
        return DESCRIBES_MANNER;
    }
    return with_noun(mem, member, text, out) ? DESCRIBES_NOUN : DESCRIBES_NOTHING;
}
