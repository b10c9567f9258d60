#include "unit/assert_str.h"

#include "model/host_list.h"

static void
names_are_distinguished_from_addresses(void **state)
{
    static const char *const names[] = {
        "claude.ai", "localhost",    "a.b-c.example", "1.example", "xn--bcher-kva.example",
        "a.x1",      "app.localhost"
    };
    static const char *const others[] = {
        "",           ".",          "a.",          ".a",
        "a..b",       "A.example",  "a_b.example", "127.0.0.1",
        "2130706433", "0x7f000001", "127.1",       "017700000001",
        "a.0x7f",     "a.1",        "[::1]",       "::1",
        "-a.example", "a-.example", "a b",         "a/b",
        "a:1",        "a@b",        "a%2e",        "b\xc3\xbcro.example",
    };
    char label[64 + 9], long_name[260];
    (void)state;
    for (size_t i = 0; i < ROWS(names); i++)
        assert_row(host_name_valid(str_of(names[i])), names[i]);
    for (size_t i = 0; i < ROWS(others); i++)
        assert_row(!host_name_valid(str_of(others[i])), others[i]);
    snprintf(label, sizeof label, "%064d.example", 0);
    assert_false(host_name_valid(str_of(label)));
    assert_true(host_name_valid(str_from(str_of(label), 1)));
    for (size_t i = 0; i < 254; i++)
        long_name[i] = i % 2 == 0 ? 'a' : '.';
    assert_true(host_name_valid((struct str){ long_name, 253 }));
    long_name[252] = long_name[253] = 'a';
    assert_false(host_name_valid((struct str){ long_name, 254 }));
    assert_false(host_name_valid(STR_NONE));
}

static void
lists_are_checked(void **state)
{
    static const char *const lists[] = { "claude.ai", "*.example.com",
                                         "a.example localhost *.b.c" };
    static const char *const wrong[] = { "",
                                         "on",
                                         "opne",
                                         "a.example,b.example",
                                         "*",
                                         "a.example  b.example",
                                         " a.example",
                                         "*.com.",
                                         "*localhost",
                                         "a.*.example",
                                         "https://a.example",
                                         "a.example:443",
                                         "1.2.3.4" };
    (void)state;
    for (size_t i = 0; i < ROWS(lists); i++)
        assert_row(host_list_problem(str_of(lists[i])) == NULL, lists[i]);
    for (size_t i = 0; i < ROWS(wrong); i++)
        assert_row(host_list_problem(str_of(wrong[i])) != NULL, wrong[i]);
}

static void
hosts_are_compared_exactly_or_below_a_name(void **state)
{
    struct str list = STR("claude.ai *.example.com");
    (void)state;
    assert_true(host_list_contains(list, STR("claude.ai")));
    assert_true(host_list_contains(list, STR("a.example.com")));
    assert_true(host_list_contains(list, STR("a.b.example.com")));
    assert_false(host_list_contains(list, STR("example.com")));
    assert_false(host_list_contains(list, STR("evilexample.com")));
    assert_false(host_list_contains(list, STR("api.claude.ai")));
    assert_false(host_list_contains(list, STR("claude.ai.evil.example")));
    assert_false(host_list_contains(list, STR("")));
    assert_false(host_list_contains(STR(""), STR("claude.ai")));
    assert_true(host_list_contains(STR_NONE, STR("claude.ai")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_distinguished_from_addresses),
        cmocka_unit_test(lists_are_checked),
        cmocka_unit_test(hosts_are_compared_exactly_or_below_a_name),
    };
    return cmocka_run_group_tests_name("model/host_list", tests, NULL, NULL);
}
