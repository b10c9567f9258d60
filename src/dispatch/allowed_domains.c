/* allowed_domains.c - which domains a token may use. Reading needs preferences:read or the scope of
 * the domain; writing needs the domain in the grant's list for writing. */
#include "dispatch/allowed_domains.h"

#include "dispatch/bearer_error.h"
#include "model/grant.h"
#include "web/call.h"
#include "web/error.h"
#include "web/state.h"

bool
allowed_domains_can_read(const struct access *access, const struct domain *domain)
{
    return (access->allowed.scopes & allowed_domains_read_scopes(domain)) != 0;
}

bool
allowed_domains_can_write(const struct access *access, const struct domain *domain)
{
    return (access->allowed.write_domains & scope_named(domain->name)) != 0;
}

void
allowed_domains_hints(const struct permissions *allowed, uint64_t *included, uint64_t *sensitive)
{
    *included = scopes_domain_indexes(allowed->hint_domains);
    *sensitive = scopes_domain_indexes(allowed->sensitive_domains);
}

scopes
allowed_domains_read_scopes(const struct domain *domain)
{
    return SCOPE_PREFERENCES_READ | scope_named(domain->name);
}

scopes
allowed_domains_any_read_scopes(const struct domains *domains)
{
    scopes any = SCOPE_PREFERENCES_READ;
    for (size_t i = 0; i < domains->count; i++)
        any |= scope_named(domains->list[i].name);
    return any;
}

/* Only for routes whose path has the domain as the first parameter. NULL: the response is
 * complete. */
const struct domain *
allowed_domains_in_path(struct call *call)
{
    const struct domain *domain = domains_find(call->web->settings.domains, call_param(call, 0));
    if (domain == NULL)
        error_send(call, 404,
                   STR("This domain does not exist. GET /v1/domains lists all domains."));
    return domain;
}

/* An unknown domain is 404, and one that the token may not read is 403 with the scopes that would
 * allow it (RFC 6750 §3.1). GET /v1/domains lists all domains, so the difference reveals nothing.
 */
const struct domain *
allowed_domains_readable_in_path(struct call *call)
{
    const struct domain *domain = allowed_domains_in_path(call);
    if (domain == NULL || allowed_domains_can_read(call->access, domain))
        return domain;
    bearer_error_scope(call, allowed_domains_read_scopes(domain));
    return NULL;
}
