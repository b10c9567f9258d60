/* route.h - a route: one row of a table.
 *
 * A row declares everything that must hold before its handler runs; dispatch.c checks it, so
 * handlers do not. Tables end with { 0 }; app/routes.c lists them. A row that does not state its
 * caller, or contradicts itself, is an error at startup (router.h). Tables are constants: any
 * thread may read them. */
#ifndef WEB_ROUTE_H
#define WEB_ROUTE_H

#include "base/err.h"
#include "base/str.h"
#include "model/activity.h"
#include "model/scope.h"

#include <stdbool.h>
#include <stddef.h>

struct call;
struct field;
struct http_request;

#define KIB ((size_t)1024)

/* GET routes also serve HEAD; dispatch.c responds to OPTIONS. */
enum method { METHOD_UNSET = 0, GET, POST, METHOD_COUNT };

enum caller {
    CALLER_UNSET = 0, /* not declared: startup fails */
    CALLER_ANYONE,
    CALLER_OPERATOR, /* any client of the private listener */
    CALLER_USER,  /* a signed-in user; others are redirected to sign in. Forms need a form token */
    CALLER_APP,   /* an authenticated app, or a public one by its client_id: call->app */
    CALLER_TOKEN, /* a client with a valid access token: call->access */
};

enum body {
    BODY_NONE = 0,
    BODY_FORM, /* application/x-www-form-urlencoded */
    BODY_JSON,
    BODY_FILE, /* multipart/form-data: a form with a file; its handler reads the parts */
};

/* A response may be cached if it depends only on the token, the target, and … */
enum cached_by {
    CACHE_NOT = 0,
    CACHE_PREFERENCES, /* … the user's preferences; each change gives them a new generation */
    CACHE_ACCOUNT,     /* … the account: cached only if no other process writes to the database */
    CACHE_TOKEN,       /* CALLER_APP: … the request body and the token that it names */
};

struct route {
    enum method method;
    const char *path; /* "/v1/domains/{domain}/schema": {…} matches one segment, decoded */
    enum err (*handle)(struct call *call);
    enum caller caller;
    const char *summary;           /* one sentence, for `penchant help routes` */
    scopes scope;                  /* CALLER_TOKEN: one of these is required; 0: any valid token */
    bool any_domain;               /* … or any domain's scope */
    enum activity_action activity; /* CALLER_TOKEN: what the user's activity shows for it */
    const char *resumes; /* CALLER_USER: the form field with the id of an authorization request,
                          * which a user who was signed out continues after sign-in; NULL: none */
    const struct field *fields;
    size_t field_count;
    enum body body;
    size_t body_max;
    bool hashes;      /* also hashes or rates a password: the small pool for that runs it */
    bool health;      /* a small pool of its own runs it, also while all workers wait */
    bool blocks;      /* writes, hashes a password, or reads much: a worker thread runs it */
    bool creates;     /* an account or an app: limited per network and in all, 400s not counted */
    bool reads_store; /* CALLER_ANYONE or CALLER_OPERATOR: reads the database, which blocks if it is
                       * remote. Assumed of other callers and of pages */
    bool page;        /* HTML: forms are checked for their origin, and errors are pages */
    bool hint_sets;   /* authentication also loads the user's hint sets, in the same query */
    enum cached_by cached_by; /* see dispatch/response_cache.h */
    bool mcp;                 /* exists only if the setting mcp is on; CALLER_TOKEN: the token must
                               * be valid for /mcp instead of the API */
    bool slash;               /* the path may also end in a slash */
    bool cors;                /* scripts of any origin may call it, without cookies; never a page */
    /* A JSON-RPC endpoint: Host and Origin are checked (dispatch/rpc_guard.h), the caller is
     * authenticated before method and body type are checked, and errors are JSON-RPC errors. */
    bool rpc;
    /* Whether a request blocks, when its body has arrived; NULL: as above. */
    bool (*request_blocks)(const struct http_request *request);
};

#define ROUTE_FIELDS(array) .fields = (array), .field_count = sizeof(array) / sizeof *(array)

const char *method_name(enum method method);
const char *caller_name(enum caller caller);

#endif
