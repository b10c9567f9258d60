/* signin_pages.c - sign-in and sign-out. An unknown user, a wrong password, and a disabled account
 * get the same response, after the same work: session_sign_in() hashes the password in any case.
 * After sign-in the browser goes only to a path of this service or to a stored authorization
 * request.
 *
 * Failures are counted by account and by network, or by the device cookie alone if the browser has
 * signed in to this account before, so that failures of others do not lock the user out. */
#include "crypt/password.h"
#include "dispatch/browser_session.h"
#include "dispatch/throttle.h"
#include "flow/accounts.h"
#include "flow/sessions.h"
#include "model/redirect_uri.h"
#include "oauth/continuation.h"
#include "oauth/oauth_routes.h"
#include "page/notice.h"
#include "page/passkey_form.h"
#include "template/template.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

enum { USERNAME, PASSWORD, NEXT, REQUEST };

static const struct field signin_fields[] = {
    [USERNAME] = { "username", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [PASSWORD] = { "password", FIELD_TEXT, FIELD_IN_FORM, .max = 4 * PASSWORD_BYTES_MAX },
    [NEXT] = { "next", FIELD_TEXT, FIELD_IN_FORM, .max = 8 * 1024 },
    [REQUEST] = { "request", FIELD_TEXT, FIELD_IN_FORM, .max = 100 },
};

static const struct field arrival_fields[] = {
    [NEXT] = { "next", FIELD_TEXT, FIELD_IN_QUERY, .max = 8 * 1024 },
    [REQUEST] = { "request", FIELD_TEXT, FIELD_IN_QUERY, .max = 100 },
    [USERNAME] = { "username", FIELD_LINE, FIELD_IN_QUERY, .max = 1000 },
    [PASSWORD] = { "unused", FIELD_TEXT, FIELD_IN_QUERY, .max = 1 },
};

enum { PASSKEY_NEXT = PASSKEY_OWN_FIELDS, PASSKEY_REQUEST };

static const struct field passkey_fields[] = {
    PASSKEY_FIELDS,
    [PASSKEY_NEXT] = { "next", FIELD_TEXT, FIELD_IN_FORM, .max = 8 * 1024 },
    [PASSKEY_REQUEST] = { "request", FIELD_TEXT, FIELD_IN_FORM, .max = 100 },
};

static struct continuation
continuation(const struct call *call)
{
    return (struct continuation){ call_text(call, NEXT), call_text(call, REQUEST) };
}

/* The page names the app that sent the user, after its request was checked, and allows the form to
 * lead to it. */
static enum err
show_page(struct call *call, int status, struct continuation after, struct str username,
          struct str problem)
{
    struct values *values = values_new(call->mem);
    struct str next = continuation_path(call, &after);
    bool passkeys = passkey_form_put(call, values);
    values_text(values, "username", username);
    values_text(values, "next", next);
    values_text(values, "request", continuation_request(&after));
    values_text(values, "problem", problem);
    values_flag(values, "registration", call->web->settings.registration_open);
    values_text(values, "signup", return_path_via(call, "/signup", next));
    struct sender sender = continuation_sender(call, &after);
    values_text(values, "app", sender.app);
    bool has_flash = flash_put(call, values);
    enum err err = page_send(call, status, "signin", values);
    if (err == ERR_NONE && has_flash)
        flash_clear(call);
    if (err == ERR_NONE && str_present(sender.redirect_uri))
        page_allow_form_action(call, redirect_uri_origin(call->mem, sender.redirect_uri));
    else if (err == ERR_NONE && passkeys)
        page_allow_connect(call);
    return err;
}

static enum err
show_form(struct call *call, int status, struct str problem)
{
    return show_page(call, status, continuation(call), call_text(call, USERNAME), problem);
}

static enum err
get_signin(struct call *call)
{
    return show_form(call, 200, STR_NONE);
}

/* `seconds` until the next attempt is allowed. */
static enum err
send_wait(struct call *call, int64_t seconds)
{
    int64_t minutes = (seconds + 59) / 60;
    enum err err = show_form(
        call, 429, message_count(call, KEY("signin.wait.one"), KEY("signin.wait.other"), minutes));
    response_header(call, "Retry-After", str_format(call->mem, "%lld", (long long)seconds).ptr);
    call->rate = (struct call_rate){ throttle_limit(call->web->sign_in_failures), 0, seconds };
    return err;
}

/* A session that the browser already has ends: a new sign-in always gets a new key, so that a key
 * that an attacker knew before is invalid (session fixation). */
static struct sign_in
sign_in_params(const struct call *call, const struct continuation *after)
{
    return (struct sign_in){
        .old_key = call->browser == NULL ? STR_NONE : call->browser->key,
        .request_id = continuation_request(after),
        .device = http_header(&call->exchange->request, "User-Agent"),
        .address = call->exchange->request.client,
        .now = call->now,
    };
}

/* The session `key` has started: sets its cookie and continues. */
static enum err
enter(struct call *call, const struct user *user, struct str key, const struct continuation *after,
      bool known_device)
{
    const char *next = NULL;
    enum err err = continuation_find(call, after, key, &next);
    if (err != ERR_NONE)
        return err;
    /* A notice for each sign-in would be ignored; one for a new browser is read. */
    if (!known_device)
        notice_send(call, user, MAIL_SIGN_IN, notice_device(call));
    response_redirect(call, next);
    browser_session_set_device(call, user);
    browser_session_set_cookie(call, key);
    return ERR_NONE;
}

/* The response and its time must not reveal whether a user exists: the same hash is computed for an
 * unknown name. A browser that the user has signed in with before (a known device) has limits of
 * its own, so that attackers cannot lock the user out. */
static enum err
post_signin(struct call *call)
{
    struct str typed = call_text(call, USERNAME), password = call_text(call, PASSWORD);
    struct user user = { 0 };
    enum err err = user_id_well_formed(str_trim(typed)) /* an id is not offered for signing in */
                       ? ERR_NOT_FOUND
                       : account_find(call->db, call->mem, typed, &user);
    if (err != ERR_NONE && err != ERR_NOT_FOUND)
        return err;
    /* Too long to be right. It costs no hash, so it is not counted. */
    if (password.len > PASSWORD_BYTES_MAX)
        return show_form(call, 401, message(call, KEY("signin.wrong")));
    /* Failures count by the account, however its name is spelled, and by the network. */
    struct str device = browser_session_device(call, &user);
    struct str one = str_present(device) ? device : call->exchange->request.network;
    struct str other = str_present(device) ? STR_NONE : user.id;
    struct continuation after = continuation(call);
    struct sign_in params = sign_in_params(call, &after);
    params.login = err == ERR_NONE ? user.id : STR("");
    params.password = str_present(password) ? password : STR("");
    params.new_device = !str_present(device);
    struct str key;
    struct throttle *failures = call->web->sign_in_failures;
    int64_t wait = throttle_wait_both(failures, one, other);
    if (wait != 0)
        return send_wait(call, wait);
    err = session_sign_in(call->db, call->mem, &params, &key, &user);
    /* Checked again after hashing: parallel attempts beyond the limit must not learn the result. */
    if (err == ERR_NONE)
        wait = throttle_wait_both(failures, one, other);
    else if (err == ERR_UNAUTHENTICATED)
        wait = throttle_take_both(failures, one, other);
    if (wait != 0 && err == ERR_NONE) /* the key of the new session is not sent to any browser */
        err = session_sign_out(call->db, call->mem, key);
    if (wait != 0)
        return err && err != ERR_UNAUTHENTICATED ? err : send_wait(call, wait);
    if (err == ERR_UNAUTHENTICATED)
        return show_form(call, 401, message(call, KEY("signin.wrong")));
    return err == ERR_NONE ? enter(call, &user, key, &after, str_present(device)) : err;
}

/* Failures are not limited: a signature cannot be guessed. */
static enum err
post_passkey(struct call *call)
{
    struct passkey_response answer = passkey_form_read(call, CHALLENGE_SIGN_IN, STR_NONE);
    struct continuation after = { call_text(call, PASSKEY_NEXT), call_text(call, PASSKEY_REQUEST) };
    struct sign_in params = sign_in_params(call, &after);
    struct user user;
    struct str key;
    enum err err = passkeys_authenticate(call->db, call->mem, &answer, &user);
    params.new_device = err == ERR_NONE && !str_present(browser_session_device(call, &user));
    if (err == ERR_NONE)
        err = session_start(call->db, call->mem, &params, &user, &key);
    if (err == ERR_UNAUTHENTICATED)
        return show_page(call, 401, after, STR_NONE, message(call, KEY("passkey.refused")));
    if (err != ERR_NONE)
        return err;
    return enter(call, &user, key, &after, !params.new_device);
}

/* CALLER_USER: the form token is checked, so that other sites cannot sign a user out. */
static enum err
post_signout(struct call *call)
{
    enum err err = session_sign_out(call->db, call->mem, call->browser->key);
    if (err != ERR_NONE)
        return err;
    response_redirect(call, "/");
    browser_session_clear_cookie(call);
    return ERR_NONE;
}

const struct route signin_routes[] = {
    { GET, "/signin", get_signin, CALLER_ANYONE, .summary = "Shows the sign-in form.", .page = true,
      ROUTE_FIELDS(arrival_fields) },
    { POST, "/signin", post_signin, CALLER_ANYONE, .summary = "Signs a user in.", .page = true,
      ROUTE_FIELDS(signin_fields), .body = BODY_FORM, .body_max = 32 * KIB, .blocks = true,
      .hashes = true },
    { POST, "/signin/passkey", post_passkey, CALLER_ANYONE,
      .summary = "Signs a user in with a passkey.", .page = true, ROUTE_FIELDS(passkey_fields),
      .body = BODY_FORM, .body_max = PASSKEY_BODY_MAX, .blocks = true },
    { POST, "/signout", post_signout, CALLER_USER, .summary = "Signs the user out.", .page = true,
      .body = BODY_FORM, .body_max = 4 * KIB, .blocks = true },
    { 0 },
};
