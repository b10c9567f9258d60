/* connection.h - the list of open connections with their stages and deadlines.
 *
 * Private to http. The library restarts its own timeout at every byte, so a slow sender would never
 * time out. Here each connection has one deadline for its current stage, and a separate thread, the
 * reaper, shuts down the socket when the deadline has passed. The library then sees a closed
 * connection and cleans up.
 *
 * The reaper touches a socket only with the lock held and the connection in the list.
 * connections_remove() takes the same lock while the socket is still open, so a reused descriptor
 * is never shut down. Changing the stage takes no lock. */
#ifndef HTTP_CONNECTION_H
#define HTTP_CONNECTION_H

#include "http/address.h"

#include <pthread.h>
#include <stdatomic.h>

struct sockaddr;

enum stage {
    STAGE_FRESH, /* connected, no request line yet */
    STAGE_IDLE,  /* between requests */
    STAGE_HEAD,
    STAGE_BODY,
    STAGE_WORKING, /* the service is running: no deadline */
    STAGE_RESPONSE,
    STAGE_COUNT
};

struct connection {
    struct connection *next;
    struct connection **link; /* the pointer that points here */
    int fd;
    _Atomic uint64_t watch;     /* deadline and stage, updated atomically together */
    _Atomic bool read_shutdown; /* see connection_read_shutdown() */
    int64_t opened_ms;
    struct address peer;
    bool trusted;    /* a proxy trusted to set X-Forwarded-For */
    bool over_limit; /* over a limit: gets an error response, then is closed */
    bool lingers;    /* closed with unread bytes: see HTTP_LINGER_MS */
    char peer_text[ADDRESS_TEXT_MAX];
    char peer_network[ADDRESS_TEXT_MAX]; /* see address_network() */
};

enum connections_mode { CONNECTIONS_SERVE, CONNECTIONS_DRAIN, CONNECTIONS_CUT };

struct lingering {
    int fd;
    int64_t until_ms;
};

struct connections {
    size_t max;
    size_t per_address_max;
    size_t over_limit_max; /* more than `max`, for error responses */
    size_t linger_max;
    struct networks trusted;
    _Atomic size_t pending; /* accepted, not yet added by the library's thread */
    _Atomic size_t open;
    _Atomic int mode; /* enum connections_mode */
    _Atomic uint64_t total;
    _Atomic uint64_t cut[STAGE_COUNT];

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct connection *first;
    struct address_count **address_counts; /* connections per address: a hash table */
    uint64_t seed;
    size_t to_linger_count; /* handed to the reaper, not yet taken over */
    struct lingering to_linger[HTTP_LINGER_CONNECTIONS];
    size_t lingering_count;
    bool stopping;
    pthread_t reaper;
};

/* The caller sets `max`, `per_address_max`, and `trusted` first. */
void connections_start(struct connections *connections, uint64_t seed);
void connections_stop(struct connections *connections); /* all must be closed */

/* Whether a new connection must be closed without a response. */
bool connections_at_limit(const struct connections *connections);

/* Counts an accepted connection until it is added or lost. */
void connections_add_pending(struct connections *connections);
void connections_remove_pending(struct connections *connections);

struct connection *connections_add(struct connections *connections, int fd,
                                   const struct sockaddr *peer);
void connections_remove(struct connections *connections, struct connection *connection);

/* Enters a stage and sets its deadline; connection_enter_response() allows time for `bytes`. */
void connection_enter(struct connection *connection, enum stage stage);
void connection_enter_response(struct connection *connection, size_t bytes);

/* Whether the server has shut down the read side, which only draining does. The library reads once
 * more when a suspended connection is resumed, and drops the response at end of file. So such a
 * connection must not be suspended. */
static inline bool
connection_read_shutdown(const struct connection *connection)
{
    return atomic_load(&connection->read_shutdown);
}

/* SERVE: normal; DRAIN: close idle connections; CUT: close all. */
void connections_set_mode(struct connections *connections, enum connections_mode mode);

/* Waits until all connections are closed or clock_steady_ms() reaches until_ms. True: all closed.
 */
bool connections_wait(struct connections *connections, int64_t until_ms);

/* In reaper.c. */
void *reaper_run(void *connections);

/* Waits on `changed` for at most `ms`. Call with the lock held. */
void connections_sleep(struct connections *connections, long ms);

static inline uint64_t
watch_pack(int64_t deadline_ms, enum stage stage)
{
    return (uint64_t)deadline_ms << 3 | (uint64_t)stage;
}

static inline enum stage
watch_stage(uint64_t watch)
{
    return (enum stage)(watch & 7);
}

static inline int64_t
watch_deadline(uint64_t watch)
{
    return (int64_t)(watch >> 3);
}

#define WATCH_NEVER (INT64_MAX >> 3)

#endif
