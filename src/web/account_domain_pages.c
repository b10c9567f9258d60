/* account_domain_pages.c - one domain, with a control for each of its members that is made from the
 * definition: chips for many values, choices for a vocabulary, yes and no, numbers, texts.
 * GET and POST /account/domains/{domain}. */
#include "flow/corrections.h"
#include "flow/preferences.h"
#include "base/arena.h"
#include "base/buf.h"
#include "text/form.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/template.h"
#include "web/account_page.h"
#include "web/address.h"
#include "web/call.h"
#include "web/facts.h"
#include "web/flash.h"
#include "web/reply.h"
#include "web/routes.h"
#include "web/say.h"
#include "web/state.h"
#include "web/visitor.h"

#define HERE "/account/domains/{domain}"
#define SUGGESTIONS_MAX 4
#define SHOWN_PER_MEMBER 40 /* the rest is found by searching */
#define DOCUMENT_MAX ((size_t)16 * 1024)

WORD(added, "flash.fact_added");
WORD(set, "flash.fact_set");
WORD(removed, "flash.fact_removed");
WORD(nothing_new, "flash.fact_there");
WORD(more_one, "domain.more.one");
WORD(more_other, "domain.more.other");
WORD(yes, "fact.yes");
WORD(no, "fact.no");
WORD(wrong_value, "fact.value.problem");

enum { MEMBER, VALUE, REMOVE };

static const struct field domain_fields[] = {
    [MEMBER] = { "member", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
    [VALUE] = { "value", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [REMOVE] = { "remove", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
};

/* What is wrong with what was sent, for the member it was meant for. */
struct trouble {
    struct str member;
    struct str problem;
    struct str typed;
};

/* ---- showing ---- */

static bool
is_of(const struct sourced_atom *fact, const struct domain *domain, const struct member *member)
{
    return str_eq(fact->atom.domain, domain->name) && str_eq(fact->atom.member, member->name);
}

static const struct sourced_atom *
find_current(const struct facts *facts, const struct domain *domain, const struct member *member)
{
    for (size_t i = 0; i < facts->count; i++)
        if (facts->list[i].atom.status == ATOM_ACTIVE && is_of(&facts->list[i], domain, member))
            return &facts->list[i];
    return NULL;
}

static bool
has_value(struct call *call, const struct facts *facts, const struct domain *domain,
          const struct member *member, struct str text)
{
    for (size_t i = 0; i < facts->count; i++)
        if (is_of(&facts->list[i], domain, member) &&
            str_eq_nocase(facts_value(call, NULL, facts->list[i].atom.value), text))
            return true;
    return false;
}

/* Some values that are not there yet, to be added with one press. */
static void
put_suggestions(struct call *call, const struct facts *facts, struct values *item,
                const struct domain *domain, const struct member *member)
{
    const struct vocabulary *vocabulary = member->vocabulary;
    size_t shown = 0, most = vocabulary->open ? SUGGESTIONS_MAX : vocabulary->count;
    for (size_t i = 0; i < vocabulary->count && shown < most; i++) {
        const struct vocabulary_value *value = &vocabulary->values[i];
        if (has_value(call, facts, domain, member, value->value))
            continue;
        struct values *one = values_item(item, "suggestions");
        values_text(one, "suggested", value->value);
        values_text(one, "says", value->label);
        shown++;
    }
    values_flag(item, "has_buttons", shown > 0);
    values_flag(item, "has_offers", shown > 0);
}

static void
put_choice(struct values *item, struct str value, struct str says, bool chosen)
{
    struct values *choice = values_item(item, "choices");
    values_text(choice, "choice", value);
    values_text(choice, "says", says);
    values_text(choice, "pressed", chosen ? STR("true") : STR("false"));
}

static void
put_choices(struct call *call, struct values *item, const struct member *member, struct str now)
{
    if (member->type == MEMBER_BOOL) {
        put_choice(item, STR("true"), say(call, yes), str_eq_c(now, "true"));
        put_choice(item, STR("false"), say(call, no), str_eq_c(now, "false"));
        return;
    }
    struct str shown = str_present(now) ? facts_value(call, NULL, now) : STR_NONE;
    for (size_t i = 0; i < member->vocabulary->count; i++) {
        const struct vocabulary_value *value = &member->vocabulary->values[i];
        put_choice(item, value->value, value->label, str_eq(value->value, shown));
    }
}

/* The boxes of an object, filled with what it is now. */
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
        values_text(one, "label", facts_label(call, property->name));
        values_text(one, "now", buf_str(&text));
        values_flag(one, "is_bool", property->type == PROPERTY_BOOL);
        values_flag(one, "is_number", property->type == PROPERTY_NUMBER);
        values_flag(one, "is_text", property->type == PROPERTY_STRING);
        values_flag(one, "true", value != NULL && value->type == JSON_BOOL && value->integer != 0);
        values_flag(one, "false", value != NULL && value->type == JSON_BOOL && value->integer == 0);
    }
}

static void
put_control(struct call *call, const struct facts *facts, struct values *item,
            const struct domain *domain, const struct member *member)
{
    const struct sourced_atom *current = find_current(facts, domain, member);
    struct str now = current == NULL ? STR_NONE : current->atom.value;
    values_flag(item, "many", member->type == MEMBER_ARRAY);
    values_flag(item, "pick", member->type == MEMBER_ENUM || member->type == MEMBER_BOOL);
    values_flag(item, "text", member->type == MEMBER_STRING);
    values_flag(item, "number", member->type == MEMBER_NUMBER);
    values_flag(item, "object", member->type == MEMBER_OBJECT);
    if (member->vocabulary != NULL)
        values_text(item, "list", member->vocabulary->name);
    if (member->type == MEMBER_ARRAY) {
        values_flag(item, "free", member->vocabulary == NULL || member->vocabulary->open);
        if (member->vocabulary != NULL)
            put_suggestions(call, facts, item, domain, member);
        return;
    }
    if (current != NULL)
        values_text(item, "current_id", current->atom.id);
    if (member->type == MEMBER_ENUM || member->type == MEMBER_BOOL)
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

static void
put_member(struct call *call, struct facts *facts, struct values *values,
           const struct domain *domain, const struct member *member, const struct trouble *trouble)
{
    struct values *item = values_item(values, "members");
    bool meant = str_eq(trouble->member, member->name);
    values_text(item, "member", member->name);
    values_text(item, "label", facts_label(call, member->name));
    values_text(item, "description", address_directly(call->mem, member->description));
    values_flag(item, "sensitive", member->sensitive);
    int64_t count = 0;
    for (size_t i = facts->count; i > 0; i--) {
        const struct sourced_atom *fact = &facts->list[i - 1];
        if (fact->atom.status == ATOM_ACTIVE && is_of(fact, domain, member) &&
            count++ < SHOWN_PER_MEMBER)
            facts_put(call, facts, values_item(item, "facts"), fact);
    }
    if (count > SHOWN_PER_MEMBER)
        values_text(item, "more", say_count(call, more_one, more_other, count - SHOWN_PER_MEMBER));
    put_control(call, facts, item, domain, member);
    if (find_current(facts, domain, member) != NULL) {
        values_flag(item, "has_buttons", true);
        values_flag(item, "has_facts", true);
    }
    account_put_field(call, item, "typed", meant ? trouble->typed : STR_NONE,
                      meant ? trouble->problem : STR_NONE);
    if (meant)
        values_text(item, "current", trouble->typed);
}

/* Each vocabulary once, for the browser to complete from. */
static void
put_lists(struct values *values, const struct domain *domain)
{
    for (size_t v = 0; v < domain->vocabulary_count; v++) {
        const struct vocabulary *vocabulary = &domain->vocabularies[v];
        if (!vocabulary->open)
            continue;
        struct values *list = values_item(values, "lists");
        values_text(list, "list", vocabulary->name);
        for (size_t i = 0; i < vocabulary->count; i++)
            values_text(values_item(list, "options"), "option", vocabulary->values[i].value);
    }
}

static enum err
show(struct call *call, int status, const struct trouble *trouble)
{
    const struct domain *domain = domains_find(call->web->settings.domains, call_param(call, 0));
    struct values *values = values_new(call->mem);
    struct facts facts;
    if (domain == NULL)
        return ERR_NOT_FOUND;
    enum err err = facts_load(call, domain->name, &facts);
    if (err != ERR_NONE)
        return err;
    values_text(values, "domain", domain->name);
    values_text(values, "domain_title", domain->title);
    values_text(values, "description", domain->description);
    values_flag(values, "refused", trouble->problem.len > 0);
    for (size_t i = 0; i < domain->member_count; i++)
        put_member(call, &facts, values, domain, &domain->members[i], trouble);
    put_lists(values, domain);
    values_flag(values, "at_domain", true);
    return account_page_acting(call, status, "account_domain", values);
}

static enum err
get_domain(struct call *call)
{
    return show(call, 200, &(struct trouble){ 0 });
}

/* ---- what was sent, as JSON ---- */

/* A number as it was typed; text if it is none, for the flow to refuse. */
static void
write_number(struct json *json, struct arena *mem, struct str typed)
{
    const struct json_value *value = NULL;
    bool fine = json_read(mem, typed, 1, &value, NULL) == ERR_NONE &&
                (value->type == JSON_INT || value->type == JSON_REAL);
    if (fine)
        json_ready(json, typed);
    else
        json_str(json, typed);
}

static void
write_object(struct json *json, struct call *call, const struct member *member)
{
    struct form *form = ARENA_NEW(call->mem, struct form);
    json_open_object(json);
    if (form_read(call->mem, call->exchange->request.body, form, NULL) == ERR_NONE)
        for (size_t i = 0; i < member->property_count; i++) {
            const struct property *property = &member->properties[i];
            struct str typed = str_trim(
                form_find(form, str_format(call->mem, "p_%.*s", STR_ARG(property->name)).ptr));
            if (typed.len == 0)
                continue;
            json_key_str(json, property->name);
            if (property->type == PROPERTY_STRING)
                json_str(json, typed);
            else if (property->type == PROPERTY_BOOL)
                json_bool(json, str_eq_c(typed, "true"));
            else
                write_number(json, call->mem, typed);
        }
    json_close_object(json);
}

/* The value that is meant, as one JSON text. */
static struct str
value_sent(struct call *call, const struct member *member)
{
    struct buf out = buf_in(call->mem, DOCUMENT_MAX);
    struct json json = json_into(&out);
    struct str typed = call_text(call, VALUE);
    if (!str_present(typed))
        typed = STR("");
    switch (member->type) {
    case MEMBER_OBJECT:
        write_object(&json, call, member);
        break;
    case MEMBER_NUMBER:
        write_number(&json, call->mem, typed);
        break;
    case MEMBER_BOOL:
        json_bool(&json, str_eq_c(typed, "true"));
        break;
    case MEMBER_ARRAY:
    case MEMBER_STRING:
    case MEMBER_ENUM:
        json_str(&json, typed);
        break;
    }
    return buf_str(&out);
}

/* {"genres": ["jazz"]} */
static const struct json_value *
document_of(struct call *call, const struct member *member, struct str value)
{
    struct buf out = buf_in(call->mem, DOCUMENT_MAX);
    struct json json = json_into(&out);
    const struct json_value *document = NULL;
    json_open_object(&json);
    json_key_str(&json, member->name);
    if (member->type == MEMBER_ARRAY)
        json_open_array(&json);
    json_ready(&json, value);
    if (member->type == MEMBER_ARRAY)
        json_close_array(&json);
    json_close_object(&json);
    return json_read(call->mem, buf_str(&out), 6, &document, NULL) == ERR_NONE ? document : NULL;
}

/* ---- doing ---- */

static enum err
refuse(struct call *call, const struct member *member, struct str problem)
{
    struct str said = say_one(call, wrong_value, "problem", say_sentence(call, problem));
    return show(call, 400, &(struct trouble){ member->name, said, call_text(call, VALUE) });
}

static enum err
state_value(struct call *call, const struct domain *domain, const struct member *member)
{
    struct preference_counts counts = { 0 };
    struct preference_problems problems = { 0 };
    struct record record;
    struct str value = value_sent(call, member), undo = STR_NONE;
    struct preference_write wish = {
        .user_id = call->visitor->user.id,
        .domain = domain,
        .source = SOURCE_USER,
        .preferences = document_of(call, member, value),
        .now = call->now,
        .undo = &undo,
    };
    enum err err = preferences_write(call->db, call->mem, &wish, &counts, &record, &problems);
    if (err == ERR_INVALID)
        return refuse(call, member, problems.count > 0 ? problems.list[0].problem : STR(""));
    if (err != ERR_NONE)
        return err;
    struct flash flash = { .key = counts.added > 0     ? added
                                  : counts.updated > 0 ? set
                                                       : nothing_new,
                           .what = facts_value(call, member, value),
                           .undo = undo,
                           .to = domain->name };
    flash_redirect(call, account_place(call, domain->name, member->name), &flash);
    return ERR_NONE;
}

static enum err
remove_fact(struct call *call, const struct domain *domain)
{
    struct correction wish = { .user_id = call->visitor->user.id,
                               .atom_id = call_text(call, REMOVE),
                               .domains = call->web->settings.domains,
                               .now = call->now };
    struct corrected out;
    enum err err = corrections_remove(call->db, call->mem, &wish, &out);
    if (err != ERR_NONE)
        return err;
    const struct member *member = domain_member(domain, out.atom.member);
    if (member == NULL)
        return ERR_NOT_FOUND;
    struct flash flash = { .key = removed,
                           .what = facts_value(call, member, out.atom.value),
                           .undo = out.undo,
                           .to = domain->name };
    flash_redirect(call, account_place(call, domain->name, member->name), &flash);
    return ERR_NONE;
}

static enum err
post_domain(struct call *call)
{
    const struct domain *domain = domains_find(call->web->settings.domains, call_param(call, 0));
    const struct member *member =
        domain == NULL ? NULL : domain_member(domain, call_text(call, MEMBER));
    if (domain != NULL && str_present(call_text(call, REMOVE)))
        return remove_fact(call, domain);
    return member == NULL ? ERR_NOT_FOUND : state_value(call, domain, member);
}

const struct route account_domain_routes[] = {
    { GET, HERE, get_domain, WHO_PERSON, .says = "One domain, to add to and to change.",
      .page = true, .reads_store = true },
    { POST, HERE, post_domain, WHO_PERSON, .says = "States or removes a preference.", .page = true,
      ROUTE_FIELDS(domain_fields), .body = BODY_FORM, .body_max = 32 * KIB, .blocks = true },
    { 0 },
};
