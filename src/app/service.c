#include "app/service.h"

#include "api/openapi.h"
#include "app/control.h"
#include "app/routes.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/metric.h"
#include "base/workers.h"
#include "db/db.h"
#include "dispatch/web.h"
#include "job/housekeeping.h"
#include "job/rebuild.h"
#include "job/usage_counters.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define QUEUE_PER_WORKER 16
#define HASH_QUEUE 32 /* short: a hash takes tens of milliseconds of a core */
#define CONTROL_WORKERS 16
#define DRAIN_MS 10000

/* On SQLite, HTTP threads run reads themselves and have priority over the workers, which write and
 * hash passwords: a write waits for the disk anyway. */
#define WORKER_NICENESS 10
#define OTHER_DESCRIPTORS 64
#define HASH_NICENESS 5 /* added: hashing goes after writing */

struct service {
    const struct settings *settings;
    const struct domains *domains;
    struct arena *mem;
    struct db *db;
    struct workers *workers;
    struct workers *hashers;         /* only hash passwords */
    struct workers *control_workers; /* only run commands, so that a flood cannot delay them */
    struct listener listener;
    struct web *web;
    struct http_server *server;
    struct http_server *metrics_server;
    struct control *control;
    struct usage_counters *counters;
    struct rebuild_queue *rebuilds;
    struct housekeeping *housekeeping;
    const char *base_url;
};

/* ---- process limits and privileges ---- */

static void
prepare_process(const struct settings *settings)
{
    struct rlimit limit;
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }); /* memory holds secrets: no core files */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        if (limit.rlim_cur < (rlim_t)settings->connections + 64)
            log_warn("descriptor_limit_too_low",
                     log_text("hint", STR("raise ulimit -n or lower the setting connections")),
                     log_number("descriptors", (int64_t)limit.rlim_cur),
                     log_number("connections", settings->connections));
    }
}

/* From here on only root can read this process's memory and its /proc/self/fd. The control socket
 * is bound through /proc/self/fd, so it must be open before. */
static void
hide_memory(void)
{
#ifndef PENCHANT_FAULT_INJECTION
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

/* Closing the terminal stops the service like Ctrl-C, unless it was started with nohup. */
static sigset_t
stop_signals(void)
{
    sigset_t set;
    struct sigaction hangup = { 0 };
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaddset(&set, SIGHUP);
    return set;
}

/* ---- start, in order; after a failure the remaining members stay NULL ---- */

static enum err
open_store(struct service *service, struct why *why)
{
    struct db_settings settings = { .address = service->settings->store,
                                    .connections = (size_t)service->settings->pool };
    return db_open(&settings, &service->db, why);
}

static enum err
open_listener(struct service *service, const struct listener *given, struct why *why)
{
    if (given != NULL) {
        service->listener = *given;
        return ERR_NONE;
    }
    if (http_socket_inherited())
        return listener_inherit(&service->listener, why);
    return listener_open("listen", service->settings->listen, &service->listener, why);
}

/* The configured base URL, or one made from the listen address: localhost if it listens on all. */
static const char *
find_base_url(struct service *service)
{
    const struct settings *settings = service->settings;
    const char *address = service->listener.address;
    const char *port = strrchr(address, ':');
    if (settings->base_url != NULL)
        return settings->base_url;
    bool any_address = strncmp(address, "[::]", 4) == 0 || strncmp(address, "0.0.0.0", 7) == 0;
    return str_format(service->mem, "%s://%s%s", settings->tls_cert != NULL ? "https" : "http",
                      any_address ? "localhost" : address, any_address && port != NULL ? port : "")
        .ptr;
}

static enum err
start_web(struct service *service, struct why *why)
{
    const struct settings *settings = service->settings;
    const char *auth_url = settings->auth_url != NULL ? settings->auth_url : service->base_url;
    struct web_settings web = {
        .public = routes_public,
        .private = routes_private,
        .db = service->db,
        .counters = service->counters,
        .rebuilds = service->rebuilds,
        .domains = service->domains,
        .base_url = str_of(service->base_url),
        .auth_url = str_of(auth_url),
        .cache_bytes = (size_t)settings->cache * 1024 * 1024,
        .registration_open = settings->registration_open,
        .access_log = settings->access_log,
        .rate_api = settings->rate_api,
        .rate_sign_in = settings->rate_signin,
        .rate_auth = settings->rate_auth,
        .rate_sign_up = settings->rate_signup,
        .rate_refresh = settings->rate_refresh,
    };
    struct openapi_params params = { web.base_url, web.auth_url, web.domains };
    struct arena *scratch = arena_new(); /* making the document takes ten times its size */
    enum err err = openapi_make(scratch, &params, &web.openapi, why);
    if (err == ERR_NONE)
        err = web_new(&web, &service->web, why);
    arena_free(scratch);
    return err;
}

/* For the connections to the store that threads open when they first need them (a file and its log
 * on SQLite), and for everything else. */
static size_t
reserved_descriptors(const struct service *service)
{
    const struct settings *settings = service->settings;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads =
        (size_t)settings->workers + (size_t)settings->threads + 2 * (size_t)cores + CONTROL_WORKERS;
    return OTHER_DESCRIPTORS + (db_reads_block(service->db) ? (size_t)settings->pool : 2 * threads);
}

static enum err
start_server(struct service *service, struct why *why)
{
    const struct settings *settings = service->settings;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct http_settings http = {
        .name = "main",
        .listener = &service->listener,
        .threads = settings->threads > 0 ? (size_t)settings->threads : (size_t)cores,
        .connections_max = (size_t)settings->connections,
        .connections_per_address_max = (size_t)settings->connections_per_address,
        .descriptors_reserved = reserved_descriptors(service),
        .trusted_proxies = settings->trusted_proxies,
        .tls_cert_file = settings->tls_cert,
        .tls_key_file = settings->tls_key,
        .workers = service->workers,
        .hashers = service->hashers,
    };
    struct http_service offered = web_service(service->web);
    malloc_trim(0); /* loading definitions and pages used far more memory than they keep */
    enum err err = http_server_start(&http, &offered, &service->server, why);
    if (!err)
        log_info("listening", log_text("address", str_of(http_server_address(service->server))),
                 log_text("url", str_of(service->base_url)),
                 log_text("store", db_describe(service->db, service->mem)),
                 log_text("version", STR(PENCHANT_VERSION)));
    return err;
}

static enum err
start_metrics(struct service *service, struct why *why)
{
    struct listener listener;
    if (service->settings->metrics_listen == NULL)
        return ERR_NONE;
    enum err err =
        listener_open("metrics-listen", service->settings->metrics_listen, &listener, why);
    if (err)
        return err;
    struct http_settings http = {
        .name = "metrics",
        .listener = &listener,
        .threads = 1,
        .connections_max = 64,
        .connections_per_address_max = 64,
        .workers = service->workers,
    };
    struct http_service offered = web_metrics_service(service->web);
    err = http_server_start(&http, &offered, &service->metrics_server, why);
    if (!err)
        log_info("metrics_listening",
                 log_text("address", str_of(http_server_address(service->metrics_server))));
    return err;
}

static enum err
start_control(struct service *service, struct why *why)
{
    const char *store = service->settings->store;
    if (!db_address_is_sqlite(store))
        return ERR_NONE; /* PostgreSQL accepts other processes, so commands connect directly */
    struct str path = db_path_beside(service->mem, store, ".sock");
    struct control_settings settings = { service->settings, service->domains, service->db,
                                         service->control_workers };
    return control_start(path.ptr, &settings, &service->control, why);
}

static void
start_workers(struct service *service)
{
    size_t threads = (size_t)service->settings->workers;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int niceness = db_reads_block(service->db) ? 0 : WORKER_NICENESS;
    service->workers = workers_start("workers", threads, threads * QUEUE_PER_WORKER, niceness);
    /* One core stays free of hashing. */
    service->hashers = workers_start("hashers", cores > 2 ? (size_t)cores - 1 : 1, HASH_QUEUE,
                                     niceness + HASH_NICENESS);
    service->control_workers =
        workers_start("control_workers", CONTROL_WORKERS, CONTROL_WORKERS * QUEUE_PER_WORKER, 0);
    metric_register(workers_write_metrics, service->workers);
    metric_register(workers_write_metrics, service->hashers);
}

static enum err
start(struct service *service, const struct service_plan *plan, struct why *why)
{
    enum err err = open_listener(service, plan->listener, why);
    if (err)
        return err;
    service->base_url = find_base_url(service);
    err = open_store(service, why);
    if (err)
        return err;
    start_workers(service);
    if (plan->before != NULL)
        err = plan->before(plan->context, service->db, service->base_url, why);
    service->counters = usage_counters_new();
    service->rebuilds = rebuild_queue_new(service->domains);
    if (!err)
        err = start_web(service, why);
    if (!err)
        err = start_metrics(service, why);
    if (!err)
        err = start_control(service, why);
    if (err)
        return err;
    service->housekeeping = housekeeping_start(service->db, service->counters, service->rebuilds);
    hide_memory();
    return start_server(service, why); /* last, so that requests find everything started */
}

/* ---- stop: accept nothing new, finish open requests, then free in reverse order ---- */

static void
stop(struct service *service)
{
    if (service->web != NULL)
        web_begin_drain(service->web);
    control_stop(service->control);
    if (service->server != NULL)
        http_server_drain(service->server, DRAIN_MS);
    if (service->metrics_server != NULL)
        http_server_drain(service->metrics_server, DRAIN_MS);
    housekeeping_stop(service->housekeeping);
    if (service->workers != NULL) {
        metric_unregister(service->workers);
        metric_unregister(service->hashers);
        workers_stop(service->workers);
        workers_stop(service->hashers);
        workers_stop(service->control_workers);
    }
    control_free(service->control);
    if (service->web != NULL)
        web_free(service->web);
    rebuild_queue_free(service->rebuilds);
    usage_counters_free(service->counters);
    db_close(service->db);
}

int
service_run(const struct service_plan *plan)
{
    struct service service = { .settings = plan->settings,
                               .domains = plan->domains,
                               .mem = arena_new() };
    struct why why = { 0 };
    sigset_t signals = stop_signals();
    int received = 0;

    pthread_sigmask(SIG_BLOCK, &signals,
                    NULL); /* before the first thread, so that every thread inherits it */
    signal(SIGPIPE, SIG_IGN);
    log_setup(plan->settings->log_format, plan->settings->log_level);
    prepare_process(plan->settings);
    log_start();

    enum err err = start(&service, plan, &why);
    if (!err) {
        sigwait(&signals, &received);
        log_info("stopping", log_text("signal", str_of(sigabbrev_np(received))));
    }
    stop(&service);
    if (!err)
        log_info("stopped");
    log_stop();
    if (err)
        fprintf(stderr, "penchant: %s\n", why.text);
    arena_free(service.mem);
    return err ? 1 : 0;
}
