/* remember.c - the tool remember: stores what the user said, or lets it wait for confirmation.
 *
 * Values become a document like that of POST /v1/preferences/{domain} and take the same way, so the
 * same rules apply: vocabularies, suspicious values, limits, and whether the app's changes wait.
 * The result has one status per value. Only a value that waits and is urgent makes the client ask
 * the user at once. A repeated call writes again, which changes nothing, and reports what the user
 * decided meanwhile. */
#include "base/arena.h"
#include "dispatch/allowed_domains.h"
#include "flow/connections.h"
#include "preference/corrections.h"
#include "preference/preferences.h"
#include "mcp/confirm.h"
#include "mcp/fact_arguments.h"
#include "model/grant.h"
#include "text/json_read.h"
#include "text/json_tree.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/state.h"

#define VALUES_MAX 20
#define DEPTH_MAX 4

/* The arguments of one call of the tool; `outcomes` has a result for each value. */
struct remembering {
    const struct mcp_call *mcp;
    struct tool_args *args;
    struct statement statement;
    const struct json_value *values; /* as the model sent them */
    struct preference_outcome outcomes[VALUES_MAX];
};

/* ---- the write ---- */

/* An object with only this property: the write keeps the others. */
static void
write_property(struct json *out, struct str property, const struct json_value *value)
{
    json_open_object(out);
    json_key_str(out, property);
    json_tree_write(out, value);
    json_close_object(out);
}

/* The body that POST /v1/preferences/{domain} takes, made from the values. NULL: err, or
 * args->problem is set. Only a list has more than one value; read_args() has checked that. */
static const struct json_value *
make_preferences(struct remembering *work, enum err *err)
{
    struct arena *mem = work->mcp->call->mem;
    const struct member *member = work->statement.member;
    bool is_list = member->type == MEMBER_ARRAY;
    struct buf buf = buf_in(mem, TOOL_RESULT_MAX);
    struct json json = json_into(&buf);
    const struct json_value *made = NULL;
    json_open_object(&json);
    json_key_str(&json, member->name);
    if (is_list)
        json_open_array(&json);
    for (size_t i = 0; i < work->values->count; i++) {
        const struct json_value *value =
            statement_value(work->args, &work->statement, work->values->children[i].text);
        if (value == NULL)
            return NULL;
        if (work->statement.property != NULL)
            write_property(&json, work->statement.property->name, value);
        else
            json_tree_write(&json, value);
    }
    if (is_list)
        json_close_array(&json);
    json_close_object(&json);
    *err = json_read(mem, buf_str(&buf), DEPTH_MAX, &made, NULL);
    return made;
}

static void
fail_values(struct remembering *work, const struct preference_problems *problems)
{
    const struct preference_problem *first = &problems->list[0];
    args_fail(work->args, str_format(work->mcp->call->mem, "Nothing was stored: %.*s %.*s.",
                                     STR_ARG(first->at), STR_ARG(first->problem)));
}

/* The whole write or nothing: one invalid value stores none, and the model learns which. */
static enum err
write_values(struct remembering *work)
{
    struct call *call = work->mcp->call;
    enum err err = ERR_NONE;
    struct preference_write params = {
        .user_id = call->access->user_id,
        .domain = work->statement.domain,
        .source = call->access->app_id,
        .preferences = make_preferences(work, &err),
        .now = call->now,
        .as_granted = true,
        .keeps_properties = true,
        .outcomes = work->outcomes,
    };
    if (err != ERR_NONE || str_present(work->args->problem))
        return err;
    struct preference_counts counts;
    struct preference_problems problems;
    struct record record = { 0 };
    err = preferences_write(call->db, call->mem, &params, &counts, &record, &problems);
    if (err != ERR_INVALID)
        return err;
    fail_values(work, &problems);
    return ERR_NONE;
}

/* ---- what waits ---- */

static bool
may_touch(const struct domain *domain, void *context)
{
    (void)domain;
    (void)context;
    return true; /* checked before */
}

/* The user declined in the client: what waits is removed, and the model is not to repeat it. */
static enum err
withdraw(struct remembering *work)
{
    struct call *call = work->mcp->call;
    enum err err = ERR_NONE;
    for (size_t i = 0; i < work->values->count && err == ERR_NONE; i++) {
        struct app_suppression params = {
            .user_id = call->access->user_id,
            .atom_id = work->outcomes[i].atom_id,
            .app_id = call->access->app_id,
            .domains = call->web->settings.domains,
            .may_touch = may_touch,
            .now = call->now,
        };
        if (work->outcomes[i].status != OUTCOME_WAITING)
            continue;
        work->outcomes[i].status = OUTCOME_REFUSED;
        err = corrections_withdraw(call->db, call->mem, &params);
        if (err == ERR_NOT_FOUND)
            err = ERR_NONE;
    }
    return err;
}

/* The first value that waits; values->count: none. */
static size_t
first_waiting(const struct remembering *work)
{
    size_t i = 0;
    while (i < work->values->count && work->outcomes[i].status != OUTCOME_WAITING)
        i++;
    return i;
}

/* Whether what waits is relevant to safety or contradicts what the user said. Everything else
 * waits without a question. */
static enum err
is_urgent(struct remembering *work, bool *out)
{
    struct call *call = work->mcp->call;
    const struct member *member = work->statement.member;
    struct atom *atoms = NULL;
    size_t count = 0;
    *out = member->safety != SAFETY_NONE;
    if (*out || member->type == MEMBER_ARRAY)
        return ERR_NONE;
    struct view view = access_view(call->access, call->web->settings.domains);
    enum err err =
        preferences_atoms(call->db, call->mem, &view, work->statement.domain->name, &atoms, &count);
    for (size_t i = 0; i < count; i++)
        if (str_eq(atoms[i].member, member->name) && atoms[i].by_user &&
            atoms[i].status == ATOM_ACTIVE)
            *out = true;
    return err;
}

/* ---- the result ---- */

/* One sentence for all values; the most important status wins. */
static struct str
message_of(const struct remembering *work)
{
    bool any[OUTCOME_REFUSED + 1] = { false };
    for (size_t i = 0; i < work->values->count; i++)
        any[work->outcomes[i].status] = true;
    if (any[OUTCOME_WAITING])
        return STR("The user must confirm this before it counts. It is listed at confirm_url.");
    if (any[OUTCOME_REFUSED])
        return STR("The user does not want this stored. Do not suggest it again.");
    return any[OUTCOME_STORED] ? STR("Stored.") : STR("This was stored before.");
}

/* The URL leads to the first value that waits; the page lists the others as well. */
static enum err
send_outcomes(const struct remembering *work)
{
    static const char *const names[] = { [OUTCOME_STORED] = "stored",
                                         [OUTCOME_KNOWN] = "known",
                                         [OUTCOME_WAITING] = "waiting",
                                         [OUTCOME_REFUSED] = "refused" };
    size_t waiting = first_waiting(work);
    struct buf buf = buf_in(work->mcp->call->mem, TOOL_RESULT_MAX);
    struct json out = json_into(&buf);
    json_open_object(&out);
    json_key_array(&out, "results");
    for (size_t i = 0; i < work->values->count; i++) {
        json_open_object(&out);
        json_put_str(&out, "value", work->values->children[i].text);
        json_put_str(&out, "status", str_of(names[work->outcomes[i].status]));
        json_close_object(&out);
    }
    json_close_array(&out);
    json_put_str(&out, "message", message_of(work));
    if (waiting < work->values->count)
        json_put_str(&out, "confirm_url", confirm_url(work->mcp, work->outcomes[waiting].atom_id));
    json_close_object(&out);
    return tool_send_result(work->mcp, buf_str(&buf));
}

/* A client that may not read the domain learns nothing about what was stored before. */
static enum err
hide_outcomes(struct remembering *work)
{
    struct call *call = work->mcp->call;
    struct connection connection;
    enum err err = connection_find(call->db, call->mem, call->access->user_id, call->access->app_id,
                                   call->now, &connection);
    for (size_t i = 0; i < work->values->count && err == ERR_NONE; i++)
        work->outcomes[i] = (struct preference_outcome){
            connection.grant.writes_wait ? OUTCOME_WAITING : OUTCOME_STORED, STR_NONE
        };
    return err != ERR_NONE ? err : send_outcomes(work);
}

/* The client reads the domain, or it learns nothing (hide_outcomes()). Then: declined, asked
 * before, or the first call. */
static enum err
finish(struct remembering *work, enum confirm_step step)
{
    if (!allowed_domains_can_read(work->mcp->call->access, work->statement.domain))
        return hide_outcomes(work);
    size_t waiting = first_waiting(work);
    bool urgent = false;
    enum err err = ERR_NONE;
    if (waiting < work->values->count && step == CONFIRM_DECLINED)
        err = withdraw(work);
    else if (waiting < work->values->count && step == CONFIRM_FIRST && confirm_possible(work->mcp))
        err = is_urgent(work, &urgent);
    if (err != ERR_NONE || !urgent)
        return err != ERR_NONE ? err : send_outcomes(work);
    return confirm_ask(work->mcp, confirm_url(work->mcp, work->outcomes[waiting].atom_id),
                       STR("Confirm what the assistant wants to remember about you."));
}

/* The first problem is kept (args_fail()), so the order is that of the arguments. */
static void
read_args(struct remembering *work)
{
    static const char *const names[] = { "domain", "member", "values", NULL };
    struct tool_args *args = work->args;
    args_only(args, names);
    statement_read(args, &work->statement);
    work->values = args_list(args, "values", VALUES_MAX);
    if (work->values == NULL || work->values->count == 0)
        args_fail(args, STR("values must be a list of 1 to 20 strings."));
    else if (work->statement.member != NULL && work->statement.member->type != MEMBER_ARRAY &&
             work->values->count > 1)
        args_fail(args, STR("This member takes one value."));
}

enum err
tool_remember(const struct mcp_call *mcp, struct tool_args *args)
{
    struct remembering work = { .mcp = mcp, .args = args };
    enum confirm_step step;
    read_args(&work);
    enum err err;
    if (!statement_begin(args, &work.statement, &step, &err))
        return err;
    err = write_values(&work);
    if (err != ERR_NONE)
        return err;
    return str_present(args->problem) ? tool_send_error(mcp, args->problem) : finish(&work, step);
}
