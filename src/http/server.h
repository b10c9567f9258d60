/* server.h - HTTP/1.1 for whoever has a service to offer.
 *
 * The only room that knows the HTTP library. It takes connections and requests under the limits of
 * limits.h, hands each request to the service, and sends what the service answers.
 *
 * One request is one exchange. Its arena, and all the service puts into it, live until `done` has
 * been called; then they are wiped. The service's functions are called from many threads, but for
 * one exchange never from two at once. */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct listener;
struct workers;
struct http_server;

struct http_request {
    struct str id;     /* ours, told in X-Request-Id */
    struct str method; /* as sent */
    struct str target; /* as sent: path and query, nothing decoded */
    struct str body;
    struct str client; /* the address of whoever asks, past trusted proxies */
    void *headers;     /* for http_header */
};

/* The value of a header, absent if there is none. Name in any case. */
struct str http_header(const struct http_request *request, const char *name);
size_t http_header_count(const struct http_request *request, const char *name);

#define HTTP_HEADERS_MAX 24

struct http_response {
    int status; /* 0: not answered yet */
    struct str body;
    bool close; /* end the connection behind this answer */
    size_t header_count;
    struct http_header_line {
        const char *name;
        const char *value;
    } headers[HTTP_HEADERS_MAX];
};

/* Both strings must live as long as the exchange. A CR, LF or NUL in either, or one header too
 * many, is a defect of the caller and ends the process. */
void http_response_header(struct http_response *response, const char *name, const char *value);

struct http_exchange {
    struct arena *mem;
    struct http_request request;
    struct http_response response;
    size_t body_max;    /* set by `head`; 0: no body is taken */
    bool blocks;        /* set by `head`: `handle` may wait, run it on a worker */
    void *owner;        /* the service's own */
    int64_t started_ns; /* clock_ticks_ns() when the head was there */
};

/* Why the server itself says no; the service gives the answer its shape. */
enum http_refusal {
    HTTP_BAD_REQUEST, /* `detail` says what is wrong */
    HTTP_BODY_TOO_LARGE,
    HTTP_TARGET_TOO_LONG,
    HTTP_HEAD_TOO_LARGE,
    HTTP_BAD_EXPECTATION,
    HTTP_OVERLOADED, /* the workers' queue is full */
    HTTP_TOO_MANY_CONNECTIONS,
};

struct http_service {
    void *context;
    /* The head is there. Sets body_max and blocks, or answers at once by setting a status. */
    void (*head)(void *context, struct http_exchange *exchange);
    /* Head and body are there: answers. */
    void (*handle)(void *context, struct http_exchange *exchange);
    /* Answers a request the server refuses. */
    void (*refuse)(void *context, struct http_exchange *exchange, enum http_refusal refusal,
                   const char *detail);
    /* The answer has left, or the connection has died before it could. */
    void (*done)(void *context, struct http_exchange *exchange);
};

struct http_settings {
    const struct listener
        *listener;      /* open already (listen.h); NULL: the next two say what to open */
    const char *listen; /* "127.0.0.1:8080", "[::1]:8080", ":8080"; "…:0" takes a free port */
    bool inherited;     /* use a socket handed over by systemd (LISTEN_FDS) instead */
    size_t threads;
    size_t connections_max;
    size_t connections_per_address_max;
    const char *trusted_proxies; /* addresses and networks, separated by commas; NULL: none */
    const char *tls_cert_file;   /* NULL: no TLS */
    const char *tls_key_file;
    struct workers *workers; /* for exchanges that block */
    const char *name;        /* of the listener, in metrics: "main", "metrics" */
};

/* NULL if fine, else what is wrong, as the end of a sentence. */
const char *http_listen_problem(const char *listen);
const char *http_proxies_problem(const char *proxies);

/* Whether systemd handed a socket to this process. */
bool http_socket_inherited(void);

/* Opens the socket and begins to serve. ERR_TAKEN: the port is in use. `why` names what failed. */
enum err http_server_start(const struct http_settings *settings, const struct http_service *service,
                           struct http_server **out, struct why *why);

/* "127.0.0.1:8080": what it really listens on. Lives as long as the server. */
const char *http_server_address(const struct http_server *server);

/* Stops taking connections, lets what is under way finish for at most that long, ends idle
 * connections, then stops. The workers must still run. */
void http_server_drain(struct http_server *server, int64_t deadline_ms);

/* Connections open now. */
size_t http_server_connections(const struct http_server *server);

#endif
