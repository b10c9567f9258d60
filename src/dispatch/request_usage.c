/* request_usage.c - finds the app and the outcome of a request for the developer's pages.
 *
 * A refused request may name an app without proving it: the refusal is then counted for that app,
 * since its developer needs to see wrong credentials. It is never counted for a user. */
#include "dispatch/request_usage.h"

#include "base/arena.h"
#include "dispatch/authorization_header.h"
#include "flow/apps.h"
#include "flow/tokens.h"
#include "job/usage_counters.h"
#include "model/grant.h"
#include "text/form.h"
#include "text/json_read.h"
#include "web/call.h"
#include "web/state.h"

/* Only notes the refusal; request_usage_count() counts it after the response. */
void
request_usage_refused(struct call *call, struct str app_id, struct str reason, struct str detail)
{
    call->refusal.app_id = app_id;
    if (str_present(reason))
        call->refusal.reason = reason;
    call->refusal.detail = detail;
}

void
request_usage_refused_claim(struct call *call, struct str client_id)
{
    struct app app;
    if (call->web->settings.counters != NULL &&
        app_find_client(call->db, call->mem, client_id, &app) == ERR_NONE)
        request_usage_refused(call, app.id, STR_NONE, STR_NONE);
}

/* The client_id in a body of the wrong type: JSON, or a form with another Content-Type. The app's
 * developer sees the mistake in the portal. */
static struct str
client_id_of_body(struct call *call)
{
    struct str body = call->exchange->request.body;
    const struct json_value *document = NULL;
    if (json_read(call->mem, body, 2, &document, NULL) == ERR_NONE)
        return json_text(document, "client_id");
    const struct form *form = call_form(call);
    return form == NULL ? STR_NONE : form_find(form, "client_id");
}

/* For requests that are rejected before their caller was authenticated. The token is verified here
 * only to find its app. A client_id in the request is not verified: it is a claim. */
void
request_usage_refused_unread(struct call *call)
{
    struct str header = http_header(&call->exchange->request, "Authorization");
    struct str id = STR_NONE, secret = STR_NONE, token = authorization_header_bearer(header);
    struct access access;
    if (call->web->settings.counters == NULL)
        return;
    if (str_present(token)) {
        if (token_access(call->db, call->mem, token, call->now, &access, NULL) == ERR_NONE)
            request_usage_refused(call, access.app_id, STR_NONE, STR_NONE);
        return;
    }
    if (!authorization_header_basic(call->mem, header, &id, &secret) &&
        call->body != CALL_BODY_ENCODED)
        id = client_id_of_body(call);
    request_usage_refused_claim(call, id);
}

/* A refusal names its app explicitly, since call->access and call->app are set only on success. */
static struct str
app_of(const struct call *call)
{
    if (str_present(call->refusal.app_id))
        return call->refusal.app_id;
    if (call->access != NULL)
        return call->access->app_id;
    return call->app != NULL ? call->app->id : STR_NONE;
}

/* Redirects that carry an OAuth error have a status below 400: a recorded refusal counts too. */
static enum usage_outcome
outcome_of(const struct call *call)
{
    int status = call->exchange->response.status;
    if (status >= 500)
        return USAGE_FAILED;
    if (status >= 400 || str_present(call->refusal.app_id))
        return USAGE_REFUSED;
    return str_eq_c(str_of(call->route->path), "/oauth/token") ? USAGE_TOKENS : USAGE_CALL;
}

/* Without a reason there is nothing to show, and nothing is listed. */
static void
count_refusal(const struct call *call, struct str app_id)
{
    struct str reason = call->refusal.reason;
    struct refusal refusal = {
        .app_id = app_id,
        .endpoint =
            str_format(call->mem, "%s %s", method_name(call->route->method), call->route->path),
        .error = call->refusal.error == NULL ? STR("") : str_of(call->refusal.error),
        .reason = str_present(reason) ? reason : call->refusal.sentence,
        .detail = call->refusal.detail,
        .times = 1,
        .first_at = call->now,
        .last_at = call->now,
    };
    if (refusal.reason.len > 0)
        usage_counters_add_refusal(call->web->settings.counters, call->mem, &refusal);
}

/* Not counted: requests without an app, and those rejected before they had a time. */
void
request_usage_count(const struct call *call)
{
    struct usage_counters *counters = call->web->settings.counters;
    struct str app_id = app_of(call);
    if (counters == NULL || call->route == NULL || !str_present(app_id) || call->now == 0)
        return;
    enum usage_outcome outcome = outcome_of(call);
    struct str user_id = call->access == NULL ? STR_NONE : call->access->user_id;
    usage_counters_add(counters, user_id, app_id, outcome, call->now);
    if (outcome == USAGE_REFUSED)
        count_refusal(call, app_id);
}
