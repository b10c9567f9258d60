/* domain_view.c - the page of a domain is rendered, measured, and rendered again with less until it
 * fits.
 *
 * A page must stay below 60 KB with everything that it loads, and its size depends on the facts,
 * the vocabulary, and the language. So account_domain_show() gives up in this order: the lists that
 * browsers complete, suggestions, then facts, of which every member keeps a count and a link. Facts
 * are loaded and compared once, before the first try. */
#include "fact/domain_view.h"

#include "fact/domain_notes.h"
#include "base/arena.h"
#include "base/buf.h"
#include "domain/value_text.h"
#include "page/account_page.h"
#include "page/second_person.h"
#include "page/facts.h"
#include "page/pager.h"
#include "text/json_read.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"

#define SUGGESTIONS_MAX 12
#define SUGGESTIONS_STEP 4 /* fewer, while the page is too large otherwise */
#define DOCUMENT_MAX ((size_t)16 * 1024)

/* Limits for each member on the page of the whole domain. */
#define SHOWN_MOST 40
#define MEMBER_MOST 9000 /* bytes; reduced until the page fits */

/* Limits for the page of one member. */
#define PAGE_ITEMS 100
#define PAGE_BYTES ((size_t)19 * 1000)
#define CHIP_BYTES (210 + FACTS_NAME_MAX) /* without its value, which appears twice */

/* State while a page of one domain is written. */
struct domain_page {
    struct call *call;
    const struct domain_view *view;
    const struct domain_form_error *error;
    struct facts facts;
    struct str *texts;               /* of each fact, as a user would type it */
    struct comparable {              /* of each fact, for comparing with suggestions */
        const struct member *member; /* NULL: not in the current definition */
        struct str key;
    } * comparable;
    struct domain_notes notes;
    size_t most;        /* bytes of a member's facts */
    size_t suggestions; /* besides those that were chosen */
    bool chosen;        /* suggestions that were chosen are shown, too */
    bool lists;         /* what the browser completes */
};

static bool
is_shown_of(const struct domain_page *showing, size_t fact, const struct member *member)
{
    const struct atom *atom = &showing->facts.list[fact].atom;
    return atom->status == ATOM_ACTIVE && str_eq(atom->member, member->name);
}

/* The value of a member that has one value; NULL: none. */
static const struct sourced_atom *
find_current(const struct domain_page *showing, const struct member *member)
{
    for (size_t i = 0; i < showing->facts.count; i++)
        if (is_shown_of(showing, i, member))
            return &showing->facts.list[i];
    return NULL;
}

/* ---- suggestions ---- */

/* Equal for all spellings of one thing: the vocabulary's key, or the folded text. */
static struct str
key_of(struct call *call, const struct member *member, struct str text)
{
    struct str folded = value_fold(call->mem, text);
    const struct vocabulary_value *entry = member == NULL || member->vocabulary == NULL
                                               ? NULL
                                               : vocabulary_find(member->vocabulary, folded);
    return entry == NULL ? folded : entry->key;
}

/* Whether `text` contains the words of `what`, in singular or plural. */
static bool
mentions(struct str text, struct str what)
{
    for (size_t at = 0; what.len > 0 && at + what.len <= text.len; at++) {
        struct str rest = str_from(text, at);
        if (!str_starts(rest, what) || (at > 0 && text.ptr[at - 1] != ' '))
            continue;
        rest = str_from(rest, what.len);
        rest = str_from(rest, str_starts(rest, STR("es")) ? 2 : str_starts(rest, STR("s")) ? 1 : 0);
        if (rest.len == 0 || rest.ptr[0] == ' ')
            return true;
    }
    return false;
}

/* Whether a fact of another member already has the value: a user with a peanut allergy must not be
 * offered peanuts as a favorite. For members with things to avoid, a mention within a longer text
 * is enough, since a missing suggestion is harmless and a wrong one is not. *own is the fact of
 * this member with the value, or NULL. */
static bool
is_covered(const struct domain_page *showing, const struct member *member, struct str text,
           const struct sourced_atom **own)
{
    struct call *call = showing->call;
    struct str wanted = key_of(call, member, text), folded = value_fold(call->mem, text);
    bool closed = member->vocabulary != NULL && !member->vocabulary->open, covered = false;
    *own = NULL;
    for (size_t i = 0; i < showing->facts.count; i++) {
        const struct member *other = showing->comparable[i].member;
        struct str key = showing->comparable[i].key;
        if (other == NULL || (closed && other != member))
            continue; /* values of a closed vocabulary cannot be typed, so all must be offered */
        if (str_eq(key, wanted) && is_shown_of(showing, i, member))
            *own = &showing->facts.list[i];
        else if (str_eq(key, wanted))
            covered = true;
        else if (other != member && (other->avoid || other->safety != SAFETY_NONE) &&
                 (mentions(key, folded) || mentions(folded, key)))
            covered = true;
    }
    return covered;
}

/* Returns whether it is a new value. One that was chosen stays where it was, as a pressed button,
 * so that the keyboard focus stays on it. */
static bool
put_suggestion(struct domain_page *showing, struct values *item, const struct member *member,
               struct str value, struct str text)
{
    const struct sourced_atom *own = NULL;
    bool covered = is_covered(showing, member, value, &own);
    if (own == NULL ? covered : !showing->chosen)
        return false;
    struct values *one = values_item(item, "suggestions");
    values_text(one, "suggested", value);
    values_text(one, "text", text);
    if (own != NULL)
        values_text(one, "chosen", own->atom.id);
    return own == NULL;
}

/* In the order of the definition: the most common first. */
static void
put_suggestions(struct domain_page *showing, struct values *item, const struct member *member)
{
    const struct vocabulary *vocabulary = member->vocabulary;
    bool open = vocabulary == NULL || vocabulary->open;
    size_t shown = 0, most = open ? showing->suggestions : vocabulary->count;
    for (size_t i = 0; i < member->suggested_count && shown < most; i++)
        shown += put_suggestion(showing, item, member, member->suggested[i],
                                message_sentence(showing->call, member->suggested[i]));
    bool rest = vocabulary != NULL && member->suggested_count == 0;
    for (size_t i = 0; rest && i < vocabulary->count && shown < most; i++) {
        const struct vocabulary_value *value = &vocabulary->values[i];
        /* An open vocabulary's value is shown as typed once added, so it is offered like that. */
        struct str text = message_sentence(showing->call, open ? value->value : value->label);
        shown += put_suggestion(showing, item, member, value->value, text);
    }
    values_flag(item, "has_offers", most > 0);
}

static void
put_choice(struct values *item, struct str value, struct str text, bool chosen)
{
    struct values *choice = values_item(item, "choices");
    values_text(choice, "choice", value);
    values_text(choice, "text", text);
    values_text(choice, "pressed", chosen ? STR("true") : STR("false"));
}

/* `now` is the current value as JSON; absent: none is pressed. */
static void
put_choices(struct call *call, struct values *item, const struct member *member, struct str now)
{
    if (member->type == MEMBER_BOOL) {
        put_choice(item, STR("true"), message(call, KEY("fact.yes")), str_eq_c(now, "true"));
        put_choice(item, STR("false"), message(call, KEY("fact.no")), str_eq_c(now, "false"));
        return;
    }
    struct str shown = str_present(now) ? facts_value(call, NULL, now) : STR_NONE;
    for (size_t i = 0; i < member->vocabulary->count; i++) {
        const struct vocabulary_value *value = &member->vocabulary->values[i];
        put_choice(item, value->value, message_sentence(call, value->label),
                   str_eq(value->value, shown));
    }
}

/* One input for each property of an object, with the current value. */
static void
put_properties(struct call *call, struct values *item, const struct member *member, struct str now)
{
    const struct json_value *object = NULL;
    if (!str_present(now) || json_read(call->mem, now, 4, &object, NULL) != ERR_NONE)
        object = NULL;
    for (size_t i = 0; i < member->property_count; i++) {
        const struct property *property = &member->properties[i];
        const struct json_value *value =
            object == NULL ? NULL : json_member(object, str_c(call->mem, property->name));
        struct buf text = buf_in(call->mem, DOCUMENT_MAX);
        if (value != NULL && value->type == JSON_STR)
            buf_add(&text, value->text);
        else if (value != NULL && value->type == JSON_INT)
            buf_add_int(&text, value->integer);
        else if (value != NULL && value->type == JSON_REAL)
            buf_add_format(&text, "%.10g", value->real);
        struct values *one = values_item(item, "properties");
        values_text(one, "property", property->name);
        values_text(one, "name", facts_label(call, property->name));
        values_text(one, "now", buf_str(&text));
        values_flag(one, "is_bool", property->type == PROPERTY_BOOL);
        values_flag(one, "is_number", property->type == PROPERTY_NUMBER);
        values_flag(one, "is_text", property->type == PROPERTY_STRING);
        values_flag(one, "true", value != NULL && value->type == JSON_BOOL && value->integer != 0);
        values_flag(one, "false", value != NULL && value->type == JSON_BOOL && value->integer == 0);
    }
}

/* The open vocabulary of a member whose input is shown, as a <datalist> for completion. */
static void
put_list(struct values *item, const struct vocabulary *vocabulary)
{
    if (vocabulary == NULL || !vocabulary->open)
        return;
    values_text(item, "list", vocabulary->name);
    values_text(item, "example", vocabulary->values[0].note);
    for (size_t i = 0; i < vocabulary->count; i++) {
        struct values *option = values_item(item, "options");
        values_text(option, "option", vocabulary->values[i].value);
        values_text(option, "note", vocabulary->values[i].note);
    }
}

/* The input of a member depends on its type: suggestions and a text field for a list, buttons for a
 * choice, fields for an object. */
static void
put_control(struct domain_page *showing, struct values *item, const struct member *member)
{
    struct call *call = showing->call;
    const struct sourced_atom *current = find_current(showing, member);
    struct str now = current == NULL ? STR_NONE : current->atom.value;
    bool many = member->type == MEMBER_ARRAY,
         pick = member->type == MEMBER_ENUM || member->type == MEMBER_BOOL;
    values_flag(item, "many", many);
    values_flag(item, "pick", pick);
    values_flag(item, "inline", !many && !pick);
    values_flag(item, "text", member->type == MEMBER_STRING);
    values_flag(item, "number", member->type == MEMBER_NUMBER);
    if (showing->lists)
        put_list(item, member->vocabulary);
    if (many) {
        values_flag(item, "free", member->vocabulary == NULL || member->vocabulary->open);
        put_suggestions(showing, item, member);
        return;
    }
    if (pick)
        put_choices(call, item, member, now);
    else if (member->type == MEMBER_OBJECT)
        put_properties(call, item, member, now);
    else if (current != NULL)
        values_text(item, "current", facts_value(call, NULL, now));
    if (member->has_minimum)
        values_text(item, "minimum", str_format(call->mem, "%.10g", member->minimum));
    if (member->has_maximum)
        values_text(item, "maximum", str_format(call->mem, "%.10g", member->maximum));
}

/* ---- a member's facts, in the order of the record ---- */

/* `alone`: all facts, in pages. Otherwise the newest, as many as fit next to the other members. */
static struct pager
page_of(struct domain_page *showing, const struct member *member, bool alone)
{
    struct call *call = showing->call;
    struct pager pager = alone ? pager_for(showing->view->page, PAGE_ITEMS, PAGE_BYTES)
                               : pager_for(1, SHOWN_MOST, showing->most);
    size_t count = showing->facts.count;
    for (size_t i = 0; i < count; i++) {
        size_t at = alone ? i : count - 1 - i;
        if (is_shown_of(showing, at, member)) {
            struct str text = showing->texts[at];
            text = alone ? text : facts_short(call, text);
            pager_add(&pager, CHIP_BYTES + 2 * pager_bytes(call->mem, text));
        }
    }
    pager_settle(&pager);
    if (!alone && showing->most == 0)
        pager.last = 0; /* the largest pages only count a member's facts */
    return pager;
}

/* The pager counts from the newest fact, the list shows them in the order of the record: `place`
 * converts one number into the other. */
static void
put_facts(struct domain_page *showing, struct values *values, struct values *item,
          const struct member *member)
{
    struct call *call = showing->call;
    bool alone = showing->view->only != NULL;
    struct pager pager = page_of(showing, member, alone);
    size_t number = 0;
    for (size_t i = 0; i < showing->facts.count; i++) {
        if (!is_shown_of(showing, i, member))
            continue;
        size_t place = alone ? number : pager.count - 1 - number;
        number++;
        if (pager_shows(&pager, place))
            facts_put(call, &showing->facts, values_item(item, "facts"), &showing->facts.list[i]);
    }
    values_flag(item, "has_facts", pager.count > 0);
    struct str domain = showing->view->domain->name;
    if (alone) {
        values_text(values, "from", str_format(call->mem, "%zu", pager.wanted));
        pager_put(call, values, &pager,
                  str_format(call->mem, "/account/domains/%.*s?show=%.*s&page=", STR_ARG(domain),
                             STR_ARG(member->name)),
                  "");
    } else if (pager.count > pager.last) {
        int64_t rest = (int64_t)(pager.count - pager.last);
        values_text(
            item, "more",
            pager.last == 0
                ? message_count(call, KEY("account.facts.one"), KEY("account.facts.other"), rest)
                : message_count(call, KEY("account.more.one"), KEY("account.more.other"), rest));
    }
}

/* Empty if it only repeats the label. */
static struct str
description_of(struct call *call, const struct member *member)
{
    struct str text = message_sentence(call, member->description);
    if (str_eq(text, member->description)) /* no translation */
        text = second_person_text(call->mem, member->description);
    struct str label = facts_member_label(call, member);
    return str_starts(text, label) && text.len <= label.len + 1 ? STR("") : text;
}

/* Likely mistakes, with one button each; the values stay as they are. */
static void
put_notes(struct domain_page *showing, struct values *item, const struct member *member)
{
    struct call *call = showing->call;
    for (size_t i = 0; i < showing->notes.count; i++) {
        const struct domain_note *note = &showing->notes.list[i];
        if (!str_eq(note->fact->atom.member, member->name))
            continue;
        struct values *one = values_item(item, "notes");
        values_text(one, "id", note->fact->atom.id);
        values_text(one, "brief",
                    facts_short(call, facts_value(call, member, note->fact->atom.value)));
        values_flag(one, "near", note->against == NULL);
        values_text(one, "instead", note->instead);
        values_text(one, "what", facts_short(call, message_sentence(call, note->instead)));
        if (note->against != NULL)
            values_text(one, "where", facts_member_label(call, note->against));
    }
}

/* A member whose form was rejected is open, even if the address does not say so. */
static void
put_member(struct domain_page *showing, struct values *values, const struct member *member)
{
    struct call *call = showing->call;
    const struct domain_form_error *error = showing->error;
    struct values *item = values_item(values, "members");
    bool rejected = str_eq(error->member, member->name);
    values_text(item, "member", member->name);
    values_text(item, "label", facts_member_label(call, member));
    values_text(item, "description", description_of(call, member));
    values_flag(item, "sensitive", member->sensitive);
    put_facts(showing, values, item, member);
    put_notes(showing, item, member);
    bool open = rejected || showing->view->only != NULL || showing->view->open == member;
    values_flag(item, "open", open);
    values_flag(item, "change",
                member->type != MEMBER_ARRAY && find_current(showing, member) != NULL);
    if (open)
        put_control(showing, item, member);
    account_put_field(call, item, "typed", rejected ? error->typed : STR_NONE,
                      rejected ? error->problem : STR_NONE);
    if (rejected)
        values_text(item, "current", error->typed);
}

/* ---- the page ---- */

/* The whole domain, or one member of it (`only`). */
static enum err
show(struct domain_page *showing, int status)
{
    struct call *call = showing->call;
    const struct domain *domain = showing->view->domain;
    const struct member *only = showing->view->only;
    struct values *values = values_new(call->mem);
    values_text(values, "domain", domain->name);
    values_text(values, "domain_title", message_sentence(call, domain->title));
    values_text(values, "about", message_sentence(call, domain->description));
    values_flag(values, "refused", showing->error->problem.len > 0);
    if (only != NULL)
        values_text(values, "only", facts_member_label(call, only));
    for (size_t i = 0; i < domain->member_count; i++)
        if (only == NULL || only == &domain->members[i])
            put_member(showing, values, &domain->members[i]);
    values_flag(values, "at_domain", true);
    return account_page_with_script(call, status, "account_domain", values);
}

/* Each step makes the page smaller. In the last one, most == 0, facts are only counted. */
enum err
account_domain_show(struct call *call, int status, const struct domain_view *view,
                    const struct domain_form_error *error)
{
    struct domain_page showing = { .call = call, .view = view, .error = error };
    enum err err = facts_load(call, view->domain->name, &showing.facts);
    if (err != ERR_NONE)
        return err;
    showing.texts = ARENA_ARRAY(call->mem, struct str, showing.facts.count + 1);
    showing.comparable = ARENA_ARRAY(call->mem, struct comparable, showing.facts.count + 1);
    for (size_t i = 0; i < showing.facts.count; i++) {
        const struct atom *atom = &showing.facts.list[i].atom;
        const struct member *member = domain_member(view->domain, atom->member);
        showing.texts[i] = facts_value(call, NULL, atom->value);
        showing.comparable[i] =
            (struct comparable){ member, key_of(call, member, showing.texts[i]) };
    }
    showing.notes = domain_notes_make(call->mem, view->domain, showing.facts.list,
                                      showing.facts.count, call->now);
    showing.most = MEMBER_MOST;
    showing.suggestions = SUGGESTIONS_MAX;
    showing.lists = showing.chosen = true;
    err = show(&showing, status);
    /* A later response replaces an earlier one completely, so rendering again is safe. */
    if (err == ERR_NONE && !account_page_fits(call)) {
        showing.lists = false;
        err = show(&showing, status);
    }
    while (err == ERR_NONE && showing.suggestions > 0 && !account_page_fits(call)) {
        showing.chosen = false;
        showing.suggestions -= SUGGESTIONS_STEP;
        err = show(&showing, status);
    }
    while (err == ERR_NONE && showing.most > 0 && !account_page_fits(call)) {
        showing.most = showing.most > CHIP_BYTES ? showing.most * 2 / 3 : 0;
        err = show(&showing, status);
    }
    return err;
}
