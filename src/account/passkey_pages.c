/* passkey_pages.c - passkeys of the signed-in user, and the challenges for every passkey form.
 *
 * A script fetches a challenge when its form needs one, and sends the answer of the authenticator
 * with the form. The challenge is bound to a cookie of the browser, which this response sets. */
#include "account/account_routes.h"
#include "account/confirm.h"
#include "account/security_view.h"
#include "crypt/random.h"
#include "dispatch/browser_session.h"
#include "page/notice.h"
#include "page/passkey_form.h"
#include "text/json_write.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/response.h"
#include "web/state.h"

#define HERE "/account/passkeys"

enum { PURPOSE };

static const struct field challenge_fields[] = {
    [PURPOSE] = { "for", FIELD_LINE, FIELD_IN_QUERY, .required = true, .max = 10 },
};

enum { NAME = PASSKEY_OWN_FIELDS };

static const struct field add_fields[] = {
    PASSKEY_FIELDS,
    [NAME] = { "name", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
};

enum { NEW_NAME };

static const struct field rename_fields[] = {
    [NEW_NAME] = { "name", FIELD_LINE, FIELD_IN_FORM, .max = 1000 },
};

/* ---- challenges ---- */

/* False: unknown. CHALLENGE_SIGN_IN needs its own name, too, because unknown names have this value.
 */
static bool
purpose_read(struct str text, enum challenge_purpose *out)
{
    *out = str_eq_c(text, "sign_up")   ? CHALLENGE_SIGN_UP
           : str_eq_c(text, "add")     ? CHALLENGE_ADD
           : str_eq_c(text, "confirm") ? CHALLENGE_CONFIRM
                                       : CHALLENGE_SIGN_IN;
    return *out != CHALLENGE_SIGN_IN || str_eq_c(text, "sign_in");
}

/* The user's passkeys: a new one must be on another device, a confirmation needs one of them. */
static enum err
write_credentials(struct call *call, struct json *out)
{
    struct passkey *list;
    size_t count;
    enum err err = passkeys_list(call->db, call->mem, call->browser->user.id, &list, &count);
    json_key_array(out, "credentials");
    for (size_t i = 0; i < count; i++)
        json_str(out, list[i].credential_id);
    json_close_array(out);
    return err;
}

/* Anyone may ask for one: it proves nothing by itself. For a signed-in user it also names the
 * user's passkeys, so that a browser offers the right ones. */
static enum err
get_challenge(struct call *call)
{
    struct challenge_scope scope = { .browser = browser_session_challenges(call) };
    struct str rp_id = passkeys_rp_id(call->mem, call->web->settings.auth_url), challenge;
    if (!purpose_read(call_text(call, PURPOSE), &scope.purpose) || !str_present(rp_id))
        return ERR_NOT_FOUND;
    bool signed_in = scope.purpose == CHALLENGE_ADD || scope.purpose == CHALLENGE_CONFIRM;
    if (signed_in && call->browser == NULL)
        return ERR_FORBIDDEN;
    if (signed_in)
        scope.user_id = call->browser->user.id;
    else if (scope.purpose == CHALLENGE_SIGN_UP)
        /* A passkey stores the id of its user, so the id is chosen before the account exists. The
         * challenge binds it. */
        scope.user_id = random_id(call->mem, "usr_");
    if (!challenge_browser_ok(scope.browser))
        scope.browser = challenge_make_browser(call->mem);
    enum err err = challenge_make(call->db, call->mem, &scope, call->now, &challenge);
    if (err != ERR_NONE)
        return err;
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "challenge", challenge);
    json_put_str(out, "rp_id", rp_id);
    if (str_present(scope.user_id))
        json_put_str(out, "user_id", scope.user_id);
    if (signed_in) {
        json_put_str(out, "username", call->browser->user.username);
        err = write_credentials(call, out);
    }
    json_close_object(out);
    browser_session_set_challenges(call, scope.browser);
    return err;
}

/* ---- the list ---- */

static enum err
show_problem(struct call *call, struct str problem)
{
    return security_view(call, 400, &(struct security_problems){ .passkey = problem });
}

/* An attacker with a stolen session must not be able to add a passkey, so it needs a recent
 * confirmation, and the user is notified by email. */
static enum err
post_add(struct call *call)
{
    if (!confirm_require(call, SECURITY_PAGE))
        return ERR_NONE;
    struct passkey_response answer = passkey_form_read(call, CHALLENGE_ADD, call->browser->user.id);
    struct str name = call_text(call, NAME);
    struct user user;
    const char *problem = NULL;
    enum err err = passkeys_add(call->db, call->mem, &answer, str_present(name) ? name : STR(""),
                                &user, &problem);
    if (err == ERR_INVALID)
        return show_problem(call, problem != NULL ? message_sentence(call, str_of(problem))
                                                  : message(call, KEY("passkey.not_added")));
    if (err == ERR_TAKEN)
        return show_problem(call, message(call, KEY("passkey.taken")));
    if (err == ERR_TOO_LARGE)
        return show_problem(call, message_count(call, KEY("passkey.many.other"),
                                                KEY("passkey.many.other"), PASSKEYS_PER_USER_MAX));
    if (err != ERR_NONE)
        return err;
    notice_send(call, &user, MAIL_PASSKEY, user_clean_name(call->mem, name));
    flash_redirect(call, SECURITY_PAGE, &(struct flash){ .key = KEY("flash.passkey_added") });
    return ERR_NONE;
}

/* Needs no confirmation: a name gives no access. */
static enum err
post_rename(struct call *call)
{
    struct str name = call_text(call, NEW_NAME);
    const char *problem = NULL;
    enum err err = passkeys_rename(call->db, call->mem, call->browser->user.id, call_param(call, 0),
                                   str_present(name) ? name : STR(""), &problem);
    if (err == ERR_INVALID)
        return show_problem(call, message_sentence(call, str_of(problem)));
    if (err == ERR_NONE)
        flash_redirect(call, SECURITY_PAGE, &(struct flash){ .key = KEY("flash.profile_saved") });
    return err;
}

/* ERR_FORBIDDEN: without this passkey, the user could not sign in any more. */
static enum err
post_remove(struct call *call)
{
    if (!confirm_require(call, SECURITY_PAGE))
        return ERR_NONE;
    enum err err =
        passkeys_remove(call->db, call->mem, call->browser->user.id, call_param(call, 0));
    if (err == ERR_FORBIDDEN)
        return show_problem(call, message(call, KEY("passkey.last")));
    if (err == ERR_NONE)
        flash_redirect(call, SECURITY_PAGE, &(struct flash){ .key = KEY("flash.passkey_removed") });
    return err;
}

const struct route account_passkey_routes[] = {
    { GET, "/passkeys/challenge", get_challenge, CALLER_ANYONE,
      .summary = "Returns a challenge for a passkey.", .page = true, ROUTE_FIELDS(challenge_fields),
      .blocks = true },
    { POST, HERE, post_add, CALLER_USER, .summary = "Adds a passkey.", .page = true,
      ROUTE_FIELDS(add_fields), .body = BODY_FORM, .body_max = PASSKEY_BODY_MAX, .blocks = true },
    { POST, HERE "/{passkey}/name", post_rename, CALLER_USER, .summary = "Renames a passkey.",
      .page = true, ROUTE_FIELDS(rename_fields), .body = BODY_FORM, .body_max = 4 * KIB,
      .blocks = true },
    { POST, HERE "/{passkey}/remove", post_remove, CALLER_USER, .summary = "Removes a passkey.",
      .page = true, .body = BODY_FORM, .body_max = 4 * KIB, .blocks = true },
    { 0 },
};
