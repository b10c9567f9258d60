/* api_routes.h - the route tables of the JSON API and of the health checks.
 *
 * app/routes.c puts them into the list that the service serves. Each table ends with { 0 }.
 * Read-only; any thread may use them. */
#ifndef API_API_ROUTES_H
#define API_API_ROUTES_H

#include "web/route.h"

extern const struct route preferences_routes[];
extern const struct route domains_routes[];
extern const struct route hints_routes[];
extern const struct route openapi_routes[];
extern const struct route health_routes[];

#endif
