/* server.h - an HTTP/1.1 server, with optional TLS.
 *
 * The http module is the only one that includes the HTTP library. The server accepts connections
 * and requests within the limits of limits.h, passes each request to the service (service.h), and
 * sends the service's response. Start and drain a server from the main thread; the other functions
 * are safe from any thread. */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "base/err.h"
#include "http/service.h"

struct listener;
struct workers;
struct http_server;

struct http_settings {
    const struct listener *listener; /* already open (listen.h); NULL: open `listen` */
    const char *listen; /* "127.0.0.1:8080", "[::1]:8080", ":8080"; port 0 picks a free one */
    bool inherited;     /* use the socket passed by systemd (LISTEN_FDS) instead of `listen` */
    size_t threads;
    size_t connections_max;
    size_t connections_per_address_max;
    size_t descriptors_reserved; /* of the rest of the process; 0: HTTP_DESCRIPTORS_RESERVED */
    const char *trusted_proxies; /* addresses and networks, separated by commas; NULL: none */
    const char *tls_cert_file;   /* NULL: no TLS */
    const char *tls_key_file;
    struct workers *workers;        /* runs exchanges that block */
    struct workers *hashers;        /* runs exchanges that hash; NULL: `workers` does */
    struct workers *health_workers; /* runs health checks that block; NULL: `workers` does */
    const char *name;               /* label in metrics: "main", "metrics" */
};

/* NULL if valid, else the problem, as the end of a sentence. */
const char *http_proxies_problem(const char *proxies);

/* Whether the files can be loaded and belong together. */
enum err http_tls_check(const char *cert_file, const char *key_file, struct why *why);

/* Opens the socket and starts serving. ERR_TAKEN: the port is in use. `why` names the setting that
 * failed. */
enum err http_server_start(const struct http_settings *settings, const struct http_service *service,
                           struct http_server **out, struct why *why);

/* The actual listen address, such as "127.0.0.1:8080". Valid until http_server_drain(). */
const char *http_server_address(const struct http_server *server);

/* Stops accepting, closes idle connections, waits at most deadline_ms for running requests, then
 * stops and frees the server. The workers must still be running. */
void http_server_drain(struct http_server *server, int64_t deadline_ms);

#endif
