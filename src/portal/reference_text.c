/* reference_text.c - the reference as Markdown, for docs/API.md.
 *
 * Responses that several endpoints share are described once, at the beginning, and every endpoint
 * lists only their statuses. */
#include "base/buf.h"
#include "portal/reference.h"
#include "text/json_tree.h"

#define WIDTH 100

/* Escapes '|', which would end the cell. */
static void
put_cell(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '|')
            buf_add_char(out, '\\');
        buf_add_char(out, text.ptr[i]);
    }
}

/* Adds `mark` to the names of required fields, or of optional ones. */
static void
put_fields(struct buf *out, const char *title, const struct reference_fields *fields,
           bool marks_required, const char *mark)
{
    if (fields->count == 0)
        return;
    buf_add_format(out, "\n| %s | Type | Description |\n|---|---|---|\n", title);
    for (size_t i = 0; i < fields->count; i++) {
        const struct reference_field *field = &fields->list[i];
        buf_add_format(out, "| `%.*s`%s | ", STR_ARG(field->name),
                       field->required == marks_required ? mark : "");
        put_cell(out, field->kind);
        buf_add_c(out, " | ");
        put_cell(out, field->summary);
        buf_add_c(out, " |\n");
    }
}

static void
put_status(struct buf *out, const struct reference_response *response)
{
    bool other = str_eq_c(response->status, "default");
    buf_add_format(out, "%.*s%s%.*s", STR_ARG(other ? STR("other") : response->status),
                   response->errors.len > 0 ? " " : "", STR_ARG(response->errors));
}

/* Without `shared_too`, only those that are the endpoint's own. */
static void
put_responses(struct buf *out, const struct reference_responses *responses, bool shared_too)
{
    buf_add_c(out, "\n| Status | Meaning |\n|---|---|\n");
    for (size_t i = 0; i < responses->count; i++) {
        if (responses->list[i].shared.len > 0 && !shared_too)
            continue;
        buf_add_c(out, "| ");
        put_status(out, &responses->list[i]);
        buf_add_c(out, " | ");
        put_cell(out, responses->list[i].summary);
        buf_add_c(out, " |\n");
    }
}

/* Responses that all endpoints have are described once and only named here. */
static void
put_shared(struct buf *out, const struct reference_responses *responses)
{
    size_t count = 0;
    for (size_t i = 0; i < responses->count; i++) {
        if (responses->list[i].shared.len == 0)
            continue;
        buf_add_c(out, count++ == 0 ? "\n[Common responses](#common-responses): " : " · ");
        put_status(out, &responses->list[i]);
    }
    buf_add_c(out, count == 0 ? "" : ".\n");
}

static void
put_call(struct buf *out, const struct reference_endpoint *endpoint,
         const struct reference_call *call)
{
    if (call->title.len > 0)
        buf_add_format(out, "\n**%.*s:**\n", STR_ARG(call->title));
    put_fields(out, "Body field", &call->body, true, " (required)");
    buf_add_format(out, "\n```%s\n%.*s\n```\n", endpoint->is_url ? "text" : "sh",
                   STR_ARG(call->text));
}

/* The order is that of a reader's questions: what to send, an example, what comes back, and what
 * can go wrong. */
static void
put_endpoint(struct buf *out, const struct reference_endpoint *endpoint)
{
    buf_add_format(out, "\n### %.*s\n\n`%s %.*s`", STR_ARG(endpoint->title), endpoint->method,
                   STR_ARG(endpoint->path));
    if (endpoint->needs.len > 0)
        buf_add_format(out, " — requires %.*s", STR_ARG(endpoint->needs));
    buf_add_format(out, "\n\n%.*s\n", STR_ARG(endpoint->summary));
    put_fields(out, "Parameter", &endpoint->parameters, true, " (required)");
    for (size_t i = 0; i < endpoint->call_count; i++)
        put_call(out, endpoint, &endpoint->calls[i]);
    if (endpoint->example != NULL) {
        buf_add_c(out, "\nResponse:\n\n```json\n");
        json_tree_format(out, endpoint->example, WIDTH, 0);
        buf_add_c(out, "\n```\n");
    }
    put_fields(out, "Response member", &endpoint->members, false, " (optional)");
    put_responses(out, &endpoint->responses, false);
    put_shared(out, &endpoint->responses);
}

/* The part of docs/API.md that is generated. */
void
reference_write(struct buf *out, const struct reference *reference)
{
    buf_add_c(out, "## Common responses\n");
    put_responses(out, &reference->shared, true);
    for (size_t g = 0; g < reference->group_count; g++) {
        const struct reference_group *group = &reference->groups[g];
        buf_add_format(out, "\n## %.*s\n\n%.*s\n", STR_ARG(group->name), STR_ARG(group->summary));
        for (size_t i = 0; i < group->count; i++)
            put_endpoint(out, &group->endpoints[i]);
    }
    buf_add_c(out, "\n## Domain records\n\nThe members of `preferences` in each domain.\n");
    for (size_t i = 0; i < reference->record_count; i++) {
        const struct reference_record *record = &reference->records[i];
        buf_add_format(out, "\n### %.*s\n\n`%.*s`: %.*s\n", STR_ARG(record->title),
                       STR_ARG(record->domain), STR_ARG(record->summary));
        put_fields(out, "Member", &record->members, true, " (required)");
    }
}
