/* router.h - finds the routes of a path.
 *
 * Only the canonical form of a path (path.h) matches, byte for byte. Built at startup, then
 * read-only: any thread may search. The caller frees the router. */
#ifndef WEB_ROUTER_H
#define WEB_ROUTER_H

#include "base/err.h"
#include "base/str.h"
#include "web/route.h"

struct router;

#define ROUTE_PARAMS_MAX 4
#define ROUTE_SEGMENTS_MAX 10

/* One path and its routes. */
struct endpoint {
    const char *path;
    const struct route *rows[METHOD_COUNT]; /* NULL: method not allowed */
    size_t numbers[METHOD_COUNT];           /* of these routes, from 0; for metrics */
    char allow[40];                         /* "GET, HEAD, OPTIONS" */
    char methods[16];                       /* "GET, POST": for CORS */
    bool page;
    bool cors;
    bool mcp;
    bool slash; /* also found with a slash at the end */
    bool rpc;
    size_t segment_count;
    size_t param_count;
    struct str segments[ROUTE_SEGMENTS_MAX]; /* absent: a parameter */
};

struct endpoint_match {
    const struct endpoint *endpoint;
    struct str params[ROUTE_PARAMS_MAX]; /* decoded, in the order of the path */
};

/* `tables` ends with NULL. ERR_INVALID: `why` names the invalid route; see route.h. */
enum err router_new(const struct route *const *tables, struct router **out, struct why *why);
void router_free(struct router *router);

size_t router_row_count(const struct router *router);
const struct route *router_row(const struct router *router, size_t number);

/* Literal segments win over parameters. False: no endpoint matches, or the path is not canonical.
 */
bool router_find(const struct router *router, struct arena *mem, struct str path,
                 struct endpoint_match *out);

#endif
