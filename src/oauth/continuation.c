/* continuation.c - where a user goes after signing in: to a stored authorization request, or to a
 * path of this service. Both come from the browser and are checked before they are used. */
#include "oauth/continuation.h"

#include "dispatch/browser_session.h"
#include "flow/authorize.h"
#include "flow/sessions.h"
#include "oauth/authorize_query.h"
#include "oauth/document_client.h"
#include "web/call.h"

/* The id may be a field of its own or a part of the path. */
struct str
continuation_request(const struct continuation *continuation)
{
    return str_present(continuation->request) ? continuation->request
                                              : request_in_path(continuation->next);
}

/* `next` comes from the browser: only paths of this service are accepted, or signing in would be an
 * open redirect. */
struct str
continuation_path(struct call *call, const struct continuation *continuation)
{
    struct str page = request_page_path(call, continuation_request(continuation));
    struct str path = str_present(page) ? page : continuation->next;
    return return_path_ok(path) ? path : STR_NONE;
}

/* Checks the authorization request in `next`. ERR_NOT_FOUND: `next` is something else. */
static enum err
check_next(struct call *call, struct str next, struct authorize_checked *out)
{
    struct authorize_params params;
    if (!str_starts(next, STR("/oauth/authorize?")) ||
        !authorize_query_read(call, str_from(next, str_index(next, '?') + 1), &params) ||
        !document_client_allowed(call, &params))
        return ERR_NOT_FOUND;
    enum err err = authorize_check(call->db, call->mem, &params, out);
    /* A document is fetched again where the request continues. */
    bool outdated = !err && out->app.kind == APP_DOCUMENT && out->app.fresh_until <= call->now;
    return outdated ? ERR_NOT_FOUND : err;
}

/* For the name of the app on the sign-in page. The request in `next` is checked in full: otherwise
 * any link could put a name on the page. */
struct sender
continuation_sender(struct call *call, const struct continuation *continuation)
{
    struct authorize_checked checked;
    struct auth_request request;
    struct app app;
    scopes held;
    struct sender no_sender = { STR_NONE, STR_NONE };
    const struct session none = { 0 };
    struct str stored = continuation_request(continuation);
    if (str_present(stored))
        return consent_find(call->db, call->mem,
                            call->browser == NULL ? &none : &call->browser->session, stored,
                            call->now, &request, &app, &held) == ERR_NONE
                   ? (struct sender){ app.name, request.redirect_uri }
                   : no_sender;
    if (check_next(call, continuation->next, &checked) != ERR_NONE ||
        checked.stop == AUTHORIZE_SHOW_ERROR)
        return no_sender;
    return (struct sender){ checked.app.name, checked.redirect_uri };
}

/* With prompt=login the request is stored in the new session: following its URL again would demand
 * another sign-in, forever. */
enum err
continuation_find(struct call *call, const struct continuation *continuation, struct str key,
                  const char **out)
{
    struct authorize_checked checked;
    struct continuation found = *continuation;
    if (!str_present(continuation_request(&found))) {
        enum err err = check_next(call, found.next, &checked);
        if (err == ERR_NONE && checked.stop == AUTHORIZE_OK && checked.must_sign_in)
            err = authorize_keep(call->db, call->mem, &checked, session_hash(call->mem, key),
                                 call->now, &found.request);
        if (err != ERR_NONE && err != ERR_NOT_FOUND)
            return err;
    }
    struct str path = continuation_path(call, &found);
    *out = str_present(path) ? str_c(call->mem, path) : "/account";
    return ERR_NONE;
}
