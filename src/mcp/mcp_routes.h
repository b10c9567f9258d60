/* mcp_routes.h - the route table of the module, for app/routes.c, and its metrics. Any thread may
 * use both. */
#ifndef MCP_MCP_ROUTES_H
#define MCP_MCP_ROUTES_H

#include "web/route.h"

extern const struct route mcp_routes[]; /* /mcp */

struct buf;

/* For base/metric.h; one set of counters per process, so the context is not used. */
void mcp_write_metrics(struct buf *page, void *context);

#endif
