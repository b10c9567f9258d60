/* The JSON Schema of a record. */
#include "unit/assert_str.h"

#include "base/arena.h"
#include "domain/domain.h"
#include "text/json_read.h"
#include "unit/domains_kit.h"

static void
the_schema_describes_the_record(void **state)
{
    (void)state;
    struct str text =
        STR("{\"format\":1,\"domain\":\"tea\",\"version\":\"1.0.0\",\"title\":\"Tea\","
            "\"vocabularies\":{\"kind\":{\"open\":true,\"values\":[{\"value\":\"green\"}]},"
            "\"milk\":{\"values\":[{\"value\":\"none\"},"
            "{\"value\":\"a_drop\",\"label\":\"a drop\",\"aliases\":[\"some\"]}]}},"
            "\"members\":["
            "{\"name\":\"kinds\",\"type\":\"array\",\"items\":\"string\",\"cardinality\":\"many\","
            "\"vocabulary\":\"kind\",\"description\":\"Teas.\"},"
            "{\"name\":\"milks\",\"type\":\"array\",\"items\":\"string\",\"cardinality\":\"many\","
            "\"vocabulary\":\"milk\"},"
            "{\"name\":\"shop\",\"type\":\"string\",\"cardinality\":\"one\",\"max_length\":20},"
            "{\"name\":\"milk\",\"type\":\"enum\",\"cardinality\":\"one\",\"vocabulary\":\"milk\"},"
            "{\"name\":\"cups\",\"type\":\"number\",\"cardinality\":\"one\",\"maximum\":9.5},"
            "{\"name\":\"sugar\",\"type\":\"bool\",\"cardinality\":\"one\"},"
            "{\"name\":\"pot\",\"type\":\"object\",\"cardinality\":\"one\",\"properties\":"
            "{\"color\":\"string\",\"liters\":\"number\",\"lid\":\"bool\"}}]}");
    struct str expected =
        STR("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"Tea\","
            "\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
            "\"kinds\":{\"description\":\"Teas.\",\"type\":\"array\",\"maxItems\":100,"
            "\"items\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":80}},"
            "\"milks\":{\"type\":\"array\",\"maxItems\":100,"
            "\"items\":{\"type\":\"string\",\"enum\":[\"none\",\"a_drop\"]}},"
            "\"shop\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":20},"
            "\"milk\":{\"type\":\"string\",\"enum\":[\"none\",\"a_drop\"]},"
            "\"cups\":{\"type\":\"number\",\"minimum\":-1000000000000000,\"maximum\":9.5},"
            "\"sugar\":{\"type\":\"boolean\"},"
            "\"pot\":{\"type\":\"object\",\"additionalProperties\":false,\"minProperties\":1,"
            "\"properties\":{\"color\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":80},"
            "\"liters\":{\"type\":\"number\",\"minimum\":-1000000000000000,"
            "\"maximum\":1000000000000000},\"lid\":{\"type\":\"boolean\"}}}}}");
    struct arena *mem = arena_new();
    struct domain_source source = { STR("tea.json"), STR("tea"), text };
    struct domains set;
    struct why why = { 0 };
    assert_row(!domains_load(mem, &source, 1, &set, &why), why.text);
    assert_str(set.list[0].schema, expected, "schema");
    arena_free(mem);
}

static void
built_in_schemas_have_every_member(void **state)
{
    (void)state;
    struct arena *mem = arena_new();
    const struct domains *set = kit_domains();
    for (size_t i = 0; i < set->count; i++) {
        const struct domain *domain = &set->list[i];
        const struct json_value *schema;
        struct why why = { 0 };
        assert_row(!json_read(mem, domain->schema, 8, &schema, &why), why.text);
        const struct json_value *properties = json_member(schema, "properties");
        assert_int_equal(properties->count, domain->member_count);
        for (size_t j = 0; j < domain->member_count; j++)
            assert_str(properties->children[j].key, domain->members[j].name, "in their order");
    }
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_describes_the_record),
        cmocka_unit_test(built_in_schemas_have_every_member),
    };
    return cmocka_run_group_tests_name("domain/domain_schema", tests, NULL, NULL);
}
