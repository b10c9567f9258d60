#include "domain/value_clean.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "domain/phrase.h"
#include "domain/value_text.h"

#include <string.h>

#define PARTS_MAX 32
#define PART_WORDS_MAX 5 /* a longer part is a sentence with commas, not an item of a list */
#define NAME_WORDS_MAX 4 /* words of one vocabulary value */

/* ---- none ---- */

static bool
has_none(const struct member *member)
{
    for (size_t i = 0; i < member->hint.value_count; i++)
        if (str_eq(member->hint.values[i].value, VALUE_NONE))
            return true;
    return false;
}

static bool
is_one_of(struct str text, const char *const *list)
{
    for (; *list != NULL; list++)
        if (str_eq_c(text, *list))
            return true;
    return false;
}

static bool
has_word_of(struct str text, const char *const *list)
{
    struct str word;
    while (str_cut(&text, ' ', &word)) {
        while (word.len > 0 && strchr(".,!", word.ptr[word.len - 1]) != NULL)
            word = str_first(word, word.len - 1);
        if (is_one_of(word, list))
            return true;
    }
    return false;
}

/* "none", or a negation with the name of what is absent: "I don't have any food allergies". */
static bool
means_none(struct str folded)
{
    static const char *const whole[] = {
        "none",
        "no",
        "nope",
        "nil",
        "nothing",
        "n/a",
        "na",
        "none known",
        "nka",
        "nkda",
        "nkfa",
        "no known",
        "-",
        "--",
        "unrestricted",
        "keine",
        "keiner",
        "ninguna",
        "ninguno",
        "aucune",
        "aucun",
        "nessuna",
        "nessuno",
        "nenhuma",
        "nenhum",
        "geen",
        "inga",
        "ingen",
        "brak",
        "нет",
        "yok",
        "なし",
        "无",
        "無",
        "没有",
        "none that i know of",
        "nothing that i know of",
        "not that i know of",
        "none so far",
        "없음",
        "لا يوجد",
        "कोई नहीं",
        "none.",
        "not applicable",
        NULL,
    };
    static const char *const negations[] = { "no",    "not",     "none",    "don't", "dont",
                                             "never", "haven't", "without", "zero",  NULL };
    static const char *const absent[] = {
        "allergy",      "allergies",  "allergic",    "allergens",    "intolerance",
        "intolerances", "intolerant", "restriction", "restrictions", "diet",
        "diets",        "dietary",    "requirement", "requirements", "need",
        "needs",        "condition",  "conditions",  NULL,
    };
    static const char *const exceptions[] = { "except", "but", "besides", "other",
                                              "apart",  "to",  NULL };
    static const char *const all[] = { "anything", "any", "known", NULL };
    if (is_one_of(folded, whole))
        return true;
    return has_word_of(folded, negations) && has_word_of(folded, absent) &&
           (!has_word_of(folded, exceptions) || has_word_of(folded, all));
}

/* In a member without a sentence for it, only what cannot be a name. A list of everything says as
 * little as an empty one. */
static bool
is_bare_none(const struct member *member, struct str folded)
{
    static const char *const whole[] = { "none",
                                         "n/a",
                                         "not applicable",
                                         "any",
                                         "no preference",
                                         "no preferences",
                                         "doesn't matter",
                                         "whatever",
                                         "all of them",
                                         "everything",
                                         "all",
                                         "none in particular",
                                         NULL };
    return member->type == MEMBER_ARRAY && member->vocabulary != NULL && is_one_of(folded, whole);
}

/* ---- vocabulary ---- */

const struct vocabulary_value *
value_entry(struct arena *mem, const struct vocabulary *vocabulary, struct str folded)
{
    const struct vocabulary_value *found = vocabulary_find(vocabulary, folded);
    if (found == NULL && folded.len > 2)
        found = vocabulary_find(vocabulary, str_format(mem, "%.*ss", STR_ARG(folded)));
    if (found == NULL && folded.len > 3 && str_ends(folded, STR("s")))
        found = vocabulary_find(vocabulary, str_first(folded, folded.len - 1));
    if (found == NULL && folded.len > 4 && str_ends(folded, STR("es")))
        found = vocabulary_find(vocabulary, str_first(folded, folded.len - 2));
    return found;
}

/* The first words of a text, up to `words` of them. */
static struct str
first_words(struct str text, size_t words)
{
    size_t end = 0;
    for (; end < text.len; end++)
        if (text.ptr[end] == ' ' && --words == 0)
            break;
    return str_first(text, end);
}

static bool
is_or_contains(const struct vocabulary_value *entry, struct str food)
{
    for (size_t i = 0; i < entry->contain_count; i++)
        if (str_eq(entry->contains[i], food))
            return true;
    return str_eq(entry->key, food);
}

/* The longest value at each position counts: "peanut butter" is no butter. */
bool
value_contains(struct arena *mem, const struct vocabulary *vocabulary, struct str dish,
               struct str food)
{
    struct str rest = value_fold(mem, dish);
    while (str_present(rest) && rest.len > 0) {
        struct str taken = first_words(rest, 1);
        for (size_t words = NAME_WORDS_MAX; words > 0; words--) {
            struct str name = first_words(rest, words);
            const struct vocabulary_value *entry = value_entry(mem, vocabulary, name);
            if (entry == NULL)
                continue;
            if (is_or_contains(entry, food))
                return true;
            taken = name;
            break;
        }
        rest = str_from(rest, taken.len < rest.len ? taken.len + 1 : rest.len);
    }
    return false;
}

/* ---- trimming ---- */

static bool
joins_words(char c)
{
    return c == ' ' || c == '-' || c == '_';
}

/* Compares the start of a text as written with a folded phrase. Returns the length that matches
 * and ends with a word; 0: none. */
static size_t
match_phrase(struct str text, struct str phrase)
{
    size_t at = 0;
    for (size_t i = 0; i < phrase.len; i++, at++) {
        if (at == text.len)
            return 0;
        char c = text.ptr[at];
        c = ascii_to_lower(c);
        if (c != phrase.ptr[i] && !(phrase.ptr[i] == ' ' && joins_words(c)))
            return 0;
    }
    return at == text.len || joins_words(text.ptr[at]) || text.ptr[at] == ':' ? at : 0;
}

static struct str
trim_ends(struct str text)
{
    while (text.len > 0 && (joins_words(text.ptr[0]) || text.ptr[0] == ':'))
        text = str_from(text, 1);
    while (text.len > 0 && strchr(" -_:.!,", text.ptr[text.len - 1]) != NULL)
        text = str_first(text, text.len - 1);
    return text;
}

/* "shellfish (severe)" */
static struct str
trim_remark(struct str text)
{
    size_t open = str_index(text, '(');
    return open > 1 && str_ends(text, STR(")")) ? trim_ends(str_first(text, open)) : text;
}

static struct str
trim_marks(struct str text)
{
    while (text.len > 0 && strchr(" .,!", text.ptr[text.len - 1]) != NULL)
        text = str_first(text, text.len - 1);
    return text;
}

static bool
starts_word(char c)
{
    return ascii_is_alphanumeric(c) || (unsigned char)c >= 0x80;
}

/* Removes one phrase from either end. False: there is none, or no word would be left. */
static bool
trim_once(const struct member *member, struct str *text)
{
    for (size_t i = 0; i < member->trim_count; i++) {
        struct str phrase = member->trims[i], left = STR("");
        size_t length = match_phrase(*text, phrase);
        size_t tail = text->len > phrase.len ? text->len - phrase.len : 0;
        if (length > 0)
            left = trim_ends(str_from(*text, length));
        else if (tail > 0 && joins_words(text->ptr[tail - 1]) &&
                 match_phrase(str_from(*text, tail), phrase) == phrase.len)
            left = trim_ends(str_first(*text, tail));
        if (left.len > 0 && starts_word(left.ptr[0])) {
            *text = left;
            return true;
        }
    }
    return false;
}

/* ---- one value ---- */

static const struct vocabulary_value *
find_spelling(struct arena *mem, const struct member *member, struct str text)
{
    struct str folded = value_fold(mem, text);
    return member->vocabulary == NULL || !str_present(folded) || folded.len == 0
               ? NULL
               : value_entry(mem, member->vocabulary, folded);
}

/* The entry of a text or of what trimming leaves of it, which *left is set to. */
static const struct vocabulary_value *
find_entry(struct arena *mem, const struct member *member, struct str text, struct str *left)
{
    const struct vocabulary_value *found = NULL;
    *left = text;
    do {
        found = find_spelling(mem, member, *left);
        if (found == NULL)
            found = find_spelling(mem, member, trim_marks(*left)); /* "Peanuts!" */
        if (found == NULL && member->safety == SAFETY_CRITICAL)
            found = find_spelling(mem, member, trim_remark(*left));
    } while (found == NULL && trim_once(member, left));
    return found;
}

/* "home" of "home cooking" or "fast" of "fast food" alone is nothing; "Georgian" of "Georgian food"
 * is a cuisine. */
static bool
lost_its_noun(const struct member *member, struct str text, struct str left)
{
    return member->safety != SAFETY_CRITICAL && member->vocabulary != NULL &&
           str_starts(text, left) && ascii_is_lower(left.ptr[0]);
}

bool
value_clean(struct arena *mem, const struct member *member, struct str text, struct str *shown,
            struct str *key)
{
    struct str folded = value_fold(mem, text), left;
    if (!str_present(folded))
        return false;
    *shown = text;
    *key = folded;
    if (has_none(member) ? means_none(folded) : is_bare_none(member, folded)) {
        *shown = *key = VALUE_NONE;
        return true;
    }
    const struct vocabulary_value *found = find_entry(mem, member, text, &left);
    if (found != NULL) {
        bool exact = str_eq(left, text) && str_eq(left, trim_marks(left)) &&
                     member->safety != SAFETY_CRITICAL && phrase_fits(member->hint.form, text);
        *shown = exact ? text : found->value;
        *key = found->key;
    } else if (!str_eq(left, text) && phrase_fits(member->hint.form, left) &&
               !phrase_reads_on(left) && /* not "of Spain" from "music of Spain" */
               !lost_its_noun(member, text, left)) {
        *shown = left;
        *key = value_fold(mem, left);
    }
    return str_present(*key);
}

/* ---- lists ---- */

static size_t
word_count(struct str text)
{
    size_t count = text.len > 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == ' ';
    return count;
}

/* Splits at commas, and with `words` also at "and", "or", "&", "+", and "/". */
static size_t
split(struct str text, bool words, struct str *out)
{
    static const char *const links[] = { " and ", " or ", " & ", " + ", "/", NULL };
    size_t count = 0, start = 0;
    for (size_t i = 0; i <= text.len && count < PARTS_MAX; i++) {
        struct str rest = str_from(text, i);
        size_t length = i == text.len ? 1 : text.ptr[i] == ',' || text.ptr[i] == ';' ? 1 : 0;
        for (size_t k = 0; words && length == 0 && links[k] != NULL; k++)
            length = str_starts(rest, str_of(links[k])) ? strlen(links[k]) : 0;
        if (length == 0)
            continue;
        struct str part = trim_ends((struct str){ text.ptr + start, i - start });
        if (count > 0 && str_starts(part, STR("and ")))
            part = trim_ends(str_from(part, 4));
        if (part.len > 0)
            out[count++] = part;
        start = i + length;
        i = start > i ? start - 1 : i;
    }
    return count;
}

static size_t
count_known(struct arena *mem, const struct member *member, const struct str *parts, size_t count)
{
    size_t known = 0;
    struct str left;
    for (size_t i = 0; i < count; i++)
        known += find_entry(mem, member, parts[i], &left) != NULL;
    return known;
}

static bool
are_short(const struct str *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (word_count(parts[i]) > PART_WORDS_MAX)
            return false;
    return true;
}

/* Critical members are split at every comma, others if half of the parts are in the vocabulary. At
 * "and", all parts must be: "salt and vinegar" is one taste. */
size_t
value_parts(struct arena *mem, const struct member *member, struct str text, struct str **out)
{
    struct str *parts = ARENA_ARRAY(mem, struct str, PARTS_MAX), left;
    *out = parts;
    if (member->type == MEMBER_ARRAY && member->vocabulary != NULL && member->vocabulary->open &&
        find_entry(mem, member, text, &left) == NULL) {
        size_t count = split(left, true, parts);
        if (count > 1 && count < PARTS_MAX && count_known(mem, member, parts, count) == count)
            return count;
        count = split(left, false, parts);
        bool list = member->safety == SAFETY_CRITICAL ||
                    2 * count_known(mem, member, parts, count) >= count;
        if (count > 1 && count < PARTS_MAX && list && are_short(parts, count))
            return count;
    }
    parts[0] = text;
    return 1;
}
