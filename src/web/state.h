/* state.h - what the room keeps between requests. Read-only after web_new(), but for atomics. */
#ifndef WEB_STATE_H
#define WEB_STATE_H

#include "web/language.h"
#include "web/route.h"
#include "web/web.h"

#include <stdatomic.h>

struct arena;
struct assets;
struct cache;
struct counts;
struct router;
struct throttle;

/* One listener's worth of routes. */
struct door {
    struct web *web;
    struct router *router;
    struct counts *counts; /* by a row's number, then one for no row */
};

struct web {
    struct arena *mem;            /* what lives as long as this */
    struct web_settings settings; /* its texts are copies of ours */
    struct languages languages;
    struct assets *assets;
    struct str openapi; /* the description, and its tag */
    const char *openapi_tag;
    struct cache *hot;                 /* see hot.h */
    struct throttle *sign_in_failures; /* by account and by address */
    struct throttle *client_failures;  /* by client_id and by address */
    struct throttle *api_calls;        /* by token */
    struct door public;
    struct door private;
    int64_t started_at;
    bool https;            /* so Strict-Transport-Security is told */
    bool reads_block;      /* the store is remote */
    _Atomic bool draining; /* /readyz says no */
};

/* web_new() with tables of the caller's. */
enum err web_new_with(const struct web_settings *settings, const struct route *const *public,
                      const struct route *const *private, struct web **out, struct why *why);

/* dispatch.c: the service behind a door. */
struct http_service dispatch_service(struct door *door);

#endif
