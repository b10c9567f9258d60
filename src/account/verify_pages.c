/* verify_pages.c - confirming an email address: /verify.
 *
 * The user must be signed in to the account that asked for it. Otherwise a user could enter someone
 * else's address and get it as soon as its owner opens the link. */
#include "account/account_routes.h"
#include "dispatch/browser_session.h"
#include "identity/email.h"
#include "page/account_page.h"
#include "template/template.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/page.h"
#include "web/state.h"

enum { TOKEN };

static const struct field form_fields[] = {
    [TOKEN] = { "token", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
};

static const struct field arrival_fields[] = {
    [TOKEN] = { "token", FIELD_LINE, FIELD_IN_QUERY, .max = 100 },
};

static enum err
show_expired(struct call *call)
{
    return account_page(call, 400, "verify_expired", "security", values_new(call->mem));
}

/* Only shows a button: programs that open links in email must not confirm an address. */
static enum err
get_verify(struct call *call)
{
    struct str address;
    enum err err = email_find_link(call->db, call->mem, call->browser->user.id,
                                   call_text(call, TOKEN), call->now, &address);
    if (err == ERR_NOT_FOUND)
        return show_expired(call);
    if (err != ERR_NONE)
        return err;
    struct values *values = values_new(call->mem);
    values_text(values, "token", call_text(call, TOKEN));
    values_text(values, "email", address);
    return account_page(call, 200, "verify", "security", values);
}

/* ERR_TAKEN: another user has confirmed the same address meanwhile. */
static enum err
post_verify(struct call *call)
{
    enum err err = email_confirm(call->db, call->mem, call->browser->user.id,
                                 call_text(call, TOKEN), call->web->settings.sends_mail, call->now);
    if (err == ERR_NOT_FOUND)
        return show_expired(call);
    if (err == ERR_TAKEN)
        return account_page(call, 409, "verify_taken", "security", values_new(call->mem));
    if (err != ERR_NONE)
        return err;
    struct flash flash = { .key = KEY("flash.email_confirmed") };
    flash_redirect(call, "/account/security", &flash);
    return ERR_NONE;
}

const struct route account_verify_routes[] = {
    { GET, "/verify", get_verify, CALLER_USER, .summary = "Shows the address that a link confirms.",
      .page = true, ROUTE_FIELDS(arrival_fields) },
    { POST, "/verify", post_verify, CALLER_USER, .summary = "Confirms an email address.",
      .page = true, ROUTE_FIELDS(form_fields), .body = BODY_FORM, .body_max = 4 * KIB,
      .blocks = true },
    { 0 },
};
