/* document_client.c - clients whose client_id is the URL of a metadata document. The document is
 * fetched before anything else of the request is believed; while it is fetched, the connection
 * waits without a thread. */
#include "oauth/document_client.h"

#include "client/documents.h"
#include "dispatch/browser_session.h"
#include "dispatch/throttle.h"
#include "flow/authorize.h"
#include "text/url.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"
#include "web/state.h"

/* Without MCP or with client-documents off, no such client is accepted. */
static const char *
url_problem(const struct call *call, struct str url)
{
    const struct documents *documents = call->web->settings.documents;
    return documents == NULL ? "This service does not accept the URL of a document as client_id."
                             : documents_url_problem(documents, url);
}

bool
document_client_allowed(const struct call *call, const struct authorize_params *params)
{
    /* Ids of other clients never begin like a URL. */
    return !url_is_https(params->client_id) || url_problem(call, params->client_id) == NULL;
}

/* Never a redirect to the app, because its identity is not known. */
static enum err
refuse(struct call *call, struct str problem)
{
    return error_send_page(
        call, 400,
        str_format(call->mem,
                   "This service cannot verify the app that sent you here. Nothing was shared with "
                   "it. For the developer: The client ID metadata document cannot be used. %.*s",
                   STR_ARG(problem)));
}

/* A page, not a redirect: the redirect URI is in the document that was not fetched. */
static enum err
refuse_busy(struct call *call, int status, int64_t seconds)
{
    enum err err = error_send_page(
        call, status,
        STR("This service is verifying too many apps right now. Wait a minute, then start again in "
            "the app."));
    response_header(call, "Retry-After", str_format(call->mem, "%lld", (long long)seconds).ptr);
    return err;
}

/* Lets the connection wait for the document. */
static enum err
begin_wait(struct call *call, struct str url)
{
    struct http_exchange *exchange = call->exchange;
    /* So that a user cannot make the service send requests to other hosts at will. */
    int64_t seconds = throttle_take(call->web->document_fetches, exchange->request.network);
    if (seconds != 0)
        return refuse_busy(call, 429, seconds);
    if (!exchange->can_wait) /* the service is stopping */
        return refuse_busy(call, 503, 5);
    call->waited_for = documents_wait_new(call->web->settings.documents, call->mem, url);
    exchange->wait_context = call->waited_for;
    exchange->wait = documents_wait;
    return ERR_NONE;
}

/* Called again after the wait, with call->waited_for set: then it takes the result instead of
 * looking. */
bool
document_client_prepare(struct call *call, const struct authorize_params *params, enum err *err)
{
    struct documents *documents = call->web->settings.documents;
    struct str url = params->client_id, problem = STR_NONE;
    enum document_state state = DOCUMENT_READY;
    *err = ERR_NONE;
    if (!url_is_https(url))
        return true;
    const char *wrong = url_problem(call, url);
    if (wrong != NULL) {
        *err = refuse(call, str_of(wrong));
        return false;
    }
    if (call->browser == NULL) { /* only users make the service fetch something */
        browser_session_require(call);
        return false;
    }
    *err = call->waited_for != NULL
               ? documents_finish(call->waited_for, call->db, call->now, &state, &problem)
               : documents_check(documents, call->db, call->mem, url, params->redirect_uri,
                                 call->now, &state, &problem);
    if (*err == ERR_NONE && state == DOCUMENT_NEEDED)
        *err = begin_wait(call, url);
    else if (*err == ERR_NONE && state == DOCUMENT_REFUSED)
        *err = refuse(call, problem);
    else if (*err == ERR_NONE && state == DOCUMENT_BUSY)
        *err = refuse_busy(call, 503, 5);
    return *err == ERR_NONE && state == DOCUMENT_READY;
}
