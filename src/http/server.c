/* server.c - starts the library's daemon and the threads around it, and stops them in order.
 *
 * Threads of a server: the acceptor (accept.c), the library's threads, which parse requests and
 * call exchange.c, and the reaper (reaper.c). Handlers that may block run on workers, which belong
 * to the caller. The library gets neither a listening socket nor a timeout: the acceptor passes it
 * connections, and the reaper enforces deadlines.
 *
 * To stop, first the acceptor ends, so that no connection is added; then connections drain or are
 * cut; then every suspended connection is resumed; only then the library may be stopped. */
#include "http/server.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "http/exchange.h"
#include "http/server_state.h"
#include "http/tls.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

const char *
http_proxies_problem(const char *proxies)
{
    struct networks networks;
    return networks_parse(proxies, &networks);
}

/* ---- library callbacks ---- */

/* Called by the library's thread when it takes over a connection, and before it closes the
 * descriptor. The struct connection is the socket context that exchange_begin() reads. */
static void
connection_changed(void *argument, struct MHD_Connection *handle, void **context,
                   enum MHD_ConnectionNotificationCode what)
{
    struct http_server *server = argument;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        int fd = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        const struct sockaddr *peer =
            MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
        *context = connections_add(&server->connections, fd, peer);
        if (server->tickets != NULL)
            tls_tickets_enable(
                server->tickets,
                MHD_get_connection_info(handle, MHD_CONNECTION_INFO_GNUTLS_SESSION)->tls_session);
    } else if (*context != NULL) {
        connections_remove(&server->connections, *context);
        *context = NULL;
    }
}

/* Disables decoding in the library: the service decodes the target as sent. */
static size_t
leave_encoded(void *argument, struct MHD_Connection *handle, char *text)
{
    (void)argument;
    (void)handle;
    return strlen(text);
}

/* ---- starting ---- */

/* Raises RLIMIT_NOFILE to what is needed, and returns what the system grants. */
static size_t
get_descriptors(size_t needed)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
        return needed;
    if (limit.rlim_cur < needed) {
        rlim_t before = limit.rlim_cur;
        limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
            limit.rlim_cur = before;
    }
    return (size_t)limit.rlim_cur;
}

/* A connection over the limit gets an error response, but without a free descriptor it can only
 * wait, and a thread without one cannot open the database. So the limits must be reached first:
 * lowers them to what the system grants beside the reserved descriptors. */
static void
limit_connections(struct connections *connections, const struct http_settings *settings)
{
    size_t wanted = settings->connections_max;
    size_t reserved = settings->descriptors_reserved;
    if (reserved == 0)
        reserved = HTTP_DESCRIPTORS_RESERVED;
    connections->max = wanted;
    connections->over_limit_max = HTTP_OVER_LIMIT_CONNECTIONS;
    connections->linger_max = HTTP_LINGER_CONNECTIONS;
    size_t needed = wanted + HTTP_OVER_LIMIT_CONNECTIONS + HTTP_LINGER_CONNECTIONS + reserved;
    size_t granted = get_descriptors(needed);
    if (granted >= needed)
        return;
    size_t left = granted > 2 * reserved ? granted - reserved : granted / 2;
    if (left / 8 < HTTP_OVER_LIMIT_CONNECTIONS)
        connections->over_limit_max = left / 8;
    if (left / 4 < HTTP_LINGER_CONNECTIONS)
        connections->linger_max = left / 4;
    left -= connections->over_limit_max + connections->linger_max;
    if (left >= wanted)
        return;
    connections->max = left;
    log_warn("connections_limited", log_number("wanted", (int64_t)wanted),
             log_number("connections", (int64_t)left),
             log_text("why", STR("the limit of open files (RLIMIT_NOFILE) allows no more")));
}

/* The library listens on nothing: connections come from the acceptor. */
static struct MHD_Daemon *
start_daemon(struct http_server *server, const struct http_settings *settings,
             const struct tls_files *tls)
{
    unsigned flags = MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
    /* With epoll, the library considers a connection readable during its whole TLS handshake and
     * loops without a pause until the client answers: one silent client would occupy a core. */
    flags |= tls->cert != NULL ? MHD_USE_TLS | MHD_USE_POLL_INTERNAL_THREAD
                               : MHD_USE_EPOLL_INTERNAL_THREAD;
    /* The library divides its limit among its threads; ours must always be reached first. */
    size_t limit = (server->connections.max + 2 * HTTP_OVER_LIMIT_CONNECTIONS) * settings->threads;
    struct MHD_OptionItem options[] = {
        { MHD_OPTION_CONNECTION_LIMIT, (intptr_t)limit, NULL },
        { MHD_OPTION_CONNECTION_MEMORY_LIMIT, HTTP_LIBRARY_MEMORY, NULL },
        { MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)connection_changed, server },
        { MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)exchange_begin, server },
        { MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)exchange_end, server },
        { MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)leave_encoded, NULL },
        /* In strict mode 0.9.75 responds to some requests twice; head.c rejects all of them and
         * more. */
        { MHD_OPTION_STRICT_FOR_CLIENT, server->library_lenient ? 0 : 1, NULL },
        { MHD_OPTION_END, 0, NULL },
        { MHD_OPTION_END, 0, NULL },
        { MHD_OPTION_END, 0, NULL },
        { MHD_OPTION_END, 0, NULL },
        { MHD_OPTION_END, 0, NULL },
    };
    /* The empty rows: at most four are used, so that the last one ends the array. */
    struct MHD_OptionItem *next = &options[7];
    if (settings->threads > 1)
        *next++ = (struct MHD_OptionItem){ MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)settings->threads,
                                           NULL };
    if (tls->cert != NULL) {
        *next++ = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_CERT, 0, tls->cert };
        *next++ = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_KEY, 0, tls->key };
        *next++ = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_PRIORITIES, 0,
                                           (void *)(uintptr_t)TLS_PRIORITIES };
    }
    return MHD_start_daemon(flags, 0, NULL, NULL, exchange_continue, server, MHD_OPTION_ARRAY,
                            options, MHD_OPTION_END);
}

/* A version that the tests have not run with may accept heads that head.c expects it to reject. */
static enum err
check_library(struct http_server *server, struct why *why)
{
    const char *version = MHD_get_version();
    server->library_lenient = strcmp(version, "0.9.75") == 0;
    if (server->library_lenient || strcmp(version, "1.0.1") == 0)
        return ERR_NONE;
    why_set(why,
            "libmicrohttpd %s is not supported, because it was not tested for request smuggling "
            "(install 0.9.75 or 1.0.1)",
            version);
    return ERR_INVALID;
}

/* Checks the library and the settings and opens the socket, before any thread starts. */
static enum err
prepare(struct http_server *server, const struct http_settings *settings, struct tls_files *tls,
        struct why *why)
{
    enum err err = check_library(server, why);
    if (err)
        return err;
    const char *problem = networks_parse(settings->trusted_proxies, &server->connections.trusted);
    if (problem != NULL) {
        why_set(why, "trusted-proxies: \"%s\" %s", settings->trusted_proxies, problem);
        return ERR_INVALID;
    }
    if (settings->tls_cert_file != NULL || settings->tls_key_file != NULL) {
        if (MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES) {
            why_set(why, "tls-cert: this libmicrohttpd was built without TLS");
            return ERR_INVALID;
        }
        err = tls_load(settings->tls_cert_file, settings->tls_key_file, tls, why);
        if (err)
            return err;
    }
    if (getrandom(server->id_key, sizeof server->id_key, 0) != sizeof server->id_key ||
        getrandom(&server->address_seed, sizeof server->address_seed, 0) !=
            sizeof server->address_seed) {
        why_set(why, "cannot get random numbers from the system: %s", strerror(errno));
        return ERR_UNAVAILABLE;
    }
    if (settings->listener != NULL) {
        server->listener = *settings->listener;
        return ERR_NONE;
    }
    return settings->inherited ? listener_inherit(&server->listener, why)
                               : listener_open("listen", settings->listen, &server->listener, why);
}

/* Threads inherit the signal mask; only the main thread handles signals. */
static bool
start_threads(struct http_server *server, const struct http_settings *settings,
              const struct tls_files *tls)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    exchange_pool_start(&server->exchanges);
    connections_start(&server->connections, server->address_seed);
    server->daemon = start_daemon(server, settings, tls);
    bool started = server->daemon != NULL && acceptor_start(server);
    if (!started && server->daemon != NULL)
        MHD_stop_daemon(server->daemon);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* Call only when the library has stopped or never started: its threads use all of this. */
static void
server_free(struct http_server *server)
{
    connections_stop(&server->connections);
    exchange_pool_stop(&server->exchanges);
    tls_tickets_free(server->tickets);
    free(server);
}

enum err
http_tls_check(const char *cert_file, const char *key_file, struct why *why)
{
    struct tls_files files = { 0 };
    enum err err = tls_load(cert_file, key_file, &files, why);
    tls_files_free(&files);
    return err;
}

/* On failure, nothing is left running, and *out is unchanged. Settings and service are copied;
 * workers and what `service` points to must exist until http_server_stop() has returned. */
enum err
http_server_start(const struct http_settings *settings, const struct http_service *service,
                  struct http_server **out, struct why *why)
{
    struct http_server *server = memory_alloc(1, sizeof *server);
    struct tls_files tls = { 0 };
    server->service = *service;
    server->workers = settings->workers;
    server->health_workers =
        settings->health_workers != NULL ? settings->health_workers : settings->workers;
    server->hashers = settings->hashers != NULL ? settings->hashers : settings->workers;
    server->memory.max = HTTP_REQUESTS_MEMORY;
    limit_connections(&server->connections, settings);
    server->connections.per_address_max = settings->connections_per_address_max;
    snprintf(server->name, sizeof server->name, "%s", settings->name);
    enum err err = prepare(server, settings, &tls, why);
    if (err) {
        tls_files_free(&tls);
        free(server);
        return err;
    }
    /* From here on the server has threads and is freed by server_free(). */
    server->certificate_expires_at = tls.expires_at;
    server->tickets = tls.cert == NULL ? NULL : tls_tickets_new();
    bool started = start_threads(server, settings, &tls);
    tls_files_free(&tls);
    if (!started) {
        why_set(why, "listen: cannot serve on %s: %s", server->listener.address, strerror(errno));
        server_free(server);
        return ERR_UNAVAILABLE;
    }
    metrics_add_server(server);
    *out = server;
    return ERR_NONE;
}

const char *
http_server_address(const struct http_server *server)
{
    return server->listener.address;
}

/* ---- stopping ---- */

/* A handler cannot be interrupted, and stopping the library with a suspended connection aborts the
 * process. */
static void
wait_for_workers(const struct http_server *server)
{
    while (atomic_load(&server->suspended) > 0)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* Setting the mode before the wait matters: see suspend() in exchange_work.c. */
void
http_server_drain(struct http_server *server, int64_t deadline_ms)
{
    int64_t until = clock_steady_ms() + deadline_ms;
    acceptor_stop(server);
    connections_set_mode(&server->connections, CONNECTIONS_DRAIN);
    if (!connections_wait(&server->connections, until))
        connections_set_mode(&server->connections, CONNECTIONS_CUT);
    wait_for_workers(server);
    MHD_stop_daemon(server->daemon);
    metrics_remove_server(server);
    server_free(server);
}
