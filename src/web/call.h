/* call.h - one request on its way through this room.
 *
 * Lives in the exchange's arena and dies with it. What the row declares is here, checked and
 * parsed, when the handler runs. */
#ifndef WEB_CALL_H
#define WEB_CALL_H

#include "base/buf.h"
#include "base/cache.h"
#include "http/server.h"
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
    int64_t now; /* the one moment at which this request is decided */

    /* Of the body; refused before anything else, but for whom is looked up. */
    enum call_body { CALL_BODY_FINE, CALL_BODY_WRONG_TYPE, CALL_BODY_ENCODED } body;

    struct endpoint_match at;  /* at.place is NULL: nothing answers there */
    const struct route *route; /* NULL: no row answers */
    size_t number;             /* of the row; valid if there is one */
    const struct form *form;   /* see call_form() */
    const char *form_problem;  /* why there is none; NULL: there is, or nobody has asked yet */
    struct field_value fields[FIELDS_MAX];
    const struct browser_session *browser; /* on pages: who is signed in; NULL: nobody */
    struct str form_token; /* proves that a form came from this session; absent: not signed in */
    struct str username;   /* of the signed-in user; absent: not signed in */
    const struct app *app; /* WHO_APP */
    const struct access *access; /* WHO_TOKEN */
    struct str hint_sets;        /* … of a row that wants them; absent: to be read */

    const struct language *language; /* of its pages; see say.h */

    struct call_refusal { /* for the app's developer: see usage_call.h */
        struct str app_id;
        const char *error;
        struct str sentence;
        struct str reason;
        struct str detail;
    } refusal;

    /* The reply's own: see reply.h. */
    struct buf out;
    struct json json;
    bool writing;
    bool conditional;
    bool response_overflow;
    struct str etag; /* of the finished body; absent: none */
    bool keep;       /* under hot_key, if it comes to a 200: see hot.h */
    const struct access *introspected;
    struct cache_key response_key;
    size_t detail_count;
    struct call_detail {
        struct str at;
        struct str problem;
    } details[CALL_DETAILS_MAX];
};

/* The body as a form, read when the first one asks for it. NULL: it cannot be read, and
 * call->form_problem says why. */
const struct form *call_form(struct call *call);

/* The error that this request counts as, for the app's developer; see dispatch/request_usage.h. */
static inline void
call_set_error(struct call *call, const char *error, struct str sentence)
{
    call->refusal.error = error;
    call->refusal.sentence = sentence;
}

/* A declared field by its place in the row's list; absent if it was not sent. */
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
