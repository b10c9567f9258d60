/* tools.c - finds the tool that a client calls, and measures its calls.
 *
 * Tools that read run on the HTTP thread, tools that write on a worker. Which it is must be known
 * before the body is parsed (tools_request_blocks()); tools_call() verifies the guess, so that a
 * wrong one is an error and never a write on an HTTP thread. */
#include "base/clock.h"
#include "base/metric.h"
#include "job/usage_counters.h"
#include "mcp/methods.h"
#include "mcp/tool.h"
#include "model/grant.h"
#include "text/json_read.h"
#include "web/call.h"
#include "web/state.h"

#include <stdio.h>
#include <string.h>

static const struct tool {
    const char *name;
    enum err (*run)(const struct mcp_call *mcp, struct tool_args *args);
    bool writes;
    enum activity_action activity;
} tools[] = {
    [TOOL_GET_HINTS] = { "get_hints", tool_get_hints, false, ACTIVITY_HINTS },
    [TOOL_GET_PREFERENCES] = { "get_preferences", tool_get_preferences, false, ACTIVITY_READ },
    [TOOL_REMEMBER] = { "remember", tool_remember, true, ACTIVITY_WRITE },
    [TOOL_FORGET] = { "forget", tool_forget, true, ACTIVITY_SUPPRESS },
};

static bool
contains(struct str text, struct str part)
{
    return memmem(text.ptr, text.len, part.ptr, part.len) != NULL;
}

/* `is_called` decides how a name must occur in the text. */
static bool
any_writes(struct str text, bool (*is_called)(struct str text, struct str name))
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (tools[i].writes && is_called(text, str_of(tools[i].name)))
            return true;
    return false;
}

/* Decides before the body is parsed whether the call writes, so it may be wrong only in one
 * direction: a read that runs on a worker is slower, but a write must not run on an HTTP thread
 * (tools_call() checks). */
bool
tools_request_blocks(const struct http_request *request)
{
    struct str name = http_header(request, "Mcp-Name"), body = request->body;
    if (str_eq_c(http_header(request, "MCP-Protocol-Version"), MCP_VERSION) && str_present(name))
        /* An encoded name may be any name. */
        return str_starts(name, STR("=?")) || any_writes(name, str_eq);
    /* A backslash may begin an escape that hides a name. */
    return body.len > 0 && (memchr(body.ptr, '\\', body.len) != NULL || any_writes(body, contains));
}

/* ---- metrics ---- */

static struct histogram latency[MCP_ERAS][USAGE_TOOLS][2]; /* [1]: failed, or refused */

/* Only tools that were called. */
void
tools_write_metrics(struct buf *page)
{
    metric_family(page, "penchant_mcp_tool_call_duration_seconds", "histogram",
                  "Time from the head of a request to the result of its tool, by era of the "
                  "protocol, tool, and result.");
    for (size_t era = 0; era < MCP_ERAS; era++)
        for (size_t tool = 0; tool < USAGE_TOOLS; tool++)
            for (size_t failed = 0; failed < 2; failed++) {
                const struct histogram *calls = &latency[era][tool][failed];
                char labels[100];
                snprintf(labels, sizeof labels, "era=\"%s\",tool=\"%s\",result=\"%s\"",
                         mcp_era_name((enum mcp_era)era), tools[tool].name,
                         failed ? "error" : "ok");
                if (histogram_count(calls) > 0)
                    metric_histogram(page, "penchant_mcp_tool_call_duration_seconds", labels,
                                     calls);
            }
}

/* Counts the time from the head of the request, like the metric of the route, so that both can be
 * compared. */
static enum err
run(const struct mcp_call *mcp, enum usage_tool tool, struct tool_args *args)
{
    struct call *call = mcp->call;
    call->rpc.tool = tools[tool].name;
    enum err err = tools[tool].run(mcp, args);
    bool failed = err != ERR_NONE || call->rpc.failed;
    histogram_observe(&latency[mcp->message->era][tool][failed],
                      clock_ticks_ns() - call->exchange->started_ns);
    return err;
}

/* The user sees this on /connect. */
static void
count_call(const struct call *call, enum usage_tool tool)
{
    usage_counters_add_tool(call->web->settings.counters, call->access->user_id,
                            call->access->app_id, tool, call->now);
}

/* ERR_INTERNAL: a write that tools_request_blocks() did not recognize must not run on this
 * thread. */
enum err
tools_call(const struct mcp_call *mcp)
{
    const struct json_value *params = mcp->message->params;
    const struct json_value *name = params == NULL ? NULL : json_member(params, "name");
    const struct json_value *given = params == NULL ? NULL : json_member(params, "arguments");
    if (name == NULL || name->type != JSON_STR)
        return rpc_invalid(mcp, STR("params.name must be the name of a tool."));
    if (given != NULL && given->type != JSON_OBJECT)
        return rpc_invalid(mcp, STR("params.arguments must be an object."));
    struct tool_args args = { .mcp = mcp, .object = given };
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (str_eq_c(name->text, tools[i].name)) {
            if (tools[i].writes && !mcp->call->exchange->blocks)
                return ERR_INTERNAL;
            /* Also calls that are then refused. */
            count_call(mcp->call, (enum usage_tool)i);
            mcp->call->activity.action = tools[i].activity;
            return run(mcp, (enum usage_tool)i, &args);
        }
    return rpc_invalid(mcp, str_format(mcp->call->mem, "There is no tool \"%.*s\".",
                                       STR_ARG(str_first(name->text, 64))));
}
