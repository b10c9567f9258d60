/* accept.c - the thread that accepts connections and passes them to the library.
 *
 * The library can accept connections itself, but MHD_quiesce_daemon() races with its threads: both
 * remove the socket from a thread's epoll set, and the second removal aborts the process. */
#include "http/server_state.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define RETRY_MS 50
#define PENDING_WAIT_MS 1000 /* the library's threads pick up new connections quickly */

enum accept_result { ACCEPTED, WOULD_BLOCK, OUT_OF_RESOURCES };

/* Decides by errno whether the acceptor tries the next connection at once. Errors of single
 * connections, such as one that was reset before it was accepted, must not cause a pause. */
static enum accept_result
accept_failed(void)
{
    switch (errno) {
    case ECONNABORTED: /* the client has closed it: try the next */
    case EINTR:
        return ACCEPTED;
    case EAGAIN: /* or another process with this socket was faster */
        return WOULD_BLOCK;
    default: /* no descriptor or memory, or a temporary network error */
        return OUT_OF_RESOURCES;
    }
}

/* A pending connection is one that the library has not reported yet. It counts before the library
 * sees it, so that a burst cannot exceed the limit, and so that a stop can wait for it
 * (wait_for_pending()). */
static enum accept_result
accept_one(struct http_server *server)
{
    struct connections *connections = &server->connections;
    struct sockaddr_in6 peer = { .sin6_family = AF_UNSPEC }; /* large enough for IPv4 too */
    socklen_t length = sizeof peer;
    int fd = accept4(server->listener.fd, (struct sockaddr *)&peer, &length,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return accept_failed();
    if (connections_at_limit(connections)) {
        close(fd);
        return ACCEPTED;
    }
    connections_add_pending(connections);
    if (MHD_add_connection(server->daemon, fd, (const struct sockaddr *)&peer, length) != MHD_YES)
        connections_remove_pending(connections); /* the library has closed it */
    return ACCEPTED;
}

/* Accepts all waiting connections. False if resources ran out. */
static bool
accept_all(struct http_server *server)
{
    enum accept_result result;
    do
        result = accept_one(server);
    while (result == ACCEPTED && !atomic_load(&server->closing));
    return result != OUT_OF_RESOURCES;
}

/* The acceptor thread. `closing_fd` wakes it from poll(), since closing the listening socket in
 * another thread would not. */
static void *
accept_run(void *argument)
{
    struct http_server *server = argument;
    struct pollfd ready[] = { { .fd = server->closing_fd, .events = POLLIN },
                              { .fd = server->listener.fd, .events = POLLIN } };
    nfds_t watched = 2;
    while (!atomic_load(&server->closing)) {
        /* Out of resources: retry after a pause without polling the listener, which would be ready.
         */
        poll(ready, watched, watched == 2 ? -1 : RETRY_MS);
        watched = accept_all(server) ? 2 : 1;
    }
    return NULL;
}

/* On failure, nothing is left open, and errno has the reason for the error message of the
 * caller. */
bool
acceptor_start(struct http_server *server)
{
    server->closing_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (server->closing_fd < 0)
        return false;
    int failed = pthread_create(&server->acceptor, NULL, accept_run, server);
    if (failed == 0)
        return true;
    close(server->closing_fd);
    errno = failed;
    return false;
}

/* Waits until the library's threads have added all accepted connections; stopping the library
 * earlier would close them without a response. Bounded, because a connection that the library has
 * no memory for is never added. */
static void
wait_for_pending(const struct http_server *server)
{
    for (int i = 0; i < PENDING_WAIT_MS && atomic_load(&server->connections.pending) > 0; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* The thread is joined before the socket is closed: its descriptor could otherwise be reused by
 * another thread while this one still accepts on it. */
void
acceptor_stop(struct http_server *server)
{
    atomic_store(&server->closing, true);
    eventfd_write(server->closing_fd, 1);
    pthread_join(server->acceptor, NULL);
    close(server->closing_fd);
    /* Our own socket now refuses connections. One shared with other processes stays open for them.
     */
    close(server->listener.fd);
    wait_for_pending(server);
}
