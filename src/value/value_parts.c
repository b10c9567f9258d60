/* value_parts.c - where a text is a list. Critical members are split at every comma, because losing
 * a danger is worse than keeping a part that is none. Everywhere else a text stays whole unless
 * most of it is known. */
#include "value/value_parts.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "value/claim.h"
#include "domain/value_text.h"
#include "value/phrase.h"
#include "value/value_clean.h"
#include "value/value_none.h"
#include "value/value_remark.h"
#include "value/value_speech.h"
#include "value/value_trim.h"
#include "value/word_lists.h"

#include <string.h>

#define PARTS_MAX 32
#define ITEM_WORDS_MAX 3 /* of a danger between links */
#define PART_WORDS_MAX 5 /* a longer part is a sentence with commas, not an item of a list */

#define NO_LINKS 0
#define SEPARATE_LINKS 3 /* "&" and "/" are parts of names: "Miles & More" */
#define ALL_LINKS 7

/* Splits at commas, and also at the first `links` of the list, but not within parentheses.
 * PARTS_MAX parts mean that there may be more: callers then do not split the text. */
static size_t
split(struct str text, size_t links, struct str *out)
{
    static const char *const list[ALL_LINKS] = {
        " and ", " or ", " + ", " & ", "/", " n ", " plus "
    };
    size_t count = 0, start = 0, depth = 0;
    for (size_t i = 0; i <= text.len && count < PARTS_MAX; i++) {
        struct str rest = str_from(text, i);
        depth += str_starts(rest, STR("("));
        depth -= depth > 0 && str_starts(rest, STR(")"));
        if (depth > 0 && i < text.len)
            continue;
        size_t length = i == text.len ? 1 : text.ptr[i] == ',' || text.ptr[i] == ';' ? 1 : 0;
        for (size_t k = 0; length == 0 && k < links; k++)
            length = str_starts(rest, str_of(list[k])) ? strlen(list[k]) : 0;
        if (length == 0)
            continue;
        struct str part = value_trim_ends((struct str){ text.ptr + start, i - start });
        if (count > 0 && str_starts(part, STR("and ")))
            part = value_trim_ends(str_from(part, 4));
        if (part.len > 0)
            out[count++] = part;
        start = i + length;
        i = start > i ? start - 1 : i;
    }
    return count;
}

/* "kids" of "2 kids" or "three kids", "dog" of "a dog". */
static struct str
without_number(struct str text)
{
    size_t digits = 0;
    while (digits < text.len && ascii_is_digit(text.ptr[digits]))
        digits++;
    if (digits > 0 && digits < text.len && text.ptr[digits] == ' ')
        return str_from(text, digits + 1);
    value_trim_filler(&text, STR("a,an,one,two,three,four,five,six,my,our"), false);
    return text;
}

static bool
is_number(struct str text)
{
    size_t digits = 0;
    while (digits < text.len && ascii_is_digit(text.ptr[digits]))
        digits++;
    return digits > 0 && digits == text.len;
}

static size_t
count_known(struct arena *mem, const struct member *member, const struct str *parts, size_t count)
{
    size_t known = 0;
    struct str left;
    for (size_t i = 0; i < count; i++)
        known += is_number(parts[i]) || value_find(mem, member, parts[i], &left) != NULL ||
                 value_find(mem, member, without_number(parts[i]), &left) != NULL;
    return known;
}

static bool
are_short(const struct str *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_word_count(parts[i]) > PART_WORDS_MAX)
            return false;
    return true;
}

/* Whether links separate dangers: one of the parts is known, and all can be items of a list.
 * "Violence against women and children" is one danger. */
static bool
are_dangers(struct arena *mem, const struct member *member, const struct str *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct str rest = parts[i], word;
        while (words_next(&rest, &word))
            if (words_in(word, " against of with without from for in to on at by not no but "))
                return false;
        if (str_word_count(parts[i]) > ITEM_WORDS_MAX || phrase_is_clause(parts[i]))
            return false;
    }
    return member_lists_dangers(member) && count_known(mem, member, parts, count) > 0;
}

/* "Til (sesame)": a danger that is not known, and the one that explains it. 0: there is none. */
static size_t
split_explained(struct arena *mem, const struct member *member, struct str text, struct str *parts)
{
    struct str outside = value_trim_remark(text);
    if (!member_lists_dangers(member) || str_eq(outside, text) || value_has_negation(mem, text) ||
        str_word_count(outside) > ITEM_WORDS_MAX)
        return 0;
    struct str inside = str_from(text, str_index(text, '(') + 1);
    size_t count =
        value_find_named(mem, member, str_first(inside, inside.len - 1), parts + 1, PARTS_MAX - 1);
    parts[0] = outside;
    return count > 0 ? count + 1 : 0;
}

/* Whether a part says something about another one, so that the text is no list: "piano, badly". */
static bool
has_comment(const struct str *parts, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (phrase_is_clause(parts[i]) ||
            words_in(words_first(parts[i]),
                     " but both each esp especially though although except pas nicht aber mais ") ||
            (words_count(parts[i]) == 1 && str_ends(parts[i], STR("ly"))))
            return true;
    return false;
}

/* "Superheroes, all of them", "news, too depressing": without what is no item. */
static size_t
without_reasons(struct arena *mem, const struct member *member, struct str *parts, size_t count)
{
    size_t left = 0;
    struct str shown, key;
    for (size_t i = 0; i < count; i++) {
        bool reason = i > 0 && str_starts(parts[i], STR("too "));
        bool none = value_clean(mem, member, parts[i], &shown, &key) && str_eq(key, VALUE_NONE);
        if (!reason && !none)
            parts[left++] = parts[i];
    }
    return left > 0 ? left : count;
}

/* Leaves out parts that only describe another one: "severe allergy" after "no nuts". */
static size_t
without_remarks(struct arena *mem, const struct member *member, struct str *parts, size_t count)
{
    size_t left = 0;
    bool decides = value_lists_dangers(member) || member->safety == SAFETY_CRITICAL;
    for (size_t i = 0; decides && i < count; i++)
        if (!value_is_remark(mem, member, parts[i]))
            parts[left++] = parts[i];
    return left > 0 ? left : count;
}

/* A part that denies a value, or that is a negation without a known one, says something else alone
 * than in its text. So the text is not split. */
static bool
needs_its_text(struct arena *mem, const struct member *member, const struct str *parts,
               size_t count)
{
    struct str left;
    for (size_t i = 0; value_lists_dangers(member) && i < count; i++)
        if (value_is_denial(mem, member, parts[i]) ||
            (value_has_negation(mem, parts[i]) && !value_is_remark(mem, member, parts[i]) &&
             value_find(mem, member, parts[i], &left) == NULL))
            return true;
    return false;
}

/* "apples, cherries and hazelnuts": at the last comma, "and" separates, too. */
static size_t
split_last(struct str *parts, size_t count)
{
    static const char *const links[] = { " and ", " or ", " & ", NULL };
    size_t at = 0, length = 0, found = 0;
    if (count < 2 || count >= PARTS_MAX - 1)
        return count;
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < parts[p].len; i++)
            for (size_t k = 0; links[k] != NULL; k++)
                if (str_starts(str_from(parts[p], i), str_of(links[k]))) {
                    at = i;
                    length = strlen(links[k]);
                    found += p + 1 == count ? 1 : 2; /* "mac and cheese, fish and chips" */
                }
    if (found != 1)
        return count;
    struct str last = parts[count - 1];
    parts[count - 1] = value_trim_ends(str_first(last, at));
    parts[count] = value_trim_ends(str_from(last, at + length));
    return count + (parts[count].len > 0);
}

/* Whether all parts can be names: then the text of a member with separate names is a list. */
static bool
are_names(const struct str *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (phrase_is_clause(parts[i]) || phrase_is_fragment(parts[i]) ||
            phrase_begins_clause(parts[i]) || phrase_excludes(parts[i]))
            return false;
    return are_short(parts, count);
}

/* "Soy allergy, no pork": a text with an allergy that belongs to another member is split only if
 * each part says what it is. 0: there is no such allergy. */
static size_t
split_claims(struct arena *mem, const struct member *member, struct str text, struct str *parts)
{
    if (!claim_in(mem, member, text))
        return 0;
    size_t count = split(text, NO_LINKS, parts);
    for (size_t i = 0; i < count; i++)
        if (count == PARTS_MAX ||
            (!claim_in(mem, member, parts[i]) && !value_has_negation(mem, parts[i])))
            count = 1;
    if (count == 1)
        parts[0] = text;
    return count;
}

/* 0: the text is no list. */
static size_t
split_at_commas(struct arena *mem, const struct member *member, struct str text, struct str *parts)
{
    bool critical = member->safety == SAFETY_CRITICAL;
    size_t all = split(text, NO_LINKS, parts);
    size_t count = critical ? all : without_reasons(mem, member, parts, all);
    bool list = critical || (count == 1 && all > 1) ||
                (!has_comment(parts, count) && 2 * count_known(mem, member, parts, count) >= count);
    if (all < 2 || all == PARTS_MAX || !list || !are_short(parts, count) ||
        needs_its_text(mem, member, parts, count))
        return 0;
    return without_remarks(mem, member, parts, split_last(parts, count));
}

/* Critical members are split at every comma, others if half of the parts are in the vocabulary. At
 * "and", all parts must be: "salt and vinegar" is one taste. */
size_t
value_parts(struct arena *mem, const struct member *member, struct str text, struct str **out)
{
    struct str *parts = ARENA_ARRAY(mem, struct str, PARTS_MAX), left, object;
    *out = parts;
    size_t claims = split_claims(mem, member, text, parts);
    if (claims > 0)
        return claims;
    if (member->type == MEMBER_ARRAY && member->separate) {
        value_find(mem, member, text, &left);
        if (value_spoken_object(mem, member, text, &object))
            left = object;
        size_t count = split(left, SEPARATE_LINKS, parts);
        if (count > 1 && count < PARTS_MAX && are_names(parts, count) && !has_comment(parts, count))
            return count;
    }
    if (member->type == MEMBER_ARRAY && member->vocabulary != NULL && member->vocabulary->open &&
        !(value_has_none(member) && value_means_none(mem, member, text)) &&
        value_find(mem, member, text, &left) == NULL) {
        size_t count = value_find_named(mem, member, text, parts, PARTS_MAX);
        if (count > 0)
            return count;
        if (!value_lists_dangers(member) && value_spoken_object(mem, member, text, &object))
            left = object; /* "I love Thai and Italian" */
        count = split_explained(mem, member, text, parts);
        if (count > 0)
            return count;
        count = split(left, ALL_LINKS, parts);
        if (count > 1 && count < PARTS_MAX &&
            (count_known(mem, member, parts, count) == count ||
             are_dangers(mem, member, parts, count)))
            return without_remarks(mem, member, parts, count);
        count = split_at_commas(mem, member, left, parts);
        if (count > 0)
            return count;
    }
    parts[0] = text;
    return 1;
}
