/* flash.c - the cookie holds a form: key, what, count, undo, and to, in base64url.
 *
 * The cookie is not signed. A forged key selects another message whose key begins with "flash.",
 * values are escaped by the template, and an undo id is checked where it is used. */
#include "web/flash.h"

#include "base/arena.h"
#include "base/buf.h"
#include "text/base64url.h"
#include "text/form.h"
#include "template/template.h"
#include "text/url.h"
#include "web/browser_cookie.h"
#include "web/call.h"
#include "web/language.h"
#include "web/message.h"
#include "web/response.h"

#define COOKIE_MAX ((size_t)3 * 1024) /* browsers keep 4 KiB */
#define COOKIE "penchant-flash"
#define SECONDS 60

/* Absent values are left out. */
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

/* The cookie can be written by anyone who controls the browser, so it contains only a key and
 * values that are escaped like any text; a key that is no flash message is ignored. True: the
 * cookie must be cleared. */
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
    struct str key = form_find(form, "key");
    if (str_starts(key, STR("flash.")) &&
        str_present(catalog_find(message_language(call)->catalog, key))) {
        const struct message_value parts[] = { { "what", form_find(form, "what") },
                                               { "count", form_find(form, "count") } };
        values_text(values, "flash", message_with(call, str_c(call->mem, key), parts, 2));
        put_undo(values, form);
    }
    return true;
}
