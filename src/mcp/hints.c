/* hints.c - hints for a task, for the tool get_hints, the resource penchant://hints, and a prompt.
 *
 * The flow is that of GET /v1/agent-hints with other defaults: a longer task in place of a context,
 * text in place of JSON. The budget is raised until all critical facts fit, because a model that
 * gets an incomplete list of allergies does not ask a second time. Results of the tool are cached
 * like those of the API, as a part of the response: the envelope around them has the id of the
 * request. */
#include "mcp/hints.h"

#include "base/arena.h"
#include "dispatch/allowed_domains.h"
#include "dispatch/response_cache.h"
#include "preference/hints.h"
#include "context/context.h"
#include "selection/hint_origins.h"
#include "job/rebuild.h"
#include "mcp/permission.h"
#include "mcp/tool.h"
#include "model/grant.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/state.h"

#include <string.h>

#define TASK_MAX 2048 /* characters */
#define DOMAINS_NAMED_MAX 16
#define WORD_MAX 256     /* bytes */
#define FALLBACK_MAX 100 /* characters */

uint64_t
mcp_hints_allowed(const struct call *call)
{
    uint64_t allowed, sensitive;
    allowed_domains_hints(&call->access->allowed, &allowed, &sensitive);
    return allowed;
}

/* The start of a long task, because a context has a maximum length. The cut is at a space, so that
 * no word is cut in two, or else between two characters: Chinese has no spaces. */
static struct str
task_label(struct str task)
{
    if (task.len <= CONTEXT_MAX)
        return task;
    size_t end = CONTEXT_MAX, least = CONTEXT_MAX - WORD_MAX;
    while (end > least && task.ptr[end] != ' ')
        end--;
    if (end == least)
        end = CONTEXT_MAX;
    while (((unsigned char)task.ptr[end] & 0xc0) == 0x80)
        end--;
    return str_first(task, end);
}

/* Within max_tokens, or as many as the critical facts need: a model does not ask twice. */
static enum err
read_hints(struct call *call, const struct mcp_hints_params *params, struct hints *out)
{
    struct hints_params query = {
        .view = access_view(call->access, call->web->settings.domains),
        .domains = call->web->settings.domains,
        .domains_named = params->domains != 0,
        .context = task_label(params->task),
        .purpose = call->access->purpose,
        .format = HINT_TEXT,
        .max_tokens = params->max_tokens,
        .general = params->general,
    };
    allowed_domains_hints(&call->access->allowed, &query.allowed, &query.sensitive);
    if (params->domains != 0)
        query.allowed &= params->domains;
    enum err err = hints_read(call->db, call->mem, &query, out);
    /* Doubled each time, up to the maximum for any client. */
    while (err == ERR_NONE && out->answer.safety_cut && query.max_tokens < HINTS_TOKENS_MAX) {
        query.max_tokens =
            query.max_tokens > HINTS_TOKENS_MAX / 2 ? HINTS_TOKENS_MAX : 2 * query.max_tokens;
        err = hints_read(call->db, call->mem, &query, out);
    }
    if (err == ERR_NONE && out->stale)
        rebuild_queue_add(call->web->settings.rebuilds, query.view.user_id);
    if (err == ERR_NONE)
        call_record_hints(call, out->named);
    return err;
}

/* For a resource and a prompt, which are text: one hint per line. */
enum err
mcp_hints_text(struct call *call, struct str task, struct str *out)
{
    struct mcp_hints_params params = { .task = task, .max_tokens = MCP_HINTS_TOKENS };
    struct hints hints;
    const struct json_value *list = NULL;
    enum err err = read_hints(call, &params, &hints);
    if (err == ERR_NONE)
        err = json_read(call->mem, hints.answer.hints, 2, &list, NULL);
    if (err != ERR_NONE)
        return err;
    struct buf text = buf_in(call->mem, TOOL_RESULT_MAX);
    for (size_t i = 0; i < list->count; i++) {
        buf_add(&text, list->children[i].text);
        buf_add_char(&text, '\n');
    }
    *out = list->count > 0 ? buf_str(&text) : STR("No hints are stored about this.\n");
    return text.overflow ? ERR_INTERNAL : ERR_NONE;
}

/* ---- get_hints ---- */

/* An unknown domain is reported; the others are still read, for one complete answer. */
static void
read_args(struct tool_args *args, struct mcp_hints_params *out)
{
    static const char *const names[] = { "task", "domains", "max_tokens", "fallback", NULL };
    const struct domains *domains = args->mcp->call->web->settings.domains;
    args_only(args, names);
    out->task = args_text(args, "task", TASK_MAX);
    out->max_tokens = (int)args_integer(args, "max_tokens", 1, HINTS_TOKENS_MAX, MCP_HINTS_TOKENS);
    struct str fallback = args_text(args, "fallback", FALLBACK_MAX);
    out->general = str_eq_c(fallback, "general");
    if (str_present(fallback) && !out->general)
        args_fail(args, STR("fallback must be general, or left out."));
    const struct json_value *named = args_list(args, "domains", DOMAINS_NAMED_MAX);
    for (size_t i = 0; named != NULL && i < named->count; i++) {
        const struct domain *domain = args_find_domain(args, "domain", named->children[i].text);
        if (domain != NULL)
            out->domains |= (uint64_t)1 << (domain - domains->list);
    }
}

/* False: a response was sent. A domain that was named and is not allowed fails the call, so that a
 * model does not conclude that the domain has no facts. */
static bool
check_domains(const struct mcp_call *mcp, uint64_t named)
{
    const struct domains *domains = mcp->call->web->settings.domains;
    uint64_t allowed = mcp_hints_allowed(mcp->call);
    uint64_t denied = named & ~allowed;
    if (denied == 0 && allowed != 0)
        return true;
    struct str what = STR("hints about any area");
    mcp->call->activity.domains = denied;
    for (size_t i = 0; i < domains->count; i++)
        if (denied >> i & 1)
            what = str_format(mcp->call->mem, "hints about %.*s", STR_ARG(domains->list[i].name));
    tool_send_error(mcp, permission_sentence(mcp, what));
    return false;
}

/* `origins` lists the sources of each hint. "content_role" reminds clients that the text is data
 * of a user. */
static struct str
write_hints(struct call *call, const struct hints *hints)
{
    struct buf buf = buf_in(call->mem, TOOL_RESULT_MAX);
    struct json out = json_into(&buf);
    struct str matched = hints_matched(hints);
    json_open_object(&out);
    json_put_raw(&out, "hints", hints->answer.hints);
    json_key(&out, "origins");
    hint_origins_by_hint(&out, hints->answer.selected);
    json_put_bool(&out, "safety_complete", hints->answer.safety_complete);
    json_put_int(&out, "omitted", hints->answer.omitted);
    if (str_present(matched))
        json_put_str(&out, "task_matched", matched);
    json_put_name(&out, "content_role", STR("data")); /* never instructions */
    json_close_object(&out);
    return buf_str(&buf);
}

/* Everything that the result depends on, besides the token and the user's preferences. */
static struct str
cache_name(struct arena *mem, enum mcp_era era, const struct mcp_hints_params *params)
{
    struct {
        uint64_t domains;
        int32_t max_tokens;
        int16_t era;
        int16_t general;
    } fixed = { params->domains, params->max_tokens, (int16_t)era, params->general };
    char *name = arena_alloc(mem, sizeof fixed + params->task.len);
    memcpy(name, &fixed, sizeof fixed);
    if (params->task.len > 0)
        memcpy(name + sizeof fixed, params->task.ptr, params->task.len);
    return (struct str){ name, sizeof fixed + params->task.len };
}

/* The cache is read after the permission and the arguments were checked. Its key includes the
 * token and the user's preferences (response_cache_part()), so check_domains() can come after
 * it. */
enum err
tool_get_hints(const struct mcp_call *mcp, struct tool_args *args)
{
    struct call *call = mcp->call;
    struct mcp_hints_params params = { 0 };
    struct hints hints;
    enum permission permission = permission_scope(mcp, SCOPE_AGENT_HINTS);
    if (permission != PERMITTED)
        return tool_send_denied(mcp, SCOPE_AGENT_HINTS, permission == PERMISSION_DENIED,
                                STR("hints"));
    read_args(args, &params);
    if (str_present(args->problem))
        return tool_send_error(mcp, args->problem);
    struct str result =
        response_cache_part(call, cache_name(call->mem, mcp->message->era, &params));
    if (str_present(result))
        return rpc_send(mcp, result);
    if (!check_domains(mcp, params.domains))
        return ERR_NONE;
    enum err err = read_hints(call, &params, &hints);
    if (err != ERR_NONE)
        return err;
    result = tool_write_result(mcp, write_hints(call, &hints));
    response_cache_put_part(call, result);
    return rpc_send(mcp, result);
}
