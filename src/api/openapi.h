/* openapi.h - the description of the interface, for programs: OpenAPI 3.1.
 *
 * Written as files in api/, which are compiled in and hold marks for what differs between
 * installations: addresses, domains with their schemas, scopes. A mark is a text of its own
 * ("{{each domain: name}}" among the items of an array, "{{members of api/oauth.json}}" among the
 * members of an object) or a part of one ("{{base_url}}/oauth/token"). A mark that nobody knows is
 * an error when the program starts. */
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
