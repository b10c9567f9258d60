/* account_undo_pages.c - taking back the last thing one did, from the message that told it was
 * done: POST /account/undo. */
#include "flow/undo.h"
#include "web/account_page.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/routes.h"
#include "web/say.h"
#include "web/state.h"
#include "web/visitor.h"

WORD(undone, "flash.undone");
WORD(too_late, "flash.undo_too_late");

enum { UNDO, TO };

static const struct field undo_fields[] = {
    [UNDO] = { "undo", FIELD_LINE, FIELD_IN_FORM, .max = 100 },
    [TO] = { "to", FIELD_LINE, FIELD_IN_FORM, .max = 200 },
};

static enum err
post_undo(struct call *call)
{
    struct undo_wish wish = { .user_id = call->visitor->user.id,
                              .undo_id = call_text(call, UNDO),
                              .domains = call->web->settings.domains,
                              .now = call->now };
    struct undone out = { 0 };
    enum err err = undo_run(call->db, call->mem, &wish, &out);
    if (err != ERR_NONE && err != ERR_NOT_FOUND)
        return err;
    flash_redirect(call, account_return(call, call_text(call, TO), out.domain, out.member),
                   &(struct flash){ .key = err == ERR_NONE ? undone : too_late });
    return ERR_NONE;
}

const struct route account_undo_routes[] = {
    { POST, "/account/undo", post_undo, WHO_PERSON, .says = "Takes back what was done last.",
      .page = true, ROUTE_FIELDS(undo_fields), .body = BODY_FORM, .body_max = 16 * KIB,
      .blocks = true },
    { 0 },
};
