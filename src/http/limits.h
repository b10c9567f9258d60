/* limits.h - all limits of the HTTP server. Constants: any thread may read them. */
#ifndef HTTP_LIMITS_H
#define HTTP_LIMITS_H

#define HTTP_HEAD_MAX (16 * 1024)  /* request line and headers together */
#define HTTP_TARGET_MAX (8 * 1024) /* path and query */
#define HTTP_FIELDS_MAX 100        /* header lines */

/* Deadlines in milliseconds. A connection that misses one is closed. */
#define HTTP_HEAD_MS 10000     /* from the request line, or connecting, to the end of the head */
#define HTTP_BODY_MS 20000     /* from the end of the head to the end of the body */
#define HTTP_RESPONSE_MS 30000 /* from the response being ready to its last byte sent */
#define HTTP_IDLE_MS 60000     /* between requests, and from connecting to the first byte */

/* While the server drains, a connection stays open for so long after it was opened or answered,
 * because its request may be under way. */
#define HTTP_DRAIN_GRACE_MS 500

/* A large response gets another HTTP_RESPONSE_MS for each of these. */
#define HTTP_RESPONSE_BYTES ((size_t)8 * 1024 * 1024)

#define HTTP_CONNECTIONS_MAX 10000
#define HTTP_CONNECTIONS_PER_ADDRESS_MAX 1000

/* A connection over the limit gets an error response if it sends a request within
 * HTTP_OVER_LIMIT_MS. Beyond this many more, connections are closed without a response. */
#define HTTP_OVER_LIMIT_MS 2000
#define HTTP_OVER_LIMIT_CONNECTIONS 64

/* An unwanted request body of up to this length is read and dropped, so that the connection stays
 * usable. A longer one is not read, and the connection is closed after the response. Once reading
 * has begun, the library can respond only at the end of the body: then HTTP_DROPPED_MAX are dropped
 * before the connection is closed without a response. */
#define HTTP_DISCARD_MAX (256 * 1024)
#define HTTP_DROPPED_MAX ((size_t)16 * 1024 * 1024)

/* A connection closed with unread bytes stays open this long after the response: closing it at once
 * would send a TCP reset, which can overtake the response. */
#define HTTP_LINGER_MS 2000
#define HTTP_LINGER_CONNECTIONS 256

/* Memory for one request, unless the service allows it more, and for all requests together. The
 * first ARENA_OWN_BYTES of each request count only toward the first. */
#define HTTP_REQUEST_MEMORY ((size_t)16 * 1024 * 1024)
#define HTTP_REQUESTS_MEMORY ((size_t)44 * 1024 * 1024)

/* The caller of a request with a larger body is identified before the rest of it is read. */
#define HTTP_SMALL_BODY (16 * 1024)

/* One body over HTTP_LARGE_BODY is read at a time, and its request is handled only if there is
 * memory for the given multiple of its length. Larger bodies are read row by row and need no more
 * than the last number. */
#define HTTP_LARGE_BODY ((size_t)1024 * 1024)
#define HTTP_LARGE_BODY_MEMORY 3
#define HTTP_LARGE_BODY_MEMORY_MAX ((size_t)25 * 1024 * 1024)

/* Largest head of a response. It must fit into HTTP_LIBRARY_MEMORY together with the head of the
 * request; else the library closes the connection without a response. */
#define HTTP_RESPONSE_HEAD_MAX (10 * 1024)

/* File descriptors reserved for the database, logs, and files, unless the settings name another
 * number. */
#define HTTP_DESCRIPTORS_RESERVED 256

#define HTTP_PROXIES_MAX 64     /* networks in `trusted_proxies` */
#define HTTP_EXCHANGES_KEPT 256 /* kept with their arenas for reuse */

/* Library memory per connection. A head over our limits must still fit, so that we respond and not
 * the library; so must the response headers after the largest head. The library clears all of it at
 * every request, so it should not be larger. */
#define HTTP_LIBRARY_MEMORY (28 * 1024)

#endif
