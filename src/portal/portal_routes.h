/* portal_routes.h - the route tables of the developer portal.
 *
 * app/routes.c puts them into the list that the service serves. Each table ends with { 0 }.
 * Read-only; any thread may use them. */
#ifndef PORTAL_PORTAL_ROUTES_H
#define PORTAL_PORTAL_ROUTES_H

#include "web/route.h"

extern const struct route developer_routes[];
extern const struct route developer_app_routes[];
extern const struct route developer_logo_routes[];
extern const struct route developer_domain_routes[];
extern const struct route developer_connect_routes[];
extern const struct route developer_try_routes[];
extern const struct route developer_docs_routes[];
extern const struct route developer_reference_routes[];

#endif
