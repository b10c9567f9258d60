/* request_usage.h - counts each request for its app, with its outcome and, if refused, the reason.
 *
 * dispatch.c counts every request once, at its end. Code that refuses a request and knows more than
 * the response says (the app that was claimed, the value that differed) adds it here; the app's
 * developer reads it on the portal. Texts must not contain secrets; refusal_clean() (model/usage.h)
 * also removes anything that looks like one. Call from the thread that handles the request. */
#ifndef DISPATCH_REQUEST_USAGE_H
#define DISPATCH_REQUEST_USAGE_H

#include "base/str.h"

struct call;

/* Records a refusal for an existing app. `reason` is a fixed sentence, so that equal mistakes are
 * counted together; absent: the response's error_description. `detail` holds the values that vary;
 * it may be absent. */
void request_usage_refused(struct call *call, struct str app_id, struct str reason,
                           struct str detail);

/* The same for an unverified client_id; ignored if no such app exists. */
void request_usage_refused_claim(struct call *call, struct str client_id);

/* For a request refused because of its body's type or encoding, before authentication: finds the
 * app from the token, the header, or the body. */
void request_usage_refused_unread(struct call *call);

/* Counts the request. Call once, after the response is finished. */
void request_usage_count(const struct call *call);

#endif
