/* net.h - connections that the service itself opens, with libcurl. Call from the main thread,
 * before others start. */
#ifndef NET_NET_H
#define NET_NET_H

void net_start(void); /* once, before the first thread */

#endif
