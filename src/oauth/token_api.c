/* token_api.c - POST /oauth/token, /oauth/introspect, /oauth/revoke.
 *
 * Dispatch has authenticated the client (CALLER_APP) before a handler runs; flow/tokens.h decides.
 * Errors follow RFC 6749 §5.2, RFC 7662, and RFC 7009. Responses with tokens must not be cached,
 * which response_json() and Pragma say. */
#include "base/arena.h"
#include "crypt/secret.h"
#include "dispatch/client_auth.h"
#include "dispatch/request_usage.h"
#include "dispatch/response_cache.h"
#include "flow/authorize.h"
#include "dispatch/throttle.h"
#include "flow/tokens.h"
#include "oauth/oauth_routes.h"
#include "oauth/resource.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"
#include "web/state.h"

#define BODY_MAX (16 * KIB)
#define VALUE_MAX 4096

enum { GRANT_TYPE, CODE, REDIRECT_URI, VERIFIER, REFRESH_TOKEN, SCOPE };

static const struct field token_fields[] = {
    [GRANT_TYPE] = { "grant_type", FIELD_TEXT, FIELD_IN_FORM, .required = true, .max = 100 },
    [CODE] = { "code", FIELD_TEXT, FIELD_IN_FORM, .max = VALUE_MAX },
    [REDIRECT_URI] = { "redirect_uri", FIELD_TEXT, FIELD_IN_FORM, .max = VALUE_MAX },
    [VERIFIER] = { "code_verifier", FIELD_TEXT, FIELD_IN_FORM, .max = VALUE_MAX },
    [REFRESH_TOKEN] = { "refresh_token", FIELD_TEXT, FIELD_IN_FORM, .max = VALUE_MAX },
    [SCOPE] = { "scope", FIELD_TEXT, FIELD_IN_FORM, .max = VALUE_MAX },
};

enum { TOKEN, HINT };

static const struct field one_token_fields[] = {
    [TOKEN] = { "token", FIELD_TEXT, FIELD_IN_FORM, .required = true, .max = VALUE_MAX },
    [HINT] = { "token_type_hint", FIELD_TEXT, FIELD_IN_FORM, .max = 100 },
};

/* ---- token endpoint ---- */

/* Maps the errors of the flow to those of OAuth; `problem` is a sentence for the developer. Other
 * errors are for dispatch. */
static enum err
send_tokens(struct call *call, enum err err, const struct token_set *set, const char *problem)
{
    const char *refusal = err == ERR_INVALID     ? "invalid_grant"
                          : err == ERR_FORBIDDEN ? "invalid_scope"
                          : err == ERR_TOO_LARGE ? "invalid_target"
                                                 : NULL;
    if (refusal != NULL) {
        error_send_oauth(call, 400, refusal, str_of(problem));
        return ERR_NONE;
    }
    if (err != ERR_NONE)
        return err;
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "access_token", secret_reveal(set->access));
    json_put_str(out, "token_type", STR("Bearer"));
    json_put_int(out, "expires_in", set->expires_in);
    json_put_str(out, "refresh_token", secret_reveal(set->refresh));
    json_put_str(out, "scope", scopes_write(call->mem, set->scopes));
    json_close_object(out);
    response_header(call, "Pragma", "no-cache");
    return ERR_NONE;
}

static enum err
send_missing(struct call *call, const char *field)
{
    error_send_oauth(call, 400, "invalid_request", str_format(call->mem, "%s is missing.", field));
    return ERR_NONE;
}

/* Remembers that a code or refresh token was perhaps used and its client has no tokens for it: if
 * the client tries again, that is no reuse by a second party. */
static void
note_outcome(struct call *call, struct str secret, bool was_unanswered, enum err err)
{
    struct throttle *unanswered = call->web->unanswered;
    if (err == ERR_UNCONFIRMED && !was_unanswered)
        throttle_take(unanswered, secret);
    else if (err == ERR_NONE && was_unanswered)
        throttle_return(unanswered, secret);
}

/* The redirect URI is required, although RFC 6749 §4.1.3 does not always demand it: every
 * authorization request here contains one. */
static enum err
exchange(struct call *call, audience wanted)
{
    static const struct {
        size_t field;
        const char *name;
    } required[] = { { CODE, "code" },
                     { REDIRECT_URI, "redirect_uri" },
                     { VERIFIER, "code_verifier" } };
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!str_present(call_text(call, required[i].field)))
            return send_missing(call, required[i].name);
    struct exchange params = {
        .app = call->app,
        .code = call_text(call, CODE),
        .redirect_uri = call_text(call, REDIRECT_URI),
        .verifier = call_text(call, VERIFIER),
        .audience = wanted,
        /* See note_outcome(). The throttle serves as a set of secrets that expires by itself. */
        .is_unanswered = throttle_wait(call->web->unanswered, call_text(call, CODE)) != 0,
        .now = call->now,
    };
    struct token_set set;
    const char *problem = NULL;
    enum err err = token_exchange(call->db, call->mem, &params, &set, &problem);
    note_outcome(call, params.code, params.is_unanswered, err);
    return send_tokens(call, err, &set, problem);
}

/* Called by the flow inside its transaction, when the family is known. */
static bool
may_refresh(void *context, struct str family_id)
{
    return throttle_take(context, family_id) == 0;
}

/* `is_unanswered` is true if an earlier request with this token failed with an unknown outcome:
 * then the token may have been used without the client having a response, and using it again is no
 * reuse. */
static enum err
refresh(struct call *call, audience wanted)
{
    if (!str_present(call_text(call, REFRESH_TOKEN)))
        return send_missing(call, "refresh_token");
    struct refresh params = {
        .app = call->app,
        .token = call_text(call, REFRESH_TOKEN),
        .scope = call_text(call, SCOPE),
        .audience = wanted,
        .is_unanswered = throttle_wait(call->web->unanswered, call_text(call, REFRESH_TOKEN)) != 0,
        .now = call->now,
        .may_refresh = may_refresh,
        .context = call->web->refreshes,
    };
    struct token_set set;
    const char *problem = NULL;
    enum err err = token_refresh(call->db, call->mem, &params, &set, &problem);
    note_outcome(call, params.token, params.is_unanswered, err);
    return send_tokens(call, err, &set, problem);
}

/* The grant type and the resource are checked before anything is redeemed, so that a client can
 * repeat a request with a mistake in them. */
static enum err
post_token(struct call *call)
{
    struct str type = call_text(call, GRANT_TYPE);
    bool by_code = str_eq(type, STR("authorization_code"));
    if (!by_code && !str_eq(type, STR("refresh_token"))) {
        error_send_oauth(call, 400, "unsupported_grant_type",
                         STR("grant_type must be authorization_code or refresh_token."));
        return ERR_NONE;
    }
    /* Before the code or refresh token is used up (RFC 8707 §2.2). */
    audience wanted;
    if (!resource_read(call_form(call), call->web->settings.base_url, &wanted)) {
        error_send_oauth(call, 400, "invalid_target", STR(AUTHORIZE_WRONG_TARGET));
        return ERR_NONE;
    }
    return by_code ? exchange(call, wanted) : refresh(call, wanted);
}

/* ---- introspection and revocation ---- */

/* RFC 7662 §2.2: all reasons for which a token is not active look the same to the caller. A token
 * that this service never issued is listed among the errors of the app, for its developer. */
static enum err
post_introspect(struct call *call)
{
    struct access *access = ARENA_NEW(call->mem, struct access);
    bool is_refresh = false;
    if (call->app->is_public) {
        client_auth_refuse(call); /* it has not authenticated (RFC 7662 §2.1) */
        return ERR_NONE;
    }
    enum err err = token_introspect(call->db, call->mem, call->app, call_text(call, TOKEN),
                                    call->now, access, &is_refresh);
    if (err != ERR_NONE && err != ERR_NOT_FOUND)
        return err;
    if (err == ERR_NOT_FOUND && !token_is_well_formed(call->mem, call_text(call, TOKEN))) {
        call_set_error(call, "inactive",
                       STR("This service did not issue the token, or it was sent incomplete."));
        request_usage_refused(call, call->app->id, STR_NONE, STR_NONE);
    }
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_bool(out, "active", err == ERR_NONE);
    if (err == ERR_NONE) {
        json_put_str(out, "scope", scopes_write(call->mem, access->allowed.scopes));
        json_put_str(out, "client_id", access->app_id);
        json_put_str(out, "sub", access->user_id);
        if (str_present(access->username))
            json_put_str(out, "username", access->username);
        json_put_str(out, "token_type", is_refresh ? STR("refresh_token") : STR("Bearer"));
        /* created_at can be a second ahead (timekeeper_created_at()), and libraries reject a time
         * in the future. */
        json_put_int(out, "iat", access->created_at < call->now ? access->created_at : call->now);
        json_put_int(out, "exp", access->valid_until);
        json_put_str(out, "iss", call->web->settings.base_url);
        json_key(out, "aud");
        resource_write(out, call->mem, call->web->settings.base_url, access->audience);
    }
    json_close_object(out);
    response_header(call, "Pragma", "no-cache");
    response_cache_want_introspection(call, err == ERR_NONE ? access : NULL);
    return ERR_NONE;
}

/* RFC 7009 §2.2: 200 also for an unknown token. */
static enum err
post_revoke(struct call *call)
{
    enum err err = token_revoke(call->db, call->mem, call->app, call_text(call, TOKEN), call->now);
    if (err == ERR_NONE) {
        response_bytes(call, 200, NULL, STR(""));
        response_header(call, "Pragma", "no-cache");
    }
    return err;
}

const struct route token_routes[] = {
    { POST, "/oauth/token", post_token, CALLER_APP,
      .summary = "Issues tokens for a code or a refresh token.", ROUTE_FIELDS(token_fields),
      .body = BODY_FORM, .body_max = BODY_MAX, .blocks = true, .cors = true },
    { POST, "/oauth/introspect", post_introspect, CALLER_APP,
      .summary = "Returns whether one of the app's tokens is active.",
      ROUTE_FIELDS(one_token_fields), .body = BODY_FORM, .body_max = BODY_MAX,
      .cached_by = CACHE_TOKEN },
    { POST, "/oauth/revoke", post_revoke, CALLER_APP, .summary = "Revokes one of the app's tokens.",
      ROUTE_FIELDS(one_token_fields), .body = BODY_FORM, .body_max = BODY_MAX, .blocks = true,
      .cors = true },
    { 0 },
};
