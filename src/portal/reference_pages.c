/* reference_pages.c - the API reference, without sign-in: an overview, and a page for each endpoint
 * and each domain's record. One page for all would exceed the size limit of pages.
 *
 * An endpoint's URL has its operationId in /openapi.json, which is also its anchor on the overview.
 */
#include "base/buf.h"
#include "page/account_page.h"
#include "portal/portal_routes.h"
#include "portal/reference.h"
#include "text/json_tree.h"
#include "text/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/state.h"

#define HERE "/developer/reference"
#define EXAMPLE_MAX ((size_t)64 * 1024)
#define EXAMPLE_WIDTH 76

/* Parsed for each request: in memory it would take ten times the size of the document. */
static enum err
make(struct call *call, struct reference *out)
{
    struct why why = { 0 };
    return reference_make(call->mem, call->web->openapi, out, &why);
}

/* ---- parts ---- */

/* Requests mark required fields, responses optional ones. */
static void
put_fields(struct values *values, const struct reference_fields *fields, bool in_response)
{
    values_flag(values, "has_fields", fields->count > 0);
    for (size_t i = 0; i < fields->count; i++) {
        struct values *item = values_item(values, "fields");
        values_text(item, "name", fields->list[i].name);
        values_flag(item, "required", !in_response && fields->list[i].required);
        values_flag(item, "optional", in_response && !fields->list[i].required);
        message_marked(item, "kind", fields->list[i].kind);
        message_marked(item, "description", fields->list[i].summary);
    }
}

static void
put_responses(struct call *call, struct values *values, const struct reference_responses *responses)
{
    for (size_t i = 0; i < responses->count; i++) {
        const struct reference_response *response = &responses->list[i];
        struct values *item = values_item(values, "responses");
        bool other = str_eq_c(response->status, "default");
        values_text(item, "status",
                    other ? message(call, KEY("reference.others")) : response->status);
        message_marked(item, "errors", response->errors);
        message_marked(item, "description", response->summary);
    }
}

static void
put_line(struct values *item, const struct reference_endpoint *endpoint)
{
    values_text(item, "id", endpoint->id);
    values_text(item, "method", str_of(endpoint->method));
    values_text(item, "path", endpoint->path);
    values_text(item, "title", endpoint->title);
}

static void
put_record(struct values *values, const struct reference_record *record)
{
    values_text(values, "domain", record->domain);
    values_text(values, "title", record->title);
}

static void
put_endpoint(struct call *call, struct values *item, const struct reference_endpoint *endpoint)
{
    put_line(item, endpoint);
    /* Not "description": a field without one would show this one instead. */
    message_marked(item, "about", endpoint->summary);
    message_marked(item, "needs", endpoint->needs);
    values_flag(item, "has_needs", endpoint->needs.len > 0);
    if (endpoint->parameters.count > 0)
        put_fields(values_item(item, "parameters"), &endpoint->parameters, false);
    for (size_t i = 0; i < endpoint->call_count; i++) {
        struct values *one = values_item(item, "calls");
        values_text(one, "call", endpoint->calls[i].title);
        values_text(one, "text", endpoint->calls[i].text);
        put_fields(one, &endpoint->calls[i].body, false);
    }
    if (endpoint->example != NULL) {
        struct buf out = buf_in(call->mem, EXAMPLE_MAX);
        json_tree_format(&out, endpoint->example, EXAMPLE_WIDTH, 0);
        values_text(item, "example", buf_str(&out));
    }
    if (endpoint->members.count > 0)
        put_fields(values_item(item, "members"), &endpoint->members, true);
    put_responses(call, item, &endpoint->responses);
}

/* ---- overview ---- */

static enum err
get_overview(struct call *call)
{
    struct reference reference;
    struct values *values = values_new(call->mem);
    enum err err = make(call, &reference);
    if (err != ERR_NONE)
        return err;
    for (size_t g = 0; g < reference.group_count; g++) {
        struct values *group = values_item(values, "groups");
        values_text(group, "group", reference.groups[g].name);
        message_marked(group, "about", reference.groups[g].summary);
        for (size_t i = 0; i < reference.groups[g].count; i++)
            put_line(values_item(group, "endpoints"), &reference.groups[g].endpoints[i]);
    }
    for (size_t i = 0; i < reference.record_count; i++) {
        struct values *record = values_item(values, "records");
        put_record(record, &reference.records[i]);
        message_marked(record, "about", reference.records[i].summary);
    }
    return account_page(call, 200, "developer_reference", "developer", values);
}

/* ---- one endpoint ---- */

static void
put_neighbor(struct values *values, const char *name, const struct reference_endpoint *endpoint)
{
    if (endpoint != NULL)
        put_line(values_item(values, name), endpoint);
}

static enum err
get_endpoint(struct call *call)
{
    struct reference reference;
    struct values *values = values_new(call->mem);
    const struct reference_endpoint *before = NULL, *found = NULL, *after = NULL;
    enum err err = make(call, &reference);
    if (err != ERR_NONE)
        return err;
    for (size_t g = 0; g < reference.group_count; g++)
        for (size_t i = 0; i < reference.groups[g].count && after == NULL; i++) {
            const struct reference_endpoint *one = &reference.groups[g].endpoints[i];
            if (found != NULL)
                after = one;
            else if (str_eq(one->id, call_param(call, 0)))
                found = one;
            else
                before = one;
        }
    if (found == NULL)
        return ERR_NOT_FOUND;
    put_endpoint(call, values, found);
    put_neighbor(values, "before", before);
    put_neighbor(values, "after", after);
    return account_page(call, 200, "developer_endpoint", "developer", values);
}

/* ---- one domain's record ---- */

static enum err
get_record(struct call *call)
{
    struct reference reference;
    enum err err = make(call, &reference);
    for (size_t i = 0; err == ERR_NONE && i < reference.record_count; i++) {
        const struct reference_record *record = &reference.records[i];
        if (!str_eq(record->domain, call_param(call, 0)))
            continue;
        struct values *values = values_new(call->mem);
        put_record(values, record);
        message_marked(values, "about", record->summary);
        if (i > 0)
            put_record(values_item(values, "before"), record - 1);
        if (i + 1 < reference.record_count)
            put_record(values_item(values, "after"), record + 1);
        put_fields(values, &record->members, false);
        return account_page(call, 200, "developer_record", "developer", values);
    }
    return err == ERR_NONE ? ERR_NOT_FOUND : err;
}

const struct route developer_reference_routes[] = {
    { GET, HERE, get_overview, CALLER_ANYONE, .summary = "Shows the API reference.", .page = true,
      .blocks = true },
    { GET, HERE "/{endpoint}", get_endpoint, CALLER_ANYONE,
      .summary = "Shows an endpoint of the API.", .page = true, .blocks = true },
    { GET, HERE "/records/{domain}", get_record, CALLER_ANYONE,
      .summary = "Shows the members of a domain's record.", .page = true, .blocks = true },
    { 0 },
};
