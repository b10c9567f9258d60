/* request_activity.h - counts what an app read, and what it was denied, for the user's activity.
 *
 * Handlers record what they send with call_record_facts() (web/call.h), and bearer_error_scope()
 * what was denied; dispatch.c counts it once, at the end of the request. Changes are not counted
 * here: the transaction that makes the change records it (store/activity_store.h). Call from the
 * thread that handles the request. */
#ifndef DISPATCH_REQUEST_ACTIVITY_H
#define DISPATCH_REQUEST_ACTIVITY_H

#include "base/str.h"
#include "model/scope.h"

struct call;

/* The user has not allowed this: one of `needed` would be required. */
void request_activity_denied(struct call *call, scopes needed);

/* Packs the facts that a request sent into bytes for its cached response, and unpacks them.
 * Unpacking returns the rest. */
#define REQUEST_ACTIVITY_MAX (2 + 48 * 3)
size_t request_activity_pack(const struct call *call, char out[REQUEST_ACTIVITY_MAX]);
struct str request_activity_unpack(struct call *call, struct str packed);

/* Counts the request. Call once, after the response is finished. */
void request_activity_count(const struct call *call);

#endif
