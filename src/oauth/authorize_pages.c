/* authorize_pages.c - the authorization endpoint and the consent page. docs/ARCHITECTURE.md lists
 * the steps; flow/authorize.h implements them.
 *
 * The order of the checks in get_authorize() protects users. Errors about the client or its
 * redirect URI are shown here and never redirected, because the address is not trusted yet. All
 * others are sent to the app, but only for a user who is signed in: otherwise this endpoint would
 * be an open redirector to any registered address. The consent form carries the id of the stored
 * request and the user's choices, nothing else, so that a forged form cannot change the app or the
 * scopes. */
#include "base/arena.h"
#include "crypt/secret.h"
#include "dispatch/browser_session.h"
#include "dispatch/request_usage.h"
#include "flow/accounts.h"
#include "flow/authorize.h"
#include "model/logo.h"
#include "model/redirect_uri.h"
#include "oauth/authorize_query.h"
#include "oauth/consent_facts.h"
#include "oauth/consent_preview.h"
#include "oauth/consent_self.h"
#include "oauth/document_client.h"
#include "oauth/oauth_routes.h"
#include "page/notice.h"
#include "page/sensitive.h"
#include "oauth/resource.h"
#include "oauth/trial.h"
#include "text/form.h"
#include "template/template.h"
#include "web/call.h"
#include "web/error.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

enum { REQUEST, DECISION, TERM };

static const struct field request_fields[] = {
    [REQUEST] = { "request", FIELD_TEXT, FIELD_IN_QUERY, .required = true, .max = 100 },
};

static const struct field consent_fields[] = {
    [REQUEST] = { "request", FIELD_TEXT, FIELD_IN_FORM, .required = true, .max = 100 },
    [DECISION] = { "decision", FIELD_TEXT, FIELD_IN_FORM, .required = true, .max = 100 },
    [TERM] = { "term", FIELD_TEXT, FIELD_IN_FORM, .max = 100 },
};

MESSAGE(expired, "consent.expired");

/* Also for a URL that travels through the sign-in page, which is checked again after it. */
bool
authorize_query_read(struct call *call, struct str query, struct authorize_params *out)
{
    *out = (struct authorize_params){ 0 };
    const struct {
        const char *name;
        struct str *value;
    } parameters[] = {
        { "client_id", &out->client_id },
        { "redirect_uri", &out->redirect_uri },
        { "response_type", &out->response_type },
        { "scope", &out->scope },
        { "state", &out->state },
        { "code_challenge", &out->challenge },
        { "code_challenge_method", &out->challenge_method },
        { "prompt", &out->prompt },
        { "request", &out->request },
        { "request_uri", &out->request_uri },
    };
    struct form *form = ARENA_NEW(call->mem, struct form);
    struct why why = { 0 };
    if (form_read(call->mem, query, form, &why) != ERR_NONE)
        return false;
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        struct str value = form_find(form, parameters[i].name);
        *parameters[i].value = value.len == 0 ? STR_NONE : value; /* RFC 6749 §3.1 */
    }
    for (size_t i = 0; i < form->count; i++) { /* only `resource` may be repeated (RFC 8707 §2) */
        const char *name = str_c(call->mem, form->fields[i].name);
        if (!str_eq_c(form->fields[i].name, "resource"))
            out->repeated = form_count(form, name) > 1 ? name : out->repeated;
    }
    out->wrong_target = !resource_read(form, call->web->settings.base_url, &out->audience);
    out->default_scopes = call->web->settings.mcp_scope;
    for (size_t i = 0; i < 2; i++) /* last, to win: without these two there is no redirect */
        if (form_count(form, parameters[i].name) > 1)
            out->repeated = parameters[i].name;
    return true;
}

/* ---- redirect to the app ---- */

/* `name` is "code" or "error". Adds `state` as sent and the issuer (RFC 9207). */
static void
redirect_to_app(struct call *call, struct str uri, const char *name, struct str value,
                const char *description, struct str state)
{
    uri = redirect_uri_add(call->mem, uri, name, value);
    if (description != NULL)
        uri = redirect_uri_add(call->mem, uri, "error_description", str_of(description));
    if (str_present(state))
        uri = redirect_uri_add(call->mem, uri, "state", state);
    uri = redirect_uri_add(call->mem, uri, "iss", call->web->settings.base_url);
    response_redirect(call, str_c(call->mem, uri));
}

/* ---- consent page ---- */

/* "All preferences" would be wrong for a user who may choose areas on the same page, so it has
 * another text there. */
static void
put_scope_text(struct call *call, struct values *item, size_t i, bool chooses_domains)
{
    bool limited_read = chooses_domains && (scopes)1 << i == SCOPE_PREFERENCES_READ;
    values_text(item, "title",
                limited_read ? message(call, KEY("consent.self.read"))
                             : message_sentence(call, str_of(scope_row(i)->title)));
    values_text(item, "sentence",
                limited_read ? message(call, KEY("consent.self.read.sentence"))
                             : message_sentence(call, str_of(scope_row(i)->sentence)));
}

/* Two lists: "scopes" is what the app can see, all preferences first, then the areas and the other
 * scopes; "changes" is what it can change. */
static void
put_scopes(struct call *call, struct values *values, scopes requested,
           const struct authorize_begun *asked, bool chooses_domains,
           struct consent_preview *preview)
{
    for (size_t n = 0; n < scope_count(); n++) {
        size_t i = scope_on_page(n);
        scopes one = (scopes)1 << i;
        if ((requested & one) == 0)
            continue;
        struct values *item =
            values_item(values, one == SCOPE_PREFERENCES_WRITE ? "changes" : "scopes");
        values_flag(item, "is_area", scopes_domains(one) != 0);
        values_text(item, "scope", str_of(scope_row(i)->name));
        put_scope_text(call, item, i, chooses_domains);
        values_flag(item, "held", (asked->held & one) != 0);
        scopes sensitive = sensitive_of_row(call, one, requested);
        sensitive_put(call, item, one, sensitive);
        values_flag(item, "sensitive_shared", (asked->sensitive & sensitive) != 0);
        values_flag(item, "is_hints", one == SCOPE_AGENT_HINTS);
        bool in_areas = (one & (SCOPE_AGENT_HINTS | SCOPE_PREFERENCES_WRITE)) != 0;
        bool everywhere = !scopes_limit_domains(requested) && !chooses_domains;
        values_flag(item, "limited", in_areas && !everywhere);
        values_flag(item, "everywhere", in_areas && everywhere);
        consent_preview_put_scope(preview, item, one);
    }
}

/* The developer and the homepage as text, so that users see where a link leads before they follow
 * it. Neither is verified: both are what the developer says. */
static void
put_developer(struct call *call, struct values *values, const struct app *app)
{
    struct user developer;
    values_text(values, "homepage", app->homepage);
    if (app->homepage.len > 0)
        values_text(values, "homepage_host", redirect_uri_host(app->homepage));
    values_text(values, "privacy_link", app->privacy_link);
    if (app->owner_id.len > 0 &&
        account_find(call->db, call->mem, app->owner_id, &developer) == ERR_NONE)
        values_text(values, "developer",
                    str_present(developer.name) ? developer.name : developer.username);
    values_flag(values, "has_links",
                app->homepage.len + app->privacy_link.len + app->owner_id.len > 0);
}

/* For a new request and for a stored one. `asked` is what the user allowed this app before. */
static enum err
show_consent(struct call *call, const struct app *app, struct str redirect_uri, scopes requested,
             const struct authorize_begun *asked)
{
    struct values *values = values_new(call->mem);
    struct consent_preview preview;
    enum err err = consent_preview_load(call, requested, asked->withheld, &preview);
    if (err == ERR_NONE)
        err = consent_preview_put_hints(call, values, requested, requested, DOMAINS_ALL,
                                        asked->sensitive, asked->withheld);
    if (err != ERR_NONE)
        return err;
    values_flag(values, "deciding", true);
    values_text(values, "app", app->name);
    values_text(values, "logo", logo_path(call->mem, app));
    values_text(values, "destination",
                message_sentence(call, redirect_uri_display(call->mem, redirect_uri)));
    values_text(values, "request", asked->request_id);
    values_flag(values, "public", app->is_public && app->kind == APP_PORTAL);
    values_flag(values, "changed", asked->app_changed);
    values_flag(values, "never_ends", asked->never_ends);
    values_flag(values, "year", app->kind == APP_REGISTERED && !asked->never_ends);
    values_flag(values, "sees", (requested & ~(scopes)SCOPE_PREFERENCES_WRITE) != 0);
    values_flag(values, "writes_asked", (requested & SCOPE_PREFERENCES_WRITE) != 0);
    values_flag(values, "month", app->kind == APP_PORTAL && !asked->never_ends);
    consent_self_put(call, values, app, redirect_uri, requested);
    put_developer(call, values, app);
    values_text(values, "verified_host", app_verified_host(app));
    consent_facts_put(call, values, &preview.facts, requested, asked->withheld);
    put_scopes(call, values, requested, asked, consent_self_chooses_domains(app, requested),
               &preview);
    err = page_send(call, 200, "consent", values);
    if (err == ERR_NONE)
        /* The form leads to a redirect to the app, to which browsers apply form-action as well. */
        page_allow_form_action(call, redirect_uri_origin(call->mem, redirect_uri));
    return err;
}

/* The request is valid. If a valid grant covers it, the code may be issued at once; otherwise the
 * request is stored. */
static enum err
begin(struct call *call, const struct authorize_checked *checked)
{
    struct authorize_begun begun = { 0 };
    enum err err = authorize_begin(call->db, call->mem, checked, &call->browser->session,
                                   &call->browser->user, call->now, &begun);
    if (err != ERR_NONE)
        return err;
    switch (begun.next) {
    case NEXT_CODE:
        redirect_to_app(call, checked->redirect_uri, "code", secret_reveal(begun.code), NULL,
                        checked->state);
        return ERR_NONE;
    case NEXT_SIGN_IN:
        response_redirect(call, request_sign_in_path(call, begun.request_id));
        return ERR_NONE;
    case NEXT_CONSENT:
        break;
    }
    return show_consent(call, &checked->app, checked->redirect_uri, checked->scopes, &begun);
}

/* Records the error for the app's developer, who does not see the error page. */
static void
record_error(struct call *call, const struct authorize_checked *checked)
{
    if (!str_present(checked->app.id))
        return;
    call_set_error(call, checked->error, str_of(checked->description));
    request_usage_refused(call, checked->app.id, str_of(checked->reason), checked->detail);
}

/* The order follows docs/ARCHITECTURE.md, "OAuth, step by step": errors about the client or the
 * redirect URI are shown on a page of this service, the user signs in, and only then an error may
 * be sent to the app. */
static enum err
get_authorize(struct call *call)
{
    struct authorize_params params;
    struct authorize_checked checked;
    struct str target = call->exchange->request.target;
    if (!authorize_query_read(call, str_from(target, str_index(target, '?') + 1), &params))
        return error_send_page(call, 400, message(call, KEY("consent.unreadable")));
    enum err err;
    if (!document_client_prepare(call, &params, &err))
        return err;
    /* Only then is the redirect URI of the portal's trial allowed. */
    if (trial_matches(call, params.client_id, params.redirect_uri, params.state))
        params.trial_of = call->browser->user.id;
    err = authorize_check(call->db, call->mem, &params, &checked);
    if (err != ERR_NONE)
        return err;
    if (checked.stop == AUTHORIZE_SHOW_ERROR) {
        record_error(call, &checked);
        return error_send_page(call, 400, str_of(checked.description));
    }
    if (call->browser == NULL) {
        browser_session_require(call); /* before any redirect to an app (RFC 9700 §4.11.2) */
        return ERR_NONE;
    }
    if (checked.stop == AUTHORIZE_REDIRECT_ERROR) {
        record_error(call, &checked);
        redirect_to_app(call, checked.redirect_uri, "error", str_of(checked.error),
                        checked.description, checked.state);
        return ERR_NONE;
    }
    return begin(call, &checked);
}

/* ---- stored requests ---- */

/* Where a user returns after signing in again. The request is bound to the session, so that no one
 * else can answer it. */
static enum err
get_consent(struct call *call)
{
    struct auth_request request;
    struct app app;
    scopes held;
    struct str id = call_text(call, REQUEST);
    const struct secret *code = NULL;
    enum err err = consent_find(call->db, call->mem, &call->browser->session, id, call->now,
                                &request, &app, &held);
    if (err == ERR_NOT_FOUND || err == ERR_FORBIDDEN)
        return error_send_page(call, 400, message(call, expired));
    if (err != ERR_NONE)
        return err;
    if (request.must_sign_in) {
        response_redirect(call, request_sign_in_path(call, id));
        return ERR_NONE;
    }
    if (request.must_consent)
        return show_consent(call, &app, request.redirect_uri, request.scopes,
                            &(struct authorize_begun){ .request_id = id,
                                                       .held = held,
                                                       .app_changed = request.app_changed,
                                                       .withheld = request.withheld,
                                                       .sensitive = request.sensitive,
                                                       .never_ends = request.never_ends });
    /* The user had only to sign in again (prompt=login); the grant covers the request. */
    err = consent_resume(call->db, call->mem, &call->browser->session, &call->browser->user, id,
                         call->now, &request, &code);
    if (err == ERR_NOT_FOUND || err == ERR_FORBIDDEN)
        return error_send_page(call, 400, message(call, expired));
    if (err == ERR_NONE)
        redirect_to_app(call, request.redirect_uri, "code", secret_reveal(code), NULL,
                        request.state);
    return err;
}

/* Each checked box is one field named `scope`. Unknown scopes are ignored; the flow also drops
 * those that were not requested. */
static scopes
read_selected(const struct form *form)
{
    scopes selected = 0;
    for (size_t i = 0; form != NULL && i < form->count; i++) {
        scopes one;
        if (str_eq(form->fields[i].name, STR("scope")) &&
            scopes_read(form->fields[i].value, &one, NULL))
            selected |= one;
    }
    return selected;
}

/* The preview of hints, which the page's script reloads when a box changes. Changes nothing. Only
 * for a request that waits in this session. */
static enum err
get_hints(struct call *call)
{
    struct auth_request request;
    struct app app;
    scopes held;
    struct values *values = values_new(call->mem);
    struct str target = call->exchange->request.target;
    struct str query = str_from(target, str_index(target, '?') + 1);
    struct form *form = ARENA_NEW(call->mem, struct form);
    bool readable = form_read(call->mem, query, form, NULL) == ERR_NONE;
    scopes selected = read_selected(readable ? form : NULL);
    enum err err = consent_find(call->db, call->mem, &call->browser->session,
                                call_text(call, REQUEST), call->now, &request, &app, &held);
    if (err == ERR_NOT_FOUND || err == ERR_FORBIDDEN || (!err && request.must_sign_in))
        return error_send_page(call, 400, message(call, expired));
    struct facts facts = { 0 };
    form = readable ? form : NULL;
    if (err == ERR_NONE)
        err = facts_load(call, STR_NONE, &facts);
    if (err == ERR_NONE)
        err =
            consent_preview_put_hints(call, values, request.scopes, selected,
                                      consent_self_domains(form), sensitive_selected(call, form),
                                      consent_facts_withheld(call, &facts, form, request.withheld));
    return err == ERR_NONE ? page_send(call, 200, "consent_hints", values) : err;
}

/* The form contains only the id of the request. consent_decide() deletes the stored request, so
 * that only one of two submissions finds it. */
static enum err
post_consent(struct call *call)
{
    struct auth_request request;
    const struct secret *code = NULL;
    struct str decision = call_text(call, DECISION);
    struct consent_params params = {
        .request_id = call_text(call, REQUEST),
        .allow = str_eq(decision, STR("allow")),
        .selected = read_selected(call_form(call)),
        .domains = consent_self_domains(call_form(call)),
        .sensitive = sensitive_selected(call, call_form(call)),
        .writes_wait = consent_self_writes_wait(call_form(call)),
        .now = call->now,
    };
    params.withhold = consent_facts_ids(call, call_form(call), &params.withhold_count);
    bool term_ok = grant_term_read(call_text(call, TERM), &params.term);
    if (!params.allow && !str_eq(decision, STR("deny")))
        return error_send_page(call, 400, message(call, KEY("consent.choose")));
    if (params.allow && !term_ok)
        return error_send_page(call, 400, message(call, KEY("consent.choose_term")));
    if (params.allow && params.domains == 0)
        return error_send_page(call, 400, message(call, KEY("consent.choose_area")));
    /* A first connection is reported by email. */
    struct app app;
    scopes held = 0;
    bool is_new = call->web->settings.sends_mail && params.allow &&
                  consent_find(call->db, call->mem, &call->browser->session, params.request_id,
                               call->now, &request, &app, &held) == ERR_NONE &&
                  held == 0 && !request.is_trial;
    enum err err = consent_decide(call->db, call->mem, &call->browser->session,
                                  &call->browser->user, &params, &request, &code);
    if (err == ERR_NOT_FOUND || err == ERR_FORBIDDEN)
        return error_send_page(call, 400, message(call, expired));
    if (err == ERR_TOO_LARGE)
        return error_send_page(call, 400, message(call, KEY("apps.facts.full")));
    if (err != ERR_NONE)
        return err;
    if (code != NULL && is_new)
        notice_send(call, &call->browser->user, MAIL_APP, app.name);
    if (code != NULL)
        redirect_to_app(call, request.redirect_uri, "code", secret_reveal(code), NULL,
                        request.state);
    else
        redirect_to_app(call, request.redirect_uri, "error", STR("access_denied"),
                        /* RFC 6749 §4.1.2.1. Also if no box was checked. */
                        "The user denied access.", request.state);
    return ERR_NONE;
}

const struct route oauth_routes[] = {
    { GET, "/oauth/authorize", get_authorize, CALLER_ANYONE,
      .summary = "Starts an authorization request.", .page = true, .blocks = true },
    { GET, "/oauth/consent", get_consent, CALLER_USER,
      .summary = "Shows the consent page of a stored request.", .page = true, .blocks = true,
      ROUTE_FIELDS(request_fields) },
    { GET, "/oauth/consent/hints", get_hints, CALLER_USER,
      .summary = "Previews hints for the selected scopes.", .page = true,
      ROUTE_FIELDS(request_fields) },
    { POST, "/oauth/consent", post_consent, CALLER_USER, .summary = "Allows or denies access.",
      .resumes = "request", .page = true, .blocks = true, ROUTE_FIELDS(consent_fields),
      .body = BODY_FORM, .body_max = 16 * KIB },
    { 0 },
};
