/* mcp_api.c - the endpoint /mcp: one JSON-RPC message of the Model Context Protocol per request.
 *
 * Stateless: no sessions, no streams. Dispatch has checked Host, Origin, and token before. Lists
 * and descriptions were written at startup (surface.h) and are sent as they are; other methods are
 * in methods.h. A method belongs to one era or to both, and does not exist in the other. */
#include "base/arena.h"
#include "base/metric.h"
#include "base/trace.h"
#include "mcp/fixtures.h"
#include "mcp/mcp_routes.h"
#include "mcp/methods.h"
#include "mcp/rpc.h"
#include "mcp/surface.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"
#include "web/state.h"

#include <stdio.h>

#define BODY_MAX (64 * KIB)

enum { LEGACY = 1 << MCP_LEGACY, MODERN = 1 << MCP_MODERN, BOTH = LEGACY | MODERN };

/* ---- methods with prepared results ---- */

/* The lists have one page, so that no cursor is valid. */
static bool
has_cursor(const struct mcp_call *mcp)
{
    const struct json_value *params = mcp->message->params;
    return params != NULL && json_member(params, "cursor") != NULL;
}

static enum err
send_list(const struct mcp_call *mcp, const struct str *by_era)
{
    return has_cursor(mcp) ? rpc_invalid(mcp, STR("cursor is not one of this server."))
                           : rpc_send(mcp, by_era[mcp->message->era]);
}

static enum err
list_tools(const struct mcp_call *mcp)
{
    return send_list(mcp, mcp->call->web->settings.mcp_surface->tools);
}

static enum err
list_prompts(const struct mcp_call *mcp)
{
    return send_list(mcp, mcp->call->web->settings.mcp_surface->prompts);
}

static enum err
list_templates(const struct mcp_call *mcp)
{
    return send_list(mcp, mcp->call->web->settings.mcp_surface->templates);
}

static enum err
discover(const struct mcp_call *mcp)
{
    return rpc_send(mcp, mcp->call->web->settings.mcp_surface->discover);
}

/* The version that the client asks for, if this server knows it; otherwise the newest legacy one,
 * and the client decides whether to continue. */
static enum err
initialize(const struct mcp_call *mcp)
{
    const struct json_value *params = mcp->message->params;
    const struct json_value *asked = params == NULL ? NULL : json_member(params, "protocolVersion");
    bool known =
        asked != NULL && asked->type == JSON_STR && envelope_is_legacy_version(asked->text);
    struct json *out = rpc_begin(mcp);
    json_put_str(out, "protocolVersion", known ? asked->text : STR(MCP_LEGACY_VERSION));
    json_raw(out, mcp->call->web->settings.mcp_surface->server);
    return rpc_end(out);
}

static enum err
ping(const struct mcp_call *mcp)
{
    return rpc_end(rpc_begin(mcp));
}

/* ---- finding the method ---- */

static const struct rpc_method {
    const char *name;
    unsigned eras;
    enum err (*handle)(const struct mcp_call *mcp);
} methods[] = {
    { "tools/call", BOTH, tools_call },
    { "tools/list", BOTH, list_tools },
    { "server/discover", MODERN, discover },
    { "initialize", LEGACY, initialize },
    { "ping", LEGACY, ping },
    { "resources/list", BOTH, resources_list },
    { "resources/templates/list", BOTH, list_templates },
    { "resources/read", BOTH, resources_read },
    { "prompts/list", BOTH, list_prompts },
    { "prompts/get", BOTH, prompts_get },
    { "completion/complete", BOTH, completion_complete },
};

#define METHODS (sizeof methods / sizeof *methods)

static _Atomic uint64_t requests[MCP_ERAS][METHODS + 1]; /* the last: any other method */

/* Only methods that were called, so that the page stays short. */
void
mcp_write_metrics(struct buf *page, void *context)
{
    (void)context;
    metric_family(page, "penchant_mcp_requests_total", "counter",
                  "MCP requests with a valid envelope, by era of the protocol and method.");
    for (size_t era = 0; era < MCP_ERAS; era++)
        for (size_t i = 0; i <= METHODS; i++) {
            uint64_t count = atomic_load_explicit(&requests[era][i], memory_order_relaxed);
            char labels[80];
            snprintf(labels, sizeof labels, "era=\"%s\",method=\"%s\"",
                     mcp_era_name((enum mcp_era)era), i < METHODS ? methods[i].name : "other");
            if (count > 0)
                metric_value(page, "penchant_mcp_requests_total", labels, (int64_t)count);
        }
    tools_write_metrics(page);
}

/* Index of the method; METHODS: there is none. */
static size_t
find_method(const struct mcp_message *message)
{
    size_t i = 0;
    while (i < METHODS &&
           !(str_eq_c(message->method, methods[i].name) && (methods[i].eras & 1u << message->era)))
        i++;
    return i;
}

/* A modern client may put the trace into the message instead of a header. */
static void
note_request(const struct mcp_call *mcp, size_t method)
{
    const struct mcp_message *message = mcp->message;
    const struct json_value *parent =
        message->meta == NULL ? NULL : json_member(message->meta, "traceparent");
    struct call_rpc *rpc = &mcp->call->rpc;
    rpc->era = mcp_era_name(message->era);
    rpc->method = method < METHODS ? methods[method].name : "other";
    if (parent != NULL && parent->type == JSON_STR)
        rpc->trace = trace_id(parent->text);
    atomic_fetch_add_explicit(&requests[message->era][method], 1, memory_order_relaxed);
}

/* Counted and logged by the names of known methods only: any other text comes from the client. */
static enum err
run_method(const struct mcp_call *mcp)
{
    const struct mcp_message *message = mcp->message;
    size_t method = find_method(message);
    note_request(mcp, method);
    if (fixtures_send(mcp))
        return ERR_NONE;
    if (method < METHODS)
        return methods[method].handle(mcp);
    /* A legacy client that receives 404 falls back to the transport before it. */
    return rpc_error(mcp, message->era == MCP_MODERN ? 404 : 200, RPC_METHOD_NOT_FOUND,
                     str_format(mcp->call->mem, "There is no method \"%.*s\" in this version.",
                                STR_ARG(str_first(message->method, 64))),
                     STR_NONE);
}

/* A notification has no response (JSON-RPC 2.0 §4.1), so it gets an empty 202. */
static enum err
post_mcp(struct call *call)
{
    const struct http_request *request = &call->exchange->request;
    struct mcp_headers headers = { http_header(request, "MCP-Protocol-Version"),
                                   http_header(request, "Mcp-Method"),
                                   http_header(request, "Mcp-Name") };
    struct mcp_message message;
    struct mcp_problem problem;
    struct mcp_call mcp = { call, &message };
    bool ok = envelope_read(call->mem, request->body, &headers, &message, &problem);
    /* Also for error responses that dispatch writes. */
    call->rpc_id = message.id;
    if (!ok)
        return rpc_error(&mcp, problem.status, problem.code, problem.sentence, problem.data);
    if (!message.is_notification)
        return run_method(&mcp);
    response_bytes(call, 202, NULL, STR(""));
    return ERR_NONE;
}

/* Also for methods other than GET: see dispatch.c. */
static enum err
reject_method(struct call *call)
{
    error_send_method_not_allowed(call);
    return ERR_NONE;
}

const struct route mcp_routes[] = {
    { POST, "/mcp", post_mcp, CALLER_TOKEN,
      .summary = "Serves AI assistants by the Model Context Protocol.",
      .activity = ACTIVITY_BY_HANDLER, .body = BODY_JSON, .body_max = BODY_MAX, .rpc = true,
      .mcp = true, .slash = true, .request_blocks = tools_request_blocks },
    { GET, "/mcp", reject_method, CALLER_TOKEN,
      .summary = "Rejects other methods; there is no stream to read.",
      .activity = ACTIVITY_BY_HANDLER, .rpc = true, .mcp = true, .slash = true },
    { 0 },
};
