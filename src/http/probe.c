/* probe.c - a small HTTP client with one deadline for everything: connecting, the TLS handshake,
 * the request, and the status line. It reads nothing after the status. The socket does not block;
 * every wait is a poll() for the time that is left. */
#include "http/probe.h"

#include "base/clock.h"
#include "http/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST_MAX 512
#define STATUS_LINE "HTTP/1.1 000"

/* A connection without blocking, with or without TLS. All waiting ends at `deadline`. */
struct connection_to_service {
    int fd;
    int64_t deadline; /* of the monotonic clock, in milliseconds */
    gnutls_session_t session;
    gnutls_certificate_credentials_t credentials;
};

/* False: the time is up, or poll() failed. */
static bool
wait_for(const struct connection_to_service *to, short events)
{
    struct pollfd poller = { .fd = to->fd, .events = events };
    int64_t left = to->deadline - clock_ticks_ns() / 1000000;
    return left > 0 && poll(&poller, 1, (int)left) == 1;
}

/* False: errno has the reason; EINPROGRESS means that the time is up. */
static bool
connect_to(struct connection_to_service *to, const struct listen_address *where)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(where->port) };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(where->port) };
    memcpy(&v4.sin_addr, where->address.bytes + 12, sizeof v4.sin_addr);
    memcpy(&v6.sin6_addr, where->address.bytes, sizeof v6.sin6_addr);
    /* A service that listens on all addresses also listens on loopback. */
    if (where->any || v4.sin_addr.s_addr == INADDR_ANY)
        v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bool use_v4 = where->v4 || where->any;
    to->fd = socket(use_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (to->fd < 0)
        return false;
    int result = use_v4 ? connect(to->fd, (const struct sockaddr *)&v4, sizeof v4)
                        : connect(to->fd, (const struct sockaddr *)&v6, sizeof v6);
    if (result == 0)
        return true;
    int problem = 0;
    socklen_t length = sizeof problem;
    if (errno != EINPROGRESS || !wait_for(to, POLLOUT))
        return false;
    getsockopt(to->fd, SOL_SOCKET, SO_ERROR, &problem, &length);
    errno = problem;
    return problem == 0;
}

/* Repeats a TLS operation until it is complete. */
static bool
again(const struct connection_to_service *to, ssize_t result)
{
    if (result != GNUTLS_E_AGAIN && result != GNUTLS_E_INTERRUPTED)
        return false;
    return wait_for(to, gnutls_record_get_direction(to->session) != 0 ? POLLOUT : POLLIN);
}

/* The certificate is not verified: the probe only asks whether the service responds. */
static bool
begin_tls(struct connection_to_service *to)
{
    ssize_t result;
    if (gnutls_certificate_allocate_credentials(&to->credentials) != 0 ||
        gnutls_init(&to->session, GNUTLS_CLIENT | GNUTLS_NONBLOCK) != 0 ||
        gnutls_set_default_priority(to->session) != 0 ||
        gnutls_credentials_set(to->session, GNUTLS_CRD_CERTIFICATE, to->credentials) != 0)
        return false;
    gnutls_transport_set_int(to->session, to->fd);
    do
        result = gnutls_handshake(to->session);
    while (again(to, result));
    return result == 0;
}

/* Every wait ends at the deadline of the probe, so a service that accepts and hangs is reported,
 * too. */
static bool
send_all(const struct connection_to_service *to, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t sent;
        if (to->session == NULL)
            sent = wait_for(to, POLLOUT) ? send(to->fd, text, length, MSG_NOSIGNAL) : -1;
        else
            do
                sent = gnutls_record_send(to->session, text, length);
            while (again(to, sent));
        if (sent <= 0)
            return false;
        text += sent;
        length -= (size_t)sent;
    }
    return true;
}

/* Reads as many bytes as the status line has at least, and no more. */
static bool
receive_status(const struct connection_to_service *to, int *status)
{
    char line[sizeof STATUS_LINE] = { 0 };
    size_t length = 0;
    while (length < sizeof line - 1) {
        ssize_t got;
        if (to->session == NULL)
            got = wait_for(to, POLLIN) ? recv(to->fd, line + length, sizeof line - 1 - length, 0)
                                       : -1;
        else
            do
                got = gnutls_record_recv(to->session, line + length, sizeof line - 1 - length);
            while (again(to, got));
        if (got <= 0)
            return false;
        length += (size_t)got;
    }
    int64_t number;
    if (memcmp(line, "HTTP/1.1 ", 9) != 0 || !str_to_int(str_of(line + 9), 100, 599, &number))
        return false;
    *status = (int)number;
    return true;
}

/* The errors distinguish a service that is not there, one without TLS, and one that accepts
 * connections but does not respond, since the operator does something else in each case. */
enum err
probe_request(const struct probe *probe, int *status, struct why *why)
{
    struct connection_to_service to = { .fd = -1,
                                        .deadline =
                                            clock_ticks_ns() / 1000000 + probe->deadline_ms };
    struct listen_address where;
    char request[REQUEST_MAX];
    const char *problem = listen_parse(probe->listen, &where);
    if (problem != NULL) {
        why_set(why, "listen: \"%s\" %s", probe->listen, problem);
        return ERR_INVALID;
    }
    int length = snprintf(request, sizeof request,
                          "GET %s HTTP/1.1\r\nHost: %.*s\r\nConnection: close\r\n\r\n", probe->path,
                          STR_ARG(probe->host));
    if (!connect_to(&to, &where))
        why_set(why, "cannot connect to %s: %s", probe->listen,
                errno == EINPROGRESS ? "no answer" : strerror(errno));
    else if (probe->tls && !begin_tls(&to))
        why_set(why, "%s does not answer with TLS", probe->listen);
    else if (length < 0 || (size_t)length >= sizeof request ||
             !send_all(&to, request, (size_t)length) || !receive_status(&to, status))
        why_set(why, "%s accepts connections but does not answer %s within %d ms", probe->listen,
                probe->path, probe->deadline_ms);
    if (to.session != NULL)
        gnutls_deinit(to.session);
    if (to.credentials != NULL)
        gnutls_certificate_free_credentials(to.credentials);
    if (to.fd >= 0)
        close(to.fd);
    return why->text[0] == '\0' ? ERR_NONE : ERR_UNAVAILABLE;
}
