/* listen.c - opens or inherits the listening socket.
 *
 * ":8080" is an IPv6 socket that accepts IPv4 too, or an IPv4 socket if the system has no IPv6. The
 * acceptor accepts until EAGAIN, so every listening socket is non-blocking. */
#include "http/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 1024
#define INHERITED_FD 3 /* first descriptor, see sd_listen_fds(3) */

const char *
http_listen_problem(const char *listen)
{
    struct listen_address address;
    return listen_parse(listen, &address);
}

/* Stores the actual address, since port 0 means any free port. */
static bool
store_address(struct listener *listener)
{
    struct sockaddr_storage bound = { 0 };
    socklen_t length = sizeof bound;
    struct address address;
    uint16_t port;
    if (getsockname(listener->fd, (struct sockaddr *)&bound, &length) < 0 ||
        !address_of_socket((const struct sockaddr *)&bound, &address, &port))
        return false;
    address_write_with_port(&address, port, listener->address);
    return true;
}

/* -1: errno has the reason. SO_REUSEADDR lets a restarted server listen although connections of the
 * old one are still in TIME_WAIT. */
static int
open_socket(int family, bool also_v4)
{
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    int on = 1;
    int v6_only = !also_v4;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof v6_only);
    return fd;
}

/* An IPv4 address is the last four bytes of the IPv4-mapped form in which addresses are stored. */
static bool
bind_and_listen(int fd, int family, const struct listen_address *where)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(where->port) };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(where->port) };
    memcpy(&v4.sin_addr, where->address.bytes + 12, sizeof v4.sin_addr);
    memcpy(&v6.sin6_addr, where->address.bytes, sizeof v6.sin6_addr);
    int bound = family == AF_INET ? bind(fd, (const struct sockaddr *)&v4, sizeof v4)
                                  : bind(fd, (const struct sockaddr *)&v6, sizeof v6);
    return bound == 0 && listen(fd, BACKLOG) == 0;
}

/* errno is kept before close() can change it. */
enum err
listener_open(const char *setting, const char *address, struct listener *out, struct why *why)
{
    struct listen_address where;
    const char *problem = listen_parse(address, &where);
    if (problem != NULL) {
        why_set(why, "%s: \"%s\" %s", setting, address, problem);
        return ERR_INVALID;
    }
    int family = where.v4 ? AF_INET : AF_INET6;
    int fd = open_socket(family, where.any);
    if (fd < 0 && where.any) { /* IPv6 is not available */
        family = AF_INET;
        fd = open_socket(family, true);
    }
    *out = (struct listener){ .fd = fd };
    if (fd >= 0 && bind_and_listen(fd, family, &where) && store_address(out))
        return ERR_NONE;
    int failed = errno;
    if (fd >= 0)
        close(fd);
    if (failed == EADDRINUSE) {
        why_set(why, "%s: %s is in use by another process", setting, address);
        return ERR_TAKEN;
    }
    why_set(why, "%s: cannot listen on %s: %s", setting, address, strerror(failed));
    return ERR_UNAVAILABLE;
}

static bool
variable_number(const char *name, int64_t *out)
{
    return str_to_int(str_of(getenv(name)), 1, INT32_MAX, out);
}

/* The pid is compared because a child inherits the variables too (sd_listen_fds(3)). */
bool
http_socket_inherited(void)
{
    int64_t pid, count;
    return variable_number("LISTEN_PID", &pid) && pid == (int64_t)getpid() &&
           variable_number("LISTEN_FDS", &count);
}

/* A socket of systemd is not trusted to be right: SO_ACCEPTCONN rejects a connected one
 * (Accept=yes), and O_NONBLOCK is set because the acceptor accepts until EAGAIN. Programs that this
 * process starts must not inherit it. */
enum err
listener_inherit(struct listener *out, struct why *why)
{
    int listening = 0;
    socklen_t length = sizeof listening;
    if (!http_socket_inherited()) {
        why_set(why, "listen: systemd passed no socket to this process (LISTEN_PID, LISTEN_FDS)");
        return ERR_INVALID;
    }
    *out = (struct listener){ .fd = INHERITED_FD };
    if (getsockopt(out->fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) < 0 || !listening ||
        !store_address(out)) {
        why_set(why, "listen: the socket passed by systemd is not a listening TCP socket");
        return ERR_INVALID;
    }
    int flags = fcntl(out->fd, F_GETFL);
    if (flags < 0 || fcntl(out->fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
        fcntl(out->fd, F_SETFD, FD_CLOEXEC) < 0) {
        why_set(why, "listen: the socket passed by systemd cannot be used: %s", strerror(errno));
        return ERR_UNAVAILABLE;
    }
    return ERR_NONE;
}
