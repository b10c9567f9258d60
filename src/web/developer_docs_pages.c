/* developer_docs_pages.c - what a developer reads: the reference, the guide, errors, and the same
 * for agents. Nobody has to be signed in. */
#include "base/arena.h"
#include "base/buf.h"
#include "text/json_tree.h"
#include "text/template.h"
#include "web/account_page.h"
#include "web/call.h"
#include "web/reference.h"
#include "web/reply.h"
#include "web/routes.h"
#include "web/say.h"
#include "web/snippet.h"
#include "web/state.h"

WORD(means_unknown_app, "errors.unknown_app");
WORD(do_unknown_app, "errors.unknown_app.do");
WORD(means_other_uri, "errors.other_uri");
WORD(do_other_uri, "errors.other_uri.do");
WORD(means_too_late, "errors.too_late");
WORD(do_too_late, "errors.too_late.do");
WORD(means_denied, "errors.denied");
WORD(do_denied, "errors.denied.do");
WORD(means_scope, "errors.scope");
WORD(do_scope, "errors.scope.do");
WORD(means_authorize, "errors.authorize");
WORD(do_authorize, "errors.authorize.do");
WORD(means_response_type, "errors.response_type");
WORD(do_response_type, "errors.response_type.do");
WORD(means_target, "errors.target");
WORD(do_target, "errors.target.do");
WORD(means_client, "errors.client");
WORD(do_client, "errors.client.do");
WORD(means_code_old, "errors.code_old");
WORD(do_code_old, "errors.code_old.do");
WORD(means_verifier, "errors.verifier");
WORD(do_verifier, "errors.verifier.do");
WORD(means_uri_differs, "errors.uri_differs");
WORD(do_uri_differs, "errors.uri_differs.do");
WORD(means_refresh, "errors.refresh");
WORD(do_refresh, "errors.refresh.do");
WORD(means_refresh_scope, "errors.refresh_scope");
WORD(do_refresh_scope, "errors.refresh_scope.do");
WORD(means_grant_type, "errors.grant_type");
WORD(do_grant_type, "errors.grant_type.do");
WORD(means_form, "errors.form");
WORD(do_form, "errors.form.do");
WORD(means_token, "errors.no_token");
WORD(do_token, "errors.no_token.do");
WORD(means_lacks, "errors.lacks");
WORD(do_lacks, "errors.lacks.do");
WORD(means_invalid, "errors.invalid");
WORD(do_invalid, "errors.invalid.do");
WORD(means_nothing, "errors.nothing");
WORD(do_nothing, "errors.nothing.do");
WORD(means_json, "errors.json");
WORD(do_json, "errors.json.do");
WORD(means_rate, "errors.rate");
WORD(do_rate, "errors.rate.do");
WORD(means_away, "errors.away");
WORD(do_away, "errors.away.do");
WORD(means_ours, "errors.ours");
WORD(do_ours, "errors.ours.do");

#define EXAMPLE_MAX ((size_t)64 * 1024)
#define EXAMPLE_WIDTH 76

static struct snippet
addresses(const struct call *call)
{
    return (struct snippet){ .base_url = call->web->settings.base_url,
                             .auth_url = call->web->settings.auth_url };
}

/* ---- the reference ---- */

/* Text in which `words` between backquotes are code. */
static void
put_marked(struct values *values, const char *name, struct str text)
{
    struct str part;
    bool code = false;
    while (str_cut(&text, '`', &part)) {
        if (part.len > 0)
            values_text(values_item(values, name), code ? "code" : "plain", part);
        code = !code;
    }
}

static void
put_fields(struct values *values, const char *name, const struct reference_fields *fields)
{
    values_flag(values, "has_fields", fields->count > 0);
    for (size_t i = 0; i < fields->count; i++) {
        struct values *item = values_item(values, name);
        values_text(item, "name", fields->list[i].name);
        values_flag(item, "required", fields->list[i].required);
        put_marked(item, "kind", fields->list[i].kind);
        put_marked(item, "says", fields->list[i].says);
    }
}

static void
put_answers(struct values *values, const struct reference_answers *answers)
{
    for (size_t i = 0; i < answers->count; i++) {
        const struct reference_answer *answer = &answers->list[i];
        struct values *item = values_item(values, "answers");
        bool other = str_eq_c(answer->status, "default");
        values_text(item, "status", other ? STR("…") : answer->status);
        put_marked(item, "errors", answer->errors);
        put_marked(item, "says", answer->says);
    }
}

static void
put_endpoint(struct call *call, struct values *group, const struct reference_endpoint *endpoint)
{
    struct values *item = values_item(group, "endpoints");
    values_text(item, "id", endpoint->id);
    values_text(item, "method", str_of(endpoint->method));
    values_text(item, "path", endpoint->path);
    values_text(item, "title", endpoint->title);
    put_marked(item, "says", endpoint->says);
    put_marked(item, "needs", endpoint->needs);
    values_flag(item, "has_needs", endpoint->needs.len > 0);
    if (endpoint->parameters.count > 0)
        put_fields(values_item(item, "parameters"), "fields", &endpoint->parameters);
    for (size_t i = 0; i < endpoint->call_count; i++) {
        struct values *one = values_item(item, "calls");
        values_text(one, "call", endpoint->calls[i].title);
        values_text(one, "text", endpoint->calls[i].text);
        put_fields(one, "fields", &endpoint->calls[i].body);
    }
    if (endpoint->example != NULL) {
        struct buf out = buf_in(call->mem, EXAMPLE_MAX);
        json_tree_lay_out(&out, endpoint->example, EXAMPLE_WIDTH, 0);
        values_text(item, "example", buf_str(&out));
    }
    if (endpoint->members.count > 0)
        put_fields(values_item(item, "members"), "fields", &endpoint->members);
    put_answers(item, &endpoint->answers);
}

static enum err
get_reference(struct call *call)
{
    struct reference made, *reference = &made;
    struct why why = { 0 };
    struct values *values = values_new(call->mem);
    /* Made anew for each reader: kept, it would be ten times the document. */
    enum err err = reference_make(call->mem, call->web->openapi, reference, &why);
    if (err != ERR_NONE)
        return err;
    for (size_t g = 0; g < reference->group_count; g++) {
        struct values *group = values_item(values, "groups");
        values_text(group, "group", reference->groups[g].name);
        put_marked(group, "about", reference->groups[g].says);
        for (size_t i = 0; i < reference->groups[g].count; i++)
            put_endpoint(call, group, &reference->groups[g].endpoints[i]);
    }
    for (size_t i = 0; i < reference->record_count; i++) {
        struct values *record = values_item(values, "records");
        values_text(record, "domain", reference->records[i].domain);
        values_text(record, "title", reference->records[i].title);
        put_marked(record, "about", reference->records[i].says);
        put_fields(record, "fields", &reference->records[i].members);
    }
    return account_page(call, 200, "developer_reference", "developer", values);
}

/* ---- the guide ---- */

/* The file's pieces, each behind a line "# ---- name". */
static enum err
get_guide(struct call *call)
{
    struct snippet snippet = addresses(call);
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
    const char *where; /* which of the page's tables */
    const char *status;
    const char *error;
    const char *means;
    const char *does;
} errors[] = {
    { "person", "400", "", means_unknown_app, do_unknown_app },
    { "person", "400", "", means_other_uri, do_other_uri },
    { "person", "400", "", means_too_late, do_too_late },
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
    { "token", "400", "unsupported_grant_type", means_grant_type, do_grant_type },
    { "token", "415", "unsupported_media_type", means_form, do_form },
    { "api", "401", "invalid_token", means_token, do_token },
    { "api", "403", "insufficient_scope", means_lacks, do_lacks },
    { "api", "400", "invalid_request", means_invalid, do_invalid },
    { "api", "404", "not_found", means_nothing, do_nothing },
    { "api", "415", "unsupported_media_type", means_json, do_json },
    { "any", "429", "rate_limited", means_rate, do_rate },
    { "any", "503", "temporarily_unavailable", means_away, do_away },
    { "any", "500", "server_error", means_ours, do_ours },
};

static enum err
get_errors(struct call *call)
{
    struct values *values = values_new(call->mem);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct values *item = values_item(values, errors[i].where);
        values_text(item, "status", str_of(errors[i].status));
        values_text(item, "error", str_of(errors[i].error));
        values_text(item, "means", say(call, errors[i].means));
        values_text(item, "does", say(call, errors[i].does));
    }
    return account_page(call, 200, "developer_errors", "developer", values);
}

/* ---- for agents ---- */

static enum err
get_llms(struct call *call)
{
    struct snippet snippet = addresses(call);
    reply_bytes(call, 200, "text/plain; charset=utf-8",
                snippet_fill(call->mem, "llms.txt", &snippet));
    reply_header(call, "Cache-Control", "public, max-age=300");
    return ERR_NONE;
}

const struct route developer_docs_routes[] = {
    { GET, "/developer/reference", get_reference, WHO_ANYONE,
      .says = "The API reference, for people.", .page = true, .blocks = true },
    { GET, "/developer/guide", get_guide, WHO_ANYONE, .says = "From nothing to a first call.",
      .page = true },
    { GET, "/developer/errors", get_errors, WHO_ANYONE,
      .says = "Every error, and what to do about it.", .page = true },
    { GET, "/llms.txt", get_llms, WHO_ANYONE, .says = "The same in short, for agents.",
      .page = true },
    { 0 },
};
