/* guard.c - the checks of a request that its route's row demands, in the order of dispatch.c.
 *
 * Most of them only read the head. Only guard_caller() authenticates the caller. A row
 * without a caller stops the program at startup; here it would be refused, too. */
#include "dispatch/guard.h"

#include "base/ascii.h"
#include "dispatch/bearer.h"
#include "dispatch/browser_session.h"
#include "dispatch/client_auth.h"
#include "dispatch/response_cache.h"
#include "dispatch/throttle.h"
#include "http/server.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"
#include "web/state.h"

/* Browsers set both headers themselves, and scripts cannot change them. A client that sends neither
 * is not a browser, so no other site can make it send a user's cookies. */
bool
guard_origin_ok(const struct http_request *request, struct str our_origin)
{
    if (http_header_count(request, "Origin") > 1 ||
        http_header_count(request, "Sec-Fetch-Site") > 1)
        return false;
    struct str origin = http_header(request, "Origin");
    struct str site = http_header(request, "Sec-Fetch-Site");
    bool same_site = str_eq_c(site, "same-origin");
    /* Under Referrer-Policy: no-referrer the origin of our own forms is "null". */
    if (str_eq_c(origin, "null"))
        return same_site;
    if (str_present(origin) && !str_eq(origin, our_origin))
        return false;
    return !str_present(site) || same_site || str_eq_c(site, "none");
}

/* The settings hold URLs of the form scheme://host or scheme://host:port. */
static struct str
host_of_url(struct str url)
{
    struct str rest = str_from(url, str_index(url, ':') + 3);
    return str_first(rest, str_index(rest, ':'));
}

/* Against DNS rebinding: a page of another site could make the user's browser call the private
 * listener by a name of its own, which has a dot and is not ours. Browsers send the name in Host,
 * and a page cannot change it. */
bool
guard_host_ok(const struct http_request *request, const struct web_settings *settings)
{
    struct str host = http_header(request, "Host");
    if (host.len > 0 && host.ptr[0] == '[')
        return true; /* an IPv6 address */
    host = str_first(host, str_index(host, ':'));
    size_t digits = 0;
    while (digits < host.len && (ascii_is_digit(host.ptr[digits]) || host.ptr[digits] == '.'))
        digits++;
    return digits == host.len || str_index(host, '.') == host.len ||
           str_eq_nocase(host, host_of_url(settings->base_url)) ||
           str_eq_nocase(host, host_of_url(settings->auth_url));
}

static bool
is_utf8(struct str charset)
{
    if (charset.len > 2 && charset.ptr[0] == '"' && charset.ptr[charset.len - 1] == '"')
        charset = str_from(str_first(charset, charset.len - 1), 1);
    return str_eq_nocase(charset, STR("utf-8"));
}

/* Parameters other than charset are ignored; the boundary of a form with a file is read by its
 * handler. */
bool
guard_content_type_ok(const struct http_request *request, enum body body)
{
    if (body == BODY_NONE)
        return true;
    struct str rest = http_header(request, "Content-Type");
    struct str part;
    if (http_header_count(request, "Content-Type") != 1 || !str_cut(&rest, ';', &part))
        return false;
    struct str wanted = body == BODY_FORM   ? STR("application/x-www-form-urlencoded")
                        : body == BODY_FILE ? STR("multipart/form-data")
                                            : STR("application/json");
    if (!str_eq_nocase(str_trim(part), wanted))
        return false;
    while (str_cut(&rest, ';', &part)) {
        struct str parameter = str_trim(part);
        struct str name = str_first(parameter, str_index(parameter, '='));
        if (str_eq_nocase(name, STR("charset")) && !is_utf8(str_from(parameter, name.len + 1)))
            return false;
    }
    return true;
}

/* Nothing is decompressed, because a small body could expand without limit. */
bool
guard_encoding_ok(const struct http_request *request, enum body body)
{
    struct str encoding = str_trim(http_header(request, "Content-Encoding"));
    return body == BODY_NONE || (http_header_count(request, "Content-Encoding") <= 1 &&
                                 (encoding.len == 0 || str_eq_nocase(encoding, STR("identity"))));
}

bool
guard_has_response(const struct call *call)
{
    return call->exchange->response.status != 0;
}

/* Requires a session and, for a form, the form token of that session. */
static enum err
guard_user(struct call *call)
{
    if (call->browser == NULL)
        browser_session_require(call);
    else if (call->route->method != GET && !browser_session_form_ok(call))
        error_send(call, 403, STR(FORM_EXPIRED));
    return ERR_NONE;
}

/* A route without a caller is forbidden (CALLER_UNSET), although the router rejects such a table at
 * the start: forgetting it must never open a route. */
enum err
guard_caller(struct call *call)
{
    enum err err = call->route->page ? browser_session_find(call) : ERR_NONE;
    if (err != ERR_NONE)
        return err;
    switch (call->route->caller) {
    case CALLER_ANYONE:
    case CALLER_OPERATOR: /* these routes exist only on the private listener */
        return ERR_NONE;
    case CALLER_USER:
        return guard_user(call);
    case CALLER_APP:
        /* Only introspection is cached for apps. Another request, or one that is not in the cache,
         * needs the store and continues on a worker. */
        if (call->route->cached_by == CACHE_TOKEN && response_cache_introspection(call))
            return ERR_NONE;
        if (call->exchange->in_memory) {
            call->exchange->deferred = true;
            return ERR_NONE;
        }
        return client_auth(call);
    case CALLER_TOKEN: /* a deferred request is authenticated already */
        return call->access != NULL ? ERR_NONE : bearer_auth(call);
    case CALLER_UNSET:
        break;
    }
    return ERR_FORBIDDEN;
}

/* Runs before a large body is read, so that only callers who may send it use memory for it.
 * guard_caller() runs again afterwards, and its result counts. */
enum err
guard_sender(struct call *call)
{
    enum err err = ERR_NONE;
    if (call->route->caller == CALLER_TOKEN) {
        err = bearer_auth(call);
    } else if (call->route->caller == CALLER_USER) {
        err = browser_session_find(call);
        if (err == ERR_NONE && call->browser == NULL)
            browser_session_require(call);
    }
    /* While the body arrives, the token can be revoked and the session end. */
    call->access = NULL;
    call->browser = NULL;
    call->form_token = call->username = STR_NONE;
    return err;
}

#define CREATIONS_IN_ALL 50 /* times the limit of one network */

/* Two limits, so that many networks together cannot fill the store. An attempt that the common
 * limit refuses does not count for its network. */
bool
guard_creation_take(struct call *call)
{
    struct throttle *creations = call->web->creations;
    struct str network = call->exchange->request.network;
    int64_t wait = throttle_take(creations, network);
    if (wait == 0) {
        wait = throttle_take_shared(creations, CREATIONS_IN_ALL);
        if (wait == 0)
            return true;
        throttle_return(creations, network);
    }
    error_send(call, 429,
               STR("Too many accounts or apps were created from this network or in total. Nothing "
                   "was created. Try again later."));
    response_header(call, "Retry-After", str_format(call->mem, "%lld", (long long)wait).ptr);
    call->rate = (struct call_rate){ throttle_limit(creations), 0, wait };
    return false;
}

void
guard_creation_return(struct call *call)
{
    throttle_return(call->web->creations, call->exchange->request.network);
    throttle_return(call->web->creations, STR(""));
}
