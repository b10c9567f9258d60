/* limits.h - every ceiling of the HTTP server in one place. */
#ifndef HTTP_LIMITS_H
#define HTTP_LIMITS_H

#define HTTP_HEAD_MAX (16 * 1024)  /* request line and headers together */
#define HTTP_TARGET_MAX (8 * 1024) /* path and query */
#define HTTP_FIELDS_MAX 100        /* header lines */

/* Milliseconds. A connection that is late is cut at the deadline, whatever it does. */
#define HTTP_HEAD_MS 10000   /* from a request's first byte to the end of its head */
#define HTTP_BODY_MS 20000   /* from the end of the head to the end of the body */
#define HTTP_ANSWER_MS 30000 /* from the answer being ready to its last byte taken */
#define HTTP_IDLE_MS 60000   /* between requests, and from connecting to the first byte */

#define HTTP_CONNECTIONS_MAX 10000
#define HTTP_CONNECTIONS_PER_ADDRESS_MAX 1000

#endif
