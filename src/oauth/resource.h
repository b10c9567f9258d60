/* resource.h - what an app says it wants a token for (RFC 8707). */
#ifndef OAUTH_RESOURCE_H
#define OAUTH_RESOURCE_H

#include "base/str.h"

struct form;

/* The one resource that our tokens are for is this service, or a part of it. A parameter of that
 * name that means another; absent: none does. It alone may be sent more than once. */
struct str resource_unsupported(const struct form *form, struct str base_url);

#endif
