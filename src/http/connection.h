/* connection.h - every open connection: where it stands, until when, and from whom.
 *
 * Private to this room. The library's own timeout starts again at every byte, so a sender that
 * drips is never late. Here each connection has one deadline for the stage it is in, and a thread
 * of its own, the reaper, shuts down the socket of whoever passes it; the library then finds the
 * connection closed and cleans up as if the other side had left.
 *
 * The reaper may touch a socket only with the lock held and the connection in the list.
 * connections_remove() takes the same lock and is called while the socket is still open, so a
 * descriptor that was closed and given to somebody else is never shut down. Moving a connection
 * from stage to stage takes no lock. */
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
    STAGE_WORKING, /* ours to be quick: no deadline */
    STAGE_ANSWERING,
    STAGE_COUNT
};

struct connection {
    struct connection *next;
    struct connection **link; /* whatever points here */
    int fd;
    _Atomic uint64_t watch;     /* deadline and stage in one word, so that they change together */
    _Atomic bool read_shutdown; /* we have shut its reading end down: see connection_is_deaf() */
    int64_t opened_ms;
    struct address peer;
    bool trusted;  /* a proxy whose X-Forwarded-For counts */
    bool past_cap; /* to be told so and closed */
    bool lingers;  /* ends with bytes unread: see HTTP_LINGER_MS */
    char peer_text[ADDRESS_TEXT_MAX];
};

enum connections_mode { CONNECTIONS_SERVE, CONNECTIONS_DRAIN, CONNECTIONS_CUT };

struct lingering {
    int fd;
    int64_t until_ms;
};

struct connections {
    size_t max;
    size_t per_address_max;
    struct networks trusted;
    _Atomic size_t pending; /* taken in, and not yet known to the library's thread */
    _Atomic size_t open;
    _Atomic int mode; /* enum connections_mode */
    _Atomic uint64_t total;
    _Atomic uint64_t cut[STAGE_COUNT];

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct connection *first;
    struct address_count **address_counts; /* how many from each address: a hash table */
    uint64_t seed;
    size_t to_linger_count; /* on their way to the reaper, which lets them linger */
    struct lingering to_linger[HTTP_LINGER_CONNECTIONS];
    size_t lingering_count;
    bool stopping;
    pthread_t reaper;
};

/* `max`, `per_address_max` and `trusted` are set by the caller before. */
void connections_start(struct connections *connections, uint64_t seed);
void connections_stop(struct connections *connections); /* none may be open any more */

/* Whether a further one is to be closed unheard. */
bool connections_at_limit(const struct connections *connections);

/* One was taken in: it is added soon, or never. */
void connections_add_pending(struct connections *connections);
void connections_remove_pending(struct connections *connections);

struct connection *connections_add(struct connections *connections, int fd,
                                   const struct sockaddr *peer);
void connections_remove(struct connections *connections, struct connection *connection);

/* Moves on to a stage that may take that long; answering, with so many bytes. */
void connection_enter(struct connection *connection, enum stage stage);
void connection_answer(struct connection *connection, size_t bytes);

/* Whether its next read will find the end. The library reads once more when a suspended connection
 * is resumed, and if it finds the end it drops the answer: such a connection must not be suspended.
 * Only draining makes one. */
static inline bool
connection_read_shutdown(const struct connection *connection)
{
    return atomic_load(&connection->read_shutdown);
}

/* From now on: serve; end whoever is idle; cut everyone. */
void connections_set_mode(struct connections *connections, enum connections_mode mode);

/* Waits until none is open or lingers, or that moment of clock_steady_ms(). True: none is. */
bool connections_wait(struct connections *connections, int64_t until_ms);

/* In reaper.c. */
void *reaper_run(void *connections);

/* A wait on `changed` with the lock held, at most that long. */
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
