/* web.h - creates the web service that the HTTP server runs.
 *
 * web_new() checks every route (a route that does not declare its caller is an error) and parses
 * every page. Afterwards the state is shared between threads and read-only, except for counters. */
#ifndef DISPATCH_WEB_H
#define DISPATCH_WEB_H

#include "base/err.h"
#include "base/str.h"
#include "http/server.h"
#include "web/state.h"

enum err web_new(const struct web_settings *settings, struct web **out, struct why *why);
void web_free(struct web *web);

struct http_service web_service(struct web *web);         /* public listener */
struct http_service web_metrics_service(struct web *web); /* /metrics, on its own listener */

/* /readyz fails from now on, so that a load balancer stops sending requests. */
void web_begin_drain(struct web *web);

#endif
