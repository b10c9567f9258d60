/* security_pages.c - password and sessions: /account/security.
 *
 * Changes that an attacker with a stolen session would make (password, codes) need a recent
 * confirmation. Signing out does not: it only revokes access, and a worried user must not have to
 * wait. */
#include "account/account_routes.h"
#include "account/confirm.h"
#include "account/security_view.h"
#include "crypt/password.h"
#include "dispatch/browser_session.h"
#include "identity/passkeys.h"
#include "identity/recovery.h"
#include "identity/security.h"
#include "page/account_page.h"
#include "page/notice.h"
#include "template/template.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/response.h"

#define HERE SECURITY_PAGE

enum { NEW, END_APPS };

static const struct field password_fields[] = {
    [NEW] = { "new_password", FIELD_TEXT, FIELD_IN_FORM, .max = 4 * PASSWORD_BYTES_MAX },
    [END_APPS] = { "end_apps", FIELD_TEXT, FIELD_IN_FORM, .max = 10 },
};

static enum err
get_security(struct call *call)
{
    return security_view(call, 200, &(struct security_problems){ 0 });
}

/* ---- password ---- */

/* ERR_UNAUTHENTICATED: the password was changed by another request since the page was opened. Other
 * sessions end; this browser gets a new key. */
static enum err
post_password(struct call *call)
{
    if (!confirm_require(call, HERE))
        return ERR_NONE;
    struct str chosen = call_text(call, NEW);
    struct password_change params = {
        .user_id = call->browser->user.id,
        .session = &call->browser->session,
        .new_password = str_present(chosen) ? chosen : STR(""),
        .end_apps = str_present(call_text(call, END_APPS)),
        .now = call->now,
    };
    const char *problem = NULL;
    struct user user;
    struct str key;
    enum err err = security_change_password(call->db, call->mem, &params, &key, &user, &problem);
    if (err == ERR_INVALID || err == ERR_UNAUTHENTICATED)
        return security_view(
            call, 400,
            &(struct security_problems){
                .new_password = problem != NULL
                                    ? message_sentence(call, str_of(problem))
                                    : message(call, KEY("security.password.changed_elsewhere")) });
    if (err != ERR_NONE)
        return err;
    notice_send(call, &user, MAIL_PASSWORD, STR_NONE);
    flash_redirect(call, HERE,
                   &(struct flash){ .key = params.end_apps ? KEY("flash.password_changed_apps")
                                                           : KEY("flash.password_changed") });
    /* The device cookie depends on the password hash, so the one of this browser has ended, too. */
    browser_session_set_device(call, &user);
    browser_session_set_cookie(call, key);
    return ERR_NONE;
}

/* ERR_FORBIDDEN: without a passkey, the user could not sign in any more. */
static enum err
post_remove_password(struct call *call)
{
    if (!confirm_require(call, HERE))
        return ERR_NONE;
    enum err err = passkeys_remove_password(call->db, call->mem, call->browser->user.id, call->now);
    if (err == ERR_FORBIDDEN)
        return security_view(
            call, 400,
            &(struct security_problems){ .remove_password =
                                             message(call, KEY("security.remove.refused")) });
    if (err != ERR_NONE)
        return err;
    notice_send(call, &call->browser->user, MAIL_PASSWORD, STR_NONE);
    flash_redirect(call, HERE, &(struct flash){ .key = KEY("flash.password_removed") });
    return ERR_NONE;
}

/* ---- recovery codes ---- */

/* The codes are in this response and nowhere else. */
static enum err
post_codes(struct call *call)
{
    struct str codes[RECOVERY_CODES];
    if (!confirm_require(call, HERE))
        return ERR_NONE;
    enum err err = recovery_make_codes(call->db, call->mem, call->browser->user.id, codes);
    if (err != ERR_NONE)
        return err;
    struct values *values = values_new(call->mem);
    for (size_t i = 0; i < RECOVERY_CODES; i++)
        values_text(values_item(values, "codes"), "code", codes[i]);
    return account_page(call, 200, "account_codes", "security", values);
}

/* The id is derived from the session; only those of the signed-in user are compared. */
static enum err
post_end_session(struct call *call)
{
    struct str id = call_param(call, 0);
    bool is_this = str_eq(id, security_session_id(call->mem, &call->browser->session));
    enum err err = security_end_session(call->db, call->mem, call->browser->user.id, id, call->now);
    if (err != ERR_NONE)
        return err;
    flash_redirect(call, is_this ? "/" : HERE,
                   &(struct flash){ .key = KEY("flash.session_ended") });
    if (is_this)
        browser_session_clear_cookie(call);
    return ERR_NONE;
}

/* Ends this session as well. */
static enum err
post_signout_all(struct call *call)
{
    enum err err = security_end_sessions(call->db, call->mem, call->browser->user.id);
    if (err != ERR_NONE)
        return err;
    response_redirect(call, "/signin");
    browser_session_clear_cookie(call);
    return ERR_NONE;
}

const struct route account_security_routes[] = {
    { GET, HERE, get_security, CALLER_USER, .summary = "Shows sessions, passkeys, and password.",
      .page = true },
    { POST, HERE "/password", post_password, CALLER_USER, .summary = "Changes the password.",
      .page = true, ROUTE_FIELDS(password_fields), .body = BODY_FORM, .body_max = 32 * KIB,
      .blocks = true, .hashes = true },
    { POST, HERE "/codes", post_codes, CALLER_USER, .summary = "Makes new recovery codes.",
      .page = true, .body = BODY_FORM, .body_max = 4 * KIB, .blocks = true },
    { POST, HERE "/password/remove", post_remove_password, CALLER_USER,
      .summary = "Removes the password.", .page = true, .body = BODY_FORM, .body_max = 4 * KIB,
      .blocks = true },
    { POST, HERE "/sessions/{session}/end", post_end_session, CALLER_USER,
      .summary = "Signs one session out.", .page = true, .body = BODY_FORM, .body_max = 4 * KIB,
      .blocks = true },
    { POST, HERE "/signout", post_signout_all, CALLER_USER, .summary = "Signs out everywhere.",
      .page = true, .body = BODY_FORM, .body_max = 4 * KIB, .blocks = true },
    { 0 },
};
