/* flash.c - the cookie holds a form: key, what, count, undo, and to, in base64url.
 *
 * The cookie is not signed. A forged key selects another of the messages below, values are escaped
 * by the template, and an undo id is checked where it is used. */
#include "web/flash.h"

#include "base/arena.h"
#include "base/base64url.h"
#include "base/buf.h"
#include "template/template.h"
#include "text/form.h"
#include "text/url.h"
#include "web/browser_cookie.h"
#include "web/call.h"
#include "web/message.h"
#include "web/response.h"

#define COOKIE_MAX ((size_t)3 * 1024) /* browsers keep 4 KiB */
#define COOKIE "penchant-flash"
#define SECONDS 60

/* All flash messages. The cookie contains one of these keys. */
static const char messages[][32] MESSAGE_KEYS = { "flash.signed_out",
                                                  "flash.password_changed",
                                                  "flash.password_changed_apps",
                                                  "flash.session_ended",
                                                  "flash.password_set",
                                                  "flash.profile_saved",
                                                  "flash.confirm_first",
                                                  "flash.passkey_added",
                                                  "flash.passkey_removed",
                                                  "flash.password_removed",
                                                  "flash.email_sent",
                                                  "flash.reset_sent",
                                                  "flash.email_confirmed",
                                                  "flash.disconnected",
                                                  "flash.narrowed",
                                                  "flash.withheld",
                                                  "flash.shared",
                                                  "flash.end_set",
                                                  "flash.app_facts_removed",
                                                  "flash.fact_added",
                                                  "flash.fact_set",
                                                  "flash.fact_exists",
                                                  "flash.fact_removed",
                                                  "flash.fact_suppressed",
                                                  "flash.fact_lifted",
                                                  "flash.fact_accepted",
                                                  "flash.fact_rejected",
                                                  "flash.fact_changed",
                                                  "flash.fact_kept",
                                                  "flash.fact_decided",
                                                  "flash.all_accepted",
                                                  "flash.all_rejected",
                                                  "flash.imported",
                                                  "flash.app.saved",
                                                  "flash.app.logo_saved",
                                                  "flash.app.logo_removed",
                                                  "flash.app.domain_verified",
                                                  "flash.app.disabled",
                                                  "flash.app.enabled",
                                                  "flash.app.deleted",
                                                  "flash.app.old_secret_revoked",
                                                  "flash.undone",
                                                  "flash.undo_too_late",
                                                  "flash.signed_out_deciding" };

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

/* A message that does not fit into a cookie is left out; the change was made anyway. */
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
        browser_cookie_set(call, COOKIE, value, SECONDS, COOKIE_STRICT);
}

void
flash_clear(struct call *call)
{
    browser_cookie_set(call, COOKIE, STR(""), 0, COOKIE_STRICT);
}

/* Ids have the prefix und_: another value shows no button. */
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
    struct str cookie = browser_cookie(call, COOKIE);
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
