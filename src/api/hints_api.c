/* hints_api.c - the hints endpoint: sentences about the user for an agent's prompt. */
#include "api/api_routes.h"
#include "dispatch/allowed_domains.h"
#include "dispatch/bearer_error.h"
#include "preference/hints.h"
#include "job/rebuild.h"
#include "model/grant.h"
#include "web/call.h"
#include "web/error.h"
#include "web/read_fields.h"
#include "web/response.h"
#include "web/state.h"

enum { DOMAINS, MAX_TOKENS, FORMAT, CONTEXT, FALLBACK };

static const struct field hints_fields[] = {
    [DOMAINS] = { "domains", FIELD_LINE, FIELD_IN_QUERY, .max = 4000,
                  .instead_of = "scope scopes category categories profile profiles" },
    [MAX_TOKENS] = { "max_tokens", FIELD_INTEGER, FIELD_IN_QUERY, .min = 1, .max = HINTS_TOKENS_MAX,
                     .fallback = HINTS_TOKENS_DEFAULT,
                     .instead_of =
                         "budget token_budget tokens maxTokens token_limit limit max size" },
    [FORMAT] = { "format", FIELD_LINE, FIELD_IN_QUERY, .max = 100,
                 .instead_of = "type output output_format style as fmt" },
    [CONTEXT] = { "context", FIELD_TEXT, FIELD_IN_QUERY, .max = CONTEXT_MAX,
                  .instead_of = "task query q ctx intent topic purpose goal prompt search" },
    [FALLBACK] = { "fallback", FIELD_LINE, FIELD_IN_QUERY, .max = 100, .instead_of = "default" },
};

/* For the error response: the scopes that would allow these domains. */
static scopes
scopes_of(const struct hints_params *params, uint64_t domains)
{
    scopes found = 0;
    for (size_t i = 0; i < params->domains->count; i++)
        /* Bit i is the domain at index i of the loaded list, as in allowed_domains.h. */
        if (domains >> i & 1)
            found |= scope_named(params->domains->list[i].name);
    return found;
}

/* Limits params->allowed to the requested domains. False: an error response was sent. */
static bool
read_domains(struct call *call, struct hints_params *params)
{
    uint64_t named = 0;
    struct str part, rest = call_text(call, DOMAINS);
    while (str_cut(&rest, ',', &part)) {
        part = str_trim(part);
        const struct domain *domain = domains_find(params->domains, part);
        if (domain != NULL) {
            named |= (uint64_t)1 << (domain - params->domains->list);
        } else if (part.len > 0) {
            error_add_detail(call, STR("domains"),
                             str_format(call->mem,
                                        "names the unknown domain \"%.*s\"; GET /v1/domains lists "
                                        "all domains",
                                        STR_ARG(str_first(part, 64))));
            error_send(call, 400, STR("domains names a domain that does not exist."));
            return false;
        }
    }
    /* A named domain that the token may not use is refused, not left out of the hints. */
    uint64_t refused = named != 0 ? named & ~params->allowed : 0;
    if (refused != 0 || params->allowed == 0) {
        bearer_error_scope(call, scopes_of(params, refused != 0 ? refused : ~(uint64_t)0));
        return false;
    }
    params->domains_named = named != 0;
    params->allowed = named != 0 ? named : params->allowed;
    return true;
}

/* Format and fallback are checked here, since a field has no list of allowed values. The limit of
 * `context` is in bytes; the field's own counts characters. */
static bool
read_rest(struct call *call, struct hints_params *params)
{
    struct str format = call_text(call, FORMAT);
    if (str_present(format) && !hint_format_read(format, &params->format)) {
        error_add_detail(call, STR("format"), STR("must be text, json, or bullets"));
        error_send(call, 400, STR("format must be text, json, or bullets."));
        return false;
    }
    if (params->context.len > CONTEXT_MAX) {
        error_add_detail(call, STR("context"), STR("must have at most 2048 bytes"));
        error_send(call, 400, STR("context must have at most 2048 bytes."));
        return false;
    }
    struct str fallback = call_text(call, FALLBACK);
    params->general = str_eq_c(fallback, "general");
    if (str_present(fallback) && !params->general) {
        error_add_detail(call, STR("fallback"), STR("must be general, or left out"));
        error_send(call, 400, STR("fallback must be general, or left out."));
        return false;
    }
    return true;
}

/* Stale hint sets were recomputed for this response; they are stored later (job/rebuild.h). */
static enum err
get_hints(struct call *call)
{
    struct hints_params params = {
        .view = access_view(call->access, call->web->settings.domains),
        .hint_sets = call->hint_sets,
        .domains = call->web->settings.domains,
        .context = call_text(call, CONTEXT),
        .purpose = call->access->purpose,
        .max_tokens = (int)call_integer(call, MAX_TOKENS),
    };
    struct hints hints;
    /* Sensitive facts are in hints only if the user shares them with this app. */
    allowed_domains_hints(&call->access->allowed, &params.allowed, &params.sensitive);
    if (!read_rest(call, &params) || !read_domains(call, &params))
        return ERR_NONE;
    enum err err = hints_read(call->db, call->mem, &params, &hints);
    if (err != ERR_NONE)
        return err;
    if (hints.stale)
        rebuild_queue_add(call->web->settings.rebuilds, params.view.user_id);
    call_record_hints(call, hints.named);
    struct json *out = response_json(call, 200);
    json_open_object(out);
    hints_write_members(out, &params, &hints);
    read_fields_warn(call, out);
    json_close_object(out);
    response_conditional(call);
    return ERR_NONE;
}

const struct route hints_routes[] = {
    { GET, "/v1/agent-hints", get_hints, CALLER_TOKEN,
      .summary = "Returns sentences about the user for an AI prompt.", .scope = SCOPE_AGENT_HINTS,
      .activity = ACTIVITY_HINTS, ROUTE_FIELDS(hints_fields), .hint_sets = true,
      .cached_by = CACHE_PREFERENCES, .cors = true },
    { 0 },
};
