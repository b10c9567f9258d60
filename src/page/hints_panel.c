/* hints_panel.c - asks the flow for hints as an app would, with permissions made from the user's
 * choice. */
#include "page/hints_panel.h"

#include "dispatch/allowed_domains.h"
#include "dispatch/browser_session.h"
#include "preference/hints.h"
#include "model/grant.h"
#include "text/json_read.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/state.h"

/* Calls the same flow as the API, so the preview cannot differ from what apps get. */
enum err
hints_panel_put(struct call *call, struct values *values, const struct hints_panel_params *panel)
{
    struct hints_params params = {
        .view = { .user_id = call->browser->user.id,
                  .domains = call->web->settings.domains,
                  .withheld = panel->withheld },
        .domains = call->web->settings.domains,
        .context = panel->context,
        .max_tokens = panel->max_tokens,
    };
    struct hints hints;
    const struct json_value *list = NULL;
    /* The same rules as for a token with these scopes: the page shows exactly what the app gets. */
    struct permissions allowed = permissions_of(panel->requested, panel->scopes);
    if (panel->within != 0)
        allowed.hint_domains &= panel->within;
    grant_choose_sensitive(&allowed, panel->requested, panel->sensitive);
    allowed_domains_hints(&allowed, &params.allowed, &params.sensitive);
    /* Without a domain the flow would have nothing to choose from. */
    if (params.allowed == 0)
        return ERR_NONE;
    enum err err = hints_read(call->db, call->mem, &params, &hints);
    if (!err)
        err = json_read(call->mem, hints.answer.hints, 3, &list, NULL);
    if (err)
        return err;
    for (size_t i = 0; i < list->count; i++)
        values_text(values_item(values, "hints"), "sentence", list->children[i].text);
    values_flag(values, "hints_told", list->count > 0);
    values_text(values, "tokens",
                message_count(call, KEY("hints.tokens.one"), KEY("hints.tokens.other"),
                              hints.answer.tokens));
    if (hints.answer.omitted > 0)
        values_text(values, "omitted",
                    message_count(call, KEY("hints.omitted.one"), KEY("hints.omitted.other"),
                                  hints.answer.omitted));
    return ERR_NONE;
}
