/* client_auth.c - reads the credentials of an app and compares them with the stored hashes.
 *
 * The order is deliberate: a network at its limit is refused before anything is read from the
 * store; the secret is checked; then failures are counted, and the limit is checked again, so that
 * parallel guesses get no more answers than single ones. */
#include "dispatch/client_auth.h"

#include "base/arena.h"
#include "dispatch/authorization_header.h"
#include "dispatch/request_usage.h"
#include "dispatch/response_cache.h"
#include "dispatch/throttle.h"
#include "flow/apps.h"
#include "store/tx.h"
#include "text/form.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"
#include "web/state.h"

struct credentials {
    struct str id;
    struct str secret; /* absent: not sent, or empty */
};

/* RFC 6749 §5.2: 401 with WWW-Authenticate. The same for an unknown client and a wrong secret. */
void
client_auth_refuse(struct call *call)
{
    error_send_oauth(call, 401, "invalid_client",
                     STR("Unknown client_id or wrong client_secret. Check both. If the secret is "
                         "lost, create a new one in the app's settings."));
    response_header(call, "WWW-Authenticate", "Basic realm=\"penchant\", charset=\"UTF-8\"");
}

/* False: an error response was sent. */
static bool
read_credentials(struct call *call, struct credentials *sent)
{
    const struct http_request *request = &call->exchange->request;
    struct str header = http_header(request, "Authorization");
    const struct form *form = call_form(call);
    if (form == NULL) {
        error_send_oauth(call, 400, "invalid_request",
                         str_format(call->mem, "The body cannot be read: %s", call->form_problem));
        return false;
    }
    if (form_count(form, "client_id") > 1 || form_count(form, "client_secret") > 1) {
        error_send_oauth(call, 400, "invalid_request",
                         STR("client_id and client_secret must be sent only once."));
        return false;
    }
    struct str body_id = form_find(form, "client_id");
    struct str body_secret = form_find(form, "client_secret");
    if (!str_present(header)) {
        *sent = (struct credentials){ body_id, body_secret };
        return true;
    }
    if (body_secret.len > 0) {
        request_usage_refused_claim(call, body_id);
        error_send_oauth(call, 400, "invalid_request",
                         STR("Send the client credentials in the header or in the body, not in "
                             "both."));
        return false;
    }
    bool readable = authorization_header_basic(call->mem, header, &sent->id, &sent->secret);
    if (readable && body_id.len > 0 && !str_eq(body_id, sent->id)) {
        error_send_oauth(call, 400, "invalid_request",
                         STR("client_id in the body differs from the one in the header."));
        return false;
    }
    if (!readable)
        client_auth_refuse(call);
    return readable;
}

/* The same response for a wrong and for a right secret, so that an attacker who is throttled learns
 * nothing. */
static void
refuse_throttled(struct call *call, int64_t seconds)
{
    error_send_oauth(call, 429, "rate_limited",
                     STR("Too many failed attempts for this client_id or from this address. Wait, "
                         "then try again with the right secret."));
    response_header(call, "Retry-After", str_format(call->mem, "%lld", (long long)seconds).ptr);
    call->rate = (struct call_rate){ throttle_limit(call->web->client_failures), 0, seconds };
}

/* The number of commits is read before the app: if the app changes in between, a response that is
 * cached with this number counts as outdated. */
enum err
client_auth(struct call *call)
{
    struct credentials sent = { 0 };
    call->commits = store_commits(call->db); /* before the app is read */
    if (!read_credentials(call, &sent))
        return ERR_NONE;
    if (sent.secret.len == 0)
        sent.secret = STR_NONE; /* RFC 6749 §2.3.1: an empty secret may be omitted */
    struct throttle *failures = call->web->client_failures;
    struct str network = call->exchange->request.network;
    int64_t wait = throttle_wait(failures, network);
    if (wait != 0) {
        refuse_throttled(call, wait);
        return ERR_NONE;
    }
    struct app *app = ARENA_NEW(call->mem, struct app);
    enum err err = response_cache_app(call, app_id_of_client(call->mem, sent.id), app);
    if (err && err != ERR_NOT_FOUND)
        return err;
    /* The id of an app with a metadata document is a digest of its URL. The client must send the
     * URL, not the digest. */
    if (!str_eq(app_client_id(app), sent.id))
        *app = (struct app){ 0 };
    bool authenticated = app_is_authenticated(call->mem, app, sent.secret, call->now);
    /* Failed attempts by others never block the app itself: its client_id is public, and its secret
     * is too long to guess. An unknown client_id has no count of its own, because anyone can make
     * up as many as it takes to fill the table. */
    wait = authenticated ? throttle_wait(failures, network)
                         : throttle_take_both(failures, network, app->id);
    if (!authenticated && str_present(app->id))
        request_usage_refused(
            call, app->id, str_of(app_refusal(call->mem, app, sent.secret, call->now)), STR_NONE);
    if (wait != 0)
        refuse_throttled(call, wait); /* does not reveal whether the secret was right */
    else if (!authenticated)
        client_auth_refuse(call);
    else
        call->app = app;
    return ERR_NONE;
}
