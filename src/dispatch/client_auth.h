/* client_auth.h - which app is asking: RFC 6749 §2.3.1, by the form's body or HTTP Basic.
 *
 * Fills call->app, or answers: invalid_request for both ways at once, 401 invalid_client for
 * anybody not known. A public app names itself and has nothing to prove. */
#ifndef DISPATCH_CLIENT_AUTH_H
#define DISPATCH_CLIENT_AUTH_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct call;

/* ERR_NONE: call->app is there, or the answer is. */
enum err client_auth(struct call *call);

/* Whether failures make this address wait. */
bool client_auth_waits(struct call *call);

/* 401 invalid_client. */
void client_auth_refuse(struct call *call);

/* Who an Authorization header says it is. False: not Basic, or malformed. */
bool client_auth_read_basic(struct arena *mem, struct str header, struct str *id,
                            struct str *secret);

#endif
