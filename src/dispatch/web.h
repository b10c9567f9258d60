/* web.h - the service as the HTTP server meets it.
 *
 * web_new() checks every route table (a row that does not say who may call it stops the start) and
 * parses every page. Afterwards all of it is read-only and shared between threads, but for counts.
 */
#ifndef DISPATCH_WEB_H
#define DISPATCH_WEB_H

#include "base/err.h"
#include "base/str.h"
#include "http/server.h"
#include "web/state.h"

enum err web_new(const struct web_settings *settings, struct web **out, struct why *why);
void web_free(struct web *web);

struct http_service web_service(struct web *web);         /* what the world may ask */
struct http_service web_metrics_service(struct web *web); /* /metrics, on a listener of its own */

/* From now on /readyz says no, so that a balancer looks elsewhere. */
void web_begin_drain(struct web *web);

#endif
