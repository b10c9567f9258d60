/* domain_pages.c - verifies the host of an app's homepage, when its developer asks for it.
 *
 * The handler runs twice: first it lets the connection wait without a thread for the file of the
 * host, then it is called again and stores the result (client/domain_proof.h). */
#include "client/domain_proof.h"
#include "dispatch/throttle.h"
#include "portal/app_form.h"
#include "portal/portal_routes.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/state.h"

static enum err
refuse(struct call *call, int status, const struct app *app, const char *problem)
{
    return developer_app_show_settings(call, status, app,
                                       &(struct app_refusals){ .domain = problem });
}

/* Lets the connection wait for the file. */
static enum err
begin(struct call *call, const struct app *app)
{
    struct documents *documents = call->web->settings.documents;
    struct http_exchange *exchange = call->exchange;
    const char *problem = NULL;
    struct str url = domain_proof_url(documents, call->mem, app->homepage, &problem);
    if (problem != NULL)
        return refuse(call, 400, app, problem);
    if (throttle_take(call->web->document_fetches, exchange->request.network) != 0 ||
        !exchange->can_wait)
        return refuse(call, 429, app,
                      "This service is fetching too many files right now. Try again in a minute.");
    call->waited_for = domain_proof_new(documents, call->mem, url, app->homepage);
    exchange->wait_context = call->waited_for;
    exchange->wait = domain_proof_wait;
    return ERR_NONE;
}

/* A host that does not answer changes nothing; one that answers without the app's id ends an
 * earlier verification. */
static enum err
finish(struct call *call, struct app *app)
{
    const char *problem = NULL;
    struct app checked = *app;
    enum domain_result result =
        domain_proof_finish(call->waited_for, app->id, app->homepage, &problem);
    enum err err = ERR_NONE;
    checked.verified_at = result == DOMAIN_VERIFIED ? call->now : 0;
    if (result == DOMAIN_VERIFIED || result == DOMAIN_REFUSED)
        err = app_set_verified(call->db, call->mem, &checked, call->now, app);
    if (err != ERR_NONE)
        return err;
    if (problem != NULL)
        return refuse(call, 400, app, problem);
    struct flash flash = { .key = KEY("flash.app.domain_verified") };
    flash_redirect(call, developer_app_settings_path(call, app), &flash);
    return ERR_NONE;
}

/* Runs twice: first it asks for the file on the app's domain and waits without a thread, then it is
 * called again with the result. */
static enum err
post_verify(struct call *call)
{
    struct app app;
    /* In both runs: the app may be deleted while the connection waits. */
    enum err err = developer_app_find(call, &app);
    if (err != ERR_NONE)
        return err;
    return call->waited_for == NULL ? begin(call, &app) : finish(call, &app);
}

const struct route developer_domain_routes[] = {
    { POST, "/developer/apps/{app}/verify", post_verify, CALLER_USER,
      .summary = "Verifies the host of an app's homepage.", .page = true, .body = BODY_FORM,
      .body_max = 4 * KIB, .blocks = true },
    { 0 },
};
