/* forget.c - the tool forget: suppresses a fact, or proposes that to the user.
 *
 * The fact is named by its id, or by domain, member, and value. corrections_suppress_by_app()
 * decides whether it is suppressed or only proposed: a fact that is relevant to safety always waits
 * for the user, because a prompt injected into the model could ask for its removal, and any fact of
 * others does if changes of the app wait. A suppressed fact is kept, so that no app can store it
 * again. */
#include "dispatch/allowed_domains.h"
#include "value/value.h"
#include "preference/corrections.h"
#include "preference/preferences.h"
#include "mcp/confirm.h"
#include "mcp/fact_arguments.h"
#include "model/grant.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/state.h"

/* The arguments of one call of the tool, and what was found for them. */
struct forgetting {
    const struct mcp_call *mcp;
    struct tool_args *args;
    struct str fact_id;
    struct str reason;
    struct statement statement; /* unless fact_id was sent */
    struct str value;
};

/* ---- finding the fact ---- */

/* With fact_id, the other arguments that name a fact are ignored. */
static void
read_args(struct forgetting *work)
{
    static const char *const names[] = { "fact_id", "domain", "member", "value", "reason", NULL };
    struct tool_args *args = work->args;
    args_only(args, names);
    work->fact_id = args_text(args, "fact_id", 100);
    work->reason = args_text(args, "reason", 20);
    if (!str_present(work->reason))
        work->reason = STR("not_accurate");
    if (!atom_reason_valid(work->reason))
        args_fail(args, STR("reason must be not_accurate, outdated, not_mine, too_personal, or "
                            "other."));
    if (str_present(work->fact_id))
        return;
    work->value = args_text(args, "value", VALUE_MAX_CHARACTERS);
    statement_read(args, &work->statement);
    if (!str_present(work->value))
        args_fail(args, STR("Give fact_id, or domain, member, and value."));
}

/* A client that may not read the domain finds only facts that it wrote or forgot: the result would
 * otherwise reveal what is stored. */
static bool
may_find(const struct forgetting *work, const struct atom *atom)
{
    return atom->by_caller || str_eq(atom->suppressed_by, work->mcp->call->access->app_id) ||
           (atom->status == ATOM_ACTIVE &&
            allowed_domains_can_read(work->mcp->call->access, work->statement.domain));
}

/* True if the atom has the value; of an object, if the property has it. */
static bool
has_value(struct forgetting *work, const struct atom *atom, const struct json_value *given,
          struct str key)
{
    const struct json_value *object = NULL, *property;
    struct arena *mem = work->mcp->call->mem;
    if (work->statement.property == NULL)
        return str_eq(atom->key, key);
    if (json_read(mem, atom->value, 3, &object, NULL) != ERR_NONE || object->type != JSON_OBJECT)
        return false;
    property = json_member(object, str_c(mem, work->statement.property->name));
    return property != NULL && property->type == given->type &&
           (given->type == JSON_STR    ? str_eq_nocase(property->text, given->text)
            : given->type == JSON_REAL ? property->real == given->real
                                       : property->integer == given->integer);
}

/* Sets work->fact_id, which stays absent if there is no such fact. */
static enum err
find_fact(struct forgetting *work)
{
    struct call *call = work->mcp->call;
    const struct member *member = work->statement.member;
    const struct json_value *given = statement_value(work->args, &work->statement, work->value);
    struct value value = { 0 };
    struct atom *atoms = NULL;
    size_t count = 0;
    if (given == NULL)
        return ERR_NONE;
    if (work->statement.property == NULL && value_read(call->mem, member, given, &value) != NULL)
        return ERR_NONE;
    struct str key = preference_key(call->mem, value.key);
    struct view view = access_view(call->access, call->web->settings.domains);
    enum err err =
        preferences_atoms(call->db, call->mem, &view, work->statement.domain->name, &atoms, &count);
    for (size_t i = 0; i < count; i++)
        if (str_eq(atoms[i].member, member->name) && may_find(work, &atoms[i]) &&
            has_value(work, &atoms[i], given, key))
            work->fact_id = atoms[i].id;
    return err;
}

/* ---- changing it ---- */

static bool
may_touch(const struct domain *domain, void *context)
{
    return allowed_domains_can_write(context, domain);
}

static enum err
send_status(const struct forgetting *work, bool waits)
{
    struct buf buf = buf_in(work->mcp->call->mem, TOOL_RESULT_MAX);
    struct json out = json_into(&buf);
    json_open_object(&out);
    json_put_str(&out, "status", waits ? STR("waiting") : STR("forgotten"));
    json_put_str(&out, "message",
                 waits ? STR("The user must confirm this before the fact is removed. It is listed "
                             "at confirm_url.")
                       : STR("Removed. No app can store it again."));
    if (waits)
        json_put_str(&out, "confirm_url", confirm_url(work->mcp, work->fact_id));
    json_close_object(&out);
    return tool_send_result(work->mcp, buf_str(&buf));
}

/* One sentence for facts that do not exist and facts that the client may not see. */
static enum err
send_unknown(const struct forgetting *work)
{
    return tool_send_error(work->mcp,
                           STR("There is no such fact, or this client may not change it. "
                               "get_preferences lists the facts with their ids."));
}

/* Reports the user's decision, without a new proposal. */
static enum err
send_decision(struct forgetting *work)
{
    struct call *call = work->mcp->call;
    struct atom *atoms = NULL;
    size_t count = 0, i = 0;
    struct view view = access_view(call->access, call->web->settings.domains);
    enum err err = preferences_atoms(call->db, call->mem, &view, STR_NONE, &atoms, &count);
    if (err != ERR_NONE)
        return err;
    while (i < count && !str_eq(atoms[i].id, work->fact_id))
        i++;
    if (i == count || atoms[i].status == ATOM_SUPPRESSED)
        return send_status(work, false);
    if (atom_review(&atoms[i]) == REVIEW_REMOVAL)
        return send_status(work, true);
    return tool_send_error(work->mcp, STR("The user keeps this fact. Do not ask again."));
}

/* Relevant to safety, or stated by the user: everything else waits without a question. */
static bool
is_urgent(const struct forgetting *work, const struct atom *atom)
{
    const struct domain *domain =
        domains_find(work->mcp->call->web->settings.domains, atom->domain);
    const struct member *member = domain == NULL ? NULL : domain_member(domain, atom->member);
    return atom->by_user || (member != NULL && member->safety != SAFETY_NONE);
}

/* A repeated call proposes nothing again: it reports what the user decided meanwhile. */
static enum err
change(struct forgetting *work, enum confirm_step step)
{
    struct call *call = work->mcp->call;
    struct app_suppression params = {
        .user_id = call->access->user_id,
        .atom_id = work->fact_id,
        .reason = work->reason,
        .app_id = call->access->app_id,
        .domains = call->web->settings.domains,
        .may_touch = may_touch,
        .context = (void *)(uintptr_t)call->access,
        .guards_safety = true,
        .now = call->now,
    };
    struct atom atom = { 0 };
    if (step == CONFIRM_DECLINED) {
        enum err err = corrections_withdraw(call->db, call->mem, &params);
        if (err != ERR_NONE && err != ERR_NOT_FOUND)
            return err;
    }
    if (step != CONFIRM_FIRST)
        return send_decision(work);
    enum err err = corrections_suppress_by_app(call->db, call->mem, &params, &atom);
    if (err == ERR_NOT_FOUND)
        return send_unknown(work);
    if (err == ERR_TOO_LARGE)
        return tool_send_error(work->mcp, STR("100 changes by this client wait for the user's "
                                              "confirmation. The user must decide on some first."));
    if (err != ERR_NONE)
        return err;
    /* The fact stays active until the user confirms the proposal. */
    bool waits = atom.status == ATOM_ACTIVE;
    if (!waits || !is_urgent(work, &atom) || !confirm_possible(work->mcp))
        return send_status(work, waits);
    return confirm_ask(work->mcp, confirm_url(work->mcp, work->fact_id),
                       STR("Confirm that the assistant may remove a fact about you."));
}

enum err
tool_forget(const struct mcp_call *mcp, struct tool_args *args)
{
    struct forgetting work = { .mcp = mcp, .args = args };
    enum confirm_step step;
    read_args(&work);
    enum err err;
    if (!statement_begin(args, &work.statement, &step, &err))
        return err;
    if (!str_present(work.fact_id))
        err = find_fact(&work);
    if (err != ERR_NONE)
        return err;
    if (str_present(args->problem))
        return tool_send_error(mcp, args->problem);
    return str_present(work.fact_id) ? change(&work, step) : send_unknown(&work);
}
