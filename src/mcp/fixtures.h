/* fixtures.h - tools, prompts, and resources for the conformance suite of the protocol.
 *
 * Compiled only with PENCHANT_FAULT_INJECTION, which `make check` sets and releases do not. The
 * environment variable PENCHANT_MCP_FIXTURES names a JSON file: "tools", "prompts", and
 * "resourceTemplates" are added to the lists, and "answers" are tried in their order before the
 * methods of the server. An answer matches a request by method, by name or URI, by the keys of its
 * inputResponses, and by its requestState; see tests/clients/mcp_fixtures.json. The file is read at
 * startup; the rest is called from the thread that handles the request. */
#ifndef MCP_FIXTURES_H
#define MCP_FIXTURES_H

#include "mcp/rpc.h"

struct arena;
struct json_value;

#ifdef PENCHANT_FAULT_INJECTION

/* NULL: none. */
const struct json_value *fixtures_read(struct arena *mem);

/* True: a response was sent. */
bool fixtures_send(const struct mcp_call *mcp);

#else

static inline const struct json_value *
fixtures_read(struct arena *mem)
{
    (void)mem;
    return NULL;
}

static inline bool
fixtures_send(const struct mcp_call *mcp)
{
    (void)mcp;
    return false;
}

#endif
#endif
