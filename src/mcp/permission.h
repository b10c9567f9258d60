/* permission.h - what the token may do, and the response when it may not.
 *
 * A client that never requested a scope is asked to request it (403, RFC 6750 §3.1). If the user
 * denied the scope or the domain, 403 would make the client ask the user again and again, so the
 * response is a sentence for the model instead. Results are in the request's arena. Call from the
 * thread that handles the request. */
#ifndef MCP_PERMISSION_H
#define MCP_PERMISSION_H

#include "base/str.h"
#include "mcp/rpc.h"
#include "model/scope.h"

struct domain;

enum permission { PERMITTED, PERMISSION_DENIED, PERMISSION_NOT_REQUESTED };

/* Whether the token has one of these scopes. */
enum permission permission_scope(const struct mcp_call *mcp, scopes one_of);

/* Whether the token may read this domain, or, if it is NULL, at least one. */
enum permission permission_read(const struct mcp_call *mcp, const struct domain *domain);

/* 403 with a challenge that names the scope. */
enum err permission_challenge(const struct mcp_call *mcp, scopes needed);

/* The sentence for the model; `what` completes "The user has not allowed …". */
struct str permission_sentence(const struct mcp_call *mcp, struct str what);

#endif
