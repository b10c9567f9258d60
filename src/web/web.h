/* web.h - the service as the HTTP server meets it.
 *
 * web_new() checks every route table (a row that does not say who may call it stops the start) and
 * parses every page. Afterwards all of it is read-only and shared between threads, but for counts.
 */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include "base/err.h"
#include "base/str.h"
#include "http/server.h"

struct buf;
struct db;
struct domains;
struct json;
struct renewal;
struct tally;
struct web;

struct web_settings {
    struct db *db;
    struct tally *tally;           /* where use is counted; NULL: nowhere */
    struct renewal *renewal;       /* where old hints are noted; NULL: nowhere */
    const struct domains *domains; /* outlive this */
    struct str base_url;           /* origins, without a path */
    struct str auth_url;
    size_t cache_bytes; /* for hot reads; 0: none */
    bool registration_open;
    bool access_log;
    int64_t rate_api;     /* requests a second per token; 0: no limit, as below */
    int64_t rate_sign_in; /* failed sign-ins per account and per address in 15 minutes */
    int64_t rate_auth;    /* failed client authentications per client and per address a minute */
};

enum err web_new(const struct web_settings *settings, struct web **out, struct why *why);
void web_free(struct web *web);

struct http_service web_service(struct web *web);         /* what the world may ask */
struct http_service web_metrics_service(struct web *web); /* /metrics, on a listener of its own */

/* From now on /readyz says no, so that a balancer looks elsewhere. */
void web_begin_drain(struct web *web);

/* Every route as text for a person, or as JSON for a program: method, path, who may call. */
void web_describe_routes(struct buf *out);
void web_write_routes(struct json *out);

#endif
