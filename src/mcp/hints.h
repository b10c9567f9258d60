/* hints.h - reads hints for the tool, the resources, and the prompt. Results are in the request's
 * arena. Call from the thread that handles the request. */
#ifndef MCP_HINTS_H
#define MCP_HINTS_H

#include "base/err.h"
#include "base/str.h"

struct call;
struct hints;

#define MCP_HINTS_TOKENS 200 /* budget unless the client names one */

struct mcp_hints_params {
    struct str task;  /* absent: none */
    uint64_t domains; /* bits by index; 0: all that the token may use */
    int max_tokens;
    bool general; /* a task that matches nothing counts as none */
};

/* The domains that hints may be about, as bits by index. */
uint64_t mcp_hints_allowed(const struct call *call);

/* As lines of text. */
enum err mcp_hints_text(struct call *call, struct str task, struct str *out);

#endif
