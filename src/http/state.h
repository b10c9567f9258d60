/* state.h - what a running server is made of. Private to this room. */
#ifndef HTTP_STATE_H
#define HTTP_STATE_H

#include "http/connection.h"
#include "http/listen.h"
#include "http/service.h"

#define HTTP_REFUSALS (HTTP_TOO_MANY_CONNECTIONS + 1)

/* Exchanges with their arenas, ready for the next requests. */
struct exchange_pool {
    pthread_mutex_t lock;
    struct exchange *first;
    size_t count;
};

struct http_server {
    struct http_service service;
    struct workers *workers;
    struct MHD_Daemon *daemon;
    struct listener listener;
    struct connections connections;
    struct exchange_pool exchanges;
    pthread_t acceptor;
    _Atomic bool closing; /* nobody is to be taken in any more */
    int closing_fd;       /* tells the acceptor so */
    uint64_t id_seed;
    _Atomic uint64_t id_count;
    _Atomic size_t suspended; /* exchanges on their way through the workers */
    _Atomic uint64_t refused[HTTP_REFUSALS];
    char name[32];
    struct http_server *next; /* in metrics.c */
};

/* In accept.c: takes connections in, until it is stopped; then the socket is closed. */
bool acceptor_start(struct http_server *server);
void acceptor_stop(struct http_server *server);

/* In metrics.c: shows a server on the metrics page, and no longer. */
void metrics_add_server(struct http_server *server);
void metrics_remove_server(struct http_server *server);

#endif
