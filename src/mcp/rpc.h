/* rpc.h - writes the response to one MCP request: a result or an error of JSON-RPC. Call from the
 * thread that handles the request. */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include "base/err.h"
#include "mcp/envelope.h"

struct call;
struct json;

/* One request in progress. */
struct mcp_call {
    struct call *call;
    const struct mcp_message *message;
};

/* 200 with a result that is complete JSON. */
enum err rpc_send(const struct mcp_call *mcp, struct str result);

/* 200 with a result: the caller writes its members into the returned writer, then calls rpc_end().
 * A modern result already has resultType and _meta. */
struct json *rpc_begin(const struct mcp_call *mcp);
enum err rpc_end(struct json *out);

/* The same for a result that is stored before it is sent: writes it into a buf. */
void rpc_write_begin(const struct mcp_call *mcp, struct json *out);

/* 200 with a modern result that asks the client for input: `requests` is a JSON object, `state`
 * comes back with the input. Either may be absent. */
enum err rpc_send_input_required(const struct mcp_call *mcp, struct str requests, struct str state);

/* Members of a modern result that may not be shared between users; nothing in the legacy era. */
void rpc_put_private(const struct mcp_call *mcp, struct json *out, int64_t ttl_ms);

/* data: JSON; absent: none. Always ERR_NONE. */
enum err rpc_error(const struct mcp_call *mcp, int status, int code, struct str sentence,
                   struct str data);

/* 200 with RPC_INVALID_PARAMS. */
enum err rpc_invalid(const struct mcp_call *mcp, struct str sentence);

#endif
