/* routes.h - the tables of rows there are. Each ends with { 0 }, the lists of tables with NULL. */
#ifndef WEB_ROUTES_H
#define WEB_ROUTES_H

#include "web/route.h"

extern const struct route start_routes[];
extern const struct route signup_routes[];
extern const struct route signin_routes[];
extern const struct route oauth_routes[];
extern const struct route token_routes[];
extern const struct route userinfo_routes[];
extern const struct route metadata_routes[];
extern const struct route preferences_routes[];
extern const struct route domains_routes[];
extern const struct route hints_routes[];
extern const struct route asset_routes[];
extern const struct route openapi_routes[];
extern const struct route health_routes[];
extern const struct route account_security_routes[];
extern const struct route account_apps_routes[];
extern const struct route account_routes[];
extern const struct route account_domain_routes[];
extern const struct route account_fact_routes[];
extern const struct route account_list_routes[];
extern const struct route account_undo_routes[];
extern const struct route developer_routes[];
extern const struct route developer_app_routes[];
extern const struct route developer_connect_routes[];
extern const struct route developer_try_routes[];
extern const struct route account_data_routes[];
extern const struct route developer_docs_routes[];
extern const struct route developer_reference_routes[];
extern const struct route metrics_routes[];

extern const struct route *const routes_public[];  /* what the world may ask */
extern const struct route *const routes_private[]; /* on the listener of /metrics */

#endif
