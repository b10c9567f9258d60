#include "unit/assert_str.h"

#include "net/public_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

static bool
is_public(const char *text)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return public_address((const struct sockaddr *)&v4);
    assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    return public_address((const struct sockaddr *)&v6);
}

/* The first and the last address of each range, and their neighbors outside. */
static void
special_ranges_are_refused(void **state)
{
    static const char *const special[] = {
        "0.0.0.0",
        "0.255.255.255",
        "10.0.0.0",
        "10.255.255.255",
        "100.64.0.0",
        "100.127.255.255",
        "127.0.0.0",
        "127.0.0.1",
        "127.255.255.255",
        "169.254.0.0",
        "169.254.169.254",
        "169.254.255.255",
        "172.16.0.0",
        "172.31.255.255",
        "192.0.0.0",
        "192.0.0.255",
        "192.0.2.0",
        "192.0.2.255",
        "192.31.196.0",
        "192.31.196.255",
        "192.52.193.0",
        "192.52.193.255",
        "192.88.99.0",
        "192.88.99.255",
        "192.168.0.0",
        "192.168.255.255",
        "192.175.48.0",
        "192.175.48.255",
        "198.18.0.0",
        "198.19.255.255",
        "198.51.100.0",
        "198.51.100.255",
        "203.0.113.0",
        "203.0.113.255",
        "224.0.0.0",
        "239.255.255.255",
        "240.0.0.0",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::ffff:0:8.8.8.8",
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "64:ff9b:1::1",
        "100::1",
        "1fff:ffff::",
        "2001::1",
        "2001:0:7f00:1::",
        "2001:1ff:ffff::",
        "2001:db8::",
        "2001:db8:ffff::1",
        "2002::",
        "2002:7f00:1::",
        "2002:ffff::",
        "2620:4f:8000::1",
        "3fff::",
        "3fff:fff:ffff::",
        "4000::",
        "5f00::1",
        "fc00::",
        "fd00:ec2::254",
        "fdff::1",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
        "ffff:ffff:ffff::",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(special); i++)
        assert_row(!is_public(special[i]), special[i]);
}

static void
other_addresses_are_public(void **state)
{
    static const char *const public[] = {
        "1.0.0.0",         "9.255.255.255",   "11.0.0.0",        "100.63.255.255",
        "100.128.0.0",     "126.255.255.255", "128.0.0.0",       "169.253.255.255",
        "169.255.0.0",     "172.15.255.255",  "172.32.0.0",      "191.255.255.255",
        "192.0.1.0",       "192.0.3.0",       "192.31.195.255",  "192.31.197.0",
        "192.52.192.255",  "192.52.194.0",    "192.88.98.255",   "192.88.100.0",
        "192.167.255.255", "192.169.0.0",     "192.175.47.255",  "192.175.49.0",
        "198.17.255.255",  "198.20.0.0",      "198.51.99.255",   "198.51.101.0",
        "203.0.112.255",   "203.0.114.0",     "223.255.255.255", "2000::1",
        "2001:200::",      "2001:db7:ffff::", "2001:db9::",      "2003::",
        "2606:4700::1111", "2620:4f:7fff::1", "2620:4f:8001::",  "3ffe:ffff::1",
        "3fff:1000::",
    };
    (void)state;
    for (size_t i = 0; i < ROWS(public); i++)
        assert_row(is_public(public[i]), public[i]);
}

static void
other_families_are_refused(void **state)
{
    struct sockaddr_un local = { .sun_family = AF_UNIX };
    struct sockaddr_storage none = { .ss_family = AF_UNSPEC };
    (void)state;
    assert_false(public_address((const struct sockaddr *)&local));
    assert_false(public_address((const struct sockaddr *)&none));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_ranges_are_refused),
        cmocka_unit_test(other_addresses_are_public),
        cmocka_unit_test(other_families_are_refused),
    };
    return cmocka_run_group_tests_name("net/public_address", tests, NULL, NULL);
}
