/* account_routes.h - the route tables of the account pages and of the start page.
 *
 * app/routes.c puts them into the list that the service serves. Each table ends with { 0 }.
 * Read-only; any thread may use them. */
#ifndef ACCOUNT_ACCOUNT_ROUTES_H
#define ACCOUNT_ACCOUNT_ROUTES_H

#include "web/route.h"

extern const struct route start_routes[];
extern const struct route site_routes[];
extern const struct route display_routes[];
extern const struct route account_security_routes[];
extern const struct route account_passkey_routes[];
extern const struct route account_confirm_routes[];
extern const struct route account_activity_routes[];
extern const struct route account_apps_routes[];
extern const struct route account_app_facts_routes[];
extern const struct route account_assistant_routes[];
extern const struct route account_data_routes[];
extern const struct route account_recover_routes[];
extern const struct route account_verify_routes[];
extern const struct route account_profile_routes[];

#endif
