/* guard.h - checks origin, body type, and caller of a request before its handler runs. Call from
 * the thread that handles the request. */
#ifndef DISPATCH_GUARD_H
#define DISPATCH_GUARD_H

#include "base/err.h"
#include "web/route.h"

struct call;
struct http_request;
struct str;
struct web_settings;

/* True if a form may come from our own pages: Origin, if sent, matches auth_url, and
 * Sec-Fetch-Site, if sent, is same-origin or none; "Origin: null" only with same-origin. False if
 * either is repeated. Host and X-Forwarded-* are not used. */
bool guard_origin_ok(const struct http_request *request, struct str our_origin);

/* True if the Host of a request to the private listener is an IP address, a name without a dot, or
 * the host of our URLs. A page of another site cannot read the metrics by pointing a name of its
 * own at this address (DNS rebinding). */
bool guard_host_ok(const struct http_request *request, const struct web_settings *settings);

/* True if the Content-Type is the one that the route takes and its charset, if any, is UTF-8. */
bool guard_content_type_ok(const struct http_request *request, enum body body);

/* True without a Content-Encoding, or with "identity". */
bool guard_encoding_ok(const struct http_request *request, enum body body);

/* The same check without the body: whether the caller may send one. Leaves nothing in the call, so
 * that guard_caller() decides again. */
enum err guard_sender(struct call *call);

/* Authenticates the caller as the route requires. ERR_NONE: allowed, or an error response was sent;
 * see guard_has_response(). */
enum err guard_caller(struct call *call);
bool guard_has_response(const struct call *call);

/* Counts one creation of an account or app against the limits per network and in all. False: a 429
 * response was sent. guard_creation_return() takes the count back if nothing was created. */
bool guard_creation_take(struct call *call);
void guard_creation_return(struct call *call);

#endif
