/* bearer_error.c - 401 and 403 for access tokens, each with a challenge (WWW-Authenticate), from
 * which clients learn what to request. */
#include "dispatch/bearer_error.h"

#include "base/arena.h"
#include "dispatch/request_activity.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"
#include "web/state.h"

#define CHALLENGE_MAX 8192
#define RESOURCE_METADATA "/.well-known/oauth-protected-resource"

/* RFC 6750 §3, and for MCP clients RFC 9728 §5.1: where to find the authorization server, and which
 * scopes to request. `error` is empty or ends with ", "; an absent scope is not known. */
static void
challenge(struct call *call, const char *error, struct str scope)
{
    const struct web_settings *settings = &call->web->settings;
    struct buf value = buf_in(call->mem, CHALLENGE_MAX);
    if (call->at.endpoint->rpc) {
        buf_add_format(&value, "Bearer %sresource_metadata=\"%.*s" RESOURCE_METADATA "%s\"", error,
                       STR_ARG(settings->base_url), call->at.endpoint->path);
        scope = str_present(scope) ? scope : scopes_write(call->mem, settings->mcp_scope);
    } else {
        buf_add_c(&value, "Bearer realm=\"penchant\"");
        buf_add_format(&value, "%s%s", error[0] == '\0' ? "" : ", ", error);
        value.len -= error[0] == '\0' ? 0 : 2;
    }
    if (str_present(scope))
        buf_add_format(&value, ", scope=\"%.*s\"", STR_ARG(scope));
    buf_add_char(&value, '\0');
    response_header(call, "WWW-Authenticate", value.ptr);
}

void
bearer_error_no_token(struct call *call)
{
    error_send_oauth(call, 401, "invalid_token",
                     STR("Send an access token: Authorization: Bearer pn_at_…"));
    challenge(call, "", STR_NONE);
}

void
bearer_error_invalid_token(struct call *call, struct str sentence)
{
    error_send_oauth(call, 401, "invalid_token", sentence);
    challenge(call, "error=\"invalid_token\", ", STR_NONE);
}

/* The reason for the developer is a fixed sentence and the scopes are its detail, so that refusals
 * of one kind are counted together. Also recorded for the user's activity. */
void
bearer_error_scope(struct call *call, scopes needed)
{
    const char *names = scopes_write(call->mem, needed).ptr;
    request_activity_denied(call, needed);
    call->refusal.reason =
        STR("The access token does not have a required scope. Ask the user for it.");
    call->refusal.detail = str_format(call->mem, "requires one of: %s", names);
    error_send_oauth(
        call, 403, "insufficient_scope",
        str_format(call->mem, "The access token has none of the required scopes: %s.", names));
    challenge(call, "error=\"insufficient_scope\", ", str_of(names));
}
