#include "unit/assert_str.h"
#include "unit/test_arena.h"

#include "base/buf.h"
#include "text/json_read.h"
#include "text/json_tree.h"
#include "text/json_write.h"

static const struct json_value *
read(const char *text)
{
    const struct json_value *value = NULL;
    struct why why = { 0 };
    if (json_read(mem, str_of(text), 16, &value, &why))
        fail_msg("%s", why.text);
    return value;
}

static void
what_was_read_is_written_the_same(void **state)
{
    (void)state;
    static const char *const table[] = {
        "{}",
        "[]",
        "[null,true,false,-7,0.8,\"a\\\"b\"]",
        "{\"a\":{\"b\":[{},[1]]},\"c\":\"Björk\"}",
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct buf out = buf_in(mem, 1000);
        struct json json = json_into(&out);
        json_tree_write(&json, read(table[i]));
        assert_str(buf_str(&out), str_of(table[i]), table[i]);
    }
}

static void
a_layout_breaks_only_what_does_not_fit(void **state)
{
    (void)state;
    static const struct {
        const char *why, *input;
        size_t width, indent;
        const char *expected;
    } table[] = {
        { "nothing inside", "{}", 1, 0, "{}" },
        { "fits", "{\"a\":[1,2],\"b\":{}}", 40, 0, "{ \"a\": [1, 2], \"b\": {} }" },
        { "fits to the column", "[1,2]", 7, 0, "[1, 2]" },
        { "one column less", "[1,2]", 6, 0, "[\n  1,\n  2\n]" },
        { "the inside fits", "{\"a\":[1,2],\"b\":3}", 14, 0, "{\n  \"a\": [1, 2],\n  \"b\": 3\n}" },
        { "a key takes room", "{\"long\":[1,2]}", 14, 0,
          "{\n  \"long\": [\n    1,\n    2\n  ]\n}" },
        { "after blanks", "[1,2]", 6, 4, "[\n      1,\n      2\n    ]" },
        { "letters count, not bytes", "[\"öö\",1]", 10, 0, "[\"öö\", 1]" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct buf out = buf_in(mem, 1000);
        json_tree_format(&out, read(table[i].input), table[i].width, table[i].indent);
        if (!str_eq_c(buf_str(&out), table[i].expected))
            fail_msg("%s: %.*s", table[i].why, STR_ARG(buf_str(&out)));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_memory, free_memory)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_read_is_written_the_same),
        TEST(a_layout_breaks_only_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
