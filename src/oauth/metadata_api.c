/* metadata_api.c - metadata of the authorization server (RFC 8414) and of the MCP endpoint as a
 * protected resource (RFC 9728). */
#include "model/scope.h"
#include "oauth/oauth_routes.h"
#include "web/call.h"
#include "web/response.h"
#include "web/state.h"

static void
put_list(struct json *out, const char *key, const char *const *names, size_t count)
{
    json_key_array(out, key);
    for (size_t i = 0; i < count; i++)
        json_str(out, str_of(names[i]));
    json_close_array(out);
}

static void
put_url(struct call *call, struct json *out, const char *key, struct str origin, const char *path)
{
    json_put_str(out, key, str_format(call->mem, "%.*s%s", STR_ARG(origin), path));
}

#define LIST(out, key, ...)                                  \
    put_list(out, key, (const char *const[]){ __VA_ARGS__ }, \
             sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

/* The bits of a set follow the order of the scope table. */
static void
put_scopes(struct json *out, scopes set)
{
    json_key_array(out, "scopes_supported");
    for (size_t i = 0; i < scope_count(); i++)
        if ((set & ((scopes)1 << i)) != 0)
            json_str(out, str_of(scope_row(i)->name));
    json_close_array(out);
}

/* Clients compare `resource` with the URL that the user entered, so it ends in a slash if the
 * requested path does. */
static enum err
get_protected_resource(struct call *call)
{
    const struct web_settings *settings = &call->web->settings;
    struct str path = call->exchange->request.target;
    path = str_first(path, str_index(path, '?'));
    bool slash = path.ptr[path.len - 1] == '/';
    struct json *out = response_json(call, 200);
    json_open_object(out);
    put_url(call, out, "resource", settings->base_url, slash ? "/mcp/" : "/mcp");
    json_key_array(out, "authorization_servers");
    json_str(out, settings->base_url);
    json_close_array(out);
    put_scopes(out, settings->mcp_scope);
    LIST(out, "bearer_methods_supported", "header");
    json_put_str(out, "resource_name", STR("Penchant"));
    put_url(call, out, "resource_documentation", settings->auth_url, "/developer/guide");
    json_close_object(out);
    response_header(call, "Cache-Control", "public, max-age=300");
    return ERR_NONE;
}

/* RFC 8414, with the members of RFC 9207 (iss) and of client ID metadata documents. Optional
 * endpoints are named only if they exist. The document is the same for everyone, so it may be
 * cached. */
static enum err
get_metadata(struct call *call)
{
    struct str base = call->web->settings.base_url;
    struct json *out = response_json(call, 200);
    json_open_object(out);
    json_put_str(out, "issuer", base);
    put_url(call, out, "authorization_endpoint", call->web->settings.auth_url, "/oauth/authorize");
    put_url(call, out, "token_endpoint", base, "/oauth/token");
    put_url(call, out, "introspection_endpoint", base, "/oauth/introspect");
    put_url(call, out, "revocation_endpoint", base, "/oauth/revoke");
    put_url(call, out, "userinfo_endpoint", base, "/oauth/userinfo");
    if (call->web->settings.client_registration)
        put_url(call, out, "registration_endpoint", base, "/oauth/register");
    if (call->web->settings.documents != NULL)
        json_put_bool(out, "client_id_metadata_document_supported", true);
    put_scopes(out, ~(scopes)0);
    LIST(out, "response_types_supported", "code");
    LIST(out, "response_modes_supported", "query");
    LIST(out, "grant_types_supported", "authorization_code", "refresh_token");
    LIST(out, "code_challenge_methods_supported", "S256");
    LIST(out, "token_endpoint_auth_methods_supported", "client_secret_post", "client_secret_basic",
         "none");
    LIST(out, "introspection_endpoint_auth_methods_supported", "client_secret_basic",
         "client_secret_post");
    LIST(out, "revocation_endpoint_auth_methods_supported", "client_secret_basic",
         "client_secret_post", "none");
    LIST(out, "prompt_values_supported", "login", "consent");
    json_put_bool(out, "authorization_response_iss_parameter_supported", true);
    json_close_object(out);
    response_header(call, "Cache-Control", "public, max-age=300");
    return ERR_NONE;
}

const struct route metadata_routes[] = {
    { GET, "/.well-known/oauth-authorization-server", get_metadata, CALLER_ANYONE,
      .summary = "Returns the authorization server metadata (RFC 8414).", .cors = true },
    { GET, "/.well-known/oauth-protected-resource", get_protected_resource, CALLER_ANYONE,
      .summary = "Returns the metadata of the MCP endpoint (RFC 9728).", .cors = true,
      .mcp = true },
    { GET, "/.well-known/oauth-protected-resource/mcp", get_protected_resource, CALLER_ANYONE,
      .summary = "Returns the metadata of the MCP endpoint (RFC 9728).", .cors = true, .mcp = true,
      .slash = true },
    { 0 },
};
