/* The OpenAPI document and the routes must agree: the same endpoints, fields, and bounds. */
#include "unit/web/by_hand.h"

#include "api/openapi.h"
#include "app/routes.h"
#include "text/json_read.h"
#include "unit/domains_kit.h"

static struct arena *mem;
static const struct json_value *document;

static int
setup(void **state)
{
    (void)state;
    struct openapi_params place = { STR("https://api.example"), STR("https://id.example"),
                                    kit_domains() };
    struct str text = STR_NONE;
    struct why why = { 0 };
    mem = arena_new();
    if (openapi_make(mem, &place, &text, &why) ||
        json_read(mem, text, OPENAPI_DEPTH_MAX, &document, &why))
        fail_msg("%s", why.text);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    arena_free(mem);
    return 0;
}

/* ---- reading the document ---- */

/* The value at a path such as "components/schemas/Error"; NULL: none. */
static const struct json_value *
at(const struct json_value *value, const char *path)
{
    struct str rest = str_of(path), part;
    while (value != NULL && str_cut(&rest, '/', &part))
        value = json_member(value, str_c(mem, part));
    return value;
}

static const struct json_value *
follow(const struct json_value *value)
{
    const struct json_value *ref = value == NULL ? NULL : json_member(value, "$ref");
    return ref == NULL ? value : follow(at(document, str_c(mem, str_from(ref->text, 2))));
}

static const struct json_value *
operation(const struct route *row)
{
    const struct json_value *place = json_member(json_member(document, "paths"), row->path);
    struct str method = str_lower(mem, str_of(method_name(row->method)));
    return place == NULL ? NULL : json_member(place, method.ptr);
}

static const struct json_value *
parameter(const struct json_value *operation, const char *name)
{
    const struct json_value *list = json_member(operation, "parameters");
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct json_value *one = follow(&list->children[i]);
        if (str_eq_c(json_member(one, "name")->text, name))
            return one;
    }
    return NULL;
}

static bool
lists(const struct json_value *array, struct str text)
{
    for (size_t i = 0; array != NULL && i < array->count; i++)
        if (str_eq(array->children[i].text, text))
            return true;
    return false;
}

/* Pages are not described, except for the one to which apps send users. */
static bool
is_described(const struct route *row)
{
    if (row->rpc && row->method == GET)
        return false; /* it only rejects the method */
    return !row->page || strcmp(row->path, "/oauth/authorize") == 0;
}

typedef void (*row_check)(const struct route *row, const struct json_value *operation);

static void
each_described(row_check check)
{
    for (size_t t = 0; routes_public[t] != NULL; t++)
        for (const struct route *row = routes_public[t]; row->path != NULL; row++)
            if (is_described(row))
                check(row, operation(row));
}

/* ---- endpoints, fields, bodies, security ---- */

static size_t rows;

static void
count_row(const struct route *row, const struct json_value *operation)
{
    if (operation == NULL)
        fail_msg("%s %s is not described in api/", method_name(row->method), row->path);
    rows++;
}

static void
exactly_the_public_api_routes_are_described(void **state)
{
    (void)state;
    rows = 0;
    each_described(count_row);
    size_t described = 0;
    const struct json_value *paths = json_member(document, "paths");
    for (size_t i = 0; i < paths->count; i++)
        for (size_t m = 0; m < paths->children[i].count; m++)
            described += str_eq_c(paths->children[i].children[m].key, "get") ||
                         str_eq_c(paths->children[i].children[m].key, "post");
    assert_int_equal(described, rows); /* no description without a route */
}

static bool
has_length(const struct json_value *schema, int64_t max)
{
    const struct json_value *length = json_member(schema, "maxLength");
    return length != NULL && length->integer == max;
}

static void
check_whole(const struct route *row, const struct json_value *operation, const struct field *field,
            const struct json_value *schema)
{
    (void)operation;
    const struct json_value *fallback = json_member(schema, "default");
    if (!str_eq_c(json_member(schema, "type")->text, "integer") ||
        json_member(schema, "minimum")->integer != field->min ||
        json_member(schema, "maximum")->integer != field->max || fallback == NULL ||
        fallback->integer != field->fallback)
        fail_msg("%s %s: minimum, maximum, or default differs from its row", row->path,
                 field->name);
}

static void
check_query_field(const struct route *row, const struct json_value *operation,
                  const struct field *field)
{
    const struct json_value *found = parameter(operation, field->name);
    if (found == NULL)
        fail_msg("%s: %s is not described", row->path, field->name);
    const struct json_value *required = json_member(found, "required");
    const struct json_value *schema = follow(json_member(found, "schema"));
    assert_int_equal(required != NULL && required->integer, field->required);
    if (field->kind == FIELD_INTEGER)
        check_whole(row, operation, field, schema);
    else if (json_member(schema, "enum") == NULL && !has_length(schema, field->max))
        fail_msg("%s %s has another length than its row", row->path, field->name);
}

/* In every alternative of the form that has the field, and in at least one. */
static void
check_form_field(const struct route *row, const struct json_value *operation,
                 const struct field *field)
{
    const struct json_value *types = at(operation, "requestBody/content");
    const struct json_value *schema = follow(json_member(&types->children[0], "schema"));
    const struct json_value *shapes = json_member(schema, "oneOf");
    size_t known = 0, required = 0, count = shapes == NULL ? 1 : shapes->count;
    for (size_t i = 0; i < count; i++) {
        const struct json_value *shape = shapes == NULL ? schema : follow(&shapes->children[i]);
        const struct json_value *property =
            follow(json_member(json_member(shape, "properties"), field->name));
        known += property != NULL;
        required += lists(json_member(shape, "required"), str_of(field->name));
        if (property != NULL && json_member(property, "enum") == NULL &&
            !has_length(property, field->max))
            fail_msg("%s %s has another length than its row", row->path, field->name);
    }
    if (known == 0 || (field->required && required != count))
        fail_msg("%s: %s is not described as its row has it", row->path, field->name);
}

static void
check_fields(const struct route *row, const struct json_value *operation)
{
    size_t in_query = 0;
    for (size_t i = 0; i < row->field_count; i++) {
        in_query += row->fields[i].in == FIELD_IN_QUERY;
        if (row->fields[i].in == FIELD_IN_QUERY)
            check_query_field(row, operation, &row->fields[i]);
        else
            check_form_field(row, operation, &row->fields[i]);
    }
    const struct json_value *list = json_member(operation, "parameters");
    for (size_t i = 0; list != NULL && i < list->count && !row->page; i++)
        in_query -= str_eq_c(json_member(follow(&list->children[i]), "in")->text, "query");
    if (in_query != 0)
        fail_msg("%s: a parameter is described that the row does not take", row->path);
}

static void
parameters_have_the_bounds_of_their_fields(void **state)
{
    (void)state;
    each_described(check_fields);
}

static void
check_body(const struct route *row, const struct json_value *operation)
{
    const struct json_value *types = at(operation, "requestBody/content");
    const struct json_value *responses = json_member(operation, "responses");
    bool takes = row->body != BODY_NONE;
    bool large = takes || strcmp(row->path, "/v1/preferences/export") ==
                              0; /* its response may be too large */
    assert_int_equal(types != NULL, takes);
    assert_int_equal(json_member(responses, "413") != NULL, large);
    assert_int_equal(json_member(responses, "415") != NULL, takes);
    if (!takes)
        return;
    assert_string_equal(str_c(mem, types->children[0].key),
                        row->body == BODY_FORM ? "application/x-www-form-urlencoded"
                                               : "application/json");
    struct str limit = str_format(mem, "limited to %zu KiB", row->body_max / KIB);
    if (strstr(str_c(mem, json_member(operation, "description")->text), limit.ptr) == NULL)
        fail_msg("%s does not document the limit of its body", row->path);
}

static void
bodies_have_the_type_and_limit_of_their_routes(void **state)
{
    (void)state;
    each_described(check_body);
}

static bool
security_names(const struct json_value *operation, const char *scheme, struct str scope)
{
    const struct json_value *choices = json_member(operation, "security");
    for (size_t i = 0; i < choices->count; i++) {
        const struct json_value *scopes_of = json_member(&choices->children[i], scheme);
        if (scopes_of != NULL && (!str_present(scope) || lists(scopes_of, scope)))
            return true;
    }
    return false;
}

static void
check_who(const struct route *row, const struct json_value *operation)
{
    bool by_token = row->caller == CALLER_TOKEN, by_app = row->caller == CALLER_APP;
    const struct json_value *responses = json_member(operation, "responses");
    assert_int_equal(security_names(operation, "oauth2", STR_NONE), by_token);
    assert_int_equal(security_names(operation, "client", STR_NONE), by_app);
    assert_int_equal(json_member(responses, "401") != NULL, by_token || by_app);
    bool limited = by_token || by_app || strcmp(row->path, "/oauth/register") == 0 ||
                   strcmp(row->path, "/oauth/authorize") == 0;
    assert_int_equal(json_member(responses, "429") != NULL, limited);
    assert_non_null(json_member(responses, "503"));
    assert_non_null(json_member(responses, "default"));
    for (size_t i = 0; i < scope_count(); i++) {
        struct str name = str_of(scope_row(i)->name);
        bool opens = (row->scope & ((scopes)1 << i)) != 0 ||
                     (row->any_domain && ((scopes)1 << i) >= SCOPE_FIRST_DOMAIN);
        if (opens && !security_names(operation, "oauth2", name))
            fail_msg("%s %s: %s opens it and is not described", method_name(row->method), row->path,
                     name.ptr);
    }
}

static void
security_matches_the_caller_of_the_route(void **state)
{
    (void)state;
    each_described(check_who);
}

/* ---- values of the installation ---- */

static void
urls_scopes_and_domains_are_filled_in(void **state)
{
    (void)state;
    const struct json_value *flow =
        at(document, "components/securitySchemes/oauth2/flows/authorizationCode");
    assert_string_equal(str_c(mem, json_member(flow, "authorizationUrl")->text),
                        "https://id.example/oauth/authorize");
    assert_string_equal(str_c(mem, json_member(flow, "tokenUrl")->text),
                        "https://api.example/oauth/token");
    assert_int_equal(json_member(flow, "scopes")->count, scope_count());
    const struct json_value *names = at(document, "components/schemas/DomainName/enum");
    assert_int_equal(names->count, kit_domains()->count);
    for (size_t i = 0; i < names->count; i++) {
        const struct json_value *schema =
            json_member(at(document, "components/schemas"), str_c(mem, names->children[i].text));
        assert_non_null(schema);
        assert_null(json_member(schema, "$schema"));
        assert_non_null(json_member(schema, "properties"));
    }
}

static void
a_record_has_no_limit_of_items(void **state)
{
    (void)state;
    const struct json_value *genres =
        at(document, "components/schemas/music_preferences/properties/genres");
    assert_non_null(json_member(genres, "items"));
    assert_null(json_member(genres, "maxItems"));
}

static void
the_document_is_served_with_an_etag(void **state)
{
    (void)state;
    open_web(NULL, "http://127.0.0.1:8080", true);
    assert_int_equal(get("/openapi.json"), 200);
    assert_header("Content-Type", "application/json");
    assert_header("Cache-Control", "public, max-age=300");
    assert_header("Access-Control-Allow-Origin", "*");
    assert_true(response_contains("\"url\":\"http://127.0.0.1:8080\""));
    assert_false(response_contains("{{"));
    const char *tag = answer_header("ETag");
    prepare("GET", "/openapi.json");
    with("If-None-Match", tag);
    assert_int_equal(send_it(), 304);
    assert_int_equal(hand.exchange.response.body.len, 0);
    close_web();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(exactly_the_public_api_routes_are_described),
        TEST(parameters_have_the_bounds_of_their_fields),
        TEST(bodies_have_the_type_and_limit_of_their_routes),
        TEST(security_matches_the_caller_of_the_route),
        TEST(urls_scopes_and_domains_are_filled_in),
        TEST(a_record_has_no_limit_of_items),
        TEST(the_document_is_served_with_an_etag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
