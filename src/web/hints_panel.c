#include "web/hints_panel.h"

#include "flow/hints.h"
#include "model/grant.h"
#include "text/json_read.h"
#include "text/template.h"
#include "web/call.h"
#include "web/reach.h"
#include "web/say.h"
#include "web/state.h"
#include "web/visitor.h"

WORD(omitted_one, "hints.omitted.one");
WORD(omitted_other, "hints.omitted.other");
WORD(tokens_one, "hints.tokens.one");
WORD(tokens_other, "hints.tokens.other");

/* The same rules as for a token that holds these scopes, so that nothing else is shown. */
static void
find_reach(struct hints_wish *wish, const struct hints_question *question)
{
    struct access access = { .scopes = question->scopes,
                             .narrow_reach = scopes_narrow(question->asked) };
    for (size_t i = 0; i < wish->domains->count; i++) {
        uint64_t bit = (uint64_t)1 << i;
        if (reach_touches(&access, &wish->domains->list[i]))
            wish->reach |= bit;
        if (reach_reads(&access, &wish->domains->list[i]))
            wish->sensitive |= bit;
    }
}

enum err
hints_panel_put(struct call *call, struct values *values, const struct hints_question *question)
{
    struct hints_wish wish = {
        .user_id = call->visitor->user.id,
        .domains = call->web->settings.domains,
        .context = question->context,
        .max_tokens = question->max_tokens,
    };
    struct hints hints;
    const struct json_value *list = NULL;
    find_reach(&wish, question);
    if (wish.reach == 0)
        return ERR_NONE;
    enum err err = hints_read(call->db, call->mem, &wish, &hints);
    if (!err)
        err = json_read(call->mem, hints.answer.hints, 3, &list, NULL);
    if (err)
        return err;
    for (size_t i = 0; i < list->count; i++)
        values_text(values_item(values, "hints"), "sentence", list->children[i].text);
    values_text(values, "tokens", say_count(call, tokens_one, tokens_other, hints.answer.tokens));
    if (hints.answer.omitted > 0)
        values_text(values, "omitted",
                    say_count(call, omitted_one, omitted_other, hints.answer.omitted));
    return ERR_NONE;
}
