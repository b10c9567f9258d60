/* allowed_domains.h - which domains a token opens, and for what. */
#ifndef DISPATCH_ALLOWED_DOMAINS_H
#define DISPATCH_ALLOWED_DOMAINS_H

#include "base/str.h"
#include "domain/domain.h"
#include "model/scope.h"

struct access;
struct call;

/* preferences:read, or the domain's own scope. */
bool allowed_domains_can_read(const struct access *access, const struct domain *domain);

/* Writing and hints: where the authorization named domains one by one and did not ask for
 * preferences:read, those it still holds; else all. */
bool allowed_domains_can_use(const struct access *access, const struct domain *domain);

/* The domain named in the path. NULL: answered (404). */
const struct domain *allowed_domains_in_path(struct call *call);

/* The same, readable. NULL: answered (404 or 403). */
const struct domain *allowed_domains_readable_in_path(struct call *call);

/* What would let a token read this domain. */
scopes allowed_domains_read_scopes(const struct domain *domain);
scopes allowed_domains_any_read_scopes(const struct domains *domains);

#endif
