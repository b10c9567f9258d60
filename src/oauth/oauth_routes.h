/* oauth_routes.h - the route tables of sign-up, sign-in and the OAuth endpoints.
 *
 * app/routes.c puts them into the list that the service serves. Each table ends with { 0 }.
 * Read-only; any thread may use them. */
#ifndef OAUTH_OAUTH_ROUTES_H
#define OAUTH_OAUTH_ROUTES_H

#include "web/route.h"

extern const struct route signup_routes[];
extern const struct route signin_routes[];
extern const struct route oauth_routes[];
extern const struct route token_routes[];
extern const struct route userinfo_routes[];
extern const struct route metadata_routes[];
extern const struct route register_routes[];

#endif
