#include "account/security_view.h"

#include "account/confirm.h"
#include "dispatch/browser_session.h"
#include "identity/recovery.h"
#include "identity/security.h"
#include "page/account_page.h"
#include "page/device.h"
#include "page/passkey_form.h"
#include "page/when.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/page.h"

/* The id of a session in the page is a digest, so the page does not contain the hash of its key. */
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

/* *count is also for the caller: without a passkey, the password cannot be removed. The last way to
 * sign in has no button; passkeys_remove() refuses it as well. */
static enum err
put_passkeys(struct call *call, struct values *values, bool has_password, size_t *count)
{
    struct passkey *list = NULL;
    enum err err = passkeys_list(call->db, call->mem, call->browser->user.id, &list, count);
    for (size_t i = 0; i < *count; i++) {
        struct values *item = values_item(values, "passkey_list");
        values_text(item, "passkey", list[i].id);
        values_text(item, "name", list[i].name);
        when_put(call, item, "since", list[i].created_at);
        values_flag(item, "used", list[i].used_at != 0);
        if (list[i].used_at != 0)
            when_put(call, item, "last", list[i].used_at);
        values_flag(item, "removable", *count > 1 || has_password);
    }
    values_flag(values, "has_passkeys", *count > 0);
    /* A suggestion; the user can type another name. */
    values_text(values, "passkey_name",
                device_text(call, http_header(&call->exchange->request, "User-Agent")));
    return err;
}

/* Sensitive forms are shown only after a recent confirmation (confirm_put()); the handlers check it
 * again. */
enum err
security_view(struct call *call, int status, const struct security_problems *problems)
{
    struct values *values = values_new(call->mem);
    bool has_password = str_present(call->browser->user.password_hash);
    int64_t codes = 0;
    size_t passkeys = 0;
    account_put_field(call, values, "new_password", STR_NONE, problems->new_password);
    values_text(values, "passkey_problem", problems->passkey);
    values_text(values, "remove_problem", problems->remove_password);
    values_flag(values, "refused", status != 200);
    values_flag(values, "has_password", has_password);
    confirm_put(call, values, SECURITY_PAGE);
    enum err err = put_sessions(call, values);
    if (err == ERR_NONE)
        err = put_passkeys(call, values, has_password, &passkeys);
    if (err == ERR_NONE)
        err = recovery_count_codes(call->db, call->mem, call->browser->user.id, &codes);
    values_text(values, "codes",
                codes == 0 ? STR_NONE
                           : message_count(call, KEY("security.codes.left.one"),
                                           KEY("security.codes.left.other"), codes));
    values_flag(values, "can_remove_password", has_password && passkeys > 0);
    bool offered = passkey_form_put(call, values);
    if (err == ERR_NONE)
        err = account_page(call, status, "account_security", "security", values);
    if (err == ERR_NONE && offered)
        page_allow_connect(call);
    return err;
}
