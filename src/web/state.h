/* state.h - what the room keeps between requests. Read-only after web_new(), but for atomics. */
#ifndef WEB_STATE_H
#define WEB_STATE_H

#include "base/str.h"
#include "web/language.h"
#include "web/route.h"

#include <stdatomic.h>

struct arena;
struct assets;
struct cache;
struct counts;
struct db;
struct domains;
struct rebuild_queue;
struct router;
struct throttle;
struct usage_counters;

struct web_settings {
    const struct route *const *public;  /* route tables for the main listener; end with NULL */
    const struct route *const *private; /* and for the metrics listener */
    struct str openapi;                 /* the OpenAPI document that is served; copied */
    struct db *db;
    struct usage_counters *counters; /* where use is counted; NULL: nowhere */
    struct rebuild_queue *rebuilds;  /* where old hints are noted; NULL: nowhere */
    const struct domains *domains;   /* outlive this */
    struct str base_url;             /* origins, without a path */
    struct str auth_url;
    size_t cache_bytes; /* for hot reads; 0: none */
    bool registration_open;
    bool access_log;
    int64_t rate_api;     /* requests a second per token; 0: no limit, as below */
    int64_t rate_sign_in; /* failed sign-ins per account and per address in 15 minutes */
    int64_t rate_auth;    /* failed client authentications per client and per address a minute */
};

/* One listener's worth of routes. */
struct site {
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
    struct cache *cache;               /* see hot.h */
    struct throttle *sign_in_failures; /* by account and by address */
    struct throttle *client_failures;  /* by client_id and by address */
    struct throttle *api_calls;        /* by token */
    struct site public;
    struct site private;
    int64_t started_at;
    bool https;            /* so Strict-Transport-Security is told */
    bool reads_block;      /* the store is remote */
    _Atomic bool draining; /* /readyz says no */
};

#endif
