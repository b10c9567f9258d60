/* register_api.c - POST /oauth/register: clients register themselves (RFC 7591).
 *
 * Anyone may call it, so registrations are limited per network, and a public client that sends the
 * same metadata again gets the same row (client/registration.h). A request that is refused for its
 * content does not count. */
#include "client/registration.h"
#include "crypt/secret.h"
#include "dispatch/throttle.h"
#include "oauth/oauth_routes.h"
#include "web/call.h"
#include "web/error.h"
#include "web/response.h"
#include "web/state.h"

/* The registered client. The redirect URIs are those of this request: another request of the same
 * client may have had other ports. */
static void
send_client(struct call *call, const struct app *app, const struct client_metadata *metadata,
            const struct secret *secret)
{
    /* A client that names no scopes gets those that an MCP client needs. */
    scopes first = app->scopes != 0 ? app->scopes : call->web->settings.mcp_scope;
    struct str method =
        str_present(metadata->auth_method) ? metadata->auth_method : STR("client_secret_basic");
    struct json *out = response_json(call, 201);
    json_open_object(out);
    json_put_str(out, "client_id", app->id);
    json_put_int(out, "client_id_issued_at", app->created_at);
    if (secret != NULL) {
        json_put_str(out, "client_secret", secret_reveal(secret));
        json_put_int(out, "client_secret_expires_at", 0);
    }
    json_put_str(out, "client_name", app->name);
    json_key_array(out, "redirect_uris");
    for (size_t i = 0; i < metadata->uri_count; i++)
        json_str(out, metadata->uris[i]);
    json_close_array(out);
    json_put_raw(out, "grant_types", STR("[\"authorization_code\",\"refresh_token\"]"));
    json_put_raw(out, "response_types", STR("[\"code\"]"));
    json_put_str(out, "token_endpoint_auth_method", method);
    json_put_str(out, "scope", scopes_write(call->mem, first));
    if (str_present(app->purpose))
        json_put_str(out, "penchant_purpose", app->purpose);
    json_close_object(out);
    response_header(call, "Pragma", "no-cache");
}

/* The route exists if MCP is on; registration can also be switched off alone. */
static enum err
post_register(struct call *call)
{
    const struct web_settings *settings = &call->web->settings;
    struct throttle *registrations = call->web->registrations;
    struct str network = call->exchange->request.network;
    if (!settings->client_registration)
        return ERR_NOT_FOUND;
    int64_t wait = throttle_take(registrations, network);
    if (wait != 0) {
        error_send_oauth(call, 429, "rate_limited",
                         STR("Too many clients were registered from this network. Use the "
                             "client_id that you have, or try again later."));
        response_header(call, "Retry-After", str_format(call->mem, "%lld", (long long)wait).ptr);
        call->rate = (struct call_rate){ throttle_limit(registrations), 0, wait };
        return ERR_NONE;
    }
    struct client_metadata metadata;
    struct app app;
    const struct secret *secret;
    struct client_problem problem;
    struct registration_params params = {
        .document = call->exchange->request.body,
        .schemes = settings->redirect_schemes,
        .hosts = settings->registration_hosts,
        .now = call->now,
    };
    enum err err =
        registration_add(call->db, call->mem, &params, &metadata, &app, &secret, &problem);
    if (err == ERR_INVALID) {
        throttle_return(registrations, network);
        error_send_oauth(call, 400, problem.error, problem.sentence);
        return ERR_NONE;
    }
    if (err == ERR_NONE)
        send_client(call, &app, &metadata, secret);
    return err;
}

const struct route register_routes[] = {
    { POST, "/oauth/register", post_register, CALLER_ANYONE,
      .summary = "Registers a client (RFC 7591).", .body = BODY_JSON, .body_max = 16 * KIB,
      .blocks = true, .cors = true, .mcp = true },
    { 0 },
};
