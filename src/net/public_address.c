/* public_address.c - a list of refused networks for IPv4; for IPv6, 2000::/3 without its special
 * parts. Addresses that IANA may allocate outside of it are refused until they are added here. */
#include "net/public_address.h"

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* IANA IPv4 Special-Purpose Address Registry, and multicast. */
static const struct {
    uint32_t base;
    unsigned bits;
} special_v4[] = {
    { 0x00000000, 8 },  /* 0.0.0.0/8, this network */
    { 0x0a000000, 8 },  /* 10.0.0.0/8, private */
    { 0x64400000, 10 }, /* 100.64.0.0/10, carrier-grade NAT */
    { 0x7f000000, 8 },  /* 127.0.0.0/8, loopback */
    { 0xa9fe0000, 16 }, /* 169.254.0.0/16, link-local and cloud metadata services */
    { 0xac100000, 12 }, /* 172.16.0.0/12, private */
    { 0xc0000000, 24 }, /* 192.0.0.0/24, protocol assignments */
    { 0xc0000200, 24 }, /* 192.0.2.0/24, documentation */
    { 0xc01fc400, 24 }, /* 192.31.196.0/24, AS112 */
    { 0xc034c100, 24 }, /* 192.52.193.0/24, AMT */
    { 0xc0586300, 24 }, /* 192.88.99.0/24, 6to4 relays */
    { 0xc0a80000, 16 }, /* 192.168.0.0/16, private */
    { 0xc0af3000, 24 }, /* 192.175.48.0/24, AS112 */
    { 0xc6120000, 15 }, /* 198.18.0.0/15, benchmarks */
    { 0xc6336400, 24 }, /* 198.51.100.0/24, documentation */
    { 0xcb007100, 24 }, /* 203.0.113.0/24, documentation */
    { 0xe0000000, 4 },  /* 224.0.0.0/4, multicast */
    { 0xf0000000, 4 },  /* 240.0.0.0/4, reserved and broadcast */
};

/* The parts of 2000::/3 that are not for hosts on the internet. Everything outside 2000::/3 is
 * refused anyway: ::1, ::ffff:0:0/96, 64:ff9b::/96, fc00::/7, fe80::/10, ff00::/8. */
static const struct {
    uint8_t base[6];
    unsigned bits;
} special_v6[] = {
    { { 0x20, 0x01, 0x00 }, 23 },                   /* protocol assignments, Teredo */
    { { 0x20, 0x01, 0x0d, 0xb8 }, 32 },             /* documentation */
    { { 0x20, 0x02 }, 16 },                         /* 6to4 */
    { { 0x26, 0x20, 0x00, 0x4f, 0x80, 0x00 }, 48 }, /* AS112 */
    { { 0x3f, 0xff, 0x00 }, 20 },                   /* documentation */
};

/* Everything outside the special-purpose ranges (IANA registry). */
static bool
public_v4(uint32_t address)
{
    for (size_t i = 0; i < sizeof special_v4 / sizeof *special_v4; i++)
        if ((address ^ special_v4[i].base) >> (32 - special_v4[i].bits) == 0)
            return false;
    return true;
}

static bool
has_prefix(const uint8_t *address, const uint8_t *base, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;
    return memcmp(address, base, whole) == 0 &&
           (rest == 0 || (address[whole] ^ base[whole]) >> (8 - rest) == 0);
}

/* Only global unicast addresses, without the special-purpose ranges in it (IANA registry). */
static bool
public_v6(const uint8_t *address)
{
    if (address[0] >> 5 != 1) /* 2000::/3 */
        return false;
    for (size_t i = 0; i < sizeof special_v6 / sizeof *special_v6; i++)
        if (has_prefix(address, special_v6[i].base, special_v6[i].bits))
            return false;
    return true;
}

/* Anything but IPv4 and IPv6 is not public. */
bool
public_address(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        return public_v4(ntohl(v4.sin_addr.s_addr));
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof v6);
        return public_v6(v6.sin6_addr.s6_addr);
    }
    return false;
}
