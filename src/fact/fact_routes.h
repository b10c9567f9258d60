/* fact_routes.h - the route tables of the pages that show and change a user's facts.
 *
 * app/routes.c puts them into the list that the service serves. Each table ends with { 0 }.
 * Read-only; any thread may use them. */
#ifndef FACT_FACT_ROUTES_H
#define FACT_FACT_ROUTES_H

#include "web/route.h"

extern const struct route account_routes[];
extern const struct route account_welcome_routes[];
extern const struct route account_domain_routes[];
extern const struct route account_fact_routes[];
extern const struct route account_list_routes[];
extern const struct route account_undo_routes[];
extern const struct route account_import_routes[];

#endif
