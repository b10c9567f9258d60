/* reaper.c - the thread that enforces deadlines and reads the rest of closed connections.
 *
 * Every 100 ms it visits each connection with the lock held. It never closes a socket of the
 * library: it shuts the socket down, and the library then reads an end of file. Before that it
 * replaces `watch` by compare-and-exchange; if this fails, the connection has just entered another
 * stage and was in time.
 *
 * Lingering sockets are duplicates that only this thread owns, so it reads them without the
 * lock. */
#include "http/connection.h"

#include "base/arena.h"
#include "base/clock.h"

#include <errno.h>
#include <linux/tcp.h> /* glibc's tcp_info lacks tcpi_bytes_received */
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define TICK_MS 100
#define BUSY_TICK_MS 10        /* while draining or lingering */
#define TICKS_PER_PEER_CHECK 8 /* how often to check whether the peer has closed */
#define STATE_CLOSE 7 /* tcpi_state; netinet/tcp.h, which names it, conflicts with linux/tcp.h */
#define STATE_CLOSE_WAIT 8

/* Used by the thread of the reaper only, so it needs no lock. */
struct reaper {
    struct connections *connections;
    size_t count;
    struct lingering lingering[HTTP_LINGER_CONNECTIONS];
    char scratch[64 * 1024];
};

/* If the kernel does not answer, the connection counts as closed. */
static struct tcp_info
read_tcp_info(const struct connection *connection)
{
    struct tcp_info info = { .tcpi_state = STATE_CLOSE };
    socklen_t length = sizeof info;
    getsockopt(connection->fd, IPPROTO_TCP, TCP_INFO, &info, &length);
    return info;
}

/* When the last bytes and the FIN arrive together, the library reads the bytes and then waits for
 * an event that epoll has already reported. Shutting down the read side triggers it again; buffered
 * bytes can still be read. */
static void
detect_peer_close(const struct connection *connection)
{
    struct tcp_info info = read_tcp_info(connection);
    if (info.tcpi_state == STATE_CLOSE_WAIT || info.tcpi_state == STATE_CLOSE)
        shutdown(connection->fd, SHUT_RD);
}

/* A deadline has passed. If the stage changes concurrently, the connection was in time. */
static void
on_deadline(struct connections *connections, struct connection *connection, uint64_t seen,
            int64_t now)
{
    enum stage stage = watch_stage(seen);
    if (stage == STAGE_FRESH && !connection->over_limit) {
        /* The library reports no byte before the request line is complete, but the kernel knows
         * whether any arrived: a silent client is idle, one that began a head is too slow. */
        int64_t idle_until = connection->opened_ms + HTTP_IDLE_MS;
        bool silent = read_tcp_info(connection).tcpi_bytes_received == 0;
        if (silent && now < idle_until) {
            atomic_compare_exchange_strong(&connection->watch, &seen,
                                           watch_pack(idle_until, STAGE_FRESH));
            return;
        }
        stage = silent ? STAGE_IDLE : STAGE_HEAD;
    }
    if (!atomic_compare_exchange_strong(&connection->watch, &seen,
                                        watch_pack(WATCH_NEVER, watch_stage(seen))))
        return;
    atomic_fetch_add_explicit(&connections->cut[stage], 1, memory_order_relaxed);
    shutdown(connection->fd, SHUT_RDWR);
}

/* Shuts down only the read side, and only if no bytes are waiting, so that a request that has
 * arrived gets a response. */
static void
close_idle(struct connection *connection, uint64_t seen)
{
    int unread = 0;
    if (ioctl(connection->fd, FIONREAD, &unread) == 0 && unread > 0)
        return;
    /* Set before `watch` is replaced: a thread that enters another stage afterwards sees it. */
    atomic_store(&connection->read_shutdown, true);
    if (atomic_compare_exchange_strong(&connection->watch, &seen,
                                       watch_pack(WATCH_NEVER, watch_stage(seen))))
        shutdown(connection->fd, SHUT_RD);
    else
        atomic_store(&connection->read_shutdown, false);
}

/* Since when the connection has waited for a request. */
static int64_t
idle_since(const struct connection *connection, uint64_t seen)
{
    return watch_stage(seen) == STAGE_FRESH ? connection->opened_ms
                                            : watch_deadline(seen) - HTTP_IDLE_MS;
}

/* A connection that is working or sending is left to its deadline. While draining, an idle one is
 * closed only after a grace period, because a request may be on its way. */
static void
watch_connection(struct connections *connections, struct connection *connection,
                 enum connections_mode mode, bool check_peer, int64_t now)
{
    uint64_t seen = atomic_load_explicit(&connection->watch, memory_order_relaxed);
    enum stage stage = watch_stage(seen);
    bool idle = stage == STAGE_IDLE || stage == STAGE_FRESH;
    if (mode == CONNECTIONS_CUT) {
        shutdown(connection->fd, SHUT_RDWR);
    } else if (watch_deadline(seen) <= now) {
        on_deadline(connections, connection, seen, now);
    } else if (mode == CONNECTIONS_DRAIN && idle && watch_deadline(seen) != WATCH_NEVER) {
        if (now - idle_since(connection, seen) >= HTTP_DRAIN_GRACE_MS)
            close_idle(connection, seen);
    } else if (check_peer && stage != STAGE_WORKING && stage != STAGE_RESPONSE) {
        detect_peer_close(connection);
    }
}

/* Call with the lock held. Takes over connections closed with unread bytes. */
static void
take_over_lingering(struct reaper *reaper)
{
    struct connections *connections = reaper->connections;
    for (size_t i = 0; i < connections->to_linger_count; i++) {
        if (reaper->count == HTTP_LINGER_CONNECTIONS)
            close(connections->to_linger[i].fd);
        else
            reaper->lingering[reaper->count++] = connections->to_linger[i];
    }
    connections->to_linger_count = 0;
    connections->lingering_count = reaper->count;
}

/* Reads and drops what the peer still sends, so that it gets to read the response. False when the
 * peer has closed or the time is up. */
static bool
drain_socket(struct reaper *reaper, const struct lingering *lingering, int64_t now)
{
    shutdown(lingering->fd, SHUT_WR);
    for (int round = 0; round < 4; round++) {
        ssize_t got = recv(lingering->fd, reaper->scratch, sizeof reaper->scratch, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (got < 0)
            break;
    }
    return now < lingering->until_ms;
}

/* Without the lock, because reading can take a while; nothing else uses these descriptors. */
static void
drain_lingering(struct reaper *reaper, int64_t now)
{
    size_t kept = 0;
    for (size_t i = 0; i < reaper->count; i++) {
        if (drain_socket(reaper, &reaper->lingering[i], now))
            reaper->lingering[kept++] = reaper->lingering[i];
        else
            close(reaper->lingering[i].fd);
    }
    reaper->count = kept;
}

/* While sockets are drained, the lock is released, so the list of connections may change: the loop
 * keeps no pointer into it. During a drain the pauses are short, so that a stop does not wait for a
 * tick. At the end, what still lingers is closed without waiting. */
void *
reaper_run(void *argument)
{
    struct connections *connections = argument;
    struct reaper *reaper = memory_alloc(1, sizeof *reaper);
    reaper->connections = connections;
    pthread_mutex_lock(&connections->lock);
    for (unsigned tick = 0; !connections->stopping; tick++) {
        enum connections_mode mode = (enum connections_mode)atomic_load(&connections->mode);
        bool check_peer = tick % TICKS_PER_PEER_CHECK == 0;
        int64_t now = clock_steady_ms();
        for (struct connection *c = connections->first; c != NULL; c = c->next)
            watch_connection(connections, c, mode, check_peer, now);
        take_over_lingering(reaper);
        if (reaper->count > 0) {
            pthread_mutex_unlock(&connections->lock);
            drain_lingering(reaper, now);
            pthread_mutex_lock(&connections->lock);
            connections->lingering_count = reaper->count;
        }
        bool busy = mode != CONNECTIONS_SERVE || reaper->count > 0;
        if (!connections->stopping && connections->to_linger_count == 0)
            connections_sleep(connections, busy ? BUSY_TICK_MS : TICK_MS);
    }
    take_over_lingering(reaper);
    pthread_mutex_unlock(&connections->lock);
    for (size_t i = 0; i < reaper->count; i++)
        close(reaper->lingering[i].fd);
    free(reaper);
    return NULL;
}
