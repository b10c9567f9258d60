/* bearer.c - checks a token in this order: known and valid, issued for this part of the service,
 * within its rate, with a scope that the route needs. A refusal is counted for the token's
 * app, if that is known. */
#include "dispatch/bearer.h"

#include "base/arena.h"
#include "crypt/secret.h"
#include "dispatch/allowed_domains.h"
#include "dispatch/authorization_header.h"
#include "dispatch/bearer_error.h"
#include "dispatch/request_usage.h"
#include "dispatch/response_cache.h"
#include "dispatch/throttle.h"
#include "flow/tokens.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"
#include "web/state.h"

/* Reads the store once more to find out why the token is invalid and whose it was; an unknown token
 * has no app. */
static enum err
refuse_token(struct call *call, struct str token)
{
    struct str app_id;
    const char *sentence;
    enum err err = token_refusal(call->db, call->mem, token, call->now, &app_id, &sentence);
    if (err != ERR_NONE)
        return err;
    bearer_error_invalid_token(call, str_of(sentence));
    if (str_present(app_id))
        request_usage_refused(call, app_id, STR_NONE, STR_NONE);
    return ERR_NONE;
}

int
bearer_shard(const struct call *call)
{
    const struct http_request *request = &call->exchange->request;
    return secret_shard(authorization_header_bearer(http_header(request, "Authorization")));
}

/* The checks go from cheap to expensive, and each ends the request: a token was sent, it is valid,
 * it is for this resource, its rate allows another request, and it has the scope. Only if all pass,
 * call->access is set, so a handler cannot run with a token that a check has refused. */
enum err
bearer_auth(struct call *call)
{
    const struct http_request *request = &call->exchange->request;
    struct str token = authorization_header_bearer(http_header(request, "Authorization"));
    if (!str_present(token)) {
        bearer_error_no_token(call);
        return ERR_NONE;
    }
    struct access *access = ARENA_NEW(call->mem, struct access);
    enum err err = ERR_NONE;
    if (!response_cache_access(call, token, access)) {
        /* Not cached: a worker, which may wait for the store, continues. */
        call->exchange->deferred = call->exchange->in_memory;
        if (call->exchange->deferred)
            return ERR_NONE;
        err = token_access(call->db, call->mem, token, call->now, access,
                           call->route->hint_sets ? &call->hint_sets : NULL);
        if (err == ERR_NONE)
            response_cache_put_access(call, token, access);
    }
    if (err == ERR_UNAUTHENTICATED)
        return refuse_token(call, token);
    if (err != ERR_NONE)
        return err;
    /* RFC 8707: a token for one resource is not valid at another. */
    if ((access->audience & (call->route->mcp ? AUDIENCE_MCP : AUDIENCE_API)) == 0) {
        request_usage_refused(call, access->app_id, STR_NONE, STR_NONE);
        bearer_error_invalid_token(
            call, STR("The access token was issued for another part of this service: its resource "
                      "parameter names it. Request a token for this one."));
        return ERR_NONE;
    }
    struct throttle_state rate;
    /* Of the app: 0 is the default limit, a negative number none. */
    int64_t limit = access->rate_api == 0  ? call->web->settings.rate_api
                    : access->rate_api < 0 ? 0
                                           : access->rate_api;
    int64_t wait = throttle_take_limited(call->web->api_calls, token, limit, &rate);
    call->rate = (struct call_rate){ rate.limit, rate.remaining, rate.reset };
    if (wait != 0) {
        request_usage_refused(call, access->app_id, STR_NONE, STR_NONE);
        error_send_oauth(call, 429, "rate_limited",
                         STR("Too many requests with this token. Wait for the number of seconds in "
                             "Retry-After."));
        response_header(call, "Retry-After", str_format(call->mem, "%lld", (long long)wait).ptr);
        return ERR_NONE;
    }
    scopes needed = call->route->scope;
    if (call->route->any_domain)
        needed |= allowed_domains_any_read_scopes(call->web->settings.domains);
    if (needed != 0 && (access->allowed.scopes & needed) == 0) {
        request_usage_refused(call, access->app_id, STR_NONE, STR_NONE);
        call->refused_access = access;
        bearer_error_scope(call, needed);
    } else
        call->access = access;
    return ERR_NONE;
}
