/* service.h - the contract between the HTTP server and the service that answers its requests.
 *
 * One request is one exchange. The server owns the exchange and its arena; everything the service
 * allocates from the arena is valid until `done` returns, then the arena is wiped. The service's
 * functions are called from many threads, but never from two threads at once for one exchange. */
#ifndef HTTP_SERVICE_H
#define HTTP_SERVICE_H

#include "base/str.h"

struct arena;

struct http_request {
    struct str id;     /* generated; sent in X-Request-Id */
    struct str trace;  /* W3C trace id of the sender; absent: none, or not valid */
    struct str method; /* as sent */
    struct str target; /* as sent: path and query, not decoded */
    struct str body;
    struct str client;  /* client address, resolved through trusted proxies */
    struct str network; /* to limit by: the address, or for IPv6 its /64 network */
    void *headers;      /* opaque; read with http_header() */
};

/* The value of the first header of that name, or absent. Names are case-insensitive. */
struct str http_header(const struct http_request *request, const char *name);
size_t http_header_count(const struct http_request *request, const char *name);

#define HTTP_HEADERS_MAX 24

struct http_response {
    int status; /* 0: no response yet */
    struct str body;
    bool close; /* close the connection after this response */
    size_t header_count;
    struct http_header_line {
        const char *name;
        const char *value;
    } headers[HTTP_HEADERS_MAX];
};

/* Does not copy: both strings must stay valid until the exchange ends. Aborts the process if a
 * string contains CR or LF, or if the response already has HTTP_HEADERS_MAX headers: both are
 * programming errors. */
void http_response_header(struct http_response *response, const char *name, const char *value);

struct http_exchange {
    struct arena *mem;
    struct http_request request;
    struct http_response response;
    size_t body_max;      /* set by `head`; 0: a request body is rejected */
    size_t memory_max;    /* set by `head`: limit of `mem`; 0: HTTP_REQUEST_MEMORY */
    bool blocks;          /* set by `head`: `handle` may block, so run it on a worker thread */
    bool hashes;          /* set by `head`: … of the pool for hashing passwords */
    bool health;          /* set by `head`: … of the pool for health checks */
    bool identify_blocks; /* set by `head`: so may `identify` */
    bool can_wait;        /* set by the server: `handle` may set `wait` */
    bool awaits;          /* set by `body`: call `await` and then `handle` with `in_memory` */
    bool in_memory;       /* set by the server: `handle` must not block, but set `deferred` */
    bool deferred;        /* set by `handle`: call it again, on a worker thread */
    /* Set by `handle` instead of a response, to wait without a thread: the server calls it after
     * `handle` has returned, and calls `handle` again after resume(argument) was called, which must
     * happen once and may happen on any thread, also before `wait` returns. */
    void (*wait)(void *context, void (*resume)(void *argument), void *argument);
    void *wait_context;
    void *owner;        /* for the service's use */
    int64_t started_ns; /* clock_ticks_ns() when the request head was complete */
};

/* Why the server rejects a request itself. The service writes the response. */
enum http_refusal {
    HTTP_BAD_REQUEST, /* `detail` describes the error */
    HTTP_BODY_TOO_LARGE,
    HTTP_TARGET_TOO_LONG,
    HTTP_HEAD_TOO_LARGE,
    HTTP_BAD_EXPECTATION,
    HTTP_OVERLOADED, /* the workers' queue is full, or requests use too much memory */
    HTTP_TOO_MANY_CONNECTIONS,
};

struct http_service {
    void *context;
    /* Called when the request head is complete. Sets body_max and blocks, or responds at once by
     * setting a status. */
    void (*head)(void *context, struct http_exchange *exchange);
    /* Called before more than HTTP_SMALL_BODY bytes of a body are read. Responds by setting a
     * status if the caller may not send the request; the rest of the body is then not kept. */
    void (*identify)(void *context, struct http_exchange *exchange);
    /* Called when the whole request has arrived. Fills in the response. */
    void (*handle)(void *context, struct http_exchange *exchange);
    /* Fills in the response to a request that the server rejects. */
    void (*refuse)(void *context, struct http_exchange *exchange, enum http_refusal refusal,
                   const char *detail);
    /* Called when the response was sent or the connection was lost. */
    void (*done)(void *context, struct http_exchange *exchange);
    /* Called before `handle`, to set `blocks` and `awaits` by the body. NULL: not needed. */
    void (*body)(void *context, struct http_exchange *exchange);
    /* Called before `await`, after other requests that have arrived were read: true if what the
     * exchange awaits has happened already. It may wait, but only for a fraction of a millisecond,
     * because all requests of the HTTP thread do. NULL: it has not. */
    bool (*awaited)(void *context, struct http_exchange *exchange);
    /* Called before `handle` if the exchange awaits, without a thread: resume(argument) must be
     * called once, on any thread, also before `await` returns. */
    void (*await)(void *context, struct http_exchange *exchange, void (*resume)(void *argument),
                  void *argument);
};

#endif
