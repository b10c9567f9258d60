#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "transfer/json_items.h"

/* "key=value;" for each item; "!" at the end if it is broken. */
static struct str
items_of(struct arena *mem, const char *text)
{
    struct buf out = buf_in(mem, 4096);
    struct json_items items;
    struct str key, value;
    if (!json_items_open(&items, str_of(text)))
        return STR("none");
    while (json_items_next(&items, &key, &value))
        buf_add_format(&out, "%.*s=%.*s;", STR_ARG(key), STR_ARG(value));
    buf_add_c(&out, items.broken ? "!" : "");
    return out.len == 0 ? STR("") : buf_str(&out);
}

static void
items_are_walked_without_a_tree(void **state)
{
    static const struct {
        const char *text, *items;
    } cases[] = {
        { "", "none" },
        { "12", "none" },
        { " [ ]", "" },
        { "{}", "" },
        { "[1,\"a\",{\"b\":[1,2]}]", "=1;=\"a\";={\"b\":[1,2]};" },
        { "{\"a\": 1 ,\"b\":\"x,]}\"}", "a=1 ;b=\"x,]}\";" },
        { "[\"a\\\"]\",2]", "=\"a\\\"]\";=2;" },
        { "{\"a\\\"b\":1}", "a\\\"b=1;" },
        { "[1", "!" },
        { "[1,", "=1;!" },
        { "[{\"a\":1},{\"b\"", "={\"a\":1};!" },
        { "[\"a", "!" },
        { "[\"a\\", "!" },
        { "{a:1}", "!" },
        { "{\"a\" 1}", "!" },
        { "{\"a\"", "!" },
        { "[,]", "!" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *mem = arena_new();
        assert_str(items_of(mem, cases[i].text), str_of(cases[i].items), cases[i].text);
        arena_free(mem);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(items_are_walked_without_a_tree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
