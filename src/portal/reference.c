/* reference.c - reads the OpenAPI document into structs that are easy to render, with $ref
 * resolved.
 *
 * The document is our own: api/ is checked by tests, so members that it always has are not checked
 * here. Order is that of the document: tags are the groups, and an endpoint belongs to the group of
 * its tag. Errors are recognized in the examples of responses, where each has a member "error".
 * Strings point into the parsed document, which is in the same arena. */
#include "portal/reference.h"

#include "api/openapi.h"
#include "base/arena.h"
#include "base/buf.h"
#include "portal/reference_internal.h"

#include <string.h>

#define ERRORS_MAX 1024

/* ---- reading the document ---- */

/* May lead to another $ref. Names contain no escapes of JSON Pointer. */
const struct json_value *
reference_follow(const struct reading *reading, const struct json_value *value)
{
    struct str ref = value == NULL ? STR_NONE : reference_text(value, "$ref");
    if (ref.len == 0)
        return value;
    const struct json_value *at = reading->document;
    struct str rest = str_from(ref, strlen("#/")), part;
    while (at != NULL && str_cut(&rest, '/', &part))
        at = json_member(at, str_c(reading->mem, part));
    return reference_follow(reading, at);
}

struct str
reference_text(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_member(object, key);
    return value != NULL && value->type == JSON_STR ? value->text : STR("");
}

const struct json_value *
reference_media(const struct json_value *holder)
{
    const struct json_value *content = holder == NULL ? NULL : json_member(holder, "content");
    return content == NULL || content->count == 0 ? NULL : &content->children[0];
}

/* NULL: there are not that many. */
static const struct json_value *
example_of(const struct json_value *media, size_t number)
{
    const struct json_value *named = json_member(media, "examples");
    if (named != NULL)
        return number < named->count ? json_member(&named->children[number], "value") : NULL;
    return number == 0 ? json_member(media, "example") : NULL;
}

static const struct json_value *
component(const struct reading *reading, const char *kind)
{
    return json_member(json_member(reading->document, "components"), kind);
}

/* ---- fields ---- */

static bool
contains(const struct json_value *array, struct str text)
{
    for (size_t i = 0; array != NULL && i < array->count; i++)
        if (str_eq(array->children[i].text, text))
            return true;
    return false;
}

static size_t
count_of(const struct json_value *value)
{
    return value == NULL ? 0 : value->count;
}

/* The members of an object; `described_only` skips those without a description. */
static struct reference_fields
read_members(const struct reading *reading, const struct json_value *schema, bool described_only)
{
    schema = reference_follow(reading, schema);
    const struct json_value *properties = json_member(schema, "properties");
    const struct json_value *required = json_member(schema, "required");
    struct reference_fields out = { 0 };
    out.list = ARENA_ARRAY(reading->mem, struct reference_field, count_of(properties) + 1);
    for (size_t i = 0; i < count_of(properties); i++) {
        const struct json_value *property = &properties->children[i];
        struct str summary = reference_text(reference_follow(reading, property), "description");
        if (described_only && summary.len == 0)
            continue;
        out.list[out.count++] = (struct reference_field){
            .name = property->key,
            .kind = reference_kind(reading, property),
            .summary = summary,
            .required = contains(required, property->key),
        };
    }
    return out;
}

/* Those of the path and those of the operation: the caller has allocated space for both. */
static void
add_parameters(const struct reading *reading, const struct json_value *holder,
               struct reference_fields *out)
{
    const struct json_value *list = json_member(holder, "parameters");
    for (size_t i = 0; i < count_of(list); i++) {
        const struct json_value *one = reference_follow(reading, &list->children[i]);
        const struct json_value *required = json_member(one, "required");
        out->list[out->count++] = (struct reference_field){
            .name = reference_text(one, "name"),
            .kind = reference_kind(reading, json_member(one, "schema")),
            .summary = reference_text(one, "description"),
            .required = required != NULL && required->integer != 0,
        };
    }
}

/* ---- responses ---- */

static void
add_error(struct buf *out, const struct json_value *example)
{
    struct str error = example == NULL ? STR("") : reference_text(example, "error");
    if (error.len > 0)
        buf_add_format(out, "%s`%.*s`", out->len == 0 ? "" : ", ", STR_ARG(error));
}

/* The names of the errors are in the examples of the response, one or several. */
static struct str
read_errors(const struct reading *reading, const struct json_value *response)
{
    struct buf out = buf_in(reading->mem, ERRORS_MAX);
    const struct json_value *media = reference_media(response);
    const struct json_value *named = media == NULL ? NULL : json_member(media, "examples");
    if (media != NULL)
        add_error(&out, json_member(media, "example"));
    for (size_t i = 0; i < count_of(named); i++)
        add_error(&out, json_member(&named->children[i], "value"));
    return buf_str(&out);
}

/* Several endpoints use the same response by $ref; its name is the last part of that reference. */
static struct reference_response
read_response(const struct reading *reading, const struct json_value *given)
{
    const struct json_value *response = reference_follow(reading, given);
    return (struct reference_response){
        .status = given->key,
        .errors = read_errors(reading, response),
        .summary = reference_text(response, "description"),
        .shared = response == given ? STR("") : response->key,
    };
}

static struct reference_responses
read_responses(const struct reading *reading, const struct json_value *responses)
{
    struct reference_responses out = { 0 };
    out.list = ARENA_ARRAY(reading->mem, struct reference_response, count_of(responses) + 1);
    for (size_t i = 0; i < count_of(responses); i++)
        out.list[out.count++] = read_response(reading, &responses->children[i]);
    return out;
}

/* Responses that several endpoints share are described once. */
static const struct reference_response *
find_shared(const struct reference_endpoint *endpoint, struct str name)
{
    for (size_t i = 0; i < endpoint->responses.count; i++)
        if (str_eq(endpoint->responses.list[i].shared, name))
            return &endpoint->responses.list[i];
    return NULL;
}

/* Each shared response once, with the status of the first endpoint that has it. */
static void
find_all_shared(const struct reading *reading, struct reference *out)
{
    const struct json_value *responses = component(reading, "responses");
    out->shared.list =
        ARENA_ARRAY(reading->mem, struct reference_response, count_of(responses) + 1);
    for (size_t r = 0; r < count_of(responses); r++) {
        const struct reference_response *found = NULL;
        for (size_t g = 0; g < out->group_count; g++)
            for (size_t i = 0; i < out->groups[g].count && found == NULL; i++)
                found = find_shared(&out->groups[g].endpoints[i], responses->children[r].key);
        if (found != NULL)
            out->shared.list[out->shared.count++] = *found;
    }
}

/* ---- endpoints ---- */

/* One call for each alternative of the body; the n-th example belongs to the n-th alternative. */
static void
read_calls(struct calling *calling, struct reference_endpoint *out)
{
    const struct reading *reading = calling->reading;
    const struct json_value *body = reference_media(json_member(calling->operation, "requestBody"));
    const struct json_value *schema =
        body == NULL ? NULL : reference_follow(reading, json_member(body, "schema"));
    const struct json_value *shapes = schema == NULL ? NULL : json_member(schema, "oneOf");
    out->call_count = shapes == NULL ? 1 : shapes->count;
    out->calls = ARENA_ARRAY(reading->mem, struct reference_call, out->call_count);
    out->is_url = reference_call_is_url(calling);
    for (size_t i = 0; i < out->call_count; i++) {
        struct reference_call *call = &out->calls[i];
        calling->example = body == NULL ? NULL : example_of(body, i);
        if (schema != NULL)
            call->body =
                read_members(reading, shapes == NULL ? schema : &shapes->children[i], false);
        if (shapes != NULL)
            call->title = reference_text(&json_member(body, "examples")->children[i], "summary");
        call->text = reference_call_text(calling);
    }
}

/* "x-needs" is our own extension: the required scopes or credentials in words. */
static struct reference_endpoint
read_endpoint(const struct reading *reading, const struct json_value *path_item, const char *method,
              const struct json_value *operation)
{
    const struct json_value *responses = json_member(operation, "responses");
    const struct json_value *answer = reference_media(json_member(responses, "200"));
    struct calling calling = { reading, path_item, operation, NULL };
    struct reference_endpoint out = {
        .method = method,
        .path = path_item->key,
        .id = reference_text(operation, "operationId"),
        .title = reference_text(operation, "summary"),
        .summary = reference_text(operation, "description"),
        .needs = reference_text(operation, "x-needs"),
        .responses = read_responses(reading, responses),
    };
    size_t most = count_of(json_member(path_item, "parameters")) +
                  count_of(json_member(operation, "parameters"));
    out.parameters.list = ARENA_ARRAY(reading->mem, struct reference_field, most + 1);
    add_parameters(reading, path_item, &out.parameters);
    add_parameters(reading, operation, &out.parameters);
    read_calls(&calling, &out);
    if (answer != NULL) {
        out.example = example_of(answer, 0);
        out.members = read_members(reading, json_member(answer, "schema"), true);
    }
    return out;
}

/* The endpoints with the group's tag, in the order of the document. */
static void
read_group(const struct reading *reading, struct reference_group *group)
{
    static const struct {
        const char *key, *name;
    } methods[] = { { "get", "GET" }, { "post", "POST" } };
    const size_t method_count = sizeof methods / sizeof *methods;
    const struct json_value *paths = json_member(reading->document, "paths");
    group->endpoints =
        ARENA_ARRAY(reading->mem, struct reference_endpoint, count_of(paths) * method_count + 1);
    for (size_t p = 0; p < count_of(paths); p++)
        for (size_t m = 0; m < method_count; m++) {
            const struct json_value *path_item = &paths->children[p];
            const struct json_value *operation = json_member(path_item, methods[m].key);
            if (operation != NULL && contains(json_member(operation, "tags"), group->name))
                group->endpoints[group->count++] =
                    read_endpoint(reading, path_item, methods[m].name, operation);
        }
}

/* ---- records ---- */

/* The document has a schema for each domain, listed in the enum of domain names. */
static void
read_records(const struct reading *reading, struct reference *out)
{
    const struct json_value *schemas = component(reading, "schemas");
    const struct json_value *names = json_member(json_member(schemas, "DomainName"), "enum");
    out->records = ARENA_ARRAY(reading->mem, struct reference_record, count_of(names) + 1);
    for (size_t i = 0; i < count_of(names); i++) {
        struct str name = names->children[i].text;
        const struct json_value *schema = json_member(schemas, str_c(reading->mem, name));
        out->records[out->record_count++] = (struct reference_record){
            .domain = name,
            .title = reference_text(schema, "title"),
            .summary = reference_text(schema, "description"),
            .members = read_members(reading, schema, false),
        };
    }
}

/* Groups first, because shared responses are looked for in the endpoints. */
enum err
reference_make(struct arena *mem, struct str document, struct reference *out, struct why *why)
{
    struct reading reading = { .mem = mem };
    enum err err = json_read(mem, document, OPENAPI_DEPTH_MAX, &reading.document, why);
    if (err)
        return err;
    const struct json_value *tags = json_member(reading.document, "tags");
    *out = (struct reference){ 0 };
    out->groups = ARENA_ARRAY(mem, struct reference_group, count_of(tags) + 1);
    for (size_t i = 0; i < count_of(tags); i++) {
        struct reference_group *group = &out->groups[out->group_count++];
        group->name = reference_text(&tags->children[i], "name");
        group->summary = reference_text(&tags->children[i], "description");
        read_group(&reading, group);
    }
    find_all_shared(&reading, out);
    read_records(&reading, out);
    return ERR_NONE;
}
