/* openapi.h - makes the OpenAPI 3.1 document of the API.
 *
 * The files in api/ are compiled in. They contain placeholders for what differs between
 * installations: URLs, domains with their schemas, and scopes. A placeholder is a whole string
 * ("{{each domain: name}}" among the items of an array, "{{members of api/oauth.json}}" among the
 * members of an object) or a part of one ("{{base_url}}/oauth/token"). An unknown placeholder is an
 * error at startup. Any thread may call it. */
#ifndef API_OPENAPI_H
#define API_OPENAPI_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct domains;

struct openapi_params {
    struct str base_url;
    struct str auth_url;
    const struct domains *domains; /* NULL: none */
};

/* The whole document as JSON, in the arena. Scopes must have been set up. */
enum err openapi_make(struct arena *mem, const struct openapi_params *params, struct str *out,
                      struct why *why);

#define OPENAPI_DEPTH_MAX 32

#endif
