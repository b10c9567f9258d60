#include "web/reach.h"

#include "model/grant.h"
#include "web/bearer.h"
#include "web/call.h"
#include "web/reply.h"
#include "web/state.h"

bool
reach_reads(const struct access *access, const struct domain *domain)
{
    return (access->scopes & reach_read_scopes(domain)) != 0;
}

bool
reach_touches(const struct access *access, const struct domain *domain)
{
    return !access->narrow_reach || (access->scopes & scope_named(domain->name)) != 0;
}

scopes
reach_read_scopes(const struct domain *domain)
{
    return SCOPE_PREFERENCES_READ | scope_named(domain->name);
}

scopes
reach_any_read_scopes(const struct domains *domains)
{
    scopes any = SCOPE_PREFERENCES_READ;
    for (size_t i = 0; i < domains->count; i++)
        any |= scope_named(domains->list[i].name);
    return any;
}

const struct domain *
reach_domain(struct call *call)
{
    const struct domain *domain = domains_find(call->web->settings.domains, call_param(call, 0));
    if (domain == NULL)
        reply_error(call, 404, STR("There is no domain of this name. GET /v1/domains lists them."));
    return domain;
}

const struct domain *
reach_readable_domain(struct call *call)
{
    const struct domain *domain = reach_domain(call);
    if (domain == NULL || reach_reads(call->access, domain))
        return domain;
    bearer_refuse_scope(call, reach_read_scopes(domain));
    return NULL;
}
