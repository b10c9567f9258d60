/* document_client.h - fetches the client ID metadata document of the client that an authorization
 * request names, before the request is checked. Call from the thread that handles the request. */
#ifndef OAUTH_DOCUMENT_CLIENT_H
#define OAUTH_DOCUMENT_CLIENT_H

#include "base/err.h"

#include <stdbool.h>

struct authorize_params;
struct call;

/* Whether the client_id is a URL that this service accepts, or no URL. */
bool document_client_allowed(const struct call *call, const struct authorize_params *params);

/* True: the request can be checked; the app of the document, if any, is stored. False: *err; if it
 * is ERR_NONE, a response was sent, or the handler will be called again when the document has been
 * fetched. */
bool document_client_prepare(struct call *call, const struct authorize_params *params,
                             enum err *err);

#endif
