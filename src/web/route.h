/* route.h - a route is a row of data.
 *
 * A row says all that must hold before its handler runs, and dispatch.c sees to it: a handler may
 * trust its row. Tables of rows end with { 0 }; routes.c lists the tables. A row that leaves out
 * who may call it, or that contradicts itself, stops the start (router.h). */
#ifndef WEB_ROUTE_H
#define WEB_ROUTE_H

#include "base/err.h"
#include "model/scope.h"

#include <stdbool.h>
#include <stddef.h>

struct call;
struct field;

#define KIB ((size_t)1024)

/* HEAD is answered by GET rows, OPTIONS by dispatch.c. */
enum method { METHOD_UNSET = 0, GET, POST, METHOD_COUNT };

enum caller {
    CALLER_UNSET = 0, /* forgotten: refuses to start */
    CALLER_ANYONE,
    CALLER_OPERATOR, /* whoever reaches the listener that is not public */
    CALLER_USER,     /* somebody signed in; others are sent to sign in, and forms carry its token */
    CALLER_APP,      /* an app that proved who it is, or a public one that said so: call->app */
    CALLER_TOKEN,    /* whoever holds an access token: call->access */
};

enum body {
    BODY_NONE = 0,
    BODY_FORM, /* application/x-www-form-urlencoded */
    BODY_JSON,
    BODY_FILE, /* multipart/form-data: a form with a file; its handler reads the parts */
};

/* An answer that depends on the token, the address asked for, and … */
enum cached_by {
    CACHE_NOT = 0,
    CACHE_PREFERENCES, /* … the person's preferences, whose generation rises with each change */
    CACHE_ACCOUNT,     /* … the account: kept only where every change is known at once */
    CACHE_TOKEN,       /* WHO_APP: … what the app sent, and the token it asks about */
};

struct route {
    enum method method;
    const char *path; /* "/v1/domains/{domain}/schema": {…} takes one segment, decoded */
    enum err (*handle)(struct call *call);
    enum caller caller;
    const char *summary; /* one sentence, for `penchant help routes` */
    scopes scope;        /* WHO_TOKEN: one of these is needed; 0: any live token will do */
    bool any_domain;     /* … or any domain's scope */
    const char *resumes; /* WHO_PERSON: the field of its form that names an app's request, to which
                          * somebody comes back who was signed out meanwhile; NULL: none */
    const struct field *fields;
    size_t field_count;
    enum body body;
    size_t body_max;
    bool blocks;      /* it may wait (it writes, or hashes a password): a worker runs it */
    bool reads_store; /* it waits only where reading the store does */
    bool page;        /* for people: origins are guarded, and errors are pages too */
    bool hint_sets;   /* it is about the person's hint cards, which lie where the token leads */
    enum cached_by cached_by; /* what its answer is made of, so that it may be kept: see hot.h */
    bool cors; /* scripts of any site may call it, without credentials; never a page */
};

#define ROUTE_FIELDS(array) .fields = (array), .field_count = sizeof(array) / sizeof *(array)

const char *method_name(enum method method);
const char *caller_name(enum caller caller);

#endif
