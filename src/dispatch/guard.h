/* guard.h - who may come in, and with what. */
#ifndef DISPATCH_GUARD_H
#define DISPATCH_GUARD_H

#include "base/err.h"
#include "web/route.h"

struct call;
struct http_request;
struct str;

/* An unsafe request to a page must come from a page of ours: Origin, if sent, is auth_url's, and
 * Sec-Fetch-Site, if sent, is same-origin or none. Host and X-Forwarded-* are not asked. */
bool guard_origin_ok(const struct http_request *request, struct str our_origin);

/* The Content-Type is what the row takes; a charset, if named, is UTF-8. */
bool guard_content_type_ok(const struct http_request *request, enum body body);

/* The body comes as it is: no Content-Encoding, or the one that does nothing. */
bool guard_encoding_ok(const struct http_request *request, enum body body);

/* Finds out who calls, as the row asks for. ERR_NONE: they may come in, or were answered; see
 * guard_answered(). */
enum err guard_caller(struct call *call);
bool guard_answered(const struct call *call);

#endif
