/* client_auth.h - authenticates the app that sends a request (RFC 6749 §2.3.1), by form fields or
 * HTTP Basic.
 *
 * Sets call->app, or sends the error response: 400 invalid_request if the app uses both methods,
 * 401 invalid_client if the credentials are wrong, 429 after too many failures. A public app sends
 * only its client_id. Call from the thread that handles the request. */
#ifndef DISPATCH_CLIENT_AUTH_H
#define DISPATCH_CLIENT_AUTH_H

#include "base/err.h"

struct call;

/* ERR_NONE: call->app is set, or an error response was sent. */
enum err client_auth(struct call *call);

/* Sends 401 invalid_client. */
void client_auth_refuse(struct call *call);

#endif
