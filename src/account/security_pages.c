/* security_pages.c - password and sessions: /account/security. */
#include "account/account_routes.h"
#include "account/confirm.h"
#include "crypt/password.h"
#include "dispatch/browser_session.h"
#include "dispatch/throttle.h"
#include "identity/security.h"
#include "identity/recovery.h"
#include "page/account_page.h"
#include "page/device.h"
#include "page/notice.h"
#include "page/when.h"
#include "text/template.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/response.h"
#include "web/state.h"

#define HERE "/account/security"

enum { OLD, NEW, END_APPS };

static const struct field password_fields[] = {
    [OLD] = { "password", FIELD_TEXT, FIELD_IN_FORM, .max = 4 * PASSWORD_BYTES_MAX },
    [NEW] = { "new_password", FIELD_TEXT, FIELD_IN_FORM, .max = 4 * PASSWORD_BYTES_MAX },
    [END_APPS] = { "end_apps", FIELD_TEXT, FIELD_IN_FORM, .max = 10 },
};

enum { CODES_PASSWORD };

static const struct field codes_fields[] = {
    [CODES_PASSWORD] = { "codes_password", FIELD_TEXT, FIELD_IN_FORM,
                         .max = 4 * PASSWORD_BYTES_MAX },
};

/* ---- page ---- */

static void
put_session(struct call *call, struct values *values, const struct session *session)
{
    struct values *item = values_item(values, "sessions");
    struct device device = device_read(session->device);
    bool is_this = str_eq(session->hash, call->browser->session.hash);
    values_text(item, "device", device_text(call, session->device));
    values_text(item, "icon", device.is_phone ? STR("phone") : STR("desk"));
    values_text(item, "address", session->address);
    values_text(item, "session", security_session_id(call->mem, session));
    values_flag(item, "this", is_this);
    when_put(call, item, "since", session->created_at);
}

/* The current session first, then the newest. */
static enum err
put_sessions(struct call *call, struct values *values)
{
    struct session *list = NULL;
    size_t count = 0;
    enum err err =
        security_sessions(call->db, call->mem, call->browser->user.id, call->now, &list, &count);
    for (size_t i = 0; i < count; i++)
        if (str_eq(list[i].hash, call->browser->session.hash))
            put_session(call, values, &list[i]);
    for (size_t i = 0; i < count; i++)
        if (!str_eq(list[i].hash, call->browser->session.hash))
            put_session(call, values, &list[i]);
    values_flag(values, "others", count > 1);
    return err;
}

static enum err
show_with(struct call *call, int status, struct str old_problem, struct str new_problem,
          struct str codes_problem)
{
    struct values *values = values_new(call->mem);
    account_put_field(call, values, "codes_password", STR_NONE, codes_problem);
    account_put_field(call, values, "password", STR_NONE, old_problem);
    account_put_field(call, values, "new_password", STR_NONE, new_problem);
    values_flag(values, "refused", old_problem.len + new_problem.len > 0);
    int64_t codes = 0;
    enum err err = put_sessions(call, values);
    if (err == ERR_NONE)
        err = recovery_count_codes(call->db, call->mem, call->browser->user.id, &codes);
    values_text(values, "codes",
                codes == 0 ? STR_NONE
                           : message_count(call, KEY("security.codes.left.one"),
                                           KEY("security.codes.left.other"), codes));
    return err == ERR_NONE ? account_page(call, status, "account_security", "security", values)
                           : err;
}

static enum err
show(struct call *call, int status, struct str old_problem, struct str new_problem)
{
    return show_with(call, status, old_problem, new_problem, STR_NONE);
}

static enum err
get_security(struct call *call)
{
    return show(call, 200, STR_NONE, STR_NONE);
}

/* ---- forms ---- */

static enum err
post_password(struct call *call)
{
    struct str old = call_text(call, OLD), chosen = call_text(call, NEW);
    struct password_change params = {
        .user_id = call->browser->user.id,
        .session = &call->browser->session,
        .old_password = str_present(old) ? old : STR(""),
        .new_password = str_present(chosen) ? chosen : STR(""),
        .end_apps = str_present(call_text(call, END_APPS)),
        .now = call->now,
    };
    const char *problem = NULL;
    struct user user;
    struct str key, budget = call->browser->session.hash;
    int64_t wait = throttle_take(call->web->sign_in_failures, budget);
    enum err err =
        wait != 0 ? ERR_RATE
                  : security_change_password(call->db, call->mem, &params, &key, &user, &problem);
    if (wait == 0 && err != ERR_UNAUTHENTICATED)
        throttle_return(call->web->sign_in_failures, budget);
    if (wait != 0)
        return show(call, 429, confirm_wait(call, wait), STR_NONE);
    if (err == ERR_UNAUTHENTICATED)
        return show(call, 400, message(call, KEY("security.password.wrong")), STR_NONE);
    if (err == ERR_INVALID)
        return show(call, 400, STR_NONE, message_sentence(call, str_of(problem)));
    if (err != ERR_NONE)
        return err;
    notice_send(call, &user, MAIL_PASSWORD, STR_NONE);
    flash_redirect(call, HERE,
                   &(struct flash){ .key = params.end_apps ? KEY("flash.password_changed_apps")
                                                           : KEY("flash.password_changed") });
    browser_session_set_device(call, &user);
    browser_session_set_cookie(call, key);
    return ERR_NONE;
}

/* The codes are in this response and nowhere else. */
static enum err
post_codes(struct call *call)
{
    struct str codes[RECOVERY_CODES], problem;
    int status;
    enum err err = confirm_password(call, call_text(call, CODES_PASSWORD), &status, &problem);
    if (err == ERR_UNAUTHENTICATED)
        return show_with(call, status, STR_NONE, STR_NONE, problem);
    if (err == ERR_NONE)
        err = recovery_make_codes(call->db, call->mem, call->browser->user.id, codes);
    if (err != ERR_NONE)
        return err;
    struct values *values = values_new(call->mem);
    for (size_t i = 0; i < RECOVERY_CODES; i++)
        values_text(values_item(values, "codes"), "code", codes[i]);
    return account_page(call, 200, "account_codes", "security", values);
}

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
    { GET, HERE, get_security, CALLER_USER, .summary = "Shows password and sessions.", .page = true,
      .reads_store = true },
    { POST, HERE "/password", post_password, CALLER_USER, .summary = "Changes the password.",
      .page = true, ROUTE_FIELDS(password_fields), .body = BODY_FORM, .body_max = 32 * KIB,
      .blocks = true, .hashes = true },
    { POST, HERE "/codes", post_codes, CALLER_USER, .summary = "Makes new recovery codes.",
      .page = true, ROUTE_FIELDS(codes_fields), .body = BODY_FORM, .body_max = 16 * KIB,
      .blocks = true, .hashes = true },
    { POST, HERE "/sessions/{session}/end", post_end_session, CALLER_USER,
      .summary = "Signs one session out.", .page = true, .body = BODY_FORM, .body_max = 4 * KIB,
      .blocks = true },
    { POST, HERE "/signout", post_signout_all, CALLER_USER, .summary = "Signs out everywhere.",
      .page = true, .body = BODY_FORM, .body_max = 4 * KIB, .blocks = true },
    { 0 },
};
