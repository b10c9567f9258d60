/* mcp_routes.h - the route table of the module, for app/routes.c. */
#ifndef MCP_MCP_ROUTES_H
#define MCP_MCP_ROUTES_H

#include "web/route.h"

extern const struct route mcp_routes[]; /* /mcp */

#endif
