/* state.h - state shared by all requests. web_free() frees it. Read-only after web_new(), except
 * for atomics and for parts that any thread may call. */
#ifndef WEB_STATE_H
#define WEB_STATE_H

#include "base/str.h"
#include "web/language.h"
#include "web/route.h"

#include <stdatomic.h>

struct activity_counters;
struct arena;
struct assets;
struct cache;
struct counts;
struct db;
struct documents;
struct domains;
struct mcp_surface;
struct rebuild_queue;
struct reference_pages;
struct router;
struct rate_share;
struct throttle;
struct usage_counters;

struct web_settings {
    const struct route *const *public;  /* route tables for the main listener; end with NULL */
    const struct route *const *private; /* and for the metrics listener */
    struct str openapi;                 /* the OpenAPI document that is served; copied */
    struct db *db;
    struct usage_counters *counters;    /* NULL: usage is not counted */
    struct activity_counters *activity; /* NULL: activity is not counted */
    struct rebuild_queue *rebuilds;     /* NULL: stale hint sets are not queued */
    const struct domains *domains;      /* must outlive the web */
    struct str base_url;                /* origins, without a path */
    struct str auth_url;
    struct str source_url;                 /* address of the source code; absent: not shown */
    struct str privacy_url;                /* the operator's privacy policy; absent: none */
    struct str security_contact;           /* for security.txt, a URI; absent: none */
    bool on_loopback;                      /* the main listener is on a loopback address */
    const struct mcp_surface *mcp_surface; /* see mcp/surface.h; must outlive the web */
    size_t cache_bytes;                    /* of the response cache; 0: no cache */
    bool registration_open;
    bool sends_mail;
    bool access_log;
    int64_t rate_api;      /* requests per second and token; 0: no limit, as below */
    int64_t rate_sign_in;  /* failed sign-ins per account and per address in 15 minutes */
    int64_t rate_mail;     /* emails that anyone can request per recipient and network in an hour */
    int64_t rate_sign_up;  /* new accounts and apps per network in an hour */
    int64_t rate_refresh;  /* refreshes per authorization a minute */
    int64_t rate_register; /* clients that register themselves, per network and hour */
    bool mcp;              /* routes with `mcp` exist */
    scopes mcp_scope;      /* scopes that an MCP client should request first */
    struct str mcp_origins;        /* besides ours, separated by spaces; absent: loopback */
    bool client_registration;      /* clients may register themselves */
    struct str registration_hosts; /* hosts that they may redirect to; absent: any */
    struct documents *documents;   /* of clients that have one (client/documents.h); NULL: off */
    int64_t rate_documents;        /* documents fetched per network in a minute */
    struct str redirect_schemes;   /* for redirect URIs of clients that register themselves */
    int64_t rate_auth; /* failed client authentications per client and per address a minute */
};

/* The routes of one listener. */
struct site {
    struct web *web;
    struct router *router;
    struct counts *counts; /* by route number, then one for no route */
};

struct web {
    struct arena *mem;            /* freed with the web */
    struct web_settings settings; /* its strings are copies */
    struct languages languages;
    struct assets *assets;
    struct str openapi; /* the OpenAPI document and its entity tag */
    const char *openapi_tag;
    struct reference_pages *reference; /* see portal/reference_pages.h */
    struct cache *cache;               /* see dispatch/response_cache.h */
    struct throttle *sign_in_failures; /* by account and by address */
    struct throttle *client_failures;  /* by client_id and by address */
    struct throttle *api_calls;        /* by token */
    struct rate_share *rate_share;     /* of api_calls; NULL: this node alone */
    struct throttle *refreshes;        /* by token family */
    struct throttle *registrations;    /* of clients by themselves, by network */
    struct throttle *document_fetches; /* of client ID metadata documents, by network */
    struct throttle *mails;            /* that anyone can request, by recipient and by network */
    struct throttle *unanswered;       /* codes and refresh tokens: see token_api.c */
    struct throttle *creations;        /* of accounts and apps, by network and in all */
    struct site public;
    struct site private;
    int64_t started_at;
    bool https;            /* send Strict-Transport-Security */
    bool reads_block;      /* the database is remote */
    bool cache_lags;       /* other processes write: the cache is used after it was synced */
    _Atomic bool draining; /* /readyz fails */
};

#endif
