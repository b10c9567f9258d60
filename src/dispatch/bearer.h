/* bearer.h - what an access token opens: RFC 6750, the Authorization header only.
 *
 * Fills call->access, or answers: 401 without an error for nobody, 401 invalid_token for a token
 * that is not live, 403 insufficient_scope for one that lacks what the row needs, 429 for one that
 * asks too often. */
#ifndef DISPATCH_BEARER_H
#define DISPATCH_BEARER_H

#include "base/err.h"
#include "base/str.h"
#include "model/scope.h"

struct call;

/* ERR_NONE: call->access is there, or the answer is. */
enum err bearer_auth(struct call *call);

/* 403 with the scopes that would have done, for handlers whose need the row cannot say. */
void bearer_refuse_scope(struct call *call, scopes needed);

/* The token of an Authorization header. Absent: another scheme; empty: malformed. */
struct str bearer_read(struct str header);

#endif
