/* signup_pages.c - sign-up, which also signs in. A rejected form is shown again with its input,
 * except the password.
 *
 * With a password or with a passkey; both end in sign_in(). The limits for new accounts are in the
 * route (`creates`). If the operator has closed registration, all routes answer 403. */
#include "crypt/password.h"
#include "dispatch/browser_session.h"
#include "dispatch/throttle.h"
#include "flow/accounts.h"
#include "flow/sessions.h"
#include "model/redirect_uri.h"
#include "oauth/continuation.h"
#include "oauth/oauth_routes.h"
#include "page/device.h"
#include "page/passkey_form.h"
#include "template/template.h"
#include "web/call.h"
#include "web/language.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

#define FIRST_RUN "/account/welcome"

enum { NEXT, USERNAME, EMAIL, NAME, PASSWORD };

/* Looser than the rules of account_make(), whose error messages are better. */
static const struct field signup_fields[] = {
    [NEXT] = { "next", FIELD_TEXT, FIELD_IN_FORM, .max = 8 * 1024 },
    [USERNAME] = { "username", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [EMAIL] = { "email", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [NAME] = { "name", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [PASSWORD] = { "password", FIELD_TEXT, FIELD_IN_FORM, .max = 4 * PASSWORD_BYTES_MAX },
};

static const struct field arrival_fields[] = {
    /* `next`: usually an authorization request */
    [NEXT] = { "next", FIELD_TEXT, FIELD_IN_QUERY, .max = 8 * 1024 },
};

enum {
    PASSKEY_NEXT = PASSKEY_OWN_FIELDS,
    PASSKEY_USERNAME,
    PASSKEY_EMAIL,
    PASSKEY_NAME,
    PASSKEY_USER_ID
};

static const struct field passkey_fields[] = {
    PASSKEY_FIELDS,
    [PASSKEY_NEXT] = { "next", FIELD_TEXT, FIELD_IN_FORM, .max = 8 * 1024 },
    [PASSKEY_USERNAME] = { "username", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [PASSKEY_EMAIL] = { "email", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [PASSKEY_NAME] = { "name", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [PASSKEY_USER_ID] = { "user_id", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
};

/* The form as it was sent. */
struct signup {
    struct str next, username, email, name;
};

static struct signup
signup_of(const struct call *call)
{
    return (struct signup){ call_text(call, NEXT), call_text(call, USERNAME),
                            call_text(call, EMAIL), call_text(call, NAME) };
}

static enum err
send_closed(struct call *call)
{
    return page_send(call, 403, "signup_closed", NULL);
}

/* One field as the template knows it: username, username_problem, username_invalid. */
static void
put_field(struct call *call, struct values *values, const char *name, struct str value,
          const char *problem)
{
    const char *invalid = str_format(call->mem, "%s_invalid", name).ptr;
    const char *message = str_format(call->mem, "%s_problem", name).ptr;
    values_text(values, name, value);
    values_text(values, message, message_sentence(call, str_of(problem)));
    values_text(values, invalid, problem == NULL ? STR("false") : STR("true"));
}

/* Everything but the password is shown again after an error. */
static struct values *
form_values(struct call *call, const struct signup *form, const struct account_problems *problems)
{
    struct values *values = values_new(call->mem);
    put_field(call, values, "username", form->username, problems->username);
    put_field(call, values, "email", form->email, problems->email);
    put_field(call, values, "name", form->name, problems->name);
    put_field(call, values, "password", STR_NONE, problems->password);
    return values;
}

/* As on the sign-in page, the form may lead to the app that sent the user. */
static enum err
show_form(struct call *call, int status, struct str next, struct values *values)
{
    struct continuation after = { .next = next };
    bool passkeys = passkey_form_put(call, values);
    struct sender sender = continuation_sender(call, &after);
    values_text(values, "next", continuation_path(call, &after));
    values_text(values, "app", sender.app);
    values_text(values, "signin", return_path_via(call, "/signin", after.next));
    enum err err = page_send(call, status, "signup", values);
    if (err == ERR_NONE && str_present(sender.redirect_uri))
        page_allow_form_action(call, redirect_uri_origin(call->mem, sender.redirect_uri));
    else if (err == ERR_NONE && passkeys)
        page_allow_connect(call);
    return err;
}

/* Checked here and when the form is sent, since registration may be closed in between. */
static enum err
get_signup(struct call *call)
{
    if (!call->web->settings.registration_open)
        return send_closed(call);
    struct signup form = { .next = call_text(call, NEXT) };
    return show_form(call, 200, form.next,
                     form_values(call, &form, &(struct account_problems){ 0 }));
}

/* All problems at once, each beside its field. */
static enum err
show_problems(struct call *call, const struct signup *form, const struct account_problems *problems,
              struct str passkey_problem)
{
    struct values *values = form_values(call, form, problems);
    values_flag(values, "refused", true);
    values_text(values, "passkey_problem", passkey_problem);
    return show_form(call, 400, form->next, values);
}

/* Keeps what was typed, because nothing is wrong with it. */
static enum err
show_unavailable(struct call *call, const struct signup *form)
{
    struct values *values = form_values(call, form, &(struct account_problems){ 0 });
    values_flag(values, "unavailable", true);
    enum err err = show_form(call, 503, form->next, values);
    if (err == ERR_NONE)
        response_retry_later(call);
    return err;
}

/* The account exists now: if its first session cannot be stored, the user signs in by hand. */
static enum err
sign_in(struct call *call, struct user *user, struct str return_to)
{
    struct continuation after = { .next = return_to };
    struct sign_in params = {
        .old_key = call->browser == NULL ? STR_NONE : call->browser->key,
        .request_id = continuation_request(&after),
        .device = http_header(&call->exchange->request, "User-Agent"),
        .address = call->exchange->request.client,
        .now = call->now,
    };
    struct str key;
    const char *next = NULL;
    enum err err = session_start(call->db, call->mem, &params, user, &key);
    if (err == ERR_NONE)
        err = continuation_find(call, &after, key, &next);
    if (err != ERR_NONE) {
        response_redirect(call, str_c(call->mem, return_path_via(call, "/signin", after.next)));
        return ERR_NONE;
    }
    /* A user who came for an app continues there; others answer a few questions first. */
    response_redirect(call, str_present(continuation_path(call, &after)) ? next : FIRST_RUN);
    browser_session_set_device(call, user);
    browser_session_set_cookie(call, key);
    return ERR_NONE;
}

/* The person who signs up chooses the recipient, so a limit protects recipients from a flood of
 * email. */
static bool
may_send(struct call *call, struct str email)
{
    struct str key = user_fold_email(call->mem, str_trim(email));
    return call->web->settings.sends_mail && key.len > 0 &&
           throttle_take(call->web->mails, key) == 0;
}

/* The language of the account is the one that the browser asked for, if there is a catalog for
 * it. */
static struct account_params
account_params_of(struct call *call, const struct signup *form)
{
    const struct language *asked = message_asked_language(call);
    return (struct account_params){ .username = form->username,
                                    .email = form->email,
                                    .send_mail = may_send(call, form->email),
                                    .name = form->name,
                                    .language = asked == NULL ? STR_NONE : asked->tag };
}

/* The user is signed in at once, without entering the new password again. */
static enum err
post_signup(struct call *call)
{
    if (!call->web->settings.registration_open)
        return send_closed(call);
    /* Empty, not absent: an absent password would create an account that cannot sign in. */
    struct str password = call_text(call, PASSWORD);
    struct signup form = signup_of(call);
    struct account_params params = account_params_of(call, &form);
    params.password = str_present(password) ? password : STR("");
    struct account_problems problems = { 0 };
    struct user user;
    enum err err = account_make(call->db, call->mem, &params, call->now, &user, &problems);
    if (err == ERR_INVALID || err == ERR_TAKEN)
        return show_problems(call, &form, &problems, STR_NONE);
    if (err == ERR_UNAVAILABLE)
        return show_unavailable(call, &form);
    return err == ERR_NONE ? sign_in(call, &user, form.next) : err;
}

/* The user id was chosen with the challenge, which proves that it is ours. */
static enum err
post_passkey(struct call *call)
{
    if (!call->web->settings.registration_open)
        return send_closed(call);
    struct signup form = { call_text(call, PASSKEY_NEXT), call_text(call, PASSKEY_USERNAME),
                           call_text(call, PASSKEY_EMAIL), call_text(call, PASSKEY_NAME) };
    struct str user_id = call_text(call, PASSKEY_USER_ID);
    struct passkey_response answer = passkey_form_read(call, CHALLENGE_SIGN_UP, user_id);
    struct account_params params = account_params_of(call, &form);
    struct account_problems problems = { 0 };
    struct user user;
    struct str device = device_text(call, http_header(&call->exchange->request, "User-Agent"));
    enum err err =
        passkeys_sign_up(call->db, call->mem, &answer, &params, device, &user, &problems);
    if (err == ERR_INVALID || err == ERR_TAKEN)
        return show_problems(
            call, &form, &problems,
            account_problems_any(&problems) ? STR_NONE : message(call, KEY("passkey.not_added")));
    if (err == ERR_UNAVAILABLE)
        return show_unavailable(call, &form);
    return err == ERR_NONE ? sign_in(call, &user, form.next) : err;
}

const struct route signup_routes[] = {
    { GET, "/signup", get_signup, CALLER_ANYONE, .summary = "Shows the sign-up form.", .page = true,
      ROUTE_FIELDS(arrival_fields) },
    { POST, "/signup", post_signup, CALLER_ANYONE, .summary = "Creates an account.", .page = true,
      ROUTE_FIELDS(signup_fields), .body = BODY_FORM, .body_max = 16 * KIB, .creates = true,
      .blocks = true, .hashes = true },
    { POST, "/signup/passkey", post_passkey, CALLER_ANYONE,
      .summary = "Creates an account that signs in with a passkey.", .page = true,
      ROUTE_FIELDS(passkey_fields), .body = BODY_FORM, .body_max = PASSKEY_BODY_MAX,
      .creates = true, .blocks = true },
    { 0 },
};
