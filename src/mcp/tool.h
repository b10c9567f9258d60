/* tool.h - what the tools share: reading arguments, and writing results.
 *
 * A wrong argument is a result that the model can act on, not a protocol error. Results are in the
 * request's arena. Call from the thread that handles the request. */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include "mcp/rpc.h"
#include "model/scope.h"

struct domain;
struct json_value;

#define TOOL_RESULT_MAX ((size_t)100 * 1024) /* bytes; some clients truncate longer ones */

struct tool_args {
    const struct mcp_call *mcp;
    const struct json_value *object; /* NULL: no arguments */
    struct str problem;              /* a sentence; absent: none so far */
};

/* Reports an argument that is none of `names`, which end with NULL. */
void args_only(struct tool_args *args, const char *const *names);

/* An argument of the given kind. If it is missing, absent, NULL, or the fallback is returned. */
struct str args_text(struct tool_args *args, const char *name, size_t max_characters);
int64_t args_integer(struct tool_args *args, const char *name, int64_t min, int64_t max,
                     int64_t fallback);
const struct domain *args_domain(struct tool_args *args, const char *name);
const struct json_value *args_list(struct tool_args *args, const char *name, size_t max_items);

/* The domain of this name; NULL: the problem is set. */
const struct domain *args_find_domain(struct tool_args *args, const char *name, struct str text);

/* Keeps the first problem. */
void args_fail(struct tool_args *args, struct str sentence);

/* A successful result: `structured` is JSON. tool_write_result() writes it, tool_send_result() also
 * sends it. */
struct str tool_write_result(const struct mcp_call *mcp, struct str structured);
enum err tool_send_result(const struct mcp_call *mcp, struct str structured);

/* A failed result with a sentence for the model. */
enum err tool_send_error(const struct mcp_call *mcp, struct str sentence);

/* If the token lacks the permission: sends the challenge or the sentence, see permission.h. */
enum err tool_send_denied(const struct mcp_call *mcp, scopes needed, bool requested,
                          struct str what);

/* The tools. */
enum err tool_get_hints(const struct mcp_call *mcp, struct tool_args *args);
enum err tool_get_preferences(const struct mcp_call *mcp, struct tool_args *args);
enum err tool_remember(const struct mcp_call *mcp, struct tool_args *args);
enum err tool_forget(const struct mcp_call *mcp, struct tool_args *args);

#endif
