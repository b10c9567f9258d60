/* fact_pages.c - a fact's page (sources, apps that can read it) and the forms that change it.
 *
 * A fact is named by the id of its atom. It is looked for among the signed-in user's facts, so that
 * the id of another user's fact is ERR_NOT_FOUND. The same forms are on other pages, too; `to` says
 * where to return, and account_return_url() accepts only known pages. */
#include "fact/fact_routes.h"
#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "flow/connections.h"
#include "preference/corrections.h"
#include "page/account_page.h"
#include "page/facts.h"
#include "page/pager.h"
#include "page/when.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "template/template.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/state.h"

#define HERE "/account/facts/{fact}"
#define VALUE_BYTES_MAX 4096
#define READERS_SHOWN 12 /* the page of connected apps has all */
#define SOURCES_SHOWN 12
#define SOURCES_BYTES ((size_t)8 * 1000)
#define SOURCE_BYTES 420

enum { FROM, PAGE };
enum { TO, REASON };
enum { VALUE = 1 };

/* `from`: the page of the member's facts that linked here. `page`: of the fact's sources. */
static const struct field shown_fields[] = {
    [FROM] = { "from", FIELD_INTEGER, FIELD_IN_QUERY, .min = 1, .max = PAGER_PAGES_MAX },
    [PAGE] = PAGER_FIELD,
};

/* Where the form returns to: see account_page.h. Absent: to the fact's member. */
#define RETURN_TO                                   \
    {                                               \
        "to", FIELD_LINE, FIELD_IN_FORM, .max = 200 \
    }

static const struct field plain_fields[] = {
    [TO] = RETURN_TO,
};

static const struct field reason_fields[] = {
    [TO] = RETURN_TO,
    [REASON] = { "reason", FIELD_LINE, FIELD_IN_FORM, .max = 40 },
};

static const struct field edit_fields[] = {
    [TO] = RETURN_TO,
    [VALUE] = { "value", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
};

/* ---- page ---- */

/* The page from which the user came, to return to after a change. */
struct origin {
    int64_t from;  /* page of the member's facts; 0: another page */
    int64_t page;  /* of the sources */
    struct str to; /* `to` of the form, after an error */
};

/* The apps that may read this fact now, in its domain's record or in hints. Disabled apps are left
 * out: their tokens are not valid. */
static enum err
put_readers(struct call *call, struct values *values, const struct atom *atom, bool sensitive)
{
    struct connection *list = NULL;
    size_t count = 0;
    enum err err =
        connections_list(call->db, call->mem, call->browser->user.id, call->now, &list, &count);
    int64_t readers = 0;
    for (size_t i = 0; i < count; i++) {
        struct view view = { .withheld = list[i].grant.withheld };
        if (grant_reads(&list[i].grant.allowed, atom->domain, sensitive) &&
            view_shows(&view, atom) && list[i].app.status == APP_ACTIVE &&
            readers++ < READERS_SHOWN) {
            struct values *item = values_item(values, "readers");
            values_text(item, "app", list[i].app.name);
            values_text(item, "app_id", list[i].app.id);
        }
    }
    values_flag(values, "readers_any", readers > 0);
    if (readers > READERS_SHOWN)
        values_text(values, "more_readers",
                    message_count(call, KEY("fact.readers.more.one"),
                                  KEY("fact.readers.more.other"), readers - READERS_SHOWN));
    return err;
}

/* "confirmed" is the last time at which the source stated the value again. */
static void
put_source(struct call *call, struct facts *facts, struct values *item,
           const struct atom_source *source)
{
    values_text(item, "name", facts_source(call, facts, source->source));
    values_flag(item, "you", str_eq(source->source, SOURCE_USER));
    when_put(call, item, "added", source->created_at);
    if (source->updated_at > source->created_at)
        when_put(call, item, "confirmed", source->updated_at);
}

/* In pages, because many apps can have stated the same fact. */
static void
put_sources(struct call *call, struct facts *facts, struct values *values,
            const struct sourced_atom *fact, const struct origin *origin)
{
    struct pager pager = pager_for(origin->page, SOURCES_SHOWN, SOURCES_BYTES);
    for (size_t i = 0; i < fact->source_count; i++)
        pager_add(&pager, SOURCE_BYTES);
    pager_settle(&pager);
    for (size_t i = pager.first; i < pager.last; i++)
        put_source(call, facts, values_item(values, "sources"), &fact->sources[i]);
    struct str from =
        origin->from == 0 ? STR("") : str_format(call->mem, "from=%lld&", (long long)origin->from);
    pager_put(call, values, &pager,
              str_format(call->mem, "/account/facts/%.*s?%.*spage=", STR_ARG(fact->atom.id),
                         STR_ARG(from)),
              "#sources");
}

/* The link back. */
static void
put_back(struct call *call, struct values *values, const struct atom *atom,
         const struct origin *origin)
{
    struct str to = origin->to;
    if (origin->from > 0)
        to = account_member_return_to(call, atom->domain, atom->member, origin->from);
    values_text(values, "to", to);
    values_text(values, "back",
                str_of(account_return_url(call, str_present(to) ? to : atom->domain, atom->domain,
                                          atom->member)));
}

/* The same reasons that apps may give. */
static void
put_reasons(struct call *call, struct values *values)
{
    for (size_t i = 0; facts_reason_name(i) != NULL; i++) {
        struct str reason = str_of(facts_reason_name(i));
        struct values *item = values_item(values, "reasons");
        values_text(item, "reason", reason);
        values_text(item, "label", facts_reason(call, reason));
    }
}

/* A fact whose domain has no definition anymore is not shown; it stays in the database. Only texts
 * can be edited here; the page of the domain has inputs for other types. */
static enum err
show(struct call *call, int status, const struct origin *origin, struct str problem)
{
    struct facts facts;
    struct values *values = values_new(call->mem);
    enum err err = facts_load(call, STR_NONE, &facts);
    if (err != ERR_NONE)
        return err;
    const struct sourced_atom *fact = facts_find(&facts, call_param(call, 0));
    const struct domain *domain =
        fact == NULL ? NULL : domains_find(call->web->settings.domains, fact->atom.domain);
    if (domain == NULL)
        return ERR_NOT_FOUND;
    const struct member *member = domain_member(domain, fact->atom.member);
    bool is_text =
        member != NULL && (member->type == MEMBER_ARRAY || member->type == MEMBER_STRING);
    facts_put(call, &facts, values, fact);
    put_sources(call, &facts, values, fact, origin);
    put_back(call, values, &fact->atom, origin);
    put_reasons(call, values);
    values_flag(values, "editable", fact->atom.status == ATOM_ACTIVE && is_text);
    account_put_field(call, values, "new_value",
                      problem.len > 0 ? call_text(call, VALUE)
                                      : facts_value(call, NULL, fact->atom.value),
                      problem);
    facts_put_review(call, &facts, values, &fact->atom);
    if (fact->atom.status == ATOM_SUPPRESSED) {
        values_text(values, "reason_text", facts_reason(call, fact->atom.reason));
        values_text(values, "suppressed_by", facts_source(call, &facts, fact->atom.suppressed_by));
        when_put(call, values, "suppressed_when", fact->atom.suppressed_at);
    }
    err = put_readers(call, values, &fact->atom,
                      member != NULL && view_is_sensitive(domain, member, fact->atom.key));
    return err == ERR_NONE ? account_page(call, status, "account_fact", "preferences", values)
                           : err;
}

static enum err
get_fact(struct call *call)
{
    struct origin origin = { .from = call_integer(call, FROM), .page = call_integer(call, PAGE) };
    return show(call, 200, &origin, STR_NONE);
}

/* ---- forms ---- */

static struct correction
params_of(struct call *call)
{
    return (struct correction){ .user_id = call->browser->user.id,
                                .atom_id = call_param(call, 0),
                                .domains = call->web->settings.domains,
                                .now = call->now };
}

/* Returns to the page in `to`, or to the fact's member, and shows the flash message there. */
static enum err
finish(struct call *call, const struct corrected *out, const char *key)
{
    const struct atom *atom = &out->atom;
    const struct domain *domain = domains_find(call->web->settings.domains, atom->domain);
    const struct member *member = domain == NULL ? NULL : domain_member(domain, atom->member);
    struct str to = str_present(call_text(call, TO)) ? call_text(call, TO) : atom->domain;
    struct flash flash = { .key = key,
                           .what = facts_short(call, facts_value(call, member, atom->value)),
                           .undo = out->undo,
                           .to = to };
    flash_redirect(call, account_return_url(call, to, atom->domain, atom->member), &flash);
    return ERR_NONE;
}

static enum err
post_remove(struct call *call)
{
    struct correction params = params_of(call);
    struct corrected out;
    enum err err = corrections_remove(call->db, call->mem, &params, &out);
    return err == ERR_NONE ? finish(call, &out, KEY("flash.fact_removed")) : err;
}

/* The reason is optional in the form, so that one button is enough. */
static enum err
post_suppress(struct call *call)
{
    struct correction params = params_of(call);
    struct corrected out;
    struct str reason = call_text(call, REASON);
    if (!str_present(reason))
        reason = STR("not_accurate");
    if (!atom_reason_valid(reason))
        return ERR_INVALID;
    enum err err = corrections_suppress(call->db, call->mem, &params, reason, &out);
    return err == ERR_NONE ? finish(call, &out, KEY("flash.fact_suppressed")) : err;
}

static enum err
post_restore(struct call *call)
{
    struct correction params = params_of(call);
    struct corrected out;
    enum err err = corrections_restore(call->db, call->mem, &params, &out);
    return err == ERR_NONE ? finish(call, &out, KEY("flash.fact_restored")) : err;
}

/* The user's answer to a suggested fact, or to an app that says the fact is wrong. The sentence
 * depends on what was decided, which only the transaction knows: the fact may have changed since
 * the page was shown. */
static enum err
decide(struct call *call, bool confirm)
{
    static const char keys[][2][32] MESSAGE_KEYS = {
        [REVIEW_NONE] = { "flash.fact_decided", "flash.fact_decided" },
        [REVIEW_FACT] = { "flash.fact_rejected", "flash.fact_accepted" },
        [REVIEW_REMOVAL] = { "flash.fact_kept", "flash.fact_suppressed" },
        [REVIEW_REMOVED] = { "flash.fact_restored", "flash.fact_suppressed" },
    };
    struct correction params = params_of(call);
    struct corrected out;
    enum err err = corrections_decide(call->db, call->mem, &params, confirm, &out);
    return err == ERR_NONE ? finish(call, &out, keys[out.decided][confirm]) : err;
}

static enum err
post_accept(struct call *call)
{
    return decide(call, true);
}

static enum err
post_reject(struct call *call)
{
    return decide(call, false);
}

/* What was typed becomes a JSON text, so that an edit is read like a value that an app writes. */
static enum err
post_edit(struct call *call)
{
    struct correction params = params_of(call);
    struct corrected out;
    struct buf text = buf_in(call->mem, VALUE_BYTES_MAX);
    struct json json = json_into(&text);
    const struct json_value *value = NULL;
    const char *problem = NULL;
    struct str typed = call_text(call, VALUE);
    json_str(&json, str_present(typed) ? typed : STR(""));
    enum err err = json_read(call->mem, buf_str(&text), 2, &value, NULL);
    if (!err)
        err = corrections_edit(call->db, call->mem, &params, value, &out, &problem);
    if (err == ERR_INVALID)
        return show(call, 400, &(struct origin){ .page = 1, .to = call_text(call, TO) },
                    message_one(call, KEY("fact.value.problem"), "problem",
                                message_sentence(call, str_of(problem == NULL ? "" : problem))));
    return err == ERR_NONE ? finish(call, &out, KEY("flash.fact_changed")) : err;
}

#define FACT_FORM .page = true, .body = BODY_FORM, .body_max = 16 * KIB, .blocks = true

const struct route account_fact_routes[] = {
    { GET, HERE, get_fact, CALLER_USER, .summary = "Shows a fact, its sources, and its readers.",
      .page = true, .blocks = true, ROUTE_FIELDS(shown_fields) },
    { POST, HERE "/remove", post_remove, CALLER_USER, .summary = "Deletes a fact.",
      ROUTE_FIELDS(plain_fields), FACT_FORM },
    { POST, HERE "/suppress", post_suppress, CALLER_USER, .summary = "Marks a fact as wrong.",
      ROUTE_FIELDS(reason_fields), FACT_FORM },
    { POST, HERE "/lift", post_restore, CALLER_USER,
      .summary = "Restores a fact that was marked as wrong.", ROUTE_FIELDS(plain_fields),
      FACT_FORM },
    { POST, HERE "/accept", post_accept, CALLER_USER,
      .summary = "Accepts what an app says about a fact.", ROUTE_FIELDS(plain_fields), FACT_FORM },
    { POST, HERE "/reject", post_reject, CALLER_USER,
      .summary = "Rejects what an app says about a fact.", ROUTE_FIELDS(plain_fields), FACT_FORM },
    { POST, HERE "/edit", post_edit, CALLER_USER, .summary = "Changes a fact's value.",
      ROUTE_FIELDS(edit_fields), FACT_FORM },
    { 0 },
};
