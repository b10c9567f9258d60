/* call.h - one request and its response, from routing to the end of dispatch.
 *
 * Allocated in the exchange's arena. When a handler runs, everything that its route declares
 * (caller, fields, body type) has been checked and parsed. Used by one thread at a time. */
#ifndef WEB_CALL_H
#define WEB_CALL_H

#include "base/buf.h"
#include "base/cache.h"
#include "domain/domain.h"
#include "http/server.h"
#include "model/activity.h"
#include "text/json_write.h"
#include "web/field.h"
#include "web/router.h"

struct access;
struct app;
struct db;
struct site;
struct form;
struct language;
struct browser_session;
struct web;

#define CALL_DETAILS_MAX FIELDS_MAX

struct call {
    struct arena *mem;
    struct db *db;
    struct http_exchange *exchange;
    struct web *web;
    struct site *site;
    int64_t now; /* time of the request; every check uses this value */

    /* A wrong type or encoding is refused before authentication. */
    enum call_body { CALL_BODY_FINE, CALL_BODY_WRONG_TYPE, CALL_BODY_ENCODED } body;

    struct endpoint_match at;  /* at.endpoint NULL: unknown path */
    const struct route *route; /* NULL: no route matches */
    size_t number;             /* of the route; valid if route is set */
    const struct form *form;   /* see call_form() */
    const char *form_problem;  /* why form is NULL; NULL: parsed, or not read yet */
    struct field_value fields[FIELDS_MAX];
    const struct browser_session *browser; /* pages only; NULL: not signed in */
    struct str form_token;                 /* anti-CSRF token; absent: not signed in */
    struct str username;                   /* of the signed-in user; absent: not signed in */
    const struct app *app;                 /* CALLER_APP */
    const struct access *access;           /* CALLER_TOKEN */
    struct str hint_sets;                  /* if the route wants them; absent: not read yet */
    struct str rpc_id;                     /* JSON-RPC: id of the request as JSON; absent: null */
    const char *origin;                    /* JSON-RPC: allowed Origin of a browser; NULL: none */
    struct call_rpc {                      /* JSON-RPC: for the log; no text of the client */
        const char *era, *method;          /* NULL: the message could not be read */
        const char *tool;                  /* NULL: none */
        bool failed;                       /* … or it refused */
        struct str trace;                  /* W3C trace id in the message; absent: none */
    } rpc;
    uint64_t sync_ticket; /* of the time when the request was complete: see db.h */
    int sync_shard;       /* only changes of this shard matter: see store/tx.h */
    bool synced;          /* cached data is as new as the request: see dispatch/response_cache.h */
    uint64_t commits;     /* that everything read for this request has seen: see db.h */
    void (*resume)(void *argument); /* of the exchange that waits until the cache is synced */
    void *resume_argument;
    void *waited_for; /* what the handler set exchange->wait for, when it is called again */

    const struct language *language; /* see message.h */

    struct call_rate { /* for the RateLimit-… headers; limit 0: none */
        int64_t limit, remaining, reset;
    } rate;

    struct call_refusal { /* for the app's developer: see dispatch/request_usage.h */
        struct str app_id;
        const char *error;
        struct str sentence;
        struct str reason;
        struct str detail;
    } refusal;

    /* For the user's activity: see dispatch/request_activity.h. */
    const struct access *refused_access; /* a valid token that lacks the scope */
    struct call_activity {
        enum activity_action action; /* ACTIVITY_NONE: the route's */
        bool happened;
        bool refused;
        uint64_t domains; /* bits by index */
        uint16_t facts[DOMAINS_MAX];
    } activity;

    /* Private to response.c and dispatch. */
    struct buf out;
    struct json json;
    bool writing;
    bool conditional;
    bool response_overflow;
    struct str etag;     /* of the finished body; may be absent */
    bool part_cacheable; /* the same for a part of the response */
    bool cacheable;      /* a 200 is cached under response_key: see dispatch/response_cache.h */
    const struct access *introspected;
    struct cache_key response_key;
    size_t detail_count;
    struct call_detail {
        struct str at;
        struct str problem;
    } details[CALL_DETAILS_MAX];
};

/* The body as a form, parsed on the first call. NULL: it cannot be parsed; call->form_problem says
 * why. */
const struct form *call_form(struct call *call);

/* The error that this request counts as, for the app's developer; see dispatch/request_usage.h. */
static inline void
call_set_error(struct call *call, const char *error, struct str sentence)
{
    call->refusal.error = error;
    call->refusal.sentence = sentence;
}

/* Records that this request sent facts of a domain, by its index, to the app; or, without a domain,
 * that it succeeded. */
static inline void
call_record_facts(struct call *call, size_t domain, int64_t facts)
{
    call->activity.happened = true;
    call->activity.domains |= (uint64_t)1 << domain;
    facts += call->activity.facts[domain];
    call->activity.facts[domain] = facts > UINT16_MAX ? UINT16_MAX : (uint16_t)facts;
}

static inline void
call_record_no_facts(struct call *call)
{
    call->activity.happened = true;
}

/* The same for hints: facts by index of the domain. */
static inline void
call_record_hints(struct call *call, const uint16_t facts[DOMAINS_MAX])
{
    call->activity.happened = true;
    for (size_t i = 0; i < DOMAINS_MAX; i++)
        if (facts[i] > 0)
            call_record_facts(call, i, facts[i]);
}

/* A declared field by its index in the route's list; absent if it was not sent. */
static inline struct str
call_text(const struct call *call, size_t field)
{
    return call->fields[field].text;
}

static inline int64_t
call_integer(const struct call *call, size_t field)
{
    return call->fields[field].whole;
}

/* The n-th {parameter} of the path, decoded. */
static inline struct str
call_param(const struct call *call, size_t number)
{
    return call->at.params[number];
}

#endif
