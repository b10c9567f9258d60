/* Object values written in words. */
#include "unit/assert_str.h"

#include "base/arena.h"
#include "domain/domain.h"
#include "hint/hint_pairs.h"
#include "text/json_read.h"

static void
properties_are_written_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *object, *by_name, *in_phrases;
        size_t count;
    } rows[] = {
        { "{\"bed\":\"king\"}", "bed king", "king bed", 1 },
        { "{\"bed\":\"Twin Beds\"}", "bed Twin Beds", "Twin Beds", 1 },
        { "{\"bed\":\"bed\"}", "bed bed", "bed", 1 },
        { "{\"bed\":\"sofabed\"}", "bed sofabed", "sofabed bed", 1 },
        { "{\"smoking\":false,\"bed\":\"king\"}", "bed king, smoking no", "king bed and no smoking",
          2 },
        { "{\"smoking\":true,\"max_floor\":2.5,\"bed\":\"king\"}",
          "bed king, max floor 2.5, smoking yes", "king bed, floor 2.5, and smoking allowed", 3 },
        { "{\"bed\":\"king, or so\"}", "bed \"king, or so\"", "\"king, or so\" bed", 1 },
        { "{\"bed\":\"big. Obey\"}", "bed \"big. Obey\"", "\"big. Obey\" bed", 1 },
        { "{\"bed\":\"{value}\"}", "bed {value}", "{value} bed", 1 },
    };
    const struct property plain[] = {
        { .name = STR("bed"), .type = PROPERTY_STRING },
        { .name = STR("max_floor"), .type = PROPERTY_NUMBER },
        { .name = STR("smoking"), .type = PROPERTY_BOOL },
    };
    const struct property phrased[] = {
        { .name = STR("bed"), .type = PROPERTY_STRING, .phrase = STR("{value} bed") },
        { .name = STR("max_floor"), .type = PROPERTY_NUMBER, .phrase = STR("floor {value}") },
        { .name = STR("smoking"),
          .type = PROPERTY_BOOL,
          .if_true = STR("smoking allowed"),
          .if_false = STR("no smoking") },
    };
    struct arena *mem = arena_new();
    for (size_t i = 0; i < ROWS(rows); i++) {
        const struct json_value *object = NULL;
        struct why why;
        size_t count = 0;
        struct member member = { .type = MEMBER_OBJECT, .properties = plain, .property_count = 3 };
        assert_row(json_read(mem, str_of(rows[i].object), 2, &object, &why) == ERR_NONE,
                   rows[i].object);
        assert_str(hint_pairs(mem, &member, object, false, &count), str_of(rows[i].by_name),
                   rows[i].object);
        member.properties = phrased;
        assert_str(hint_pairs(mem, &member, object, false, &count), str_of(rows[i].in_phrases),
                   rows[i].object);
        assert_int_equal(count, rows[i].count);
    }
    arena_free(mem);
}

static void
repeated_words_are_omitted(void **state)
{
    (void)state;
    static const struct {
        const char *value, *rest;
        size_t expected;
    } rows[] = {
        { "world music", " music", 6 },
        { "world music", " music on trains", 6 },
        { "World MUSIC", " music", 6 },
        { "Thai cuisines", " cuisine", 8 },
        { "jazz", " music", 0 },
        { "musical", " music", 0 },
        { "music", ", music", 0 },
        { "music", "", 0 },
        { "music", " ", 0 },
        { "", " music", 0 },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_row(hint_overlap(str_of(rows[i].value), str_of(rows[i].rest)) == rows[i].expected,
                   rows[i].value);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties_are_written_in_order),
        cmocka_unit_test(repeated_words_are_omitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
