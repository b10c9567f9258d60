/* resource.h - the `resource` parameter of OAuth requests (RFC 8707). */
#ifndef OAUTH_RESOURCE_H
#define OAUTH_RESOURCE_H

#include "base/str.h"

struct form;

/* Tokens are valid only for this service. Returns the first `resource` parameter that is not this
 * service or a URL below it; absent if there is none. The parameter may be repeated. */
struct str resource_unsupported(const struct form *form, struct str base_url);

#endif
