/* methods.h - the methods of the protocol whose results depend on the user.
 *
 * Each sends one response and returns ERR_NONE, or returns an err without a response. Call from the
 * thread that handles the request. */
#ifndef MCP_METHODS_H
#define MCP_METHODS_H

#include "mcp/rpc.h"

struct buf;
struct http_request;

enum err tools_call(const struct mcp_call *mcp);
enum err resources_list(const struct mcp_call *mcp);
enum err resources_read(const struct mcp_call *mcp);
enum err prompts_get(const struct mcp_call *mcp);
enum err completion_complete(const struct mcp_call *mcp);

/* The part of mcp_write_metrics() about tools. */
void tools_write_metrics(struct buf *page);

/* True if the request may be a call of a tool that writes. Never false for such a call: a modern
 * request is rejected unless Mcp-Name is the tool's name, and any other has the name in its body,
 * as it is or with escapes. */
bool tools_request_blocks(const struct http_request *request);

#endif
