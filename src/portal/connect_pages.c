/* connect_pages.c - sample code with the values of the developer's own app filled in. */
#include "portal/app_form.h"
#include "portal/portal_routes.h"
#include "portal/snippet.h"
#include "template/template.h"
#include "web/call.h"
#include "web/state.h"

#define SAMPLE_PORT ":9876"

/* A loopback URI if one is registered, since the sample program runs on the developer's machine. If
 * it has no port, SAMPLE_PORT is added, which needs no privileges. */
static struct str
pick_redirect_uri(struct arena *mem, const struct app *app)
{
    static const char *const loopbacks[] = { "http://127.0.0.1", "http://localhost",
                                             "http://[::1]" };
    struct str rest = app->redirect_uris, uri, first = STR_NONE;
    while (str_cut(&rest, '\n', &uri)) {
        if (!str_present(first))
            first = uri;
        for (size_t i = 0; i < sizeof loopbacks / sizeof *loopbacks; i++) {
            struct str loopback = str_of(loopbacks[i]), path = str_from(uri, loopback.len);
            if (!str_starts(uri, loopback))
                continue;
            return path.len > 0 && path.ptr[0] == ':'
                       ? uri
                       : str_format(mem, "%s" SAMPLE_PORT "%.*s", loopbacks[i], STR_ARG(path));
        }
    }
    return first;
}

/* The most useful call that the app's scopes allow. */
static struct str
pick_call(struct arena *mem, scopes set)
{
    scopes domains = scopes_domains(set);
    if (set & SCOPE_AGENT_HINTS)
        return STR("/v1/agent-hints?format=bullets&max_tokens=100");
    if (domains != 0)
        return str_format(mem, "/v1/preferences/%s",
                          scope_row((size_t)__builtin_ctzll(domains))->name);
    if (set & SCOPE_PREFERENCES_READ)
        return STR("/v1/preferences");
    return set & SCOPE_PROFILE_READ ? STR("/oauth/userinfo") : STR("/v1/domains");
}

/* The samples contain everything but the secret, which this service does not know. */
static enum err
get_connect(struct call *call)
{
    struct app app;
    enum err err = developer_app_find(call, &app);
    if (err != ERR_NONE)
        return err;
    const struct web_settings *settings = &call->web->settings;
    struct snippet snippet = {
        .base_url = settings->base_url,
        .auth_url = settings->auth_url,
        .client_id = app.id,
        .redirect_uri = pick_redirect_uri(call->mem, &app),
        .scope = scopes_write(call->mem, app.scopes),
        .api_path = pick_call(call->mem, app.scopes),
        .confidential = !app.is_public,
        .hints = (app.scopes & SCOPE_AGENT_HINTS) != 0,
    };
    struct values *values = values_new(call->mem);
    values_text(values, "base_url", settings->base_url);
    values_text(values, "auth_url", settings->auth_url);
    values_text(values, "redirect_uri", snippet.redirect_uri);
    values_text(values, "scope", snippet.scope);
    values_text(values, "curl", snippet_fill(call->mem, "snippet_curl.sh", &snippet));
    values_text(values, "javascript",
                snippet_fill(call->mem, "snippet_openid_client.mjs", &snippet));
    values_text(values, "button", snippet_fill(call->mem, "connect-button.txt", &snippet));
    values_text(values, "python", snippet_fill(call->mem, "snippet_authlib.py", &snippet));
    return developer_app_page(call, 200, "developer_connect", "connect", &app, values);
}

const struct route developer_connect_routes[] = {
    { GET, "/developer/apps/{app}/connect", get_connect, CALLER_USER,
      .summary = "Shows sample code for an app.", .page = true },
    { 0 },
};
