/* router.h - from a path to the rows that answer there.
 *
 * A path is routed only in its one canonical spelling (path.h), byte for byte; whatever else is
 * asked for does not exist. Built at start, then read-only. */
#ifndef WEB_ROUTER_H
#define WEB_ROUTER_H

#include "base/err.h"
#include "base/str.h"
#include "web/route.h"

struct router;

#define ROUTE_PARAMS_MAX 4
#define ROUTE_SEGMENTS_MAX 10

/* One path, and what can be done there. */
struct endpoint {
    const char *path;
    const struct route *rows[METHOD_COUNT]; /* NULL: not with that method */
    size_t numbers[METHOD_COUNT];           /* of these rows, from 0; for whoever counts */
    char allow[40];                         /* "GET, HEAD, OPTIONS" */
    char methods[16];                       /* "GET, POST": what a script may send */
    bool page;
    bool cors;
    size_t segment_count;
    size_t param_count;
    struct str segments[ROUTE_SEGMENTS_MAX]; /* a parameter's is absent */
};

struct endpoint_match {
    const struct endpoint *endpoint;
    struct str params[ROUTE_PARAMS_MAX]; /* decoded, in the order of the path */
};

/* Tables end with a NULL. ERR_INVALID names the row that is not right: see route.h. */
enum err router_new(const struct route *const *tables, struct router **out, struct why *why);
void router_free(struct router *router);

size_t router_row_count(const struct router *router);
const struct route *router_row(const struct router *router, size_t number);

/* Literal segments go before parameters. False if nothing answers there, or the path is not
 * canonical. */
bool router_find(const struct router *router, struct arena *mem, struct str path,
                 struct endpoint_match *out);

#endif
