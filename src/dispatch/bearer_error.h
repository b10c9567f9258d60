/* bearer_error.h - the 401 and 403 responses to a request with an access token (RFC 6750 §3). Call
 * from the thread that handles the request. */
#ifndef DISPATCH_BEARER_ERROR_H
#define DISPATCH_BEARER_ERROR_H

#include "base/str.h"
#include "model/scope.h"

struct call;

/* 401: the request has no access token. */
void bearer_error_no_token(struct call *call);

/* 401: the token is unknown, expired, or revoked. `sentence` says which; it must stay valid as long
 * as the call. */
void bearer_error_invalid_token(struct call *call, struct str sentence);

/* 403 insufficient_scope: the token needs one of these scopes. For handlers whose required scope
 * depends on the request; routes declare a fixed scope instead. */
void bearer_error_scope(struct call *call, scopes needed);

#endif
