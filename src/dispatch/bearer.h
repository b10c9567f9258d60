/* bearer.h - authenticates a request by its access token (RFC 6750, Authorization header only).
 *
 * Sets call->access, or sends the error response: 401 without a token, 401 invalid_token if the
 * token is unknown, expired, revoked, or limited to another part of the service, 429 past the
 * token's rate limit, 403 insufficient_scope if it lacks the scope that the route requires. Call
 * from the thread that handles the request. */
#ifndef DISPATCH_BEARER_H
#define DISPATCH_BEARER_H

#include "base/err.h"

struct call;

/* ERR_NONE: call->access is set, or an error response was sent. */
enum err bearer_auth(struct call *call);

/* The shard of the request's token, which is not checked yet. */
int bearer_shard(const struct call *call);

#endif
