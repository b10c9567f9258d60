/* connection.c - the list of connections, their counts in all and per address, and their
 * deadlines.
 *
 * `lock` protects the list, the counts per address, and the sockets to linger. Stage and deadline
 * are one atomic word, which the connection's thread and the reaper change without the lock.
 * Counts of addresses are by network (address_network()); an entry exists while it has
 * connections, so the table is bounded by the number of connections. */
#include "http/connection.h"

#include "base/arena.h"
#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_BUCKETS 1024

/* The number of open connections of one address or network. */
struct address_count {
    struct address_count *next;
    struct address address;
    size_t count;
};

/* Aborts instead of returning an error: without the reaper, no deadline would be enforced. The
 * random seed keeps clients from choosing addresses that collide in the table. */
void
connections_start(struct connections *connections, uint64_t seed)
{
    pthread_mutex_init(&connections->lock, NULL);
    pthread_cond_init(&connections->changed, NULL);
    connections->address_counts =
        memory_alloc(ADDRESS_BUCKETS, sizeof *connections->address_counts);
    connections->seed = seed;
    if (pthread_create(&connections->reaper, NULL, reaper_run, connections) != 0) {
        fprintf(stderr, "penchant: cannot start a thread\n");
        abort();
    }
}

/* Call after the library was stopped, so that no connection can be added or removed any more. */
void
connections_stop(struct connections *connections)
{
    pthread_mutex_lock(&connections->lock);
    connections->stopping = true;
    pthread_cond_broadcast(&connections->changed);
    pthread_mutex_unlock(&connections->lock);
    pthread_join(connections->reaper, NULL);
    pthread_mutex_destroy(&connections->lock);
    pthread_cond_destroy(&connections->changed);
    free(connections->address_counts);
}

/* Pending connections count, because the acceptor can be far ahead of the library's threads. */
bool
connections_at_limit(const struct connections *connections)
{
    return atomic_load(&connections->pending) + atomic_load(&connections->open) >=
           connections->max + connections->over_limit_max;
}

void
connections_add_pending(struct connections *connections)
{
    atomic_fetch_add(&connections->pending, 1);
}

void
connections_remove_pending(struct connections *connections)
{
    atomic_fetch_sub(&connections->pending, 1);
}

/* The link to the entry of an address, or to where it would be inserted. The seed keeps attackers
 * from choosing addresses that share a bucket. */
static struct address_count **
address_count_find(struct connections *connections, const struct address *address)
{
    uint64_t hash = connections->seed;
    for (size_t i = 0; i < sizeof address->bytes; i++)
        hash = (hash ^ address->bytes[i]) * 0x100000001b3u;
    struct address_count **at = &connections->address_counts[(hash ^ hash >> 32) % ADDRESS_BUCKETS];
    while (*at != NULL && !address_eq(&(*at)->address, address))
        at = &(*at)->next;
    return at;
}

/* Counts one more connection and returns the new count of its address. */
static size_t
address_count_add(struct connections *connections, const struct connection *connection)
{
    struct address address = address_network(&connection->peer);
    struct address_count **at = address_count_find(connections, &address);
    if (*at == NULL) {
        *at = memory_alloc(1, sizeof **at);
        (*at)->address = address;
    }
    return ++(*at)->count;
}

/* Entries without a connection are freed at once, so the table needs no cleaning and its size is
 * limited by the open connections. */
static void
address_count_remove(struct connections *connections, const struct connection *connection)
{
    struct address address = address_network(&connection->peer);
    struct address_count **at = address_count_find(connections, &address);
    struct address_count *entry = *at;
    if (--entry->count > 0)
        return;
    *at = entry->next;
    free(entry);
}

/* A connection over a limit is added like others: it gets an error response. The limit per address
 * does not apply to trusted proxies, which carry the connections of many clients. */
struct connection *
connections_add(struct connections *connections, int fd, const struct sockaddr *peer)
{
    struct connection *connection = memory_alloc(1, sizeof *connection);
    connection->fd = fd;
    connection->opened_ms = clock_steady_ms();
    if (address_of_socket(peer, &connection->peer, NULL)) {
        struct address network = address_network(&connection->peer);
        address_write(&connection->peer, connection->peer_text);
        address_write(&network, connection->peer_network);
    }
    connection->trusted = networks_contain(&connections->trusted, &connection->peer);

    pthread_mutex_lock(&connections->lock);
    size_t from_address = address_count_add(connections, connection);
    size_t open = atomic_fetch_add(&connections->open, 1) + 1;
    connections_remove_pending(connections);
    connection->over_limit = open > connections->max ||
                             (from_address > connections->per_address_max && !connection->trusted);
    connection_enter(connection, STAGE_FRESH);
    connection->next = connections->first;
    connection->link = &connections->first;
    if (connection->next != NULL)
        connection->next->link = &connection->next;
    connections->first = connection;
    pthread_mutex_unlock(&connections->lock);
    atomic_fetch_add_explicit(&connections->total, 1, memory_order_relaxed);
    return connection;
}

/* The library's thread calls it while its descriptor is still open. */
void
connections_remove(struct connections *connections, struct connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    *connection->link = connection->next;
    if (connection->next != NULL)
        connection->next->link = connection->link;
    address_count_remove(connections, connection);
    if (connection->lingers &&
        connections->to_linger_count + connections->lingering_count < connections->linger_max) {
        /* The library closes its descriptor; the duplicate keeps the connection open. */
        int fd = fcntl(connection->fd, F_DUPFD_CLOEXEC, 0);
        if (fd >= 0)
            connections->to_linger[connections->to_linger_count++] =
                (struct lingering){ fd, clock_steady_ms() + HTTP_LINGER_MS };
    }
    atomic_fetch_sub(&connections->open, 1);
    if (connections->to_linger_count > 0 || atomic_load(&connections->mode) != CONNECTIONS_SERVE)
        pthread_cond_broadcast(&connections->changed);
    pthread_mutex_unlock(&connections->lock);
    free(connection);
}

/* `times` multiplies the time allowed. A connection over the limit has one deadline for
 * everything. */
static void
enter(struct connection *connection, enum stage stage, int64_t times)
{
    /* A new connection gets the time of a head; if no byte has arrived by then, the reaper extends
     * it to the idle time. */
    static const int64_t allowed_ms[STAGE_COUNT] = {
        [STAGE_FRESH] = HTTP_HEAD_MS,        [STAGE_IDLE] = HTTP_IDLE_MS,
        [STAGE_HEAD] = HTTP_HEAD_MS,         [STAGE_BODY] = HTTP_BODY_MS,
        [STAGE_RESPONSE] = HTTP_RESPONSE_MS,
    };
    int64_t deadline = WATCH_NEVER;
    if (connection->over_limit)
        deadline = connection->opened_ms + HTTP_OVER_LIMIT_MS;
    else if (stage != STAGE_WORKING)
        deadline = clock_steady_ms() + allowed_ms[stage] * times;
    /* An exchange, not a store, so that leaving the idle stage orders with the reaper. */
    atomic_exchange_explicit(&connection->watch, watch_pack(deadline, stage), memory_order_acq_rel);
}

void
connection_enter(struct connection *connection, enum stage stage)
{
    enter(connection, stage, 1);
}

void
connection_enter_response(struct connection *connection, size_t bytes)
{
    enter(connection, STAGE_RESPONSE, 1 + (int64_t)(bytes / HTTP_RESPONSE_BYTES));
}

void
connections_set_mode(struct connections *connections, enum connections_mode mode)
{
    pthread_mutex_lock(&connections->lock);
    atomic_store(&connections->mode, (int)mode);
    pthread_cond_broadcast(&connections->changed);
    pthread_mutex_unlock(&connections->lock);
}

/* Call with the lock held; it is released while waiting. Returns early if `changed` is signaled. */
void
connections_sleep(struct connections *connections, long ms)
{
    clock_cond_wait(&connections->changed, &connections->lock, clock_ticks_ns() + ms * 1000000);
}

/* Call with the lock held. */
static bool
all_closed(const struct connections *connections)
{
    return atomic_load(&connections->open) == 0 && connections->to_linger_count == 0 &&
           connections->lingering_count == 0;
}

/* Looks again every 10 ms at the latest, because the count of pending connections changes without a
 * signal. */
bool
connections_wait(struct connections *connections, int64_t until_ms)
{
    pthread_mutex_lock(&connections->lock);
    while (!all_closed(connections) && clock_steady_ms() < until_ms)
        connections_sleep(connections, 10);
    bool none = all_closed(connections);
    pthread_mutex_unlock(&connections->lock);
    return none;
}
