/* permission.c - a tool without permission has two different responses. If the user was never
 * asked, the client is sent to ask (a challenge); if the user has denied it, the response reports
 * that to the model, which must not ask again. */
#include "mcp/permission.h"

#include "dispatch/allowed_domains.h"
#include "dispatch/bearer_error.h"
#include "flow/connections.h"
#include "model/grant.h"
#include "web/call.h"
#include "web/state.h"

/* Reads the grant only if the token lacks the scope. An error counts as not requested: the client
 * is then sent to the user, which is safe. */
enum permission
permission_scope(const struct mcp_call *mcp, scopes one_of)
{
    const struct access *access = mcp->call->access;
    struct connection connection;
    if ((access->allowed.scopes & one_of) != 0)
        return PERMITTED;
    enum err err = connection_find(mcp->call->db, mcp->call->mem, access->user_id, access->app_id,
                                   mcp->call->now, &connection);
    return err == ERR_NONE && (connection.grant.requested & one_of) != 0 ? PERMISSION_DENIED
                                                                         : PERMISSION_NOT_REQUESTED;
}

/* NULL: any domain will do. */
enum permission
permission_read(const struct mcp_call *mcp, const struct domain *domain)
{
    const struct domains *domains = mcp->call->web->settings.domains;
    enum permission permission =
        permission_scope(mcp, domain != NULL ? allowed_domains_read_scopes(domain)
                                             : allowed_domains_any_read_scopes(domains));
    if (permission != PERMITTED && domain != NULL) /* for the user's activity */
        mcp->call->activity.domains = (uint64_t)1 << (domain - domains->list);
    return permission;
}

/* ERR_NONE, because the response is complete: dispatch must not write another one. */
enum err
permission_challenge(const struct mcp_call *mcp, scopes needed)
{
    bearer_error_scope(mcp->call, needed);
    return ERR_NONE;
}

/* Also marks the request as refused in the user's activity. */
struct str
permission_sentence(const struct mcp_call *mcp, struct str what)
{
    mcp->call->activity.refused = true;
    return str_format(mcp->call->mem,
                      "The user has not allowed %.*s. The user can change that at "
                      "%.*s/account/apps. Do not ask again in this conversation.",
                      STR_ARG(what), STR_ARG(mcp->call->web->settings.auth_url));
}
