/* reach.h - which domains a token opens, and for what. */
#ifndef WEB_REACH_H
#define WEB_REACH_H

#include "base/str.h"
#include "model/domain.h"
#include "model/scope.h"

struct access;
struct call;

/* preferences:read, or the domain's own scope. */
bool reach_reads(const struct access *access, const struct domain *domain);

/* Writing and hints: where the authorization named domains one by one and did not ask for
 * preferences:read, those it still holds; else all. */
bool reach_touches(const struct access *access, const struct domain *domain);

/* The domain named in the path. NULL: answered (404). */
const struct domain *reach_domain(struct call *call);

/* The same, readable. NULL: answered (404 or 403). */
const struct domain *reach_readable_domain(struct call *call);

/* What would let a token read this domain. */
scopes reach_read_scopes(const struct domain *domain);
scopes reach_any_read_scopes(const struct domains *domains);

#endif
