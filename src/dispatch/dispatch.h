/* dispatch.h - runs every request of one listener; see dispatch.c for the order of its checks. The
 * server's threads call it, one at a time for each request. */
#ifndef DISPATCH_DISPATCH_H
#define DISPATCH_DISPATCH_H

#include "http/server.h"

struct site;

/* The callbacks that the HTTP server of this site calls. `site` must outlive the server. */
struct http_service dispatch_service(struct site *site);

#endif
