/* browser_session.c - the cookies of a browser and the paths that sign-in returns to.
 *
 * Three cookies: the session key; the device cookie, which stays after sign-out; and the one that
 * binds passkey challenges to the browser. A path to return to comes from the client (`next`), so
 * every use of one passes return_path_ok(): otherwise a link could send users to another site after
 * they sign in. */
#include "dispatch/browser_session.h"

#include "base/arena.h"
#include "base/buf.h"
#include "crypt/digest.h"
#include "flow/sessions.h"
#include "text/base64url.h"
#include "text/form.h"
#include "text/multipart.h"
#include "text/url.h"
#include "web/browser_cookie.h"
#include "web/call.h"
#include "web/error.h"
#include "web/flash.h"
#include "web/language.h"
#include "web/message.h"
#include "web/response.h"
#include "web/state.h"

#define NEXT_MAX ((size_t)8 * 1024)
#define LOCATION_MAX ((size_t)8 * 1024) /* must fit into HTTP_RESPONSE_HEAD_MAX */

#define SESSION_COOKIE "penchant"
#define DEVICE_COOKIE "penchant-device"
#define CHALLENGES_COOKIE "penchant-challenges"
#define CHALLENGES_SECONDS 3600
#define DEVICE_SECONDS (365 * 24 * 3600)

/* An unknown or expired key is no error: the user is signed out. Also sets the language and the
 * form token of the page. */
enum err
browser_session_find(struct call *call)
{
    struct str key = browser_cookie(call, SESSION_COOKIE);
    if (!str_present(key))
        return ERR_NONE;
    struct browser_session *browser = ARENA_NEW(call->mem, struct browser_session);
    enum err err =
        session_find(call->db, call->mem, key, call->now, &browser->session, &browser->user);
    browser->key = key;
    if (err == ERR_NONE) {
        call->browser = browser;
        call->username = browser->user.username;
        call->language = language_find(&call->web->languages, browser->user.language);
        call->form_token = session_form_token(call->mem, key);
    }
    /* Other errors are the store's, and must not look like a sign-out. */
    return err == ERR_NOT_FOUND ? ERR_NONE : err;
}

/* Without a boundary in the header, the body cannot be read: ERR_INVALID. */
enum err
browser_session_read_parts(struct call *call, struct multipart *out)
{
    const struct http_request *request = &call->exchange->request;
    struct why why = { 0 };
    struct str boundary = multipart_boundary(http_header(request, "Content-Type"));
    return multipart_read(call->mem, boundary, request->body, out, &why);
}

/* A field that was sent twice is refused, because readers may differ in which one they take. */
bool
browser_session_form_ok(struct call *call)
{
    struct multipart parts;
    if (call->route->body == BODY_FILE)
        return browser_session_read_parts(call, &parts) == ERR_NONE &&
               digest_equal(multipart_find(&parts, "form"), call->form_token);
    const struct form *form = call_form(call);
    if (form == NULL || form_count(form, "form") != 1)
        return false;
    return digest_equal(form_find(form, "form"), call->form_token);
}

void
browser_session_set_cookie(struct call *call, struct str key)
{
    browser_cookie_set(call, SESSION_COOKIE, key, SESSION_SECONDS, COOKIE_LAX);
}

void
browser_session_clear_cookie(struct call *call)
{
    browser_cookie_set(call, SESSION_COOKIE, STR(""), 0, COOKIE_LAX);
}

void
browser_session_set_device(struct call *call, const struct user *user)
{
    browser_cookie_set(call, DEVICE_COOKIE, session_make_device(call->mem, user), DEVICE_SECONDS,
                       COOKIE_LAX);
}

struct str
browser_session_device(struct call *call, const struct user *user)
{
    return session_device_nonce(call->mem, user, browser_cookie(call, DEVICE_COOKIE));
}

struct str
browser_session_challenges(const struct call *call)
{
    return browser_cookie(call, CHALLENGES_COOKIE);
}

void
browser_session_set_challenges(struct call *call, struct str value)
{
    browser_cookie_set(call, CHALLENGES_COOKIE, value, CHALLENGES_SECONDS, COOKIE_LAX);
}

/* An encoded byte takes three characters. */
struct str
return_path_via(struct call *call, const char *page, struct str next)
{
    struct buf path = buf_in(call->mem, 4 * NEXT_MAX);
    buf_add_c(&path, page);
    if (return_path_ok(next)) {
        buf_add_c(&path, "?next=");
        url_encode(&path, next);
    }
    return path.overflow ? str_of(page) : buf_str(&path);
}

#define REQUEST_PATH "/oauth/consent?request="

/* The id becomes part of a path, so it must not contain other characters. */
static bool
request_id_ok(struct str id)
{
    return str_starts(id, STR("req_")) && base64url_only(id);
}

struct str
request_in_path(struct str next)
{
    struct str path = STR(REQUEST_PATH);
    struct str id = str_starts(next, path) ? str_from(next, path.len) : STR_NONE;
    return request_id_ok(id) ? id : STR_NONE;
}

struct str
request_page_path(struct call *call, struct str id)
{
    return request_id_ok(id) ? str_format(call->mem, REQUEST_PATH "%.*s", STR_ARG(id)) : STR_NONE;
}

const char *
request_sign_in_path(struct call *call, struct str id)
{
    return request_id_ok(id) ? str_format(call->mem, "/signin?request=%.*s", STR_ARG(id)).ptr
                             : "/signin";
}

/* The form's content is discarded: after signing in the user decides again. */
static void
redirect_form(struct call *call)
{
    const struct form *form = call->route->resumes == NULL ? NULL : call_form(call);
    struct str id = form == NULL ? STR_NONE : form_find(form, call->route->resumes);
    const char *key =
        request_id_ok(id) ? KEY("flash.signed_out_deciding") : KEY("flash.signed_out");
    flash_redirect(call, request_sign_in_path(call, id), &(struct flash){ .key = key });
}

/* A form that was sent cannot be repeated after signing in, so its user is sent to the page with
 * the form instead. */
void
browser_session_require(struct call *call)
{
    if (call->route->method != GET) {
        redirect_form(call);
        return;
    }
    struct str path = return_path_via(call, "/signin", call->exchange->request.target);
    if (path.len > LOCATION_MAX)
        error_send(call, 414,
                   STR("This address is too long to return to after signing in. Sign in first, "
                       "then open it again."));
    else
        response_redirect(call, str_c(call->mem, path));
}

/* Only a path of this service: anything else would make sign-in an open redirector. Bytes that a
 * browser would strip or change are refused, too, because they can turn a path into a URL with a
 * host. */
bool
return_path_ok(struct str next)
{
    if (next.len == 0 || next.len > NEXT_MAX || next.ptr[0] != '/')
        return false;
    if (next.len > 1 && (next.ptr[1] == '/' || next.ptr[1] == '\\'))
        return false; /* browsers read both as the start of another host */
    for (size_t i = 0; i < next.len; i++) {
        unsigned char c = (unsigned char)next.ptr[i];
        if (c <= 0x20 || c >= 0x7f || c == '\\')
            return false;
    }
    return true;
}
