/* exchange.h - one request and its answer, from the request line to the last byte sent.
 *
 * Private to this room. The functions are the library's callbacks; it calls them for one connection
 * from one thread, and not at all while the connection is suspended. */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include <microhttpd.h>
#include <stddef.h>

struct exchange_pool;

void exchange_pool_start(struct exchange_pool *pool);
void exchange_pool_stop(struct exchange_pool *pool);

/* The request line is there. What it returns is the library's `request` below. */
void *exchange_begin(void *server, const char *target, struct MHD_Connection *connection);

/* Head, then body in pieces, then its end; and once more when a suspended connection goes on. */
enum MHD_Result exchange_continue(void *server, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **request);

/* The answer was sent, or never will be. */
void exchange_end(void *server, struct MHD_Connection *connection, void **request,
                  enum MHD_RequestTerminationCode how);

#endif
