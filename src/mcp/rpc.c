/* rpc.c - the envelope of a response: "jsonrpc", the id of the request as it was sent, and a result
 * or an error. */
#include "mcp/rpc.h"

#include "mcp/surface.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/response.h"
#include "web/state.h"

/* A message whose id could not be read is answered with null (JSON-RPC 2.0 §5). */
static struct json *
begin(const struct mcp_call *mcp, int status)
{
    struct json *out = response_json(mcp->call, status);
    json_open_object(out);
    json_put_name(out, "jsonrpc", STR("2.0"));
    json_put_raw(out, "id", str_present(mcp->message->id) ? mcp->message->id : STR("null"));
    return out;
}

/* For results that were written at the start (surface.c). */
enum err
rpc_send(const struct mcp_call *mcp, struct str result)
{
    struct json *out = begin(mcp, 200);
    json_put_raw(out, "result", result);
    json_close_object(out);
    return ERR_NONE;
}

/* The modern protocol requires a result type and the server's name in every result. */
void
rpc_write_begin(const struct mcp_call *mcp, struct json *out)
{
    json_open_object(out);
    if (mcp->message->era != MCP_MODERN)
        return;
    json_put_name(out, "resultType", STR("complete"));
    json_raw(out, mcp->call->web->settings.mcp_surface->meta);
}

/* Asks the client to let the user act and to repeat the call with the state. */
enum err
rpc_send_input_required(const struct mcp_call *mcp, struct str requests, struct str state)
{
    struct json *out = begin(mcp, 200);
    json_key_object(out, "result");
    json_put_name(out, "resultType", STR("input_required"));
    json_raw(out, mcp->call->web->settings.mcp_surface->meta);
    if (str_present(requests))
        json_put_raw(out, "inputRequests", requests);
    if (str_present(state))
        json_put_str(out, "requestState", state);
    return rpc_end(out);
}

/* The caller adds members to the result, and rpc_end() closes it. */
struct json *
rpc_begin(const struct mcp_call *mcp)
{
    struct json *out = begin(mcp, 200);
    json_key(out, "result");
    rpc_write_begin(mcp, out);
    return out;
}

enum err
rpc_end(struct json *out)
{
    json_close_object(out);
    json_close_object(out);
    return ERR_NONE;
}

/* Only the modern protocol has hints for caches. */
void
rpc_put_private(const struct mcp_call *mcp, struct json *out, int64_t ttl_ms)
{
    if (mcp->message->era != MCP_MODERN)
        return;
    json_put_int(out, "ttlMs", ttl_ms);
    json_put_name(out, "cacheScope", STR("private"));
}

/* Also counts as an error of the app, for its developer. */
enum err
rpc_error(const struct mcp_call *mcp, int status, int code, struct str sentence, struct str data)
{
    call_set_error(mcp->call, "invalid_request", sentence);
    mcp->call->rpc.failed = true;
    struct json *out = begin(mcp, status);
    json_key_object(out, "error");
    json_put_int(out, "code", code);
    json_put_str(out, "message", sentence);
    if (str_present(data))
        json_put_raw(out, "data", data);
    json_close_object(out);
    json_close_object(out);
    return ERR_NONE;
}

enum err
rpc_invalid(const struct mcp_call *mcp, struct str sentence)
{
    return rpc_error(mcp, 200, RPC_INVALID_PARAMS, sentence, STR_NONE);
}
