#include "hint/hint_value.h"

#include "base/arena.h"
#include "value/inflect.h"
#include "naming/name.h"
#include "value/phrase.h"
#include "value/value_none.h"
#include "value/word_lists.h"
#include "domain/value_text.h"
#include "hint/hint_pairs.h"
#include "hint/hint_quotes.h"
#include "hint/hint_rank.h"
#include "model/atom.h"
#include "text/json_read.h"
#include "wording/describe.h"
#include "wording/shape.h"

#include <string.h>

/* ---- one value ---- */

static struct str
shown_number(struct arena *mem, const struct json_value *value)
{
    return value_number_text(mem, value->type == JSON_REAL ? value->real : (double)value->integer);
}

/* The entry of an open or closed vocabulary; NULL: none. */
static const struct vocabulary_value *
entry_of(struct arena *mem, const struct member *member, struct str value)
{
    return member->vocabulary == NULL ? NULL
                                      : vocabulary_find(member->vocabulary, value_fold(mem, value));
}

/* The plural of a value that is shown with an article: what the user wrote ("two cats"), and what
 * the user avoids ("does not want to be around dogs"). Absent: the value has none here. */
static struct str
plural_of(struct arena *mem, const struct member *member, const struct vocabulary_value *entry,
          struct str value)
{
    if (entry == NULL || !str_present(entry->plural))
        return STR_NONE;
    if (member->avoid)
        return entry->plural;
    return str_ends(value_fold(mem, value), value_fold(mem, entry->plural)) ? value : STR_NONE;
}

/* The label of a value: always from a closed vocabulary, and from an open one if it defines a label
 * or the value differs only in case ("indian"). Otherwise the value as the user wrote it. */
static struct str
label_of(struct arena *mem, const struct member *member, const struct vocabulary_value *entry,
         struct str value)
{
    bool use_label = entry != NULL && (!member->vocabulary->open || entry->labeled ||
                                       str_eq(entry->key, value_fold(mem, value)));
    struct str plural = plural_of(mem, member, entry, value);
    if (str_present(plural))
        return plural;
    return use_label ? entry->label : value;
}

static bool
is_plain_json(struct str json, struct str shown)
{
    return json.len == shown.len + 2 && json.ptr[0] == '"' &&
           memcmp(json.ptr + 1, shown.ptr, shown.len) == 0;
}

/* Titles, brands, and places, and not things such as "street art". */
static bool
is_of_names(const struct member *member)
{
    return member->vocabulary == NULL && !member->separate && form_takes_names(member->hint.form);
}

/* What an app wrote and no vocabulary knows. A member may want a verb, such as a goal: "lose ten
 * pounds". Then what follows the verb decides. */
static bool
is_doubtful(const struct member *member, struct str text)
{
    struct str rest = text, verb;
    if (member->hint.form == FORM_VERB && phrase_fits(FORM_VERB, text) &&
        words_next(&rest, &verb) && rest.len > 0 && !words_in_list(verb, WORDS_ORDER))
        return !name_is_plain(str_from(rest, 1));
    return !name_is_plain(text) || (is_of_names(member) && name_is_small(text));
}

/* A value of such a member, or of one with a form: in the third person, and quoted if it is a
 * clause, a fragment, or a negation: "dislikes no …", "includes no oven". */
static void
shape_value(struct arena *mem, const struct member *member, struct hint_value *out,
            struct hint_form *form)
{
    out->quote = out->quote || shape_is_clause(member->hint.form, out->shown) ||
                 phrase_begins_clause(out->shown) ||
                 (member->avoid && value_has_negation(mem, out->shown)) ||
                 shape_breaks_off(member->hint.form, out->shown);
    if (!out->quote && member->hint.form == FORM_ROLE)
        out->shown = phrase_without_capitals(mem, out->shown);
    if (!out->quote) /* a quotation keeps_stored_value as it was written */
        out->shown = shape_decade(mem, phrase_third_person(mem, out->shown));
    if (!out->quote && member->hint.form == FORM_VERB)
        out->shown = shape_goal(mem, out->shown);
    if (!out->quote && member->hint.form == FORM_COMPANY)
        out->shown = shape_company(mem, out->shown);
    if (!out->quote && member->hint.form == FORM_THING)
        out->shown = shape_with_article(mem, out->shown);
    form->loose = str_present(member->hint.loose) &&
                  (form->loose || out->quote || !shape_fits(member->hint.form, out->shown));
}

/* A value that is written as in its member's sentence for it: with a noun, or as where or how. */
static bool
describe_value(struct arena *mem, const struct member *member, struct hint_value *out,
               struct hint_form *form)
{
    bool describes = str_present(member->hint.noun) || str_present(member->hint.manner);
    if (!describes || out->quote)
        return false;
    struct str shown = STR_NONE;
    enum description kind = describe_value_of(mem, member, out->shown, &shown);
    if (kind == DESCRIBES_NOTHING)
        return false;
    out->shown = shape_proper(mem, shown);
    form->manner = kind == DESCRIBES_MANNER;
    form->described = kind == DESCRIBES_NOUN && str_present(member->hint.described);
    return true;
}

/* "favorite color is blue", but "favorite colors include earth tones". Other sentences for one
 * value read well with both: "avoids Thai cuisine". "War and Peace" is one title. */
static bool
needs_plural(const struct member *member, bool known, struct str shown)
{
    struct str one = member->hint.text_one, is = STR(" is {list}");
    bool names = is_of_names(member);
    if (names && (str_starts(shown, STR("anything ")) || str_starts(shown, STR("everything by "))))
        names = false; /* "anything by Miyazaki" */
    return str_present(one) && !names && phrase_is_several(shown, known) &&
           memmem(one.ptr, one.len, is.ptr, is.len) != NULL;
}

/* Names stay as they are, except what is plainly somebody or something of the user, and names of
 * countries. */
static void
shape_name(struct arena *mem, const struct member *member, struct hint_value *out)
{
    bool of_many = str_starts(out->shown, STR("anything ")) && /* "the song anything by Abba" */
                   str_present(member->hint.text_one) && !needs_plural(member, false, out->shown);
    out->quote = out->quote || of_many || phrase_is_speech(out->shown) ||
                 (member->separate && shape_is_no_item(out->shown)) ||
                 shape_is_rest(member, out->shown);
    if (out->quote)
        return;
    if (form_of_names(member->hint.form) && shape_is_own(out->shown))
        out->shown = phrase_third_person(mem, out->shown);
    if (member->hint.form == FORM_PLACE)
        out->shown = shape_place(out->shown);
}

/* `plain`: the text is known to need no quotation marks by itself. */
static void
make_value(struct arena *mem, const struct member *member, const struct atom *atom, bool plain,
           struct hint_value *out, struct hint_form *form)
{
    const struct json_value *value = NULL;
    struct why why;
    *out = (struct hint_value){ .shown = STR(""), .json = atom->value, .by_app = !atom->by_user };
    if (json_read(mem, atom->value, 4, &value, &why) != ERR_NONE)
        return;
    if (value->type == JSON_STR) {
        const struct vocabulary_value *entry = entry_of(mem, member, value->text);
        form->plain = entry != NULL ? entry->value : value->text;
        out->shown = label_of(mem, member, entry, value->text);
        out->quote = (!plain && hint_must_quote(mem, out->shown)) ||
                     (!atom->by_user && entry == NULL && is_doubtful(member, out->shown));
        form->reads_on =
            form->reads_on || (!atom->by_user && entry == NULL && phrase_is_part(out->shown));
        bool described = entry == NULL && describe_value(mem, member, out, form);
        if (entry == NULL && !described &&
            (!form_takes_names(member->hint.form) ||
             (member->vocabulary != NULL && !statement_holds(member))))
            shape_value(mem, member, out, form);
        else if (entry == NULL && !described && !statement_holds(member))
            shape_name(mem, member, out);
        form->speech =
            form->speech || (out->quote && atom->by_user &&
                             (phrase_is_speech(out->shown) || shape_is_rest(member, out->shown)));
        if (entry == NULL && !out->quote && !statement_holds(member))
            out->shown = shape_proper(mem, out->shown);
        form->several = !out->quote && (needs_plural(member, entry != NULL, out->shown) ||
                                        (described && phrase_is_several(member->hint.noun, true)));
        if (is_plain_json(atom->value, out->shown))
            out->json = STR_NONE;
    } else if (value->type == JSON_BOOL) {
        form->plain = value->integer != 0 ? STR("true") : STR("false");
        out->shown = value->integer != 0 ? STR("yes") : STR("no");
    } else if (value->type == JSON_OBJECT) {
        out->shown = hint_pairs(mem, member, value, !atom->by_user, &form->pairs);
    } else {
        form->plain = out->shown = shown_number(mem, value);
    }
}

int
hint_sentence_of(const struct member *member, struct str value)
{
    for (size_t i = 0; i < member->hint.value_count; i++)
        if (str_eq(member->hint.values[i].value, value))
            return (int)i;
    return HINT_FROM_PATTERN;
}

bool
hint_value_is(const struct hint_value *value, struct str json)
{
    if (str_present(value->json))
        return str_eq(value->json, json);
    return json.len == value->shown.len + 2 &&
           str_eq(str_first(str_from(json, 1), value->shown.len), value->shown);
}

bool
hint_value_has_sentence(struct arena *mem, const struct ranked *fact)
{
    struct hint_value unused;
    struct hint_form form = { .plain = STR_NONE };
    const struct member *member = fact->member;
    if (member->hint.value_count == 0 && !str_present(member->hint.described) &&
        !str_present(member->hint.manner))
        return false;
    make_value(mem, member, fact->atom, true, &unused, &form);
    return form.described || form.manner || hint_sentence_of(member, form.plain) >= 0;
}

/* ---- values that stay as they are ---- */

/* The value of the list with this JSON, if it is shown without quotation marks. NULL: none. Both
 * are usually in the same order: *at is where to look first. */
static const struct hint_value *
unquoted_in(const struct hint *list, struct str json, int *at)
{
    for (int tries = 0; list != NULL && tries < list->total; tries++) {
        const struct hint_value *value = &list->values[(*at + tries) % list->total];
        if (!hint_value_is(value, json))
            continue;
        *at = (*at + tries + 1) % list->total;
        return value->quote ? NULL : value;
    }
    return NULL;
}

/* Whether the value is shown like this again. That depends on the text and the definition, and on
 * who stated it: one of an app must be plainly a name. In a loose sentence, it is not known which
 * of the values is loose. */
static bool
keeps_stored_value(const struct hint *list, const struct hint_value *value, const struct atom *atom)
{
    return list->sentence == HINT_FROM_PATTERN && str_starts(atom->value, STR("\"")) &&
           (atom->by_user || value->by_app);
}

/* ---- all values ---- */

/* Values that the stored hint shows without quotation marks are taken from it, because finding out
 * whether a text is plainly a name costs most. */
struct hint_value *
hint_values_make(struct arena *mem, const struct ranked *facts, int count, const struct hint *list,
                 struct hint_form *form)
{
    struct hint_value *values = ARENA_ARRAY(mem, struct hint_value, (size_t)count);
    int at = 0;
    *form = (struct hint_form){ .plain = STR_NONE };
    for (int i = 0; i < count; i++) {
        const struct atom *atom = facts[i].atom;
        const struct hint_value *before = unquoted_in(list, atom->value, &at);
        if (before != NULL && keeps_stored_value(list, before, atom)) {
            values[i] = *before;
            values[i].by_app = !atom->by_user;
            continue;
        }
        make_value(mem, facts[i].member, atom, before != NULL, &values[i], form);
    }
    /* Items of apps could read on from one to the next: "cheap wine", "and ignore", "the
     * allergies". Then every item of the list is quoted. */
    for (int i = 0; count > 1 && form->reads_on && i < count; i++)
        values[i].quote = true;
    return values;
}
