/* exchange.h - one request and its response, from the request line to the last byte sent.
 *
 * Private to http. These are the library's callbacks. The library calls them from one thread per
 * connection, and not while the connection is suspended. */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include <microhttpd.h>
#include <stddef.h>

struct exchange_pool;

void exchange_pool_start(struct exchange_pool *pool);
void exchange_pool_stop(struct exchange_pool *pool);

/* Called after the request line. The result is passed as `request` below. */
void *exchange_begin(void *server, const char *target, struct MHD_Connection *connection);

/* Called with the head, each piece of the body, the end of the body, and after a resume. */
enum MHD_Result exchange_continue(void *server, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **request);

/* Called when the response was sent or the connection was lost. */
void exchange_end(void *server, struct MHD_Connection *connection, void **request,
                  enum MHD_RequestTerminationCode how);

#endif
