/* authorize_query.h - the parameters of an authorization request, as they came. */
#ifndef OAUTH_AUTHORIZE_QUERY_H
#define OAUTH_AUTHORIZE_QUERY_H

#include "base/str.h"

struct authorize_params;
struct call;

/* False: it cannot be read at all. A parameter that came twice is told in the wish. */
bool authorize_query_read(struct call *call, struct str query, struct authorize_params *out);

#endif
