/* resolve.c - the addresses of a host name, with a deadline.
 *
 * getaddrinfo() can wait for a name server for half a minute and cannot be interrupted. So it runs
 * on a thread of its own, one per host, and callers wait until their deadline. A thread that is
 * late ends by itself; callers that come meanwhile wait for the same one. */
#include "postgres/postgres.h"

#include "base/arena.h"
#include "base/background.h"
#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define ADDRESSES_MAX 16

struct postgres_lookup {
    _Atomic int users; /* the thread, the host, and the callers that wait */
    int ended_fd;      /* readable when it has ended */
    char *name;
    int problem; /* of getaddrinfo(); 0: none */
    char addresses[ADDRESSES_MAX * INET6_ADDRSTRLEN];
};

static void
release(struct postgres_lookup *lookup)
{
    if (lookup == NULL || atomic_fetch_sub(&lookup->users, 1) > 1)
        return;
    close(lookup->ended_fd);
    free(lookup->name);
    free(lookup);
}

/* ---- the thread ---- */

static void
add_address(struct postgres_lookup *lookup, const struct addrinfo *found)
{
    char text[INET6_ADDRSTRLEN + 16]; /* with a scope */
    size_t length = strlen(lookup->addresses);
    if (getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, NULL, 0,
                    NI_NUMERICHOST) == 0 &&
        length + strlen(text) + 2 <= sizeof lookup->addresses)
        snprintf(lookup->addresses + length, sizeof lookup->addresses - length, "%s%s",
                 length == 0 ? "" : ",", text);
}

static void *
look_up(void *argument)
{
    struct postgres_lookup *lookup = argument;
    const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    uint64_t one = 1;
    lookup->problem = getaddrinfo(lookup->name, NULL, &wanted, &found);
    for (const struct addrinfo *at = found; lookup->problem == 0 && at != NULL; at = at->ai_next)
        add_address(lookup, at);
    if (found != NULL)
        freeaddrinfo(found);
    while (write(lookup->ended_fd, &one, sizeof one) < 0 && errno == EINTR)
        ;
    release(lookup);
    return NULL;
}

/* NULL: the system has no descriptor or no thread left. */
static struct postgres_lookup *
begin(const char *name)
{
    struct postgres_lookup *lookup = memory_alloc(1, sizeof *lookup);
    atomic_init(&lookup->users, 2);
    lookup->name = strdup(name);
    lookup->ended_fd = eventfd(0, EFD_CLOEXEC);
    if (lookup->ended_fd >= 0 && background_detach(look_up, lookup))
        return lookup;
    if (lookup->ended_fd >= 0)
        close(lookup->ended_fd);
    free(lookup->name);
    free(lookup);
    return NULL;
}

/* ---- the callers ---- */

/* False: not before `until`. */
static bool
wait_for(const struct postgres_store *store, int fd, int64_t until)
{
    struct pollfd fds[] = { { .fd = fd, .events = POLLIN },
                            { .fd = store->stop_fd, .events = POLLIN } };
    for (;;) {
        int64_t left = (until - clock_ticks_ns() + 999999) / 1000000;
        int ready = left <= 0 ? 0 : poll(fds, 2, (int)left);
        if (left <= 0 || fds[1].revents != 0)
            return false;
        if (ready > 0)
            return true;
    }
}

/* The one that runs for this host, or a new one. */
static struct postgres_lookup *
join(struct postgres_store *store, struct postgres_host *host)
{
    pthread_mutex_lock(&store->lock);
    if (host->lookup == NULL)
        host->lookup = begin(host->name);
    struct postgres_lookup *lookup = host->lookup;
    if (lookup != NULL)
        atomic_fetch_add(&lookup->users, 1);
    pthread_mutex_unlock(&store->lock);
    return lookup;
}

/* The next caller asks again, because names can lead to other servers later. */
static void
forget(struct postgres_store *store, struct postgres_host *host,
       const struct postgres_lookup *lookup)
{
    pthread_mutex_lock(&store->lock);
    if (host->lookup == lookup) {
        release(host->lookup);
        host->lookup = NULL;
    }
    pthread_mutex_unlock(&store->lock);
}

void
postgres_resolve_stop(struct postgres_host *host)
{
    release(host->lookup);
    host->lookup = NULL;
}

static bool
is_name(const struct postgres_host *host)
{
    struct in6_addr unused;
    return host->address == NULL && host->name != NULL && host->name[0] != '/' &&
           host->name[0] != '@' && inet_pton(AF_INET, host->name, &unused) != 1 &&
           inet_pton(AF_INET6, host->name, &unused) != 1;
}

bool
postgres_resolve(struct postgres_store *store, struct postgres_host *host, int64_t until,
                 char **addresses, struct why *why)
{
    *addresses = NULL;
    if (!is_name(host))
        return true;
    struct postgres_lookup *lookup = join(store, host);
    if (lookup == NULL) {
        why_set(why, "at \"%s\" failed: no thread or descriptor is left to resolve the name",
                host->name);
        return false;
    }
    bool in_time = wait_for(store, lookup->ended_fd, until);
    if (!in_time)
        why_set(why, "at \"%s\" failed: the name server did not answer in time", host->name);
    else if (lookup->problem != 0 || lookup->addresses[0] == '\0')
        why_set(why, "at \"%s\" failed: could not translate host name to address: %s", host->name,
                lookup->problem == 0 ? "it has none" : gai_strerror(lookup->problem));
    else
        *addresses = strdup(lookup->addresses);
    if (in_time)
        forget(store, host, lookup);
    release(lookup);
    return *addresses != NULL;
}
