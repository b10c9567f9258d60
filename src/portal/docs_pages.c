/* docs_pages.c - the guide, the list of errors, and llms.txt, without sign-in. The API reference is
 * in reference_pages.c. */
#include "page/account_page.h"
#include "portal/guide.h"
#include "portal/portal_routes.h"
#include "portal/snippet.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/response.h"
#include "web/state.h"

/* The values that every reader gets: no app is involved. */
static struct snippet
urls(const struct call *call)
{
    return (struct snippet){ .base_url = call->web->settings.base_url,
                             .auth_url = call->web->settings.auth_url };
}

/* ---- guide ---- */

/* The code has the URLs of this installation, so that it can be copied. */
static enum err
get_guide(struct call *call)
{
    struct snippet snippet = urls(call);
    struct guide_step steps[GUIDE_STEPS];
    struct values *values = values_new(call->mem);
    guide_read(call->mem, &snippet, steps);
    for (size_t i = 0; i < GUIDE_STEPS; i++) {
        struct values *item = values_item(values, "steps");
        values_text(item, "id", str_of(steps[i].name));
        values_text(item, "title", message(call, steps[i].title));
        values_text(item, "sample", steps[i].code);
        values_flag(item, "first", i == 0);
        message_marked(item, "text", message(call, steps[i].text));
    }
    return account_page(call, 200, "developer_guide", "developer", values);
}

/* ---- errors ---- */

/* One error that a developer can get; texts are keys of messages. */
struct error_row {
    const char *table; /* of the page */
    const char *status;
    const char *error;
    const char *means;
    const char *action;
};

#define ERROR_ROW(table, status, error, key)                               \
    {                                                                      \
        table, status, error, KEY("errors." key), KEY("errors." key ".do") \
    }

/* The errors that a developer can get, in the order of the flow: an error page, a redirect, the
 * token endpoint, the API. */
static enum err
get_errors(struct call *call)
{
    const struct error_row errors[] = {
        ERROR_ROW("page", "400", "", "unknown_app"),
        ERROR_ROW("page", "400", "", "other_uri"),
        ERROR_ROW("page", "400", "", "expired"),
        ERROR_ROW("redirect", "", "access_denied", "denied"),
        ERROR_ROW("redirect", "", "invalid_scope", "scope"),
        ERROR_ROW("redirect", "", "invalid_request", "authorize"),
        ERROR_ROW("redirect", "", "unsupported_response_type", "response_type"),
        ERROR_ROW("redirect", "", "invalid_target", "target"),
        ERROR_ROW("token", "401", "invalid_client", "client"),
        ERROR_ROW("token", "400", "invalid_grant", "code_old"),
        ERROR_ROW("token", "400", "invalid_grant", "verifier"),
        ERROR_ROW("token", "400", "invalid_grant", "uri_differs"),
        ERROR_ROW("token", "400", "invalid_grant", "refresh"),
        ERROR_ROW("token", "400", "invalid_scope", "refresh_scope"),
        ERROR_ROW("token", "400", "invalid_target", "resource"),
        ERROR_ROW("token", "400", "unsupported_grant_type", "grant_type"),
        ERROR_ROW("token", "415", "unsupported_media_type", "form"),
        ERROR_ROW("api", "401", "invalid_token", "no_token"),
        ERROR_ROW("api", "403", "insufficient_scope", "no_scope"),
        ERROR_ROW("api", "400", "invalid_request", "invalid"),
        ERROR_ROW("api", "404", "not_found", "not_found"),
        ERROR_ROW("api", "415", "unsupported_media_type", "json"),
        ERROR_ROW("any", "429", "rate_limited", "rate"),
        ERROR_ROW("any", "503", "temporarily_unavailable", "unavailable"),
        ERROR_ROW("any", "500", "server_error", "internal"),
    };
    struct values *values = values_new(call->mem);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct values *item = values_item(values, errors[i].table);
        values_text(item, "status", str_of(errors[i].status));
        values_text(item, "error", str_of(errors[i].error));
        message_marked(item, "means", message(call, errors[i].means));
        message_marked(item, "action", message(call, errors[i].action));
    }
    return account_page(call, 200, "developer_errors", "developer", values);
}

/* ---- for agents ---- */

/* The address that agents look for (llmstxt.org). */
static enum err
get_llms(struct call *call)
{
    struct snippet snippet = urls(call);
    response_bytes(call, 200, "text/plain; charset=utf-8",
                   snippet_fill(call->mem, "llms.txt", &snippet));
    response_header(call, "Cache-Control", "public, max-age=300");
    return ERR_NONE;
}

const struct route developer_docs_routes[] = {
    { GET, "/developer/guide", get_guide, CALLER_ANYONE,
      .summary = "Shows the guide to the first API call.", .page = true },
    { GET, "/developer/errors", get_errors, CALLER_ANYONE,
      .summary = "Lists all errors and how to fix them.", .page = true },
    { GET, "/llms.txt", get_llms, CALLER_ANYONE, .summary = "Describes the service for AI agents.",
      .page = true },
    { 0 },
};
