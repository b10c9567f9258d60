/* hints_api.c - what an agent is told about a person. */
#include "flow/hints.h"
#include "flow/renewal.h"
#include "model/grant.h"
#include "web/bearer.h"
#include "web/call.h"
#include "web/reach.h"
#include "web/reply.h"
#include "web/routes.h"
#include "web/state.h"

enum { DOMAINS, MAX_TOKENS, FORMAT, CONTEXT };

static const struct field hints_fields[] = {
    [DOMAINS] = { "domains", FIELD_LINE, FIELD_IN_QUERY, .max = 4000 },
    [MAX_TOKENS] = { "max_tokens", FIELD_WHOLE, FIELD_IN_QUERY, .min = 1, .max = HINTS_TOKENS_MAX,
                     .otherwise = HINTS_TOKENS_OTHERWISE },
    [FORMAT] = { "format", FIELD_LINE, FIELD_IN_QUERY, .max = 100 },
    [CONTEXT] = { "context", FIELD_TEXT, FIELD_IN_QUERY, .max = CONTEXT_MAX },
};

/* What the token opens, as bits by place. */
static void
find_reach(const struct call *call, struct hints_wish *wish)
{
    for (size_t i = 0; i < wish->domains->count; i++) {
        const struct domain *domain = &wish->domains->list[i];
        uint64_t bit = (uint64_t)1 << i;
        if (reach_touches(call->access, domain))
            wish->reach |= bit;
        if (reach_reads(call->access, domain)) /* its sentence on the consent page was ticked */
            wish->sensitive |= bit;
    }
}

static scopes
scopes_of(const struct hints_wish *wish, uint64_t places)
{
    scopes found = 0;
    for (size_t i = 0; i < wish->domains->count; i++)
        if (places >> i & 1)
            found |= scope_named(wish->domains->list[i].name);
    return found;
}

/* Which domains are asked for. False: answered. */
static bool
read_domains(struct call *call, struct hints_wish *wish)
{
    uint64_t named = 0;
    struct str part, rest = call_text(call, DOMAINS);
    while (str_cut(&rest, ',', &part)) {
        part = str_trim(part);
        const struct domain *domain = domains_find(wish->domains, part);
        if (domain != NULL) {
            named |= (uint64_t)1 << (domain - wish->domains->list);
        } else if (part.len > 0) {
            reply_detail(call, STR("domains"),
                         str_format(call->mem,
                                    "there is no domain \"%.*s\"; GET /v1/domains lists "
                                    "them",
                                    STR_ARG(str_first(part, 64))));
            reply_error(call, 400, STR("domains names one that does not exist."));
            return false;
        }
    }
    uint64_t refused = named != 0 ? named & ~wish->reach : 0;
    if (refused != 0 || wish->reach == 0) {
        bearer_refuse_scope(call, scopes_of(wish, refused != 0 ? refused : ~(uint64_t)0));
        return false;
    }
    wish->domains_named = named != 0;
    wish->reach = named != 0 ? named : wish->reach;
    return true;
}

static bool
read_rest(struct call *call, struct hints_wish *wish)
{
    struct str format = call_text(call, FORMAT);
    if (str_present(format) && !hints_format_read(format, &wish->format)) {
        reply_detail(call, STR("format"), STR("must be text, json or bullets"));
        reply_error(call, 400, STR("format must be text, json or bullets."));
        return false;
    }
    if (wish->context.len > CONTEXT_MAX) {
        reply_detail(call, STR("context"), STR("must have at most 128 bytes"));
        reply_error(call, 400, STR("context must have at most 128 bytes."));
        return false;
    }
    return true;
}

static enum err
get_hints(struct call *call)
{
    struct hints_wish wish = {
        .user_id = call->access->user_id,
        .cards = call->cards,
        .domains = call->web->settings.domains,
        .context = call_text(call, CONTEXT),
        .max_tokens = (int)call_whole(call, MAX_TOKENS),
    };
    struct hints hints;
    find_reach(call, &wish);
    if (!read_rest(call, &wish) || !read_domains(call, &wish))
        return ERR_NONE;
    enum err err = hints_read(call->db, call->mem, &wish, &hints);
    if (err != ERR_NONE)
        return err;
    if (hints.renew)
        renewal_note(call->web->settings.renewal, wish.user_id);
    hints_write(reply_json(call, 200), &wish, &hints);
    reply_conditional(call);
    return ERR_NONE;
}

const struct route hints_routes[] = {
    { GET, "/v1/agent-hints", get_hints, WHO_TOKEN,
      .says = "Sentences about the person for an AI prompt, within a token budget.",
      .scope = SCOPE_AGENT_HINTS, ROUTE_FIELDS(hints_fields), .cards = true, .hot = HOT_PREFERENCES,
      .cors = true },
    { 0 },
};
