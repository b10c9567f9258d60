#include "http/state.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* The library can take connections in by itself, but to make it stop while it serves the ones it
 * has (MHD_quiesce_daemon) races with its own threads: each of both removes the socket from a
 * thread's epoll set, and whoever comes second ends the process. So a thread of ours does it. */

#define RETRY_MS 50
#define PENDING_WAIT_MS 1000 /* a thread of the library looks for new ones all the time */

enum accept_result { ACCEPTED, WOULD_BLOCK, OUT_OF_RESOURCES };

static enum accept_result
accept_failed(void)
{
    switch (errno) {
    case ECONNABORTED: /* has left already: on to the next */
    case EINTR:
        return ACCEPTED;
    case EAGAIN: /* or somebody else who holds the socket was first */
        return WOULD_BLOCK;
    default: /* no descriptor, no memory; or trouble of the network, which passes, too */
        return OUT_OF_RESOURCES;
    }
}

static enum accept_result
accept_one(struct http_server *server)
{
    struct connections *connections = &server->connections;
    struct sockaddr_in6 peer = { .sin6_family = AF_UNSPEC }; /* large enough for the other, too */
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

/* Takes whoever waits. False: there are more, and no means for them. */
static bool
accept_all(struct http_server *server)
{
    enum accept_result result;
    do
        result = accept_one(server);
    while (result == ACCEPTED && !atomic_load(&server->closing));
    return result != OUT_OF_RESOURCES;
}

static void *
accept_run(void *argument)
{
    struct http_server *server = argument;
    struct pollfd ready[] = { { .fd = server->closing_fd, .events = POLLIN },
                              { .fd = server->listener.fd, .events = POLLIN } };
    nfds_t watched = 2;
    while (!atomic_load(&server->closing)) {
        /* Without means it looks again in a while, not at once: whoever waits would wake it. */
        poll(ready, watched, watched == 2 ? -1 : RETRY_MS);
        watched = accept_all(server) ? 2 : 1;
    }
    return NULL;
}

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

/* Until whoever was taken in is known to a thread of the library: stopping that would close them
 * unseen. One that the library has no memory for never arrives. */
static void
wait_for_pending(const struct http_server *server)
{
    for (int i = 0; i < PENDING_WAIT_MS && atomic_load(&server->connections.pending) > 0; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

void
acceptor_stop(struct http_server *server)
{
    atomic_store(&server->closing, true);
    eventfd_write(server->closing_fd, 1);
    pthread_join(server->acceptor, NULL);
    close(server->closing_fd);
    /* Its own socket refuses from now on. One that others hold keeps its queue for them. */
    close(server->listener.fd);
    wait_for_pending(server);
}
