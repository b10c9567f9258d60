/* recover_pages.c - setting a new password without the old one: /forgot, /recover, /reset.
 *
 * Responses do not reveal whether an account exists. Links are made from the auth-url setting,
 * never from the Host header, and opening one changes nothing: mail scanners open links too. */
#include "account/account_routes.h"
#include "account/confirm.h"
#include "crypt/password.h"
#include "dispatch/browser_session.h"
#include "dispatch/throttle.h"
#include "flow/accounts.h"
#include "identity/email.h"
#include "identity/recovery.h"
#include "page/account_page.h"
#include "page/notice.h"
#include "template/template.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

enum { EMAIL };

static const struct field forgot_fields[] = {
    [EMAIL] = { "email", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
};

enum { USERNAME, CODE, NEW };

static const struct field code_fields[] = {
    [USERNAME] = { "username", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [CODE] = { "code", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
    [NEW] = { "new_password", FIELD_TEXT, FIELD_IN_FORM, .max = 4 * PASSWORD_BYTES_MAX },
};

enum { TOKEN, LINK_PASSWORD };

static const struct field link_fields[] = {
    [TOKEN] = { "token", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
    [LINK_PASSWORD] = { "new_password", FIELD_TEXT, FIELD_IN_FORM, .max = 4 * PASSWORD_BYTES_MAX },
};

static const struct field arrival_fields[] = {
    [TOKEN] = { "token", FIELD_LINE, FIELD_IN_QUERY, .max = 100 },
};

/* Setting a password does not sign in: the user does that next, with the new password. */
static enum err
send_done(struct call *call, const struct user *user)
{
    notice_send(call, user, MAIL_PASSWORD, STR_NONE);
    struct flash flash = { .key = KEY("flash.password_set") };
    flash_redirect(call, "/signin", &flash);
    browser_session_clear_cookie(call); /* the session has ended, if it was this user's */
    return ERR_NONE;
}

/* ---- with an email ---- */

static enum err
show_forgot(struct call *call, int status, struct str problem)
{
    struct values *values = values_new(call->mem);
    values_flag(values, "sends_mail", call->web->settings.sends_mail);
    values_flag(values, "refused", problem.len > 0);
    account_put_field(call, values, "email",
                      call->route->method == POST ? call_text(call, EMAIL) : STR_NONE, problem);
    return page_send(call, status, "forgot", values);
}

static enum err
get_forgot(struct call *call)
{
    return show_forgot(call, 200, STR_NONE);
}

/* Does the same for every address, whether it has an account or not: the thread that sends email
 * looks it up later. */
static enum err
post_forgot(struct call *call)
{
    struct str address = str_trim(call_text(call, EMAIL));
    const char *problem = user_email_problem(address);
    if (!call->web->settings.sends_mail)
        return show_forgot(call, 400, STR_NONE);
    if (problem != NULL)
        return show_forgot(call, 400, message_sentence(call, str_of(problem)));
    struct mail mail = { .kind = MAIL_RESET, .address = address, .created_at = call->now };
    int64_t wait = throttle_take_both(call->web->mails, call->exchange->request.network,
                                      user_fold_email(call->mem, address));
    if (wait != 0)
        return show_forgot(call, 429,
                           message_count(call, KEY("forgot.wait.one"), KEY("forgot.wait.other"),
                                         (wait + 59) / 60));
    enum err err = email_queue(call->db, call->mem, &mail);
    if (err != ERR_NONE)
        return err;
    struct flash flash = { .key = KEY("flash.reset_sent") };
    flash_redirect(call, "/signin", &flash);
    return ERR_NONE;
}

/* ---- with a code ---- */

/* The code is not shown again after an error, since it is a secret. */
static enum err
show_recover(struct call *call, int status, struct str problem, struct str new_problem)
{
    struct values *values = values_new(call->mem);
    if (call->route->method == POST)
        values_text(values, "username", call_text(call, USERNAME));
    values_text(values, "problem", problem);
    values_flag(values, "refused", problem.len + new_problem.len > 0);
    account_put_field(call, values, "new_password", STR_NONE, new_problem);
    return page_send(call, status, "recover", values);
}

static enum err
get_recover(struct call *call)
{
    return show_recover(call, 200, STR_NONE, STR_NONE);
}

/* Attempts count like failed sign-ins, by the account and by the network. They count before the
 * result is known, since a success has an effect at once. */
static enum err
post_recover(struct call *call)
{
    struct throttle *failures = call->web->sign_in_failures;
    struct str typed = call_text(call, USERNAME), password = call_text(call, NEW);
    struct str network = call->exchange->request.network;
    struct user user = { 0 };
    const char *problem = NULL;
    enum err err = account_find(call->db, call->mem, typed, &user);
    if (err != ERR_NONE && err != ERR_NOT_FOUND)
        return err;
    struct code_params params = {
        .user_id = user.id,
        .login = typed,
        .code = call_text(call, CODE),
        .password = str_present(password) ? password : STR(""),
        .now = call->now,
    };
    int64_t wait = throttle_take_both(failures, network, user.id);
    if (wait != 0)
        return show_recover(call, 429, confirm_wait(call, wait), STR_NONE);
    err = recovery_use_code(call->db, call->mem, &params, &problem);
    if (err == ERR_UNAUTHENTICATED)
        return show_recover(call, 401, message(call, KEY("recover.wrong")), STR_NONE);
    /* Neither a success nor a password that was not accepted is a guess. */
    throttle_return(failures, network);
    if (str_present(user.id))
        throttle_return(failures, user.id);
    if (err == ERR_INVALID)
        return show_recover(call, 400, STR_NONE, message_sentence(call, str_of(problem)));
    return err == ERR_NONE ? send_done(call, &user) : err;
}

/* ---- with a link ---- */

/* The token is in the form, so that it is not in the address of the next page. */
static enum err
show_reset(struct call *call, int status, const struct user *user, struct str problem)
{
    struct values *values = values_new(call->mem);
    values_text(values, "token", call_text(call, TOKEN));
    values_text(values, "username", user->username);
    values_flag(values, "refused", problem.len > 0);
    account_put_field(call, values, "new_password", STR_NONE, problem);
    return page_send(call, status, "reset", values);
}

/* Shows the form without using up the link. */
static enum err
get_reset(struct call *call)
{
    struct user user;
    enum err err =
        recovery_find_link(call->db, call->mem, call_text(call, TOKEN), call->now, &user);
    if (err == ERR_NOT_FOUND)
        return page_send(call, 400, "reset_expired", NULL);
    return err == ERR_NONE ? show_reset(call, 200, &user, STR_NONE) : err;
}

/* An unknown, used, or expired link are one case: the page offers to send a new one. */
static enum err
post_reset(struct call *call)
{
    struct user user;
    const char *problem = NULL;
    struct str password = call_text(call, LINK_PASSWORD);
    enum err err =
        recovery_use_link(call->db, call->mem, call_text(call, TOKEN),
                          str_present(password) ? password : STR(""), call->now, &user, &problem);
    if (err == ERR_NOT_FOUND)
        return page_send(call, 400, "reset_expired", NULL);
    if (err == ERR_INVALID)
        return show_reset(call, 400, &user, message_sentence(call, str_of(problem)));
    return err == ERR_NONE ? send_done(call, &user) : err;
}

const struct route account_recover_routes[] = {
    { GET, "/forgot", get_forgot, CALLER_ANYONE, .summary = "Shows the ways to set a new password.",
      .page = true },
    { POST, "/forgot", post_forgot, CALLER_ANYONE,
      .summary = "Sends a link that sets a new password.", .page = true,
      ROUTE_FIELDS(forgot_fields), .body = BODY_FORM, .body_max = 8 * KIB, .blocks = true },
    { GET, "/recover", get_recover, CALLER_ANYONE, .summary = "Shows the form for a recovery code.",
      .page = true },
    { POST, "/recover", post_recover, CALLER_ANYONE,
      .summary = "Sets a new password with a recovery code.", .page = true,
      ROUTE_FIELDS(code_fields), .body = BODY_FORM, .body_max = 16 * KIB, .blocks = true,
      .hashes = true },
    { GET, "/reset", get_reset, CALLER_ANYONE, .summary = "Shows the form of a one-time link.",
      .page = true, ROUTE_FIELDS(arrival_fields) },
    { POST, "/reset", post_reset, CALLER_ANYONE,
      .summary = "Sets a new password with a one-time link.", .page = true,
      ROUTE_FIELDS(link_fields), .body = BODY_FORM, .body_max = 16 * KIB, .blocks = true,
      .hashes = true },
    { 0 },
};
