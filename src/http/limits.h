/* limits.h - every ceiling of the HTTP server in one place. */
#ifndef HTTP_LIMITS_H
#define HTTP_LIMITS_H

#define HTTP_HEAD_MAX (16 * 1024)  /* request line and headers together */
#define HTTP_TARGET_MAX (8 * 1024) /* path and query */
#define HTTP_FIELDS_MAX 100        /* header lines */

/* Milliseconds. A connection that is late is cut at the deadline, whatever it does. */
#define HTTP_HEAD_MS 10000   /* from a request's line, or from connecting, to the end of its head */
#define HTTP_BODY_MS 20000   /* from the end of the head to the end of the body */
#define HTTP_ANSWER_MS 30000 /* from the answer being ready to its last byte taken */
#define HTTP_IDLE_MS 60000   /* between requests, and from connecting to the first byte */

/* A large answer has HTTP_ANSWER_MS once more for each of these. */
#define HTTP_ANSWER_BYTES ((size_t)8 * 1024 * 1024)

#define HTTP_CONNECTIONS_MAX 10000
#define HTTP_CONNECTIONS_PER_ADDRESS_MAX 1000

/* A connection past a cap is told so in an answer, if it asks soon; past this many more it is
 * closed unheard. */
#define HTTP_PAST_CAP_MS 2000
#define HTTP_PAST_CAP_CONNECTIONS 64

/* A body nobody wants is read and dropped up to here, so that the answer arrives and the connection
 * lives on; past it the connection ends. */
#define HTTP_DISCARD_MAX (256 * 1024)

/* A connection that ends with bytes unread is kept open behind its answer for so long: closing it
 * would send a reset, which can overtake the answer. */
#define HTTP_LINGER_MS 2000
#define HTTP_LINGER_CONNECTIONS 256

/* Descriptors left to everybody else (store, logs, files) when connections take all they may. */
#define HTTP_DESCRIPTORS_SPARED 256

#define HTTP_PROXIES_MAX 64     /* networks in `trusted_proxies` */
#define HTTP_EXCHANGES_KEPT 256 /* with their arenas, for the next requests */

/* What the library may use for one connection: a head past our limits must still fit, so that we
 * answer it and not the library, and with the largest head the headers of an answer. The library
 * clears all of it at every request, so not more. */
#define HTTP_LIBRARY_MEMORY (28 * 1024)

#endif
