/* account_fact_pages.c - one fact: where it came from, who can read it, what to do about it.
 * GET /account/facts/{fact}, and a form for each thing that can be done. */
#include "flow/connections.h"
#include "flow/corrections.h"
#include "base/arena.h"
#include "base/buf.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/template.h"
#include "web/account_page.h"
#include "web/call.h"
#include "web/facts.h"
#include "web/flash.h"
#include "web/reply.h"
#include "web/routes.h"
#include "web/say.h"
#include "web/state.h"
#include "web/visitor.h"
#include "web/when.h"

#define HERE "/account/facts/{fact}"
#define VALUE_BYTES_MAX 4096

WORD(removed, "flash.fact_removed");
WORD(suppressed, "flash.fact_suppressed");
WORD(lifted, "flash.fact_lifted");
WORD(accepted, "flash.fact_accepted");
WORD(rejected, "flash.fact_rejected");
WORD(changed, "flash.fact_changed");
WORD(wrong_value, "fact.value.problem");
WORD(reason_not_accurate, "fact.reason.not_accurate");
WORD(reason_outdated, "fact.reason.outdated");
WORD(reason_not_mine, "fact.reason.not_mine");
WORD(reason_too_personal, "fact.reason.too_personal");
WORD(reason_other, "fact.reason.other");

static const struct {
    const char *reason;
    const char *key;
} reasons[] = {
    { "not_accurate", reason_not_accurate },
    { "outdated", reason_outdated },
    { "not_mine", reason_not_mine },
    { "too_personal", reason_too_personal },
    { "other", reason_other },
};

enum { TO, REASON };
enum { VALUE = 1 };

/* A form on the overview comes back to it. */
#define TO_OVERVIEW                                 \
    {                                               \
        "to", FIELD_LINE, FIELD_IN_FORM, .max = 100 \
    }

static const struct field plain_fields[] = {
    [TO] = TO_OVERVIEW,
};

static const struct field reason_fields[] = {
    [TO] = TO_OVERVIEW,
    [REASON] = { "reason", FIELD_LINE, FIELD_IN_FORM, .max = 40 },
};

static const struct field edit_fields[] = {
    [TO] = TO_OVERVIEW,
    [VALUE] = { "value", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
};

/* ---- showing ---- */

static struct str
reason_words(struct call *call, struct str reason)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (str_eq_c(reason, reasons[i].reason))
            return say(call, reasons[i].key);
    return reason;
}

/* The apps that may read this domain now. */
static enum err
put_readers(struct call *call, struct values *values, struct str domain)
{
    struct connection *list = NULL;
    size_t count = 0;
    enum err err =
        connections_list(call->db, call->mem, call->visitor->user.id, call->now, &list, &count);
    scopes opens = SCOPE_PREFERENCES_READ | scope_named(domain);
    bool any = false;
    for (size_t i = 0; i < count; i++)
        if ((list[i].grant.scopes & opens) != 0 && list[i].app.status == APP_ACTIVE) {
            struct values *item = values_item(values, "readers");
            values_text(item, "app", list[i].app.name);
            values_text(item, "app_id", list[i].app.id);
            any = true;
        }
    values_flag(values, "readers_any", any);
    return err;
}

static void
put_sources(struct call *call, struct facts *facts, struct values *values,
            const struct sourced_atom *fact)
{
    for (size_t i = 0; i < fact->source_count; i++) {
        struct values *item = values_item(values, "sources");
        values_text(item, "name", facts_source(call, facts, fact->sources[i].source));
        values_flag(item, "you", str_eq(fact->sources[i].source, SOURCE_USER));
        when_put(call, item, "said", fact->sources[i].created_at);
        if (fact->sources[i].updated_at > fact->sources[i].created_at)
            when_put(call, item, "again", fact->sources[i].updated_at);
    }
}

static void
put_reasons(struct call *call, struct values *values)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        struct values *item = values_item(values, "reasons");
        values_text(item, "reason", str_of(reasons[i].reason));
        values_text(item, "says", say(call, reasons[i].key));
    }
}

static enum err
show(struct call *call, int status, struct str problem)
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
    put_sources(call, &facts, values, fact);
    put_reasons(call, values);
    values_flag(values, "editable", fact->atom.status == ATOM_ACTIVE && is_text);
    account_put_field(call, values, "new_value",
                      problem.len > 0 ? call_text(call, VALUE)
                                      : facts_value(call, member, fact->atom.value),
                      problem);
    if (fact->atom.status == ATOM_HELD)
        facts_put_why(call, &facts, values, &fact->atom);
    if (fact->atom.status == ATOM_SUPPRESSED) {
        values_text(values, "reason_said", reason_words(call, fact->atom.reason));
        values_text(values, "suppressed_by", facts_source(call, &facts, fact->atom.suppressed_by));
        when_put(call, values, "suppressed_when", fact->atom.suppressed_at);
    }
    err = put_readers(call, values, domain->name);
    return err == ERR_NONE ? account_page(call, status, "account_fact", "preferences", values)
                           : err;
}

static enum err
get_fact(struct call *call)
{
    return show(call, 200, STR_NONE);
}

/* ---- doing ---- */

static struct correction
wish_of(struct call *call)
{
    return (struct correction){ .user_id = call->visitor->user.id,
                                .atom_id = call_param(call, 0),
                                .domains = call->web->settings.domains,
                                .now = call->now };
}

/* To its place on the page of its domain, where one sees that it is done, or back to where it was
 * done. */
static enum err
done(struct call *call, const struct corrected *out, const char *key)
{
    const struct atom *atom = &out->atom;
    const struct domain *domain = domains_find(call->web->settings.domains, atom->domain);
    const struct member *member = domain == NULL ? NULL : domain_member(domain, atom->member);
    bool overview = str_eq_c(call_text(call, TO), "overview");
    struct flash flash = { .key = key,
                           .what = facts_value(call, member, atom->value),
                           .undo = out->undo,
                           .to = overview ? STR_NONE : atom->domain };
    flash_redirect(call, overview ? "/account" : account_place(call, atom->domain, atom->member),
                   &flash);
    return ERR_NONE;
}

static enum err
post_remove(struct call *call)
{
    struct correction wish = wish_of(call);
    struct corrected out;
    enum err err = corrections_remove(call->db, call->mem, &wish, &out);
    return err == ERR_NONE ? done(call, &out, removed) : err;
}

static enum err
post_suppress(struct call *call)
{
    struct correction wish = wish_of(call);
    struct corrected out;
    struct str reason = call_text(call, REASON);
    if (!str_present(reason))
        reason = STR("not_accurate");
    if (!atom_reason_fine(reason))
        return ERR_INVALID;
    enum err err = corrections_suppress(call->db, call->mem, &wish, reason, &out);
    return err == ERR_NONE ? done(call, &out, suppressed) : err;
}

static enum err
post_lift(struct call *call)
{
    struct correction wish = wish_of(call);
    struct corrected out;
    enum err err = corrections_lift(call->db, call->mem, &wish, &out);
    return err == ERR_NONE ? done(call, &out, lifted) : err;
}

static enum err
post_accept(struct call *call)
{
    struct correction wish = wish_of(call);
    struct corrected out;
    enum err err = corrections_accept(call->db, call->mem, &wish, &out);
    return err == ERR_NONE ? done(call, &out, accepted) : err;
}

static enum err
post_reject(struct call *call)
{
    struct correction wish = wish_of(call);
    struct corrected out;
    enum err err = corrections_suppress(call->db, call->mem, &wish, STR("not_accurate"), &out);
    return err == ERR_NONE ? done(call, &out, rejected) : err;
}

static enum err
post_edit(struct call *call)
{
    struct correction wish = wish_of(call);
    struct corrected out;
    struct buf text = buf_in(call->mem, VALUE_BYTES_MAX);
    struct json json = json_into(&text);
    const struct json_value *value = NULL;
    const char *problem = NULL;
    struct str typed = call_text(call, VALUE);
    json_str(&json, str_present(typed) ? typed : STR(""));
    enum err err = json_read(call->mem, buf_str(&text), 2, &value, NULL);
    if (!err)
        err = corrections_edit(call->db, call->mem, &wish, value, &out, &problem);
    if (err == ERR_INVALID)
        return show(call, 400,
                    say_one(call, wrong_value, "problem",
                            say_sentence(call, str_of(problem == NULL ? "" : problem))));
    return err == ERR_NONE ? done(call, &out, changed) : err;
}

#define FACT_FORM .page = true, .body = BODY_FORM, .body_max = 16 * KIB, .blocks = true

const struct route account_fact_routes[] = {
    { GET, HERE, get_fact, WHO_PERSON, .says = "One fact: where it came from, who can read it.",
      .page = true, .reads_store = true },
    { POST, HERE "/remove", post_remove, WHO_PERSON, .says = "Removes a fact without a trace.",
      ROUTE_FIELDS(plain_fields), FACT_FORM },
    { POST, HERE "/suppress", post_suppress, WHO_PERSON, .says = "Marks a fact as wrong.",
      ROUTE_FIELDS(reason_fields), FACT_FORM },
    { POST, HERE "/lift", post_lift, WHO_PERSON, .says = "Says that a fact is right after all.",
      ROUTE_FIELDS(plain_fields), FACT_FORM },
    { POST, HERE "/accept", post_accept, WHO_PERSON, .says = "Accepts a held write.",
      ROUTE_FIELDS(plain_fields), FACT_FORM },
    { POST, HERE "/reject", post_reject, WHO_PERSON, .says = "Rejects a held write.",
      ROUTE_FIELDS(plain_fields), FACT_FORM },
    { POST, HERE "/edit", post_edit, WHO_PERSON, .says = "Gives a fact another value.",
      ROUTE_FIELDS(edit_fields), FACT_FORM },
    { 0 },
};
