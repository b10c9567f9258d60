/* undo_pages.c - POST /account/undo, the undo button of a flash message. */
#include "fact/fact_routes.h"
#include "dispatch/browser_session.h"
#include "preference/undo.h"
#include "page/account_page.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/state.h"

enum { UNDO, TO };

static const struct field undo_fields[] = {
    [UNDO] = { "undo", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
    [TO] = { "to", FIELD_LINE, FIELD_IN_FORM, .max = 200 },
};

/* Too late, or undone already, is a message and not an error: the button may be in a page that was
 * left open. */
static enum err
post_undo(struct call *call)
{
    struct undo_params params = { .user_id = call->browser->user.id,
                                  .undo_id = call_text(call, UNDO),
                                  .domains = call->web->settings.domains,
                                  .now = call->now };
    struct undone out = { 0 };
    enum err err = undo_run(call->db, call->mem, &params, &out);
    if (err != ERR_NONE && err != ERR_NOT_FOUND)
        return err;
    flash_redirect(call, account_return_url(call, call_text(call, TO), out.domain, out.member),
                   &(struct flash){ .key = err == ERR_NONE ? KEY("flash.undone")
                                                           : KEY("flash.undo_too_late") });
    return ERR_NONE;
}

const struct route account_undo_routes[] = {
    { POST, "/account/undo", post_undo, CALLER_USER, .summary = "Undoes a change.", .page = true,
      ROUTE_FIELDS(undo_fields), .body = BODY_FORM, .body_max = 16 * KIB, .blocks = true },
    { 0 },
};
