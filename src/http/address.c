/* address.c - see address.h. The text forms differ in what they allow: a listen address needs a
 * port and brackets for IPv6, a network may have a prefix length, and an entry of X-Forwarded-For
 * may have both, either, or none. Names are never resolved. */
#include "http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static const uint8_t v4_prefix[12] = { [10] = 0xff, [11] = 0xff };

static bool
is_v4(const struct address *address)
{
    return memcmp(address->bytes, v4_prefix, sizeof v4_prefix) == 0;
}

struct address
address_network(const struct address *address)
{
    struct address network = *address;
    if (!is_v4(address))
        memset(network.bytes + 8, 0, 8);
    return network;
}

bool
address_eq(const struct address *a, const struct address *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* The IPv6 form of an IPv4 address: ::ffff:a.b.c.d (RFC 4291 §2.5.5.2). */
static void
from_v4(struct address *out, const void *four_bytes)
{
    memcpy(out->bytes, v4_prefix, sizeof v4_prefix);
    memcpy(out->bytes + sizeof v4_prefix, four_bytes, 4);
}

/* IPv4 addresses become IPv4-mapped IPv6 addresses, so that limits, networks, and logs handle one
 * form only. */
bool
address_parse(struct str text, struct address *out)
{
    char c[ADDRESS_TEXT_MAX];
    struct in_addr v4;
    /* inet_pton() would ignore what follows a NUL. */
    if (text.len == 0 || text.len >= sizeof c || str_index(text, '\0') != text.len)
        return false;
    memcpy(c, text.ptr, text.len);
    c[text.len] = '\0';
    if (inet_pton(AF_INET, c, &v4) == 1) {
        from_v4(out, &v4);
        return true;
    }
    return inet_pton(AF_INET6, c, out->bytes) == 1;
}

void
address_write(const struct address *address, char out[ADDRESS_TEXT_MAX])
{
    if (is_v4(address))
        inet_ntop(AF_INET, address->bytes + sizeof v4_prefix, out, ADDRESS_TEXT_MAX);
    else
        inet_ntop(AF_INET6, address->bytes, out, ADDRESS_TEXT_MAX);
}

void
address_write_with_port(const struct address *address, uint16_t port, char out[LISTEN_TEXT_MAX])
{
    char text[ADDRESS_TEXT_MAX];
    address_write(address, text);
    snprintf(out, LISTEN_TEXT_MAX, is_v4(address) ? "%s:%u" : "[%s]:%u", text, (unsigned)port);
}

/* False: neither IPv4 nor IPv6. */
bool
address_of_socket(const struct sockaddr *socket, struct address *out, uint16_t *port)
{
    /* Copied, because a struct sockaddr may not be aligned for the actual type. */
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    uint16_t ignored;
    if (port == NULL)
        port = &ignored;
    if (socket->sa_family == AF_INET) {
        memcpy(&v4, socket, sizeof v4);
        from_v4(out, &v4.sin_addr);
        *port = ntohs(v4.sin_port);
        return true;
    }
    if (socket->sa_family == AF_INET6) {
        memcpy(&v6, socket, sizeof v6);
        memcpy(out->bytes, &v6.sin6_addr, sizeof out->bytes);
        *port = ntohs(v6.sin6_port);
        return true;
    }
    return false;
}

/* Splits "host:port" and "[host]:port". A host with colons needs brackets. */
static bool
split_port(struct str text, struct str *host, struct str *port)
{
    if (text.len > 0 && text.ptr[0] == '[') {
        size_t end = str_index(text, ']');
        struct str after = str_from(text, end + 1);
        if (end == text.len || after.len == 0 || after.ptr[0] != ':')
            return false;
        *host = str_first(str_from(text, 1), end - 1);
        *port = str_from(after, 1);
        return true;
    }
    size_t colon = str_index(text, ':');
    *host = str_first(text, colon);
    *port = str_from(text, colon + 1);
    return colon < text.len && str_index(*port, ':') == port->len;
}

/* A host without brackets and without text means every address, on IPv6 and IPv4. */
const char *
listen_parse(const char *text, struct listen_address *out)
{
    struct str host, port;
    int64_t number;
    *out = (struct listen_address){ 0 };
    if (!split_port(str_of(text), &host, &port))
        return "must be an address and a port, like 127.0.0.1:8080, [::1]:8080, or :8080";
    if (!str_to_int(port, 0, UINT16_MAX, &number))
        return "has a port that is not a whole number from 0 to 65535";
    out->port = (uint16_t)number;
    bool brackets = text[0] == '[';
    out->any = host.len == 0 && !brackets;
    if (out->any)
        return NULL;
    /* Brackets exactly if the address has colons. */
    if (!address_parse(host, &out->address) || brackets == (str_index(host, ':') == host.len))
        return "has a host that is not an IP address; write 127.0.0.1 or [::1], not a name";
    out->v4 = !brackets;
    return NULL;
}

/* An IPv4 prefix length counts from bit 96 of the IPv6 form. The form of the text decides:
 * "::ffff:10.0.0.0/104" is an IPv6 network. */
static bool
network_parse(struct str text, struct network *out)
{
    size_t slash = str_index(text, '/');
    int64_t bits;
    if (!address_parse(str_first(text, slash), &out->base))
        return false;
    bool v4 = str_index(text, ':') == text.len;
    if (slash == text.len) {
        out->bits = 128;
        return true;
    }
    if (!str_to_int(str_from(text, slash + 1), 0, v4 ? 32 : 128, &bits))
        return false;
    out->bits = (unsigned)bits + (v4 ? 96 : 0);
    return true;
}

/* All or nothing: with an error, the caller must not use the entries that were read before it,
 * since a setting that is half applied would trust other proxies than the operator wrote. */
const char *
networks_parse(const char *text, struct networks *out)
{
    struct str rest = str_of(text);
    struct str part;
    out->count = 0;
    if (str_trim(rest).len == 0)
        return NULL;
    while (str_cut(&rest, ',', &part)) {
        if (out->count == HTTP_PROXIES_MAX)
            return "has more than 64 entries";
        if (!network_parse(str_trim(part), &out->list[out->count]))
            return "must be addresses and networks separated by commas, like 10.0.0.0/8, ::1";
        out->count++;
    }
    return NULL;
}

/* Bits of the base after the prefix are ignored. */
static bool
network_contains(const struct network *network, const struct address *address)
{
    size_t whole = network->bits / 8;
    unsigned rest = network->bits % 8;
    if (memcmp(network->base.bytes, address->bytes, whole) != 0)
        return false;
    if (rest == 0)
        return true;
    return (network->base.bytes[whole] ^ address->bytes[whole]) >> (8 - rest) == 0;
}

bool
networks_contain(const struct networks *networks, const struct address *address)
{
    for (size_t i = 0; i < networks->count; i++)
        if (network_contains(&networks->list[i], address))
            return true;
    return false;
}

/* "1.2.3.4", "1.2.3.4:567", "::1", "[::1]" or "[::1]:567": proxies write all of these. */
static bool
forwarded_parse(struct str text, struct address *out)
{
    struct str host, port;
    if (address_parse(text, out))
        return true;
    if (text.len > 1 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']')
        return address_parse(str_from(str_first(text, text.len - 1), 1), out);
    int64_t number;
    return split_port(text, &host, &port) && str_to_int(port, 0, UINT16_MAX, &number) &&
           address_parse(host, out);
}

/* From the last entry to the first: each proxy appends the address that connected to it, so an
 * entry is true only if every later one is of a trusted proxy. The first address that is not
 * trusted is the client; entries before it may be made up by the client. */
bool
forwarded_walk(struct str value, const struct networks *trusted, struct address *client)
{
    while (networks_contain(trusted, client)) {
        size_t comma = value.len;
        while (comma > 0 && value.ptr[comma - 1] != ',')
            comma--;
        struct address entry;
        if (!forwarded_parse(str_trim(str_from(value, comma)), &entry))
            return false;
        *client = entry;
        if (comma == 0)
            return networks_contain(trusted, client);
        value = str_first(value, comma - 1);
    }
    return false;
}
