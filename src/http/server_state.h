/* server_state.h - the state of a running server. Private to http. Any thread of the server uses
 * it: members that change while it runs are atomic or have a lock. */
#ifndef HTTP_SERVER_STATE_H
#define HTTP_SERVER_STATE_H

#include "base/arena.h"
#include "http/connection.h"
#include "http/listen.h"
#include "http/service.h"

#define HTTP_REFUSALS (HTTP_TOO_MANY_CONNECTIONS + 1)

struct tls_tickets;

/* Exchanges with their arenas, ready for the next requests. */
struct exchange_pool {
    pthread_mutex_t lock;
    struct exchange *first;
    size_t count;
};

struct http_server {
    struct http_service service;
    struct workers *workers;
    struct workers *hashers;
    struct workers *health_workers;
    struct MHD_Daemon *daemon;
    bool library_lenient; /* heads need head_check_layout() */
    struct listener listener;
    struct connections connections;
    struct exchange_pool exchanges;
    struct arena_budget memory; /* of all exchanges */
    _Atomic bool large_body;    /* one is being read or handled */
    pthread_t acceptor;
    _Atomic bool closing; /* no more connections are accepted */
    int closing_fd;       /* wakes the acceptor */
    uint64_t id_key[2];
    uint64_t address_seed;
    _Atomic uint64_t id_count;
    _Atomic size_t suspended; /* exchanges handed to the workers */
    _Atomic uint64_t refused[HTTP_REFUSALS];
    int64_t certificate_expires_at; /* 0: no TLS */
    struct tls_tickets *tickets;    /* NULL: no TLS */
    char name[32];
    struct http_server *next; /* list in metrics.c */
};

/* In accept.c: accepts connections until stopped, then closes the socket. */
bool acceptor_start(struct http_server *server);
void acceptor_stop(struct http_server *server);

/* In metrics.c: adds a server to the metrics page or removes it. */
void metrics_add_server(struct http_server *server);
void metrics_remove_server(struct http_server *server);

#endif
