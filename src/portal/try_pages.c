/* try_pages.c - lets developers run the authorization flow as their own app, step by step.
 *
 * The portal acts as the app's server: it creates the verifier and exchanges the code. It does not
 * know the secret and needs none, because the signed-in user owns the app. The result is an
 * ordinary grant that the user has consented to. docs/DECISIONS.md explains why this is safe. */
#include "base/arena.h"
#include "base/buf.h"
#include "crypt/secret.h"
#include "domain/domain.h"
#include "flow/tokens.h"
#include "oauth/trial.h"
#include "portal/app_form.h"
#include "portal/portal_routes.h"
#include "text/form.h"
#include "template/template.h"
#include "text/url.h"
#include "web/call.h"
#include "web/error.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

#define URL_MAX ((size_t)16 * 1024)

/* ---- page ---- */

/* For the page and for the redirect back to it. A scope that the app has not registered cannot be
 * selected. */
static enum err
show(struct call *call, const struct app *app)
{
    struct values *values = values_new(call->mem);
    const struct domains *domains = call->web->settings.domains;
    for (size_t n = 0; n < scope_count(); n++) {
        size_t i = scope_on_page(n);
        if ((app->scopes >> i & 1) == 0)
            continue;
        struct values *item = values_item(values, "scopes");
        values_text(item, "scope", str_of(scope_row(i)->name));
        values_text(item, "title", message_sentence(call, str_of(scope_row(i)->title)));
    }
    bool limited = scopes_limit_domains(app->scopes);
    for (size_t i = 0; i < domains->count; i++) {
        if (limited && (app->scopes & scope_named(domains->list[i].name)) == 0)
            continue; /* the app cannot get its hints */
        struct values *item = values_item(values, "domains");
        values_text(item, "domain", domains->list[i].name);
        values_text(item, "title", message_sentence(call, domains->list[i].title));
    }
    values_text(values, "base_url", call->web->settings.base_url);
    values_text(values, "redirect_uri", trial_redirect_uri(call));
    enum err err = developer_app_page(call, 200, "developer_try", "try", app, values);
    if (err == ERR_NONE)
        page_allow_connect(call);
    return err;
}

static enum err
get_try(struct call *call)
{
    struct app app;
    enum err err = developer_app_find(call, &app);
    return err == ERR_NONE ? show(call, &app) : err;
}

enum { STATE };

static const struct field callback_fields[] = {
    [STATE] = { "state", FIELD_TEXT, FIELD_IN_QUERY, .max = 4096 },
};

/* The redirect URI of a trial. Does not use up the code: the page's script sends it to
 * post_exchange() and removes it from the URL. */
static enum err
get_callback(struct call *call)
{
    struct trial trial;
    struct app app;
    if (!trial_read(call, call_text(call, STATE), &trial))
        return error_send_page(call, 400, message(call, KEY("try.not_yours")));
    enum err err = developer_app_find_id(call, trial.app_id, &app);
    return err == ERR_NONE ? show(call, &app) : err;
}

/* ---- requests of the page's script ---- */

/* The selected scopes of the app; all of its scopes if none is selected. */
static scopes
read_scopes(struct call *call, const struct app *app)
{
    const struct form *form = call_form(call);
    scopes selected = 0;
    for (size_t i = 0; form != NULL && i < form->count; i++)
        if (str_eq(form->fields[i].name, STR("scope")))
            selected |= scope_named(form->fields[i].value) & app->scopes;
    return selected != 0 ? selected : app->scopes;
}

/* prompt=consent, because a developer wants to see the page even if the app is connected. */
static enum err
post_begin(struct call *call)
{
    struct app app;
    enum err err = developer_app_find(call, &app);
    if (err != ERR_NONE)
        return err;
    struct trial trial = trial_begin(call, app.id);
    const struct {
        const char *name;
        struct str value;
    } parameters[] = {
        { "response_type", STR("code") },
        { "client_id", app.id },
        { "redirect_uri", trial_redirect_uri(call) },
        { "scope", scopes_write(call->mem, read_scopes(call, &app)) },
        { "state", trial.state },
        { "code_challenge", trial.challenge },
        { "code_challenge_method", STR("S256") },
        { "prompt", STR("consent") },
    };
    struct buf url = buf_in(call->mem, URL_MAX);
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_key_object(out, "parameters");
    buf_add_c(&url, "/oauth/authorize");
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        json_put_str(out, parameters[i].name, parameters[i].value);
        buf_add_format(&url, "%c%s=", i == 0 ? '?' : '&', parameters[i].name);
        url_encode(&url, parameters[i].value);
    }
    json_close_object(out);
    json_put_str(out, "url", buf_str(&url));
    json_close_object(out);
    return ERR_NONE;
}

enum { CODE, EXCHANGE_STATE };

static const struct field exchange_fields[] = {
    [CODE] = { "code", FIELD_TEXT, FIELD_IN_FORM, .required = true, .max = 4096 },
    [EXCHANGE_STATE] = { "state", FIELD_TEXT, FIELD_IN_FORM, .required = true, .max = 4096 },
};

/* The state must be of this session and of this app. The verifier is derived from it and never
 * leaves the server, so the code is worth nothing elsewhere. */
static enum err
post_exchange(struct call *call)
{
    struct app app;
    struct trial trial;
    struct token_set set;
    const char *problem = NULL;
    enum err err = developer_app_find(call, &app);
    if (err != ERR_NONE)
        return err;
    if (!trial_read(call, call_text(call, EXCHANGE_STATE), &trial) ||
        !str_eq(trial.app_id, app.id)) {
        error_send_oauth(call, 400, "invalid_request", message(call, KEY("try.not_yours")));
        return ERR_NONE;
    }
    struct exchange params = {
        .app = &app,
        .code = call_text(call, CODE),
        .redirect_uri = trial_redirect_uri(call),
        .verifier = trial.verifier,
        .now = call->now,
    };
    err = app.status == APP_ACTIVE ? token_exchange(call->db, call->mem, &params, &set, &problem)
                                   : ERR_FORBIDDEN;
    if (err == ERR_INVALID) {
        error_send_oauth(call, 400, "invalid_grant", str_of(problem));
        return ERR_NONE;
    }
    if (err != ERR_NONE)
        return err;
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "access_token", secret_reveal(set.access));
    json_put_str(out, "token_type", STR("Bearer"));
    json_put_int(out, "expires_in", set.expires_in);
    json_put_str(out, "refresh_token", secret_reveal(set.refresh));
    json_put_str(out, "scope", scopes_write(call->mem, set.scopes));
    json_close_object(out);
    return ERR_NONE;
}

enum { TOKEN };

static const struct field end_fields[] = {
    [TOKEN] = { "token", FIELD_TEXT, FIELD_IN_FORM, .required = true, .max = 4096 },
};

/* The token may be of either kind; a refresh token ends its whole family. */
static enum err
post_end(struct call *call)
{
    struct app app;
    enum err err = developer_app_find(call, &app);
    if (err == ERR_NONE)
        err = token_revoke(call->db, call->mem, &app, call_text(call, TOKEN), call->now);
    if (err == ERR_NONE)
        response_bytes(call, 200, NULL, STR(""));
    return err;
}

#define FORM .page = true, .body = BODY_FORM, .blocks = true

const struct route developer_try_routes[] = {
    { GET, "/developer/apps/{app}/try", get_try, CALLER_USER,
      .summary = "Runs the authorization flow as the user's own app.", .page = true },
    { GET, TRIAL_PATH, get_callback, CALLER_USER, .summary = "Receives the redirect of a trial.",
      .page = true, ROUTE_FIELDS(callback_fields) },
    { POST, "/developer/apps/{app}/try/begin", post_begin, CALLER_USER,
      .summary = "Creates the authorization request of a trial.", FORM, .body_max = 16 * KIB },
    { POST, "/developer/apps/{app}/try/exchange", post_exchange, CALLER_USER,
      .summary = "Exchanges the code of a trial.", FORM, ROUTE_FIELDS(exchange_fields),
      .body_max = 16 * KIB },
    { POST, "/developer/apps/{app}/try/end", post_end, CALLER_USER,
      .summary = "Revokes the tokens of a trial.", FORM, ROUTE_FIELDS(end_fields),
      .body_max = 16 * KIB },
    { 0 },
};
