/* public_address.h - whether an IP address belongs to a host on the public internet.
 *
 * The service connects to hosts that anyone can name. Without this check, they could make it
 * connect to its own machine or network. Pure; safe from any thread. */
#ifndef NET_PUBLIC_ADDRESS_H
#define NET_PUBLIC_ADDRESS_H

#include <stdbool.h>

struct sockaddr;

/* False for every range that RFC 6890 and its successors reserve (loopback, private, link-local,
 * shared, documentation, multicast, and so on), for IPv6 addresses that contain an IPv4 address
 * (mapped, NAT64, 6to4, Teredo), and for families other than IPv4 and IPv6. */
bool public_address(const struct sockaddr *address);

#endif
