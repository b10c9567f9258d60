#include "dispatch/bearer_error.h"

#include "base/arena.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"

#define REALM "Bearer realm=\"penchant\""

void
bearer_error_no_token(struct call *call)
{
    error_send_oauth(call, 401, "invalid_token",
                     STR("Send an access token: Authorization: Bearer pn_at_…"));
    response_header(call, "WWW-Authenticate", REALM);
}

void
bearer_error_invalid_token(struct call *call, struct str sentence)
{
    error_send_oauth(call, 401, "invalid_token", sentence);
    response_header(call, "WWW-Authenticate", REALM ", error=\"invalid_token\"");
}

void
bearer_error_scope(struct call *call, scopes needed)
{
    const char *names = scopes_write(call->mem, needed).ptr;
    call->refusal.reason =
        STR("The access token does not have a required scope. Ask the user for it.");
    call->refusal.detail = str_format(call->mem, "requires one of: %s", names);
    error_send_oauth(
        call, 403, "insufficient_scope",
        str_format(call->mem, "The access token has none of the required scopes: %s.", names));
    response_header(
        call, "WWW-Authenticate",
        str_format(call->mem, REALM ", error=\"insufficient_scope\", scope=\"%s\"", names).ptr);
}
