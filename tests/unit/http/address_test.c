/* address_test.c - listen addresses, trusted networks, and forwarded addresses. */
#include "http/address.h"

#include "http/listen.h"
#include "http/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void
listen_addresses_are_an_address_and_a_port(void **state)
{
    static const struct {
        const char *why;
        const char *text;
        const char *written; /* NULL: rejected */
    } rows[] = {
        { "IPv4", "127.0.0.1:8080", "127.0.0.1:8080" },
        { "IPv6", "[::1]:8080", "[::1]:8080" },
        { "a free port", "127.0.0.1:0", "127.0.0.1:0" },
        { "the last port", "0.0.0.0:65535", "0.0.0.0:65535" },
        { "every address", ":8080", "[::]:8080" },
        { "port too large", "127.0.0.1:65536", NULL },
        { "no port", "127.0.0.1", NULL },
        { "empty port", "127.0.0.1:", NULL },
        { "negative port", "127.0.0.1:-1", NULL },
        { "a name", "localhost:8080", NULL },
        { "IPv6 without brackets", "::1:8080", NULL },
        { "IPv4 in brackets", "[127.0.0.1]:8080", NULL },
        { "empty brackets", "[]:8080", NULL },
        { "open bracket", "[::1:8080", NULL },
        { "nothing behind the bracket", "[::1]", NULL },
        { "no colon behind the bracket", "[::1]8080", NULL },
        { "spaces", " 127.0.0.1:8080", NULL },
        { "only a port", "8080", NULL },
        { "empty", "", NULL },
        { "too long", "11111111111111111111111111111111111111111111111111111111111:1", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct listen_address out;
        char text[LISTEN_TEXT_MAX];
        const char *problem = listen_parse(rows[i].text, &out);
        if ((problem == NULL) != (rows[i].written != NULL))
            fail_msg("%s: \"%s\": %s", rows[i].why, rows[i].text, problem ? problem : "taken");
        assert_true((http_listen_problem(rows[i].text) == NULL) == (problem == NULL));
        if (problem != NULL)
            continue;
        address_write_with_port(&out.address, out.port, text);
        assert_string_equal(text, rows[i].written);
        assert_int_equal(out.any, rows[i].text[0] == ':');
    }
}

static void
a_network_contains_only_its_addresses(void **state)
{
    static const struct {
        const char *networks;
        const char *address;
        bool holds;
    } rows[] = {
        { "10.0.0.0/8", "10.255.3.4", true },
        { "10.0.0.0/8", "11.0.0.0", false },
        { "10.0.0.1", "10.0.0.1", true },
        { "10.0.0.1", "10.0.0.2", false },
        { "192.168.4.0/22", "192.168.7.255", true },
        { "192.168.4.0/22", "192.168.8.0", false },
        { "0.0.0.0/0", "8.8.8.8", true },
        { "0.0.0.0/0", "2001:db8::1", false },
        { "::/0", "8.8.8.8", true },
        { "2001:db8::/33", "2001:db8:7fff::1", true },
        { "2001:db8::/33", "2001:db8:8000::1", false },
        { "::1", "::1", true },
        { "10.0.0.0/8, ::1 ,127.0.0.1", "127.0.0.1", true },
        { "10.0.0.0/8", "::ffff:10.1.1.1", true }, /* the same client over IPv6 */
        { "::ffff:10.0.0.0/104", "10.1.1.1", true },
        { "10.0.0.77/8", "10.1.1.1", true },
        { "", "10.1.1.1", false },
        { "  ", "10.1.1.1", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct networks networks;
        struct address address;
        assert_null(networks_parse(rows[i].networks, &networks));
        assert_true(address_parse(str_of(rows[i].address), &address));
        if (networks_contain(&networks, &address) != rows[i].holds)
            fail_msg("%s in %s", rows[i].address, rows[i].networks);
    }
    struct networks none;
    assert_null(networks_parse(NULL, &none));
    assert_int_equal(none.count, 0);
}

static void
invalid_proxy_networks_are_rejected(void **state)
{
    static const char *const rows[] = {
        "10.0.0.0/33", "10.0.0.0/-1",       "10.0.0.0/", "10.0.0", "proxy",       "10.0.0.1,",
        ",",           "10.0.0.1 10.0.0.2", "::/129",    "[::1]",  "10.0.0.1:80", "fe80::1%lo"
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (http_proxies_problem(rows[i]) == NULL)
            fail_msg("taken: %s", rows[i]);
    char many[HTTP_PROXIES_MAX * 4 + 8] = "";
    for (size_t i = 0; i <= HTTP_PROXIES_MAX; i++)
        memcpy(many + i * 4, i == HTTP_PROXIES_MAX ? "::1" : "::1,", 4);
    assert_non_null(http_proxies_problem(many));
    many[HTTP_PROXIES_MAX * 4 - 1] = '\0';
    assert_null(http_proxies_problem(many));
}

static void
v4_addresses_are_written_as_v4(void **state)
{
    static const struct {
        const char *text;
        const char *written;
    } rows[] = {
        { "127.0.0.1", "127.0.0.1" },
        { "::ffff:1.2.3.4", "1.2.3.4" },
        { "2001:DB8:0:0::1", "2001:db8::1" },
        { "::", "::" },
        { "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
          "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct address address;
        char text[ADDRESS_TEXT_MAX];
        assert_true(address_parse(str_of(rows[i].text), &address));
        address_write(&address, text);
        assert_string_equal(text, rows[i].written);
    }
    struct address address;
    assert_false(address_parse((struct str){ "1.2.3.4\0", 8 }, &address));
    assert_false(address_parse(STR("01.2.3.4"), &address));
    assert_false(address_parse(STR_NONE, &address));
}

static void
forwarded_addresses_are_read_from_the_right_past_trusted_proxies(void **state)
{
    static const struct {
        const char *why;
        const char *peer;
        const char *value;
        const char *client;
        bool goes_on;
    } rows[] = {
        { "a stranger's word", "9.9.9.9", "1.1.1.1", "9.9.9.9", false },
        { "one proxy", "10.0.0.1", "1.1.1.1", "1.1.1.1", false },
        { "the right-most", "10.0.0.1", "6.6.6.6, 1.1.1.1", "1.1.1.1", false },
        { "past a second proxy", "10.0.0.1", "6.6.6.6, 1.1.1.1, 10.0.0.2", "1.1.1.1", false },
        { "only proxies", "10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3", true },
        { "with ports", "10.0.0.1", "1.1.1.1:443, 10.0.0.2:80", "1.1.1.1", false },
        { "IPv6", "10.0.0.1", "2001:db8::1", "2001:db8::1", false },
        { "IPv6 in brackets", "10.0.0.1", "[2001:db8::1]", "2001:db8::1", false },
        { "IPv6 with port", "10.0.0.1", "[2001:db8::1]:8", "2001:db8::1", false },
        { "IPv4 in IPv6", "10.0.0.1", "::ffff:1.1.1.1", "1.1.1.1", false },
        { "unknown", "10.0.0.1", "1.1.1.1, unknown", "10.0.0.1", false },
        { "garbage in between", "10.0.0.1", "1.1.1.1, x, 10.0.0.2", "10.0.0.2", false },
        { "empty", "10.0.0.1", "", "10.0.0.1", false },
        { "empty entry", "10.0.0.1", "1.1.1.1,", "10.0.0.1", false },
        { "blanks", "10.0.0.1", " \t1.1.1.1\t ", "1.1.1.1", false },
        { "bad port", "10.0.0.1", "1.1.1.1:x", "10.0.0.1", false },
    };
    struct networks trusted;
    (void)state;
    assert_null(networks_parse("10.0.0.0/8", &trusted));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct address client;
        char text[ADDRESS_TEXT_MAX];
        assert_true(address_parse(str_of(rows[i].peer), &client));
        bool goes_on = forwarded_walk(str_of(rows[i].value), &trusted, &client);
        address_write(&client, text);
        if (strcmp(text, rows[i].client) != 0 || goes_on != rows[i].goes_on)
            fail_msg("%s: %s", rows[i].why, text);
    }
}

static void
the_network_of_an_address_is_itself_or_64_bits_of_ipv6(void **state)
{
    static const char *const rows[][2] = {
        { "192.0.2.1", "192.0.2.1" },
        { "::ffff:192.0.2.1", "192.0.2.1" },
        { "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::" },
        { "::1", "::" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct address address;
        char text[ADDRESS_TEXT_MAX];
        assert_true(address_parse(str_of(rows[i][0]), &address));
        address = address_network(&address);
        address_write(&address, text);
        assert_string_equal(text, rows[i][1]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listen_addresses_are_an_address_and_a_port),
        cmocka_unit_test(a_network_contains_only_its_addresses),
        cmocka_unit_test(invalid_proxy_networks_are_rejected),
        cmocka_unit_test(v4_addresses_are_written_as_v4),
        cmocka_unit_test(the_network_of_an_address_is_itself_or_64_bits_of_ipv6),
        cmocka_unit_test(forwarded_addresses_are_read_from_the_right_past_trusted_proxies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
