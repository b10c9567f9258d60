/* dispatch.c - checks every request in a fixed order: path, method, body size, content type,
 * origin, caller, declared fields; then runs the handler. The first failed check ends the request.
 * All but the last two need only the head and run before the body is read. Exception: a body of the
 * wrong type is still read if the route is for apps, to find the app and show the error to its
 * developer.
 */
#include "dispatch/dispatch.h"

#include "base/arena.h"
#include "base/cache.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/timekeeper.h"
#include "crypt/secret.h"
#include "dispatch/bearer.h"
#include "dispatch/guard.h"
#include "dispatch/request_activity.h"
#include "dispatch/request_metrics.h"
#include "dispatch/request_usage.h"
#include "dispatch/response_cache.h"
#include "dispatch/rpc_guard.h"
#include "http/limits.h"
#include "http/server.h"
#include "model/grant.h"
#include "store/tx.h"
#include "web/call.h"
#include "web/error.h"
#include "web/read_fields.h"
#include "web/response.h"
#include "web/state.h"

/* Memory of a request about one user, who may have ATOMS_BYTES_MAX of facts: a change handles them
 * several times, and an import has a document of TRANSFER_MAX besides. Other requests have
 * HTTP_REQUEST_MEMORY. */
#define USER_MEMORY HTTP_REQUESTS_MEMORY

#define SLOW_NS ((int64_t)1000 * 1000 * 1000)
#define LOGGED_PATH_MAX 300 /* bytes; a log line has a maximum length */

static struct str
path_of(const struct http_request *request)
{
    return str_first(request->target, str_index(request->target, '?'));
}

/* Created on demand, since the server may refuse a request before it calls on_head(). */
static struct call *
call_of(struct site *site, struct http_exchange *exchange)
{
    if (exchange->owner == NULL) {
        struct call *call = ARENA_NEW(exchange->mem, struct call);
        call->mem = exchange->mem;
        call->exchange = exchange;
        call->web = site->web;
        call->site = site;
        call->db = site->web->settings.db;
        exchange->owner = call;
    }
    return exchange->owner;
}

/* ---- the head ---- */

/* METHOD_UNSET: a method that no route has. */
static enum method
method_of(struct str method)
{
    if (str_eq_c(method, "GET") || str_eq_c(method, "HEAD"))
        return GET; /* the server omits the body for HEAD */
    return str_eq_c(method, "POST") ? POST : METHOD_UNSET;
}

/* False: a response was sent. */
static bool
find_route(struct call *call)
{
    const struct http_request *request = &call->exchange->request;
    if (request->target.len == 0 || request->target.ptr[0] != '/') {
        /* The other forms of RFC 9112 §3.2 are for proxies. Accepting a host from there would let
         * a client choose it. */
        error_send(call, 400,
                   STR("The request target must be a path that starts with a slash, such as "
                       "/healthz."));
        return false;
    }
    bool found = router_find(call->site->router, call->mem, path_of(request), &call->at);
    if (!found || (call->at.endpoint->mcp && !call->web->settings.mcp)) {
        call->at = (struct endpoint_match){ 0 };
        error_send_err(call, ERR_NOT_FOUND);
        return false;
    }
    bool rpc = call->at.endpoint->rpc;
    if (rpc && !rpc_guard_check(call))
        return false;
    if (str_eq_c(request->method, "OPTIONS")) {
        response_options(call);
        return false;
    }
    enum method method = method_of(request->method);
    if (rpc && method == METHOD_UNSET)
        method = GET; /* which authenticates the caller, then rejects the method */
    call->route = call->at.endpoint->rows[method];
    call->number = call->at.endpoint->numbers[method];
    if (call->route == NULL)
        error_send_method_not_allowed(call);
    return call->route != NULL;
}

/* The user may have opened the form by another name of the service, so the response says where to
 * open it. */
static void
refuse_origin(struct call *call)
{
    error_send(call, 403,
               str_format(call->mem,
                          "This form was not sent from a page of this service, so nothing was "
                          "saved. Open %.*s and send it from there.",
                          STR_ARG(call->web->settings.auth_url)));
}

/* Reported for apps only after authentication, so that the refused request is counted for their
 * developer. */
static void
refuse_body(struct call *call)
{
    if (call->body == CALL_BODY_ENCODED) {
        error_send(call, 415,
                   STR("Content-Encoding is not supported. Send the body uncompressed."));
        response_header(call, "Accept-Encoding", "identity"); /* RFC 9110 §12.5.3 */
        return;
    }
    error_send(call, 415,
               call->route->body == BODY_FORM
                   ? STR("Send the body as application/x-www-form-urlencoded in UTF-8.")
               : call->route->body == BODY_FILE
                   ? STR("Send the body as multipart/form-data.")
                   : STR("Send the body as application/json in UTF-8."));
}

/* Runs before the first byte of the body is read, so it sets every limit of the body. A wrong type
 * of body is noted, but reported to apps only after they were authenticated: their developer finds
 * it among the errors of the app (request_usage_refused_unread()). Identifying the caller blocks if
 * reads do, as on PostgreSQL. */
static void
on_head(void *context, struct http_exchange *exchange)
{
    struct site *site = context;
    struct call *call = call_of(site, exchange);
    if (!find_route(call))
        return;
    const struct route *route = call->route;
    if (route->caller == CALLER_OPERATOR &&
        !guard_host_ok(&exchange->request, &site->web->settings)) {
        error_send(call, 403,
                   STR("This listener answers to its IP address, to a name without a dot, and to "
                       "the host of base-url. Use one of them."));
        return;
    }
    exchange->body_max = route->body_max;
    if (route->caller == CALLER_USER || route->caller == CALLER_TOKEN)
        exchange->memory_max = USER_MEMORY;
    exchange->identify_blocks = site->web->reads_block;
    bool reads_store = route->reads_store || route->page || route->caller > CALLER_OPERATOR;
    exchange->hashes = route->hashes;
    exchange->health = route->health;
    exchange->blocks = route->blocks || (reads_store && site->web->reads_block);
    call->body = !guard_encoding_ok(&exchange->request, route->body)       ? CALL_BODY_ENCODED
                 : !guard_content_type_ok(&exchange->request, route->body) ? CALL_BODY_WRONG_TYPE
                                                                           : CALL_BODY_FINE;
    if (call->body != CALL_BODY_FINE && route->caller < CALLER_APP)
        refuse_body(call);
    else if (route->page && route->method != GET &&
             !guard_origin_ok(&exchange->request, site->web->settings.auth_url))
        refuse_origin(call);
}

/* Before a large body is read: the caller must be one that may send it. The form token, which is in
 * the body, and the rest are checked when the whole request has arrived. */
static void
on_identify(void *context, struct http_exchange *exchange)
{
    struct call *call = call_of(context, exchange);
    call->now = clock_now();
    enum err err = guard_sender(call);
    if (err != ERR_NONE)
        error_send_err(call, err);
}

/* With the whole body, which may decide whether the request blocks. */
static void
on_body(void *context, struct http_exchange *exchange)
{
    struct call *call = call_of(context, exchange);
    const struct route *route = call->route;
    if (route == NULL)
        return;
    bool blocks = route->blocks ||
                  (route->request_blocks != NULL && route->request_blocks(&exchange->request));
    exchange->blocks = exchange->blocks || blocks;
    /* A request of an app that blocks waits as well, so that the app need not be read. */
    exchange->awaits = call->web->cache_lags && call->body == CALL_BODY_FINE &&
                       (blocks ? route->caller == CALLER_APP && cache_enabled(call->web->cache)
                               : response_cache_may_hit(call));
    if (exchange->awaits)
        call->sync_ticket = store_sync_ticket(call->db);
    call->sync_shard =
        exchange->awaits && route->caller == CALLER_TOKEN ? bearer_shard(call) : STORE_ANY_SHARD;
}

/* ---- waiting until the cache is synced ---- */

static void
on_synced(void *argument, enum err err)
{
    struct call *call = argument;
    call->synced = err == ERR_NONE;
    call->resume(call->resume_argument);
}

/* On the HTTP thread, so it may wait only for a fraction of a millisecond (http/service.h). */
static bool
on_awaited(void *context, struct http_exchange *exchange)
{
    struct call *call = call_of(context, exchange);
    call->synced = store_sync_now(call->db, call->sync_ticket, call->sync_shard);
    return call->synced;
}

/* on_synced() continues the request, maybe before this function returns. */
static void
on_await(void *context, struct http_exchange *exchange, void (*resume)(void *argument),
         void *argument)
{
    struct call *call = call_of(context, exchange);
    call->resume = resume;
    call->resume_argument = argument;
    store_sync_versions(call->db, call->mem, call->sync_ticket, call->sync_shard, on_synced, call);
}

/* The versions could not be synced. A worker may read the database for the request, unless it has
 * waited for long. */
static bool
waited_too_long(const struct call *call)
{
    return call->exchange->in_memory && !call->synced &&
           clock_ticks_ns() - call->exchange->started_ns > SLOW_NS;
}

/* ---- the rest ---- */

/* Runs from the start again if the request was deferred or waited; an access that was found
 * stays. */
static enum err
run(struct call *call)
{
    if (call->body != CALL_BODY_FINE && !call->route->rpc) {
        refuse_body(call);
        request_usage_refused_unread(call);
        return ERR_NONE;
    }
    enum err err = guard_caller(call);
    if (err != ERR_NONE || guard_has_response(call) || call->exchange->deferred)
        return err;
    if (call->body != CALL_BODY_FINE) {
        refuse_body(call);
        return ERR_NONE;
    }
    call->exchange->deferred = !response_cache_send(call) && call->exchange->in_memory;
    if (guard_has_response(call) || call->exchange->deferred)
        return ERR_NONE;
    err = read_fields(call);
    if (err != ERR_NONE || (call->route->creates && !guard_creation_take(call)))
        return err;
    err = call->route->handle(call);
    if (call->route->creates && call->exchange->response.status == 400)
        guard_creation_return(call);
    return err;
}

/* Also a POST of a JSON-RPC endpoint whose method reads (request_blocks). */
static bool
only_reads(const struct call *call)
{
    const struct route *route = call->route;
    return route->caller == CALLER_TOKEN &&
           (route->method == GET || route->request_blocks != NULL) && !call->exchange->blocks;
}

static enum err
run_whole(struct call *call)
{
    if (call->route == NULL)
        return ERR_NOT_FOUND;
    if (waited_too_long(call))
        return ERR_UNAVAILABLE;
    if (!only_reads(call))
        return run(call);
    /* One read, so that the handler sees the snapshot in which the token was valid. */
    struct db_tx *tx = tx_begin_read(call->db);
    return tx_end_read(tx, run(call));
}

/* The request needed more memory than it, or all requests together, may use. */
static void
refuse_memory(struct call *call)
{
    bool busy = arena_excess(call->mem) == ARENA_OVER_BUDGET;
    log_warn("request_memory", log_text("route", str_of(call->route->path)),
             log_number("bytes", (int64_t)arena_size(call->mem)), log_number("all", busy));
    arena_limit(call->mem, 0, NULL); /* for the error page */
    if (busy) {
        error_send(call, 503, STR("The service is busy. Try again in a few seconds."));
        response_retry_later(call);
        return;
    }
    error_send(call, 413,
               STR("This request needs more memory than one request may use. Ask for less."));
}

/* Decimal digits in the arena; formatting three of them on every request would be slow. */
static const char *
digits(struct arena *mem, int64_t number)
{
    char *text = (char *)arena_alloc(mem, 24) + 23;
    *text = '\0';
    do {
        *--text = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return text;
}

/* The limit that the request counted against, so that clients can slow down before a 429. */
static void
add_rate(struct call *call)
{
    if (call->rate.limit <= 0)
        return;
    response_add_header(call, "RateLimit-Limit", digits(call->mem, call->rate.limit));
    response_add_header(call, "RateLimit-Remaining", digits(call->mem, call->rate.remaining));
    response_add_header(call, "RateLimit-Reset", digits(call->mem, call->rate.reset));
}

/* The first response_finish() may find that the body is too large; the second ends the error
 * response. */
static void
run_request(struct call *call)
{
    struct http_exchange *exchange = call->exchange;
    call->now = timekeeper_now();
    exchange->deferred = false;
    enum err err = run_whole(call);
    if (err == ERR_NONE && (exchange->wait != NULL || exchange->deferred))
        return; /* the handler will be called again */
    if (err == ERR_NONE && exchange->response.status == 0)
        err = ERR_INTERNAL; /* the handler sent nothing: a defect */
    if (err == ERR_NONE)
        response_finish(call);
    if (call->response_overflow)
        err = ERR_INTERNAL;
    if (arena_excess(call->mem) && (err != ERR_NONE || exchange->response.status >= 400))
        refuse_memory(call);
    else if (err != ERR_NONE) {
        if (err == ERR_INTERNAL)
            log_error("request_failed", log_text("route", str_of(call->route->path)));
        error_send_err(call, err);
    }
    response_finish(call);
    if (err == ERR_NONE && call->cacheable && exchange->response.status == 200)
        response_cache_put(call, call->etag, exchange->response.body);
    response_apply_etag(call);
    add_rate(call);
}

static void
on_handle(void *context, struct http_exchange *exchange)
{
    log_set_request(exchange->request.id);
    run_request(call_of(context, exchange));
    log_set_request(STR_NONE);
}

/* The server rejected the request before a handler could run, maybe before its head was complete,
 * so the call may have no route. */
static void
on_refuse(void *context, struct http_exchange *exchange, enum http_refusal refusal,
          const char *detail)
{
    static const struct {
        int status;
        const char *sentence;
    } responses[] = {
        [HTTP_BAD_REQUEST] = { 400, "The request is malformed." },
        [HTTP_BODY_TOO_LARGE] = { 413, "The body is too large for this endpoint. Send less data." },
        [HTTP_TARGET_TOO_LONG] = { 414, "The URL is too long. Send long values in the body." },
        [HTTP_HEAD_TOO_LARGE] = { 431,
                                  "The headers are too large. Send fewer or shorter headers." },
        [HTTP_BAD_EXPECTATION] = { 417, "The only supported expectation is 100-continue." },
        [HTTP_OVERLOADED] = { 503, "The service is busy. Try again in a few seconds." },
        [HTTP_TOO_MANY_CONNECTIONS] = { 503,
                                        "Too many connections. Close some, or try again in a few "
                                        "seconds." },
    };
    struct call *call = call_of(context, exchange);
    const char *sentence = responses[refusal].sentence;
    if (refusal == HTTP_BAD_REQUEST && detail != NULL && detail[0] != '\0')
        sentence = detail;
    error_send(call, responses[refusal].status, str_copy(call->mem, str_of(sentence)));
}

/* ---- after the response ---- */

/* Cuts a path after the prefix of a token or secret, in case a client put one into the path. */
static struct str
without_secrets(struct arena *mem, struct str path)
{
    for (size_t i = 0; i < path.len; i++)
        if (secret_begins(str_from(path, i)))
            return str_format(mem, "%.*s…", STR_ARG(str_first(path, i + SECRET_PREFIX_LENGTH)));
    return path;
}

/* Bodies and queries never get into the log: they can have secrets. */
static void
log_request(const struct http_exchange *exchange, enum log_level level, int64_t took_ns)
{
    const struct http_request *request = &exchange->request;
    const struct call *call = exchange->owner;
    size_t bytes = str_eq_c(request->method, "HEAD") ? 0 : exchange->response.body.len;
    struct log_field fields[14] = {
        log_text("method", str_first(request->method, 16)),
        log_text("path",
                 without_secrets(exchange->mem, str_first(path_of(request), LOGGED_PATH_MAX))),
        log_number("status", exchange->response.status),
        log_number("us", took_ns / 1000),
        log_number("bytes", (int64_t)bytes),
        log_text("client", request->client),
    };
    size_t count = 6;
    struct str trace = request->trace;
    if (call != NULL && call->rpc.method != NULL) {
        fields[count++] = log_text("era", str_of(call->rpc.era));
        fields[count++] = log_text("rpc", str_of(call->rpc.method));
        if (call->rpc.tool != NULL)
            fields[count++] = log_text("tool", str_of(call->rpc.tool));
        if (call->rpc.failed)
            fields[count++] = log_number("failed", 1);
        fields[count++] = log_text("app", call->access->app_id);
        fields[count++] = log_text("user", call->access->user_id);
        if (!str_present(trace))
            trace = call->rpc.trace;
    }
    if (str_present(trace))
        fields[count++] = log_text("trace", trace);
    log_set_request(request->id);
    log_write(level, "request", fields, count);
    log_set_request(STR_NONE);
}

/* The only place where requests are counted, so that a request is counted once, however it ended.
 * Slow requests and errors are logged even without access-log. */
static void
on_done(void *context, struct http_exchange *exchange)
{
    struct site *site = context;
    const struct call *call = exchange->owner;
    int status = exchange->response.status;
    int64_t took_ns = clock_ticks_ns() - exchange->started_ns;
    bool has_route = call != NULL && call->route != NULL;
    counts_add(&site->counts[has_route ? call->number : router_row_count(site->router)], status,
               took_ns);
    if (has_route) {
        request_usage_count(call);
        request_activity_count(call);
    }
    if (status >= 500 || took_ns >= SLOW_NS)
        log_request(exchange, LOG_WARN, took_ns);
    else if (site->web->settings.access_log)
        log_request(exchange, LOG_INFO, took_ns);
}

struct http_service
dispatch_service(struct site *site)
{
    return (struct http_service){
        .context = site,
        .head = on_head,
        .identify = on_identify,
        .body = on_body,
        .awaited = on_awaited,
        .await = on_await,
        .handle = on_handle,
        .refuse = on_refuse,
        .done = on_done,
    };
}
