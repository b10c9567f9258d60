/* rpc_guard.h - checks Host and Origin of requests to JSON-RPC endpoints.
 *
 * A page of another site could send requests to a service on a loopback or private address by
 * pointing a name of its own at it (DNS rebinding), so both headers must name this service or an
 * allowed origin. Call from the thread that handles the request. */
#ifndef DISPATCH_RPC_GUARD_H
#define DISPATCH_RPC_GUARD_H

#include "base/str.h"

struct call;
struct web_settings;

/* Sets call->origin if the request has an allowed Origin. False: 403 was sent. */
bool rpc_guard_check(struct call *call);

#endif
