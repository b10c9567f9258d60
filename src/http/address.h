/* address.h - parses and formats IP addresses, networks, and X-Forwarded-For.
 *
 * Private to http. Pure functions, safe from any thread. An address is stored in IPv6 form (IPv4 as
 * ::ffff:a.b.c.d), so that a client has the same address over both; it is written in its own form.
 */
#ifndef HTTP_ADDRESS_H
#define HTTP_ADDRESS_H

#include "base/str.h"
#include "http/limits.h"

struct sockaddr;

#define ADDRESS_TEXT_MAX 46 /* the longest address and its NUL */
#define LISTEN_TEXT_MAX 56  /* "[address]:port" and its NUL */

struct address {
    uint8_t bytes[16];
};

struct network {
    struct address base;
    unsigned bits; /* prefix length, 0 to 128 */
};

struct networks {
    size_t count;
    struct network list[HTTP_PROXIES_MAX];
};

struct listen_address {
    struct address address;
    bool any; /* no address given: listen on all */
    bool v4;
    uint16_t port;
};

bool address_parse(struct str text, struct address *out);
void address_write(const struct address *address, char out[ADDRESS_TEXT_MAX]);

/* The address by which limits count: the address itself, or for IPv6 its /64 network, which one
 * host usually owns. */
struct address address_network(const struct address *address);
bool address_eq(const struct address *a, const struct address *b);

/* False if it is not an IP address. `port` may be NULL. */
bool address_of_socket(const struct sockaddr *socket, struct address *out, uint16_t *port);

/* "1.2.3.4:80" or "[::1]:80". */
void address_write_with_port(const struct address *address, uint16_t port,
                             char out[LISTEN_TEXT_MAX]);

/* Both: NULL if valid, else the problem, as the end of a sentence. */
const char *listen_parse(const char *text, struct listen_address *out);
const char *networks_parse(const char *text, struct networks *out);

bool networks_contain(const struct networks *networks, const struct address *address);

/* Reads one X-Forwarded-For value from right to left while *client (initially the peer) is a
 * trusted proxy, and stores the first address that is not trusted in *client. An invalid entry ends
 * the walk, because it and all entries before it may be forged. True if all entries were trusted
 * proxies; the caller then continues with the previous header. */
bool forwarded_walk(struct str value, const struct networks *trusted, struct address *client);

#endif
