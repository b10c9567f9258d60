/* allowed_domains.h - which domains an access token may read, write, and use for hints. Call from
 * the thread that handles the request. */
#ifndef DISPATCH_ALLOWED_DOMAINS_H
#define DISPATCH_ALLOWED_DOMAINS_H

#include "base/str.h"
#include "domain/domain.h"
#include "model/scope.h"

struct access;
struct call;
struct permissions;

/* True if the token holds preferences:read or the domain's own scope. */
bool allowed_domains_can_read(const struct access *access, const struct domain *domain);

bool allowed_domains_can_write(const struct access *access, const struct domain *domain);

/* The domains that hints may include, and those whose sensitive members they may include, because
 * the user shares them with the app: see hints_params. */
void allowed_domains_hints(const struct permissions *allowed, uint64_t *included,
                           uint64_t *sensitive);

/* The domain named in the path. NULL: 404 was sent. */
const struct domain *allowed_domains_in_path(struct call *call);

/* The same, if the token may read it. NULL: 404 or 403 was sent. */
const struct domain *allowed_domains_readable_in_path(struct call *call);

/* The scopes of which one suffices to read this domain, or any domain. */
scopes allowed_domains_read_scopes(const struct domain *domain);
scopes allowed_domains_any_read_scopes(const struct domains *domains);

#endif
