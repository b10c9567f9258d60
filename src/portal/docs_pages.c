/* docs_pages.c - the guide, the list of errors, and llms.txt, without sign-in. The API reference is
 * in reference_pages.c. */
#include "page/account_page.h"
#include "portal/portal_routes.h"
#include "portal/snippet.h"
#include "text/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/response.h"
#include "web/state.h"

MESSAGE(means_unknown_app, "errors.unknown_app");
MESSAGE(do_unknown_app, "errors.unknown_app.do");
MESSAGE(means_other_uri, "errors.other_uri");
MESSAGE(do_other_uri, "errors.other_uri.do");
MESSAGE(means_expired, "errors.expired");
MESSAGE(do_expired, "errors.expired.do");
MESSAGE(means_denied, "errors.denied");
MESSAGE(do_denied, "errors.denied.do");
MESSAGE(means_scope, "errors.scope");
MESSAGE(do_scope, "errors.scope.do");
MESSAGE(means_authorize, "errors.authorize");
MESSAGE(do_authorize, "errors.authorize.do");
MESSAGE(means_response_type, "errors.response_type");
MESSAGE(do_response_type, "errors.response_type.do");
MESSAGE(means_target, "errors.target");
MESSAGE(do_target, "errors.target.do");
MESSAGE(means_client, "errors.client");
MESSAGE(do_client, "errors.client.do");
MESSAGE(means_code_old, "errors.code_old");
MESSAGE(do_code_old, "errors.code_old.do");
MESSAGE(means_verifier, "errors.verifier");
MESSAGE(do_verifier, "errors.verifier.do");
MESSAGE(means_uri_differs, "errors.uri_differs");
MESSAGE(do_uri_differs, "errors.uri_differs.do");
MESSAGE(means_refresh, "errors.refresh");
MESSAGE(do_refresh, "errors.refresh.do");
MESSAGE(means_refresh_scope, "errors.refresh_scope");
MESSAGE(do_refresh_scope, "errors.refresh_scope.do");
MESSAGE(means_resource, "errors.resource");
MESSAGE(do_resource, "errors.resource.do");
MESSAGE(means_grant_type, "errors.grant_type");
MESSAGE(do_grant_type, "errors.grant_type.do");
MESSAGE(means_form, "errors.form");
MESSAGE(do_form, "errors.form.do");
MESSAGE(means_token, "errors.no_token");
MESSAGE(do_token, "errors.no_token.do");
MESSAGE(means_no_scope, "errors.no_scope");
MESSAGE(do_no_scope, "errors.no_scope.do");
MESSAGE(means_invalid, "errors.invalid");
MESSAGE(do_invalid, "errors.invalid.do");
MESSAGE(means_not_found, "errors.not_found");
MESSAGE(do_not_found, "errors.not_found.do");
MESSAGE(means_json, "errors.json");
MESSAGE(do_json, "errors.json.do");
MESSAGE(means_rate, "errors.rate");
MESSAGE(do_rate, "errors.rate.do");
MESSAGE(means_unavailable, "errors.unavailable");
MESSAGE(do_unavailable, "errors.unavailable.do");
MESSAGE(means_internal, "errors.internal");
MESSAGE(do_internal, "errors.internal.do");

static struct snippet
urls(const struct call *call)
{
    return (struct snippet){ .base_url = call->web->settings.base_url,
                             .auth_url = call->web->settings.auth_url };
}

/* ---- guide ---- */

/* Splits guide.sh into sections, each after a line "# ---- name". */
static enum err
get_guide(struct call *call)
{
    struct snippet snippet = urls(call);
    struct str rest = snippet_fill(call->mem, "guide.sh", &snippet), line, name = STR_NONE;
    struct values *values = values_new(call->mem);
    const char *start = rest.ptr;
    values_text(values, "base_url", snippet.base_url);
    while (str_cut(&rest, '\n', &line)) {
        if (!str_starts(line, STR("# ---- ")))
            continue;
        if (str_present(name))
            values_text(values, str_c(call->mem, name),
                        (struct str){ start, (size_t)(line.ptr - start) });
        name = str_from(line, 7);
        start = line.ptr + line.len + 1;
    }
    return account_page(call, 200, "developer_guide", "developer", values);
}

/* ---- errors ---- */

static const struct error_row {
    const char *table; /* of the page */
    const char *status;
    const char *error;
    const char *means;
    const char *action;
} errors[] = {
    { "page", "400", "", means_unknown_app, do_unknown_app },
    { "page", "400", "", means_other_uri, do_other_uri },
    { "page", "400", "", means_expired, do_expired },
    { "redirect", "", "access_denied", means_denied, do_denied },
    { "redirect", "", "invalid_scope", means_scope, do_scope },
    { "redirect", "", "invalid_request", means_authorize, do_authorize },
    { "redirect", "", "unsupported_response_type", means_response_type, do_response_type },
    { "redirect", "", "invalid_target", means_target, do_target },
    { "token", "401", "invalid_client", means_client, do_client },
    { "token", "400", "invalid_grant", means_code_old, do_code_old },
    { "token", "400", "invalid_grant", means_verifier, do_verifier },
    { "token", "400", "invalid_grant", means_uri_differs, do_uri_differs },
    { "token", "400", "invalid_grant", means_refresh, do_refresh },
    { "token", "400", "invalid_scope", means_refresh_scope, do_refresh_scope },
    { "token", "400", "invalid_target", means_resource, do_resource },
    { "token", "400", "unsupported_grant_type", means_grant_type, do_grant_type },
    { "token", "415", "unsupported_media_type", means_form, do_form },
    { "api", "401", "invalid_token", means_token, do_token },
    { "api", "403", "insufficient_scope", means_no_scope, do_no_scope },
    { "api", "400", "invalid_request", means_invalid, do_invalid },
    { "api", "404", "not_found", means_not_found, do_not_found },
    { "api", "415", "unsupported_media_type", means_json, do_json },
    { "any", "429", "rate_limited", means_rate, do_rate },
    { "any", "503", "temporarily_unavailable", means_unavailable, do_unavailable },
    { "any", "500", "server_error", means_internal, do_internal },
};

static enum err
get_errors(struct call *call)
{
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
