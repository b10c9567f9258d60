/* confirm_pages.c - /account/confirm: password or passkey before a sensitive change.
 *
 * The only page of the account that checks a password, so guesses in a stolen session are limited
 * in one place. `next` is accepted only as a path of this service. */
#include "account/account_routes.h"
#include "account/confirm.h"
#include "crypt/password.h"
#include "dispatch/browser_session.h"
#include "dispatch/throttle.h"
#include "flow/sessions.h"
#include "identity/security.h"
#include "page/account_page.h"
#include "page/passkey_form.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/page.h"
#include "web/response.h"
#include "web/state.h"

#define HERE "/account/confirm"

enum { PASSWORD, NEXT };

static const struct field password_fields[] = {
    [PASSWORD] = { "password", FIELD_TEXT, FIELD_IN_FORM, .max = 4 * PASSWORD_BYTES_MAX },
    [NEXT] = { "next", FIELD_TEXT, FIELD_IN_FORM, .max = 1000 },
};

/* The first field is unused: NEXT has the same index in both lists. */
static const struct field arrival_fields[] = {
    [PASSWORD] = { "unused", FIELD_TEXT, FIELD_IN_QUERY, .max = 1 },
    [NEXT] = { "next", FIELD_TEXT, FIELD_IN_QUERY, .max = 1000 },
};

enum { PASSKEY_NEXT = PASSKEY_OWN_FIELDS };

static const struct field passkey_fields[] = {
    PASSKEY_FIELDS,
    [PASSKEY_NEXT] = { "next", FIELD_TEXT, FIELD_IN_FORM, .max = 1000 },
};

/* Offers only what the account has: a password, passkeys, or both. */
static enum err
show(struct call *call, int status, struct str next, struct str password_problem,
     struct str passkey_problem)
{
    struct values *values = values_new(call->mem);
    struct passkey *list;
    size_t count;
    enum err err = passkeys_list(call->db, call->mem, call->browser->user.id, &list, &count);
    if (err)
        return err;
    account_put_field(call, values, "password", STR_NONE, password_problem);
    values_text(values, "passkey_problem", passkey_problem);
    values_text(values, "next", return_path_ok(next) ? next : STR(""));
    values_flag(values, "has_password", str_present(call->browser->user.password_hash));
    values_flag(values, "has_passkeys", passkey_form_put(call, values) && count > 0);
    values_flag(values, "refused", status != 200);
    err = account_page(call, status, "account_confirm", "confirm", values);
    if (!err)
        page_allow_connect(call);
    return err;
}

static enum err
get_confirm(struct call *call)
{
    return show(call, 200, call_text(call, NEXT), STR_NONE, STR_NONE);
}

/* The time is stored in the session, so other browsers of the user have to confirm by
 * themselves. */
static enum err
done(struct call *call, struct str next)
{
    enum err err = session_confirm(call->db, call->mem, call->browser->session.hash, call->now);
    if (err == ERR_NONE)
        response_redirect(call, return_path_ok(next) ? str_c(call->mem, next) : "/account");
    return err;
}

/* Failures are limited per session. */
static enum err
post_password(struct call *call)
{
    struct throttle *failures = call->web->sign_in_failures;
    struct str budget = call->browser->session.hash, password = call_text(call, PASSWORD);
    struct str next = call_text(call, NEXT);
    /* Taken before the password is compared, so that parallel attempts count, and returned if it
     * was right. */
    int64_t wait = throttle_take(failures, budget);
    if (wait != 0)
        return show(call, 429, next, confirm_wait(call, wait), STR_NONE);
    enum err err = security_check_password(call->db, call->mem, call->browser->user.id,
                                           str_present(password) ? password : STR(""));
    if (err == ERR_UNAUTHENTICATED)
        return show(call, 400, next, message(call, KEY("security.password.wrong")), STR_NONE);
    throttle_return(failures, budget);
    return err == ERR_NONE ? done(call, next) : err;
}

/* A passkey confirms as a password does: the challenge is for this purpose and this user, so a
 * response from the sign-in page is rejected. */
static enum err
post_passkey(struct call *call)
{
    struct passkey_response answer =
        passkey_form_read(call, CHALLENGE_CONFIRM, call->browser->user.id);
    struct user user;
    enum err err = passkeys_authenticate(call->db, call->mem, &answer, &user);
    if (err == ERR_UNAUTHENTICATED)
        return show(call, 400, call_text(call, PASSKEY_NEXT), STR_NONE,
                    message(call, KEY("passkey.refused")));
    return err == ERR_NONE ? done(call, call_text(call, PASSKEY_NEXT)) : err;
}

const struct route account_confirm_routes[] = {
    { GET, HERE, get_confirm, CALLER_USER, .summary = "Asks for password or passkey.", .page = true,
      ROUTE_FIELDS(arrival_fields) },
    { POST, HERE, post_password, CALLER_USER, .summary = "Confirms the user with the password.",
      .page = true, ROUTE_FIELDS(password_fields), .body = BODY_FORM, .body_max = 16 * KIB,
      .blocks = true, .hashes = true },
    { POST, HERE "/passkey", post_passkey, CALLER_USER,
      .summary = "Confirms the user with a passkey.", .page = true, ROUTE_FIELDS(passkey_fields),
      .body = BODY_FORM, .body_max = PASSKEY_BODY_MAX, .blocks = true },
    { 0 },
};
