/* value_clean.c - from a wording to a value: "none", the entry of a vocabulary, or what trimming
 * leaves.
 *
 * Two mistakes are possible: to lose what the user said, or to store a sentence where a value was
 * meant. For members about dangers, such as allergies, losing is worse: their texts are split more
 * readily, and values are found inside longer texts, but a text that denies something is kept as it
 * is. Everywhere else a text stays whole unless most of it is known. */
#include "value/value_clean.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "value/claim.h"
#include "value/inflect.h"
#include "value/phrase.h"
#include "reading/spelling.h"
#include "value/value_none.h"
#include "value/value_remark.h"
#include "value/value_speech.h"
#include "value/value_trim.h"
#include "value/value_words.h"
#include "domain/value_text.h"

#include <string.h>

#define VALUE_MAX_BYTES 1024

/* ---- none ---- */

bool
value_has_none(const struct member *member)
{
    for (size_t i = 0; i < member->hint.value_count; i++)
        if (str_eq(member->hint.values[i].value, VALUE_NONE))
            return true;
    return false;
}

static bool
is_one_of(struct str folded, struct str list)
{
    struct str text;
    while (str_cut(&list, ',', &text))
        if (str_eq(folded, text))
            return true;
    return false;
}

bool
value_is_no_answer(struct arena *mem, struct str text)
{
    struct str folded =
        value_fold(mem, value_trim_marks(value_with_straight_apostrophes(mem, text)));
    return str_present(folded) &&
           is_one_of(folded, STR("idk,i don't know,i dont know,i do not know,don't know,dont know,"
                                 "dunno,not sure,i'm not sure,im not sure,unsure,unknown,no idea,"
                                 "yes,yep,maybe,it depends,depends,?,??,???,tbd,todo,test,"
                                 "prefer not to say,rather not say"));
}

/* "no brands", where the member lists brands the user likes. */
static bool
denies_noun(const struct member *member, struct str folded)
{
    struct str noun = member->hint.noun;
    return str_present(noun) && !member->avoid && str_starts(folded, STR("no ")) &&
           (str_eq(str_from(folded, 3), noun) || inflect_is_plural_of(noun, str_from(folded, 3)));
}

/* In a member without a sentence for it, only what cannot be a name. A list of everything says as
 * little as an empty one. "Yes" and "Anything" are names of bands where there is no vocabulary. */
static bool
is_bare_none(struct arena *mem, const struct member *member, struct str folded)
{
    static const char always[] =
        "n/a,n.a.,not sure,not sure yet,not applicable,no preference,no preferences,idk,"
        "i don't know,i dont know";
    static const char phrases[] =
        "doesn't matter,all of them,none in particular,a bit of everything,a little bit of "
        "everything,a little of everything,a mix of everything,any kind,all kinds,any language,"
        "nothing really,nothing special,nothing in particular,nothing, really,i like everything,"
        "i eat everything,don't know,dont know,not sure,i'm not sure,no idea,prefer not to say";
    static const char absent[] =
        "too many,too many to list,too many to name,none really,not really any,none at all,none so "
        "far,none yet,none for now,none atm,"
        "none that i know of,none i know of,none i can think of,nothing comes to mind,no one in "
        "particular,nobody in particular,none at the moment,none right now,none currently,no "
        "favorites,no favourites,no favorite,"
        "no favourite,no real favorites,no real preference,don't have any,don't have one,"
        "don't have a favorite,i don't have any,i don't have one,i don't have a favorite,"
        "i have none,don't use any,i don't use any,don't use one,i don't use one,i don't care,"
        "don't care,not applicable to me,does not apply,ninguno,ninguna,keine,aucun,aucune";
    static const char words[] = "-,--,none,any,whatever,everything,all,a mix,anything,nothing";
    struct str plain = value_trim_marks(value_with_straight_apostrophes(mem, folded));
    struct str lasting = value_trim_time(plain);
    if (member->type == MEMBER_STRING)
        return member->vocabulary != NULL && !value_is_of_names(member) &&
               is_one_of(lasting, STR("none,nothing,n/a,not applicable,nothing really"));
    if (member->type != MEMBER_ARRAY)
        return false;
    if (is_one_of(folded, str_of(always)) || is_one_of(plain, str_of(absent)) ||
        denies_noun(member, plain))
        return true;
    if (member->separate &&
        is_one_of(lasting, STR("any,whatever,anything,everything,all,both,some,many,various")))
        return true;
    if (value_is_of_names(member))
        return false;
    return is_one_of(folded, str_of(phrases)) || str_eq_c(lasting, "nothing") ||
           (member->vocabulary != NULL &&
            (is_one_of(folded, str_of(words)) || value_is_no_answer(mem, folded)));
}

/* ---- one value ---- */

bool
value_lists_dangers(const struct member *member)
{
    return member->avoid && member->safety != SAFETY_NONE && member->vocabulary != NULL &&
           member->vocabulary->open;
}

/* A misspelled food or diet is found where it matters; other vocabularies have too many neighbors.
 */
static bool
finds_misspelled(const struct member *member)
{
    bool avoided = member->avoid || member->safety != SAFETY_NONE;
    if (member->safety == SAFETY_CRITICAL || value_lists_dangers(member))
        return true;
    for (size_t i = 0; avoided && i < member->vocabulary->count; i++)
        if (member->vocabulary->values[i].contain_count > 0 ||
            member->vocabulary->values[i].exclude_count > 0)
            return true;
    return false;
}

static const struct vocabulary_value *
find_spelling(struct arena *mem, const struct member *member, struct str text)
{
    struct str folded = value_fold(mem, text);
    if (member->vocabulary == NULL || !str_present(folded) || folded.len == 0)
        return NULL;
    const struct vocabulary_value *found = value_entry(mem, member->vocabulary, folded);
    struct str plain = spelling_without_marks(mem, folded);
    if (found == NULL && !str_eq(plain, folded))
        found = value_entry(mem, member->vocabulary, plain);
    if (found == NULL && finds_misspelled(member))
        return value_danger_entry(mem, member->vocabulary, folded);
    return found != NULL ? found : vocabulary_find(member->vocabulary, inflect_gerund(mem, folded));
}

/* "peanuts" of "no allergies except peanuts"; otherwise the text itself. Only if what comes before
 * the exception means "none". */
static struct str
after_exception(struct arena *mem, const struct member *member, struct str text)
{
    static const char *const exceptions[] = { " except ",     " except for ",
                                              " besides ",    " apart from ",
                                              " aside from ", " other than ",
                                              " but ",        NULL };
    for (size_t i = 1; i < text.len && text.len <= VALUE_MAX_BYTES; i++)
        for (size_t k = 0; exceptions[k] != NULL; k++)
            if (str_starts(str_from(text, i), str_of(exceptions[k])) &&
                value_means_none(mem, member, value_trim_ends(str_first(text, i))))
                return str_from(text, i + strlen(exceptions[k]));
    return text;
}

size_t
value_find_named(struct arena *mem, const struct member *member, struct str text, struct str *out,
                 size_t max)
{
    return value_lists_dangers(member)
               ? value_named(mem, member, after_exception(mem, member, text), out, max)
               : 0;
}

/* Each round tries the text first and then removes one phrase, so that the longest text that is
 * known wins. */
const struct vocabulary_value *
value_find(struct arena *mem, const struct member *member, struct str text, struct str *left)
{
    const struct vocabulary_value *found = NULL;
    struct str name;
    *left = text;
    do {
        found = find_spelling(mem, member, *left);
        if (found == NULL)
            found = find_spelling(mem, member, value_trim_marks(*left)); /* "Peanuts!" */
    } while (found == NULL && value_trim_one_phrase(member, left));
    if (found == NULL && value_find_named(mem, member, text, &name, 1) == 1) {
        *left = name;
        found = find_spelling(mem, member, name);
    }
    struct str bare = value_trim_remark(text), rest;
    if (found == NULL && member->safety == SAFETY_CRITICAL && !str_eq(bare, text)) {
        struct str remark = str_from(text, bare.len);
        found = value_find(mem, member, bare, &rest);
        bool describes = str_starts(remark, STR(" ")) && value_is_remark(mem, member, remark);
        *left = found != NULL || describes ? rest : *left;
    }
    return found;
}

/* "home" of "home cooking" or "fast" of "fast food" alone is nothing; "Georgian" of "Georgian food"
 * is a cuisine, and fillers are no nouns. */
static bool
lost_its_noun(const struct member *member, struct str text, struct str left)
{
    while (value_trim_fillers(member, &text))
        ;
    bool linked = str_find(left, STR(" & ")) < left.len || /* "AI & machine learning" */
                  str_find(left, STR(" and ")) < left.len;
    return !str_eq(text, left) && member->safety != SAFETY_CRITICAL && member->vocabulary != NULL &&
           str_starts(text, left) && (linked || ascii_is_lower(left.ptr[0]));
}

/* "a cabin in the woods" keeps the article that "a hotel" does not need, unless the sentence has
 * one, and "my son's console" the word that hints write as "their". */
static struct str
with_article(const struct member *member, struct str text, struct str left)
{
    static const char *const links[] = { " in ", " on ", " at ", " with ", " by ", " near ", NULL };
    enum phrase_form form = member->hint.form;
    if ((form != FORM_ANY && form != FORM_NOUN && form != FORM_THING) || left.ptr < text.ptr ||
        left.ptr > text.ptr + text.len)
        return left;
    struct str before = str_first(text, (size_t)(left.ptr - text.ptr));
    bool a = str_ends(before, STR(" a ")) || str_eq_c(before, "a "),
         an = str_ends(before, STR(" an ")) || str_eq_c(before, "an ");
    bool my = str_ends(before, STR(" my ")) || str_eq_c(before, "my ");
    size_t article = a ? 2 : an || my ? 3 : 0;
    if (my)
        return (struct str){ left.ptr - article, left.len + article };
    for (size_t i = 0; article > 0 && i < left.len; i++)
        for (size_t k = 0; links[k] != NULL; k++)
            if (str_starts(str_from(left, i), str_of(links[k])))
                return (struct str){ left.ptr - article, left.len + article };
    return left;
}

/* Whether the text ends with the plural of a value that is shown in the singular: "two cats". */
static bool
is_plural_of(struct arena *mem, const struct vocabulary_value *entry, struct str text)
{
    return str_present(entry->plural) &&
           str_ends(value_fold(mem, text), value_fold(mem, entry->plural));
}

/* The text to store for a known value: the given text without its trimmed parts if it fits, or else
 * the value. A singular gives way to the plural of the vocabulary: "dislikes olives", not "olive".
 */
static struct str
shown_of(struct arena *mem, const struct member *member, const struct vocabulary_value *entry,
         struct str text, struct str left)
{
    if (is_plural_of(mem, entry, left))
        return left;
    struct str folded = value_fold(mem, left);
    bool spelled =
        value_entry(mem, member->vocabulary, folded) != NULL ||
        value_entry(mem, member->vocabulary, spelling_without_marks(mem, folded)) != NULL;
    bool exact = spelled && str_eq(left, text) && str_eq(left, value_trim_marks(left)) &&
                 member->safety != SAFETY_CRITICAL && phrase_fits(member->hint.form, text) &&
                 !inflect_is_plural_of(entry->key, folded) &&
                 (str_eq(entry->key, folded) || /* "knit" */
                  !str_eq(entry->key, inflect_gerund(mem, folded)));
    return exact ? text : entry->value;
}

/* A field of work goes into the loose sentence: "healthcare" of "I work in healthcare"; so does
 * what is critical: "everything except rice". */
static bool
fits_loosely(const struct member *member, struct str text)
{
    enum phrase_form form = member->hint.form;
    return member->safety == SAFETY_CRITICAL ||
           phrase_fits(form == FORM_ROLE ? FORM_NOUN : form, text);
}

/* "by doing" keeps its preposition if the member has a sentence for it. */
static bool
tells_how(const struct member *member, struct str text)
{
    return str_present(member->hint.manner) && phrase_is_fragment(text);
}

/* Two names that differ in marks are one ("Beyoncé"), but two dangers may differ in them.
 *
 * In this order: "none", a known value, the object of a sentence, a denial, a trimmed text. A
 * denial of something unknown is stored as written: shortening it could turn it into its opposite.
 */
bool
value_clean(struct arena *mem, const struct member *member, struct str text, struct str *shown,
            struct str *key)
{
    struct str folded = value_fold(mem, text), left, object;
    if (!str_present(folded))
        return false;
    *shown = text;
    *key = value_lists_dangers(member) ? folded : spelling_without_marks(mem, folded);
    if (value_has_none(member) ? value_means_none(mem, member, text)
                               : is_bare_none(mem, member, folded)) {
        *shown = *key = VALUE_NONE;
        return true;
    }
    /* "Nut allergy" among restrictions is not just nuts, and a past allergy is none. */
    if (claim_in(mem, member, text) || value_denies(mem, member, text))
        return true;
    const struct vocabulary_value *found = value_find(mem, member, text, &left);
    if (found == NULL)
        left = with_article(member, text, left);
    if (found != NULL) {
        *shown = shown_of(mem, member, found, text, left);
        *key = found->key;
    } else if (!value_lists_dangers(member) && value_spoken_object(mem, member, text, &object) &&
               !str_eq(object, text)) { /* the same text would be cleaned without end */
        return value_clean(mem, member, object, shown, key);
    } else if (value_lists_dangers(member) && value_has_negation(mem, text)) {
        return true; /* "no peanut allergy" is not "no peanut" */
    } else if (!str_eq(left, text) && fits_loosely(member, left) && !tells_how(member, text) &&
               (member->hint.form == FORM_VERB ||
                !phrase_reads_on(left)) && /* not "of Spain" from "music of Spain" */
               !(phrase_excludes(text) && value_lists_absences(member)) && /* "no minibar" */
               !lost_its_noun(member, text, left)) {
        return value_clean(mem, member, left, shown, key); /* which can be a sentence now */
    }
    return str_present(*key);
}
