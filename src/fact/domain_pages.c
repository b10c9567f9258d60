/* domain_pages.c - a domain's page and its forms; domain_view.h renders it.
 * /account/domains/{domain}; with ?edit={member} the input of a member is shown, with
 * ?show={member}&page={n} only one member.
 *
 * One address takes all forms of the page and distinguishes them by their fields. Input becomes a
 * JSON document of one member and goes through preferences_write(), like that of an app, so that
 * values are validated, cleaned, and rejected in one place. Each change can be undone from the
 * message that follows it. */
#include "fact/fact_routes.h"
#include "fact/domain_view.h"
#include "base/arena.h"
#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "preference/corrections.h"
#include "preference/preferences.h"
#include "page/account_page.h"
#include "page/facts.h"
#include "page/pager.h"
#include "text/form.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/state.h"

#define HERE "/account/domains/{domain}"
#define DOCUMENT_MAX ((size_t)16 * 1024)

enum { SHOW, PAGE, OPEN, MEMBER, VALUE, ADD, REMOVE, FACT, INSTEAD };

#define VIEW_FIELDS                                                                    \
    [SHOW] = { "show", FIELD_LINE, FIELD_IN_QUERY, .max = 100 }, [PAGE] = PAGER_FIELD, \
    [OPEN] = { "edit", FIELD_LINE, FIELD_IN_QUERY, .max = 100 }

static const struct field view_fields[] = { VIEW_FIELDS };

static const struct field domain_fields[] = {
    VIEW_FIELDS,
    [MEMBER] = { "member", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
    [VALUE] = { "value", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [ADD] = { "add", FIELD_LINE, FIELD_IN_FORM, .max = 1000 }, /* a suggestion's button */
    [REMOVE] = { "remove", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
    [FACT] = { "fact", FIELD_LINE, FIELD_IN_FORM, .max = 100 }, /* to get another value: */
    [INSTEAD] = { "instead", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
};

/* ---- page ---- */

/* From the URL, also for forms, which are sent to the URL of their page. */
static enum err
read_view(const struct call *call, struct domain_view *out)
{
    const struct domain *domain = domains_find(call->web->settings.domains, call_param(call, 0));
    struct str show = call_text(call, SHOW);
    *out = (struct domain_view){ .domain = domain, .page = call_integer(call, PAGE) };
    if (domain == NULL)
        return ERR_NOT_FOUND;
    if (str_present(call_text(call, OPEN)))
        out->open = domain_member(domain, call_text(call, OPEN));
    if (!str_present(show))
        return ERR_NONE;
    out->only = domain_member(domain, show);
    return out->only == NULL ? ERR_NOT_FOUND : ERR_NONE;
}

static enum err
get_domain(struct call *call)
{
    struct domain_view view;
    enum err err = read_view(call, &view);
    return err == ERR_NONE ? account_domain_show(call, 200, &view, &(struct domain_form_error){ 0 })
                           : err;
}

/* ---- form input as JSON ---- */

/* Text that is not a number stays a string, which the flow rejects with the right message. */
static void
write_number(struct json *json, struct arena *mem, struct str typed)
{
    const struct json_value *value = NULL;
    bool is_number = json_read(mem, typed, 1, &value, NULL) == ERR_NONE &&
                     (value->type == JSON_INT || value->type == JSON_REAL);
    if (is_number)
        json_raw(json, typed);
    else
        json_str(json, typed);
}

/* Fields of properties are named p_{property}. Empty ones are left out, which removes them from the
 * stored object. */
static void
write_object(struct json *json, struct call *call, const struct member *member)
{
    const struct form *form = call_form(call);
    json_open_object(json);
    for (size_t i = 0; form != NULL && i < member->property_count; i++) {
        const struct property *property = &member->properties[i];
        struct str typed =
            str_trim(form_find(form, str_format(call->mem, "p_%.*s", STR_ARG(property->name)).ptr));
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

/* The button of a suggestion sends its own value; the text field beside it is then ignored. */
static struct str
text_sent(const struct call *call)
{
    struct str suggested = call_text(call, ADD), typed = call_text(call, VALUE);
    return str_present(suggested) ? suggested : str_present(typed) ? typed : STR("");
}

/* The value as JSON, of the type that the member has. Lists get one value at a time. */
static struct str
value_sent(struct call *call, const struct member *member)
{
    struct buf out = buf_in(call->mem, DOCUMENT_MAX);
    struct json json = json_into(&out);
    struct str typed = text_sent(call);
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
    json_raw(&json, value);
    if (member->type == MEMBER_ARRAY)
        json_close_array(&json);
    json_close_object(&json);
    return json_read(call->mem, buf_str(&out), 6, &document, NULL) == ERR_NONE ? document : NULL;
}

/* ---- forms ---- */

/* Returns to the page with the form and shows the flash message there. An input that was open stays
 * open, so that a user can add several values in a row. */
static enum err
finish(struct call *call, const struct domain_view *view, const struct member *member,
       struct flash *flash)
{
    struct str domain = view->domain->name;
    flash->to = view->only == NULL
                    ? domain
                    : account_member_return_to(call, domain, view->only->name, view->page);
    const char *url = account_return_url(call, flash->to, domain, member->name);
    if (view->only == NULL && view->open != NULL)
        url = str_format(call->mem, "/account/domains/%.*s?edit=%.*s#%.*s", STR_ARG(domain),
                         STR_ARG(view->open->name), STR_ARG(member->name))
                  .ptr;
    flash_redirect(call, url, flash);
    return ERR_NONE;
}

/* Shows the page again, with the input and what is wrong with it, at its member. */
static enum err
refuse(struct call *call, const struct domain_view *view, const struct member *member,
       struct str problem)
{
    problem =
        message_one(call, KEY("fact.value.problem"), "problem", message_sentence(call, problem));
    return account_domain_show(
        call, 400, view,
        &(struct domain_form_error){ member->name, problem, call_text(call, VALUE) });
}

/* The sentence says whether something was added, changed, or known already. */
static enum err
add_fact(struct call *call, const struct domain_view *view, const struct member *member)
{
    struct preference_counts counts = { 0 };
    struct preference_problems problems = { 0 };
    struct record record;
    struct str value = value_sent(call, member), undo = STR_NONE;
    struct preference_write params = {
        .user_id = call->browser->user.id,
        .domain = view->domain,
        .source = SOURCE_USER,
        .preferences = document_of(call, member, value),
        .now = call->now,
        .undo = &undo,
    };
    enum err err = preferences_write(call->db, call->mem, &params, &counts, &record, &problems);
    if (err == ERR_INVALID)
        return refuse(call, view, member, problems.count > 0 ? problems.list[0].problem : STR(""));
    if (err != ERR_NONE)
        return err;
    struct flash flash = { .key = counts.added > 0     ? KEY("flash.fact_added")
                                  : counts.updated > 0 ? KEY("flash.fact_set")
                                                       : KEY("flash.fact_exists"),
                           .what = facts_short(call, facts_value(call, member, value)),
                           .undo = undo };
    return finish(call, view, member, &flash);
}

static struct correction
correction_of(struct call *call, size_t field)
{
    return (struct correction){ .user_id = call->browser->user.id,
                                .atom_id = call_text(call, field),
                                .domains = call->web->settings.domains,
                                .now = call->now };
}

/* Deleted, or changed to `key`'s value. */
static enum err
finish_corrected(struct call *call, const struct domain_view *view, const struct corrected *done,
                 const char *key)
{
    const struct member *member = domain_member(view->domain, done->atom.member);
    if (member == NULL)
        return ERR_NOT_FOUND;
    struct flash flash = { .key = key,
                           .what = facts_short(call, facts_value(call, member, done->atom.value)),
                           .undo = done->undo };
    return finish(call, view, member, &flash);
}

/* The message after it offers to undo the removal. */
static enum err
remove_fact(struct call *call, const struct domain_view *view)
{
    struct correction params = correction_of(call, REMOVE);
    struct corrected done;
    enum err err = corrections_remove(call->db, call->mem, &params, &done);
    return err == ERR_NONE ? finish_corrected(call, view, &done, KEY("flash.fact_removed")) : err;
}

/* Takes the value that a note suggests. */
static enum err
replace_fact(struct call *call, const struct domain_view *view)
{
    struct correction params = correction_of(call, FACT);
    struct corrected done;
    struct json_value value = { .type = JSON_STR, .text = call_text(call, INSTEAD) };
    const char *problem = NULL;
    enum err err = corrections_edit(call->db, call->mem, &params, &value, &done, &problem);
    return err == ERR_NONE ? finish_corrected(call, view, &done, KEY("flash.fact_changed")) : err;
}

/* `remove` and `instead` name a fact by its id; the flow finds it only among the user's own. */
static enum err
post_domain(struct call *call)
{
    struct domain_view view;
    enum err err = read_view(call, &view);
    if (err != ERR_NONE)
        return err;
    if (str_present(call_text(call, REMOVE)))
        return remove_fact(call, &view);
    if (str_present(call_text(call, INSTEAD)))
        return replace_fact(call, &view);
    const struct member *member = domain_member(view.domain, call_text(call, MEMBER));
    return member == NULL ? ERR_NOT_FOUND : add_fact(call, &view, member);
}

const struct route account_domain_routes[] = {
    { GET, HERE, get_domain, CALLER_USER, .summary = "Shows the preferences of a domain.",
      .page = true, .blocks = true, ROUTE_FIELDS(view_fields) },
    { POST, HERE, post_domain, CALLER_USER, .summary = "Adds, changes, or deletes a fact.",
      .page = true, ROUTE_FIELDS(domain_fields), .body = BODY_FORM, .body_max = 32 * KIB,
      .blocks = true },
    { 0 },
};
