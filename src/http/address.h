/* address.h - internet addresses as text: where to listen, whom to trust, who asks.
 *
 * Private to this room. Pure functions: no I/O, no memory of their own, safe from any thread. An
 * address is always held in its IPv6 form (IPv4 as ::ffff:a.b.c.d), so that one client has one
 * address however it came; it is written in its own form. */
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
    unsigned bits; /* how many of the 128 must be the same */
};

struct networks {
    size_t count;
    struct network list[HTTP_PROXIES_MAX];
};

struct listen_address {
    struct address address;
    bool any; /* no address was given: every one of this machine */
    bool v4;
    uint16_t port;
};

bool address_parse(struct str text, struct address *out);
void address_write(const struct address *address, char out[ADDRESS_TEXT_MAX]);
bool address_is_v4(const struct address *address);
bool address_eq(const struct address *a, const struct address *b);

/* False if it is no internet address. `port` may be NULL. */
bool address_of_socket(const struct sockaddr *socket, struct address *out, uint16_t *port);

/* "1.2.3.4:80" or "[::1]:80". */
void address_write_with_port(const struct address *address, uint16_t port,
                             char out[LISTEN_TEXT_MAX]);

/* Both: NULL if fine, else what is wrong, as the end of a sentence. */
const char *listen_parse(const char *text, struct listen_address *out);
const char *networks_parse(const char *text, struct networks *out);

bool networks_contain(const struct networks *networks, const struct address *address);

/* Walks one X-Forwarded-For value from its right end, which the nearest proxy wrote, as long as
 * *client (at first the peer) is a trusted proxy, and leaves in *client the first that is not. An
 * entry that is no address ends the walk, for it and all before it could be anybody's invention.
 * True: the value is used up and *client is still a trusted proxy, so an earlier value may go on.
 */
bool forwarded_walk(struct str value, const struct networks *trusted, struct address *client);

#endif
