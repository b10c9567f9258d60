/* authorize_query.h - parses the query of an authorization request, without validating it. Results
 * are in the request's arena. Call from the thread that handles the request. */
#ifndef OAUTH_AUTHORIZE_QUERY_H
#define OAUTH_AUTHORIZE_QUERY_H

#include "base/str.h"

struct authorize_params;
struct call;

/* False: the query cannot be decoded. A repeated parameter is recorded in *out. */
bool authorize_query_read(struct call *call, struct str query, struct authorize_params *out);

#endif
