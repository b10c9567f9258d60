/* authorize_check.c - step 1 of authorize.h: compares the parameters with the registration. */
#include "flow/apps.h"
#include "flow/authorize.h"
#include "model/pkce.h"

#define STATE_MAX 2048

/* For errors about the client or the redirect URI, which must not cause a redirect (RFC 6749
 * §4.1.2.1). */
static enum authorize_stop
show_error(struct authorize_checked *out, const char *sentence)
{
    out->stop = AUTHORIZE_SHOW_ERROR;
    out->error = "invalid_request";
    out->description = sentence;
    return out->stop;
}

/* For all other errors: the app can handle them. */
static enum authorize_stop
redirect_error(struct authorize_checked *out, const char *error, const char *sentence)
{
    out->stop = AUTHORIZE_REDIRECT_ERROR;
    out->error = error;
    out->description = sentence;
    return out->stop;
}

static bool
name_equals(const char *name, const char *other)
{
    return name != NULL && str_eq_c(str_of(name), other);
}

/* The page names the difference to the nearest registered URI, but sends nothing to either: the
 * redirect URI is not trusted (RFC 6749 §4.1.2.1). */
static void
show_uri_error(struct arena *mem, const struct authorize_params *params,
               struct authorize_checked *out)
{
    struct str nearest = STR_NONE;
    out->reason = app_uri_difference(&out->app, params->redirect_uri, &nearest);
    if (str_present(params->redirect_uri))
        out->detail = str_format(mem, "sent: %.*s, registered: %.*s",
                                 STR_ARG(str_first(params->redirect_uri, 100)), STR_ARG(nearest));
    show_error(out, str_format(mem,
                               "The app asked to send you to an address that it has not "
                               "registered, so you were not redirected. For the developer: %s",
                               out->reason)
                        .ptr);
}

/* Reasons are counted by text: with one scope each there are at most as many as scopes. */
static const char *
first_scope(scopes set)
{
    return scope_row((size_t)__builtin_ctzll(set))->name;
}

/* Checks client_id and redirect_uri. Until both are valid there is no redirect (RFC 6749 §4.1.2.1).
 */
static enum err
check_app(struct db *db, struct arena *mem, const struct authorize_params *params,
          struct authorize_checked *out)
{
    static const char unknown[] =
        "The app that sent you here is not registered with this service. Nothing was shared with "
        "it. For the developer: client_id is unknown or disabled.";
    if (name_equals(params->repeated, "client_id") ||
        name_equals(params->repeated, "redirect_uri")) {
        show_error(out,
                   "The app that sent you here made an invalid request. Nothing was shared with "
                   "it. For the developer: client_id or redirect_uri was sent more than once.");
        return ERR_NONE;
    }
    enum err err = app_find_client(db, mem, params->client_id, &out->app);
    if (err && err != ERR_NOT_FOUND)
        return err;
    if (err || out->app.status != APP_ACTIVE) {
        show_error(out, unknown);
        out->reason = err ? NULL : "The app is disabled.";
        return ERR_NONE;
    }
    out->is_trial = str_present(params->trial_of) && str_eq(params->trial_of, out->app.owner_id);
    if (!out->is_trial && !str_present(app_find_uri(&out->app, params->redirect_uri))) {
        show_uri_error(mem, params, out);
        return ERR_NONE;
    }
    out->redirect_uri = params->redirect_uri;
    return ERR_NONE;
}

/* RFC 6749, appendix A.5, has no control characters. They must not get into the Location header. */
static bool
state_valid(struct str state)
{
    if (state.len > STATE_MAX)
        return false;
    for (size_t i = 0; i < state.len; i++)
        if ((unsigned char)state.ptr[i] < 0x20 || state.ptr[i] == 0x7f)
            return false;
    return true;
}

/* Unknown names are an error only if nothing known is left; otherwise the app gets fewer scopes
 * than it asked for (RFC 6749 §3.3). */
static enum authorize_stop
check_scopes(struct arena *mem, const struct authorize_params *params,
             struct authorize_checked *out)
{
    struct str unknown = STR_NONE;
    bool of_portal = out->app.kind == APP_PORTAL;
    bool known = scopes_read_request(params->scope, !of_portal, &out->scopes, &unknown);
    if (!known || (out->scopes == 0 && str_present(unknown))) {
        out->detail = unknown;
        return redirect_error(out, "invalid_scope",
                              "scope contains an unknown or a repeated name.");
    }
    if (out->scopes == 0) /* RFC 6749 §3.3: a default is used */
        out->scopes = out->app.scopes != 0 ? out->app.scopes : params->default_scopes;
    /* The scopes that a client wrote into its own metadata are no limit: it may ask for more. */
    scopes beyond = of_portal ? out->scopes & ~out->app.scopes : 0;
    if (beyond != 0)
        out->reason = str_format(mem,
                                 "scope %s is not registered for this app. Add it to the app's "
                                 "settings, or do not request it.",
                                 first_scope(beyond))
                          .ptr;
    if (beyond != 0)
        return redirect_error(out, "invalid_scope",
                              str_format(mem, "The app has not registered the scope %s.",
                                         scopes_write(mem, beyond).ptr)
                                  .ptr);
    return AUTHORIZE_OK;
}

/* Checks the other parameters, whose errors are sent to the redirect URI. */
static enum authorize_stop
check_rest(struct arena *mem, const struct authorize_params *params, struct authorize_checked *out)
{
    if (params->repeated != NULL)
        out->reason = "A parameter was sent more than once.";
    if (params->repeated != NULL)
        return redirect_error(
            out, "invalid_request",
            str_format(mem, "%.64s was sent more than once.", params->repeated).ptr);
    /* An invalid state is not sent back, so the error response has none. */
    if (!state_valid(params->state)) {
        out->state = STR_NONE;
        return redirect_error(out, "invalid_request",
                              "state must have at most 2048 bytes and no control characters.");
    }
    /* The error codes are those of OpenID Connect Core §3.1.2.6. */
    if (str_present(params->request))
        return redirect_error(out, "request_not_supported", "request objects are not supported.");
    if (str_present(params->request_uri))
        return redirect_error(out, "request_uri_not_supported", "request_uri is not supported.");
    /* RFC 8707 §2. */
    if (params->wrong_target)
        return redirect_error(out, "invalid_target", AUTHORIZE_WRONG_TARGET);
    if (!str_present(params->response_type))
        return redirect_error(out, "invalid_request", "response_type is missing; send code.");
    if (!str_eq(params->response_type, STR("code")))
        return redirect_error(out, "unsupported_response_type", "response_type must be code.");
    /* RFC 7636 §4.4.1 asks for invalid_request, without a challenge and for an unknown
     * transform. */
    if (!str_present(params->challenge))
        return redirect_error(out, "invalid_request",
                              "code_challenge is missing; PKCE is required.");
    if (!str_eq(params->challenge_method, STR("S256")))
        return redirect_error(
            out, "invalid_request",
            "code_challenge_method must be S256; other transforms are not supported.");
    if (!pkce_challenge_valid(params->challenge))
        return redirect_error(out, "invalid_request",
                              "code_challenge must be the base64url SHA-256 of the verifier: 43 "
                              "characters, no padding.");
    return check_scopes(mem, params, out);
}

/* Ignores values other than login and consent. */
static void
read_prompt(struct str prompt, struct authorize_checked *out)
{
    struct str rest = prompt, word;
    while (str_cut(&rest, ' ', &word)) {
        if (str_eq(word, STR("login")))
            out->must_sign_in = true;
        if (str_eq(word, STR("consent")))
            out->must_consent = true;
    }
}

/* The app is checked before everything else, because all other errors are sent to its redirect URI.
 * A repeated `state` is not sent back, since it is unclear which one the app expects. */
enum err
authorize_check(struct db *db, struct arena *mem, const struct authorize_params *params,
                struct authorize_checked *out)
{
    *out = (struct authorize_checked){ .stop = AUTHORIZE_OK };
    enum err err = check_app(db, mem, params, out);
    if (err || out->stop != AUTHORIZE_OK)
        return err;
    out->state = name_equals(params->repeated, "state") ? STR_NONE : params->state;
    out->challenge = params->challenge;
    out->audience = params->audience != 0 ? params->audience : AUDIENCE_SERVICE;
    out->must_consent = out->app.is_public; /* any program can pose as it (RFC 8252 §8.6) */
    read_prompt(params->prompt, out);
    check_rest(mem, params, out);
    return ERR_NONE;
}
