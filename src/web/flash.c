#include "web/flash.h"

#include "base/arena.h"
#include "base/buf.h"
#include "text/base64url.h"
#include "text/cookie.h"
#include "text/form.h"
#include "text/template.h"
#include "text/url.h"
#include "web/call.h"
#include "web/message.h"
#include "web/response.h"
#include "web/state.h"

#define COOKIE_MAX ((size_t)3 * 1024) /* browsers keep 4 KiB */
#define SECONDS "60"

MESSAGE(signed_out, "flash.signed_out");
MESSAGE(signed_out_deciding, "flash.signed_out_deciding");
MESSAGE(password_changed, "flash.password_changed");
MESSAGE(password_changed_apps, "flash.password_changed_apps");
MESSAGE(session_ended, "flash.session_ended");
MESSAGE(disconnected, "flash.disconnected");
MESSAGE(narrowed, "flash.narrowed");
MESSAGE(end_set, "flash.end_set");
MESSAGE(app_facts_removed, "flash.app_facts_removed");
MESSAGE(fact_added, "flash.fact_added");
MESSAGE(fact_set, "flash.fact_set");
MESSAGE(fact_exists, "flash.fact_exists");
MESSAGE(fact_removed, "flash.fact_removed");
MESSAGE(fact_suppressed, "flash.fact_suppressed");
MESSAGE(fact_lifted, "flash.fact_lifted");
MESSAGE(fact_accepted, "flash.fact_accepted");
MESSAGE(fact_rejected, "flash.fact_rejected");
MESSAGE(fact_changed, "flash.fact_changed");
MESSAGE(undone, "flash.undone");
MESSAGE(undo_too_late, "flash.undo_too_late");
MESSAGE(imported, "flash.imported");
MESSAGE(app_saved, "flash.app.saved");
MESSAGE(app_disabled, "flash.app.disabled");
MESSAGE(app_enabled, "flash.app.enabled");
MESSAGE(app_deleted, "flash.app.deleted");
MESSAGE(app_old_secret_revoked, "flash.app.old_secret_revoked");

/* All flash messages. The cookie contains one of these keys. */
static const char *const messages[] = { signed_out,
                                        password_changed,
                                        password_changed_apps,
                                        session_ended,
                                        disconnected,
                                        narrowed,
                                        end_set,
                                        app_facts_removed,
                                        fact_added,
                                        fact_set,
                                        fact_exists,
                                        fact_removed,
                                        fact_suppressed,
                                        fact_lifted,
                                        fact_accepted,
                                        fact_rejected,
                                        fact_changed,
                                        imported,
                                        app_saved,
                                        app_disabled,
                                        app_enabled,
                                        app_deleted,
                                        app_old_secret_revoked,
                                        undone,
                                        undo_too_late,
                                        signed_out_deciding };

static struct str
cookie_name(const struct call *call)
{
    return url_is_https(call->web->settings.auth_url) ? STR("__Host-penchant-flash")
                                                      : STR("penchant-flash");
}

static void
put_cookie(struct call *call, struct str value, const char *seconds)
{
    bool secure = url_is_https(call->web->settings.auth_url);
    response_add_header(
        call, "Set-Cookie",
        str_format(call->mem, "%.*s=%.*s; Path=/; Max-Age=%s; HttpOnly; SameSite=Strict%s",
                   STR_ARG(cookie_name(call)), STR_ARG(value), seconds, secure ? "; Secure" : "")
            .ptr);
}

static void
add_pair(struct buf *out, const char *name, struct str value)
{
    if (!str_present(value))
        return;
    buf_add_c(out, out->len > 0 ? "&" : "");
    buf_add_c(out, name);
    buf_add_char(out, '=');
    url_encode(out, value);
}

void
flash_redirect(struct call *call, const char *path, const struct flash *flash)
{
    struct buf pairs = buf_in(call->mem, COOKIE_MAX);
    add_pair(&pairs, "key", str_of(flash->key));
    add_pair(&pairs, "what", flash->what);
    add_pair(&pairs, "count", flash->count);
    add_pair(&pairs, "undo", flash->undo);
    add_pair(&pairs, "to", flash->to);
    response_redirect(call, path);
    struct str value = base64url_encode(call->mem, buf_str(&pairs));
    if (!pairs.overflow && value.len <= COOKIE_MAX)
        put_cookie(call, value, SECONDS);
}

void
flash_clear(struct call *call)
{
    put_cookie(call, STR(""), "0");
}

static void
put_undo(struct values *values, const struct form *form)
{
    struct str undo = form_find(form, "undo");
    struct str to = form_find(form, "to"); /* untrusted: checked by account_return_url() */
    if (!str_starts(undo, STR("und_")))
        return;
    values_text(values, "flash_undo", undo);
    values_text(values, "flash_to", str_present(to) ? to : STR(""));
}

bool
flash_put(struct call *call, struct values *values)
{
    struct str header = http_header(&call->exchange->request, "Cookie");
    struct str cookie = cookie_find(header, cookie_name(call));
    struct form *form = ARENA_NEW(call->mem, struct form);
    struct why why = { 0 };
    if (cookie.len == 0)
        return false;
    struct str pairs = base64url_decode(call->mem, str_first(cookie, COOKIE_MAX));
    if (!str_present(pairs) || form_read(call->mem, pairs, form, &why) != ERR_NONE)
        return true; /* unreadable: clear it */
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (str_eq_c(form_find(form, "key"), messages[i])) {
            const struct message_value parts[] = { { "what", form_find(form, "what") },
                                                   { "count", form_find(form, "count") } };
            values_text(values, "flash", message_with(call, messages[i], parts, 2));
            put_undo(values, form);
        }
    return true;
}
