/* rpc_guard.h - checks Host and Origin of requests to JSON-RPC endpoints.
 *
 * A page of another site could reach a service on a loopback or private address by pointing a name
 * of its own at it (DNS rebinding), so both headers must name this service or an allowed origin.
 * Call from the thread that handles the request. */
#ifndef DISPATCH_RPC_GUARD_H
#define DISPATCH_RPC_GUARD_H

#include "base/str.h"

struct call;
struct web_settings;

/* True if Host is the host of base_url or auth_url, or, if the service listens on loopback, any
 * loopback name with any port. */
bool rpc_guard_host_ok(struct str host, const struct web_settings *settings);

/* True if the origin is ours or in the setting mcp-origins; without that setting, also if it is a
 * loopback origin. */
bool rpc_guard_origin_ok(struct str origin, const struct web_settings *settings);

/* Sets call->origin if the request has an allowed Origin. False: 403 was sent. */
bool rpc_guard_check(struct call *call);

#endif
