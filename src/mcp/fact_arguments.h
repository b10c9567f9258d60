/* fact_arguments.h - reads the arguments of tools that write: a member of a domain, and values as
 * text.
 *
 * Models send numbers and yes/no as text, because a schema with several types is not portable.
 * "indentation.width" names a property of a member that is an object. Results are in the request's
 * arena. Call from the thread that handles the request. */
#ifndef MCP_FACT_ARGUMENTS_H
#define MCP_FACT_ARGUMENTS_H

#include "mcp/confirm.h"
#include "mcp/tool.h"

struct member;
struct property;

struct statement {
    const struct domain *domain;
    const struct member *member;
    const struct property *property; /* NULL: the whole member */
};

/* Reads the arguments domain and member. If they are invalid or missing, args->problem is set. */
void statement_read(struct tool_args *args, struct statement *out);

/* The value as JSON, as its member or property stores it. NULL: args->problem is set. */
const struct json_value *statement_value(struct tool_args *args, const struct statement *statement,
                                         struct str text);

/* The checks before a change: the token may write to the domain, the arguments have no problem, and
 * the state of a repeated call is ours. False: return *err, which is ERR_NONE if a response was
 * sent. */
bool statement_begin(struct tool_args *args, const struct statement *statement,
                     enum confirm_step *step, enum err *err);

#endif
