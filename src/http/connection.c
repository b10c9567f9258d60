#include "http/connection.h"

#include "base/arena.h"
#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TALLY_BUCKETS 1024

struct usage_counters {
    struct usage_counters *next;
    struct address address;
    size_t count;
};

void
connections_start(struct connections *connections, uint64_t seed)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&connections->lock, NULL);
    pthread_cond_init(&connections->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    connections->tallies = memory_alloc(TALLY_BUCKETS, sizeof *connections->tallies);
    connections->seed = seed;
    if (pthread_create(&connections->reaper, NULL, reaper_run, connections) != 0) {
        fprintf(stderr, "penchant: cannot start a thread\n");
        abort();
    }
}

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
    free(connections->tallies);
}

bool
connections_overfull(const struct connections *connections)
{
    return atomic_load(&connections->expected) + atomic_load(&connections->open) >=
           connections->max + HTTP_PAST_CAP_CONNECTIONS;
}

void
connections_expect(struct connections *connections)
{
    atomic_fetch_add(&connections->expected, 1);
}

void
connections_expect_no_more(struct connections *connections)
{
    atomic_fetch_sub(&connections->expected, 1);
}

/* What is counted as one address: an IPv6 host has a /64 to itself. */
static struct address
counted_as(const struct connection *connection)
{
    struct address address = connection->peer;
    if (!address_is_v4(&address))
        memset(address.bytes + 8, 0, 8);
    return address;
}

/* Where the tally of an address is, or would be put. The seed keeps strangers from choosing
 * addresses that fall into one bucket. */
static struct usage_counters **
tally_find(struct connections *connections, const struct address *address)
{
    uint64_t hash = connections->seed;
    for (size_t i = 0; i < sizeof address->bytes; i++)
        hash = (hash ^ address->bytes[i]) * 0x100000001b3u;
    struct usage_counters **at = &connections->tallies[(hash ^ hash >> 32) % TALLY_BUCKETS];
    while (*at != NULL && !address_eq(&(*at)->address, address))
        at = &(*at)->next;
    return at;
}

/* Counts one more from there and tells how many there are. */
static size_t
tally_add(struct connections *connections, const struct connection *connection)
{
    struct address address = counted_as(connection);
    struct usage_counters **at = tally_find(connections, &address);
    if (*at == NULL) {
        *at = memory_alloc(1, sizeof **at);
        (*at)->address = address;
    }
    return ++(*at)->count;
}

static void
tally_remove(struct connections *connections, const struct connection *connection)
{
    struct address address = counted_as(connection);
    struct usage_counters **at = tally_find(connections, &address);
    struct usage_counters *counters = *at;
    if (--counters->count > 0)
        return;
    *at = counters->next;
    free(counters);
}

struct connection *
connections_add(struct connections *connections, int fd, const struct sockaddr *peer)
{
    struct connection *connection = memory_alloc(1, sizeof *connection);
    connection->fd = fd;
    connection->opened_ms = clock_steady_ms();
    if (address_of_socket(peer, &connection->peer, NULL))
        address_write(&connection->peer, connection->peer_text);
    connection->trusted = networks_hold(&connections->trusted, &connection->peer);

    pthread_mutex_lock(&connections->lock);
    size_t from_there = tally_add(connections, connection);
    size_t open = atomic_fetch_add(&connections->open, 1) + 1;
    connections_expect_no_more(connections);
    connection->past_cap = open > connections->max ||
                           (from_there > connections->per_address_max && !connection->trusted);
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

void
connections_remove(struct connections *connections, struct connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    *connection->link = connection->next;
    if (connection->next != NULL)
        connection->next->link = connection->link;
    tally_remove(connections, connection);
    if (connection->lingers && connections->parting_count < HTTP_LINGER_CONNECTIONS) {
        /* The descriptor is the library's to close; a second one keeps the connection. */
        int fd = fcntl(connection->fd, F_DUPFD_CLOEXEC, 0);
        if (fd >= 0)
            connections->parting[connections->parting_count++] =
                (struct lingering){ fd, clock_steady_ms() + HTTP_LINGER_MS };
    }
    atomic_fetch_sub(&connections->open, 1);
    if (connections->parting_count > 0 || atomic_load(&connections->mode) != CONNECTIONS_SERVE)
        pthread_cond_broadcast(&connections->changed);
    pthread_mutex_unlock(&connections->lock);
    free(connection);
}

static void
enter(struct connection *connection, enum stage stage, int64_t times)
{
    /* A fresh one has as long as a head; if by then not a byte came, as long as an idle one. */
    static const int64_t allowed_ms[STAGE_COUNT] = {
        [STAGE_FRESH] = HTTP_HEAD_MS,       [STAGE_IDLE] = HTTP_IDLE_MS,
        [STAGE_HEAD] = HTTP_HEAD_MS,        [STAGE_BODY] = HTTP_BODY_MS,
        [STAGE_ANSWERING] = HTTP_ANSWER_MS,
    };
    int64_t deadline = WATCH_NEVER;
    if (connection->past_cap)
        deadline = connection->opened_ms + HTTP_PAST_CAP_MS;
    else if (stage != STAGE_WORKING)
        deadline = clock_steady_ms() + allowed_ms[stage] * times;
    /* An exchange and not a store: whoever leaves idleness sees whether the reaper was first. */
    atomic_exchange_explicit(&connection->watch, watch_pack(deadline, stage), memory_order_acq_rel);
}

void
connection_enter(struct connection *connection, enum stage stage)
{
    enter(connection, stage, 1);
}

void
connection_answer(struct connection *connection, size_t bytes)
{
    enter(connection, STAGE_ANSWERING, 1 + (int64_t)(bytes / HTTP_ANSWER_BYTES));
}

void
connections_set_mode(struct connections *connections, enum connections_mode mode)
{
    pthread_mutex_lock(&connections->lock);
    atomic_store(&connections->mode, (int)mode);
    pthread_cond_broadcast(&connections->changed);
    pthread_mutex_unlock(&connections->lock);
}

void
connections_sleep(struct connections *connections, long ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&connections->changed, &connections->lock, &until);
}

/* With the lock held. */
static bool
all_gone(const struct connections *connections)
{
    return atomic_load(&connections->open) == 0 && connections->parting_count == 0 &&
           connections->lingering_count == 0;
}

bool
connections_wait(struct connections *connections, int64_t until_ms)
{
    pthread_mutex_lock(&connections->lock);
    while (!all_gone(connections) && clock_steady_ms() < until_ms)
        connections_sleep(connections, 10);
    bool none = all_gone(connections);
    pthread_mutex_unlock(&connections->lock);
    return none;
}
