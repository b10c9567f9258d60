/* resource.h - the `resource` parameter of OAuth requests (RFC 8707): where the tokens shall be
 * valid. Pure; any thread may call them. */
#ifndef OAUTH_RESOURCE_H
#define OAUTH_RESOURCE_H

#include "base/str.h"
#include "model/grant.h"

struct form;
struct json;

/* The union of all `resource` parameters; 0: none was sent. False: one of them is neither this
 * service nor a part of it that a token can be limited to. */
bool resource_read(const struct form *form, struct str base_url, audience *out);

/* The opposite: an array of URLs. */
void resource_write(struct json *out, struct arena *mem, struct str base_url, audience of);

#endif
