/* routes.c - all route tables, and how `help routes` prints them. */
#include "app/routes.h"

#include "account/account_routes.h"
#include "fact/fact_routes.h"
#include "api/api_routes.h"
#include "base/buf.h"
#include "dispatch/request_metrics.h"
#include "mcp/mcp_routes.h"
#include "oauth/oauth_routes.h"
#include "portal/portal_routes.h"
#include "text/json_write.h"
#include "web/assets.h"

const struct route *const routes_public[] = {
    start_routes,
    site_routes,
    display_routes,
    signup_routes,
    signin_routes,
    oauth_routes,
    token_routes,
    userinfo_routes,
    metadata_routes,
    register_routes,
    preferences_routes,
    domains_routes,
    hints_routes,
    mcp_routes,
    openapi_routes,
    asset_routes,
    health_routes,
    account_security_routes,
    account_passkey_routes,
    account_confirm_routes,
    account_welcome_routes,
    account_activity_routes,
    account_apps_routes,
    account_app_facts_routes,
    account_assistant_routes,
    account_routes,
    account_domain_routes,
    account_fact_routes,
    account_list_routes,
    account_undo_routes,
    account_data_routes,
    account_import_routes,
    account_recover_routes,
    account_verify_routes,
    account_profile_routes,
    developer_routes,
    developer_app_routes,
    developer_logo_routes,
    developer_domain_routes,
    developer_connect_routes,
    developer_try_routes,
    developer_docs_routes,
    developer_reference_routes,
    NULL,
};

const struct route *const routes_private[] = {
    metrics_routes,
    NULL,
};

static const struct route *const *const listeners[] = { routes_public, routes_private };

/* Calls `visit` for every route. */
static void
each_row(void (*visit)(const struct route *row, void *context), void *context)
{
    for (size_t l = 0; l < sizeof listeners / sizeof *listeners; l++)
        for (size_t t = 0; listeners[l][t] != NULL; t++)
            for (const struct route *row = listeners[l][t]; row->path != NULL; row++)
                visit(row, context);
}

static void
describe_row(const struct route *row, void *context)
{
    buf_add_format(context, "%-6s %-45s %-9s %s\n", method_name(row->method), row->path,
                   caller_name(row->caller), row->summary);
}

void
routes_describe(struct buf *out)
{
    buf_add_format(out, "%-6s %-45s %-9s %s\n", "METHOD", "PATH", "CALLER", "SUMMARY");
    each_row(describe_row, out);
}

/* Absent: none. */
static struct str
body_name(enum body body)
{
    switch (body) {
    case BODY_FORM:
        return STR("form");
    case BODY_JSON:
        return STR("json");
    case BODY_FILE:
        return STR("file");
    case BODY_NONE:
        break;
    }
    return STR_NONE;
}

/* For programs; the members are those of the row. */
static void
write_row(const struct route *row, void *context)
{
    struct json *out = context;
    json_open_object(out);
    json_put_str(out, "method", str_of(method_name(row->method)));
    json_put_str(out, "path", str_of(row->path));
    json_put_str(out, "caller", str_of(caller_name(row->caller)));
    json_put_bool(out, "blocks", row->blocks);
    json_put_bool(out, "hashes", row->hashes);
    json_put_str(out, "body", body_name(row->body));
    json_put_int(out, "body_max", (int64_t)row->body_max);
    json_put_str(out, "summary", str_of(row->summary));
    json_close_object(out);
}

void
routes_write(struct json *out)
{
    json_open_array(out);
    each_row(write_row, out);
    json_close_array(out);
}
