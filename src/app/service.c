/* service.c - starts all parts in the order of their dependencies, and stops them in reverse. */
#include "app/service.h"

#include "api/openapi.h"
#include "command/control.h"
#include "app/routes.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/metric.h"
#include "base/workers.h"
#include "client/documents.h"
#include "db/db.h"
#include "dispatch/web.h"
#include "host/process.h"
#include "job/housekeeping.h"
#include "job/outbox.h"
#include "job/rebuild.h"
#include "job/activity_counters.h"
#include "job/usage_counters.h"
#include "mcp/fixtures.h"
#include "mcp/mcp_routes.h"
#include "mcp/surface.h"
#include "model/scope.h"
#include "portal/reference_pages.h"
#include "web/state.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUEUE_PER_WORKER 16
#define HASH_QUEUE 32 /* short: a hash takes tens of milliseconds of a core */
#define CONTROL_WORKERS 16
#define HEALTH_WORKERS 2
#define HEALTH_QUEUE 64

/* On SQLite, HTTP threads run reads themselves and have priority over the workers, which write and
 * hash passwords: a write waits for the disk anyway. */
#define WORKER_NICENESS 10
#define OTHER_DESCRIPTORS 64
#define HASH_NICENESS 15 /* hashing goes after writing */

/* Everything that one run of the service has started. It is stopped in the reverse order. */
struct service {
    const struct service_plan *plan;
    const struct settings *settings;
    struct settings effective; /* with the base URL, for commands that print links */
    const struct domains *domains;
    struct arena *mem;
    struct db *db;
    struct workers *workers;
    struct workers *hashers;         /* only hash passwords */
    struct workers *health_workers;  /* only check readiness, while all others wait */
    struct workers *control_workers; /* only run commands, so that a flood cannot delay them */
    struct listener listener;
    struct web *web;
    struct http_server *server;
    struct http_server *metrics_server;
    struct control *control;
    struct usage_counters *counters;
    struct activity_counters *activity;
    struct rebuild_queue *rebuilds;
    struct housekeeping *housekeeping;
    struct outbox *outbox;       /* NULL: email is not configured */
    struct documents *documents; /* NULL: turned off */
    const char *base_url;
};

/* ---- start, in order; after a failure the remaining members stay NULL ---- */

/* `watched`: a thread checks readiness and follows what other nodes change. */
static enum err
open_store(struct service *service, struct why *why)
{
    struct db_settings settings = { .address = service->settings->store,
                                    .connections = (size_t)service->settings->pool,
                                    .deadline_ms = service->settings->store_deadline,
                                    .watched = true };
    return db_open(&settings, &service->db, why);
}

/* See settings_base_url(). */
static const char *
find_base_url(struct service *service)
{
    const struct settings *settings = service->settings;
    const char *url = settings_base_url(service->mem, settings, service->listener.address);
    if (settings->base_url == NULL && strstr(url, "://localhost") != NULL)
        log_warn(
            "base_url_not_set",
            log_text("hint",
                     STR("other machines can connect to this address, but links, redirects, and "
                         "the issuer name localhost; set base-url")));
    return url;
}

static bool
is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strncmp(address, "[::1]", 5) == 0;
}

/* The list of hosts in a setting, or absent for the keyword that allows any host. */
static struct str
hosts_unless(const char *setting, const char *keyword)
{
    return strcmp(setting, keyword) == 0 ? STR_NONE : str_of(setting);
}

/* Without MCP, no client needs a metadata document. */
static void
start_documents(struct service *service)
{
    const struct settings *settings = service->settings;
    if (!settings->mcp || strcmp(settings->client_documents, "off") == 0)
        return;
    struct documents_settings documents = {
        .ca_file = settings->client_documents_ca,
        .local_hosts = str_of(settings->client_documents_local),
        .hosts = hosts_unless(settings->client_documents, "on"),
        .schemes = str_of(settings->redirect_schemes),
        .user_agent = "Penchant/" PENCHANT_VERSION,
        .seconds = settings->client_documents_timeout,
    };
    service->documents = documents_start(&documents);
}

/* Everything that responses are made of is checked here: pages, catalogs, definitions, and the
 * description of the API. A mistake in one of them stops the start and not a request. */
static enum err
start_web(struct service *service, struct why *why)
{
    const struct settings *settings = service->settings;
    const char *auth_url = settings->auth_url != NULL ? settings->auth_url : service->base_url;
    enum err err;
    struct web_settings web = {
        .public = routes_public,
        .private = routes_private,
        .db = service->db,
        .counters = service->counters,
        .activity = service->activity,
        .rebuilds = service->rebuilds,
        .domains = service->domains,
        .base_url = str_of(service->base_url),
        .auth_url = str_of(auth_url),
        .on_loopback = is_loopback(service->listener.address),
        .cache_bytes = (size_t)settings->cache * 1024 * 1024,
        .registration_open = settings->registration_open,
        .security_contact = str_of(settings->security_contact),
        .privacy_url = str_of(settings->privacy_url),
        .source_url = str_of(settings->source_url),
        .sends_mail = settings->smtp_url != NULL,
        .rate_mail = settings->rate_mail,
        .access_log = settings->access_log,
        .rate_api = settings->rate_api,
        .rate_sign_in = settings->rate_signin,
        .rate_auth = settings->rate_auth,
        .rate_sign_up = settings->rate_signup,
        .rate_refresh = settings->rate_refresh,
        .rate_register = settings->rate_register,
        .mcp = settings->mcp,
        .mcp_origins = str_of(settings->mcp_origins),
        .client_registration = settings->mcp && strcmp(settings->client_registration, "closed"),
        .registration_hosts = hosts_unless(settings->client_registration, "open"),
        .documents = service->documents,
        .rate_documents = settings->rate_documents,
        .redirect_schemes = str_of(settings->redirect_schemes),
    };
    struct str unknown = STR_NONE;
    if (!scopes_read(str_of(settings->mcp_scope), &web.mcp_scope, &unknown)) {
        why_set(why, "mcp-scope: the scope %.*s does not exist or is listed twice",
                STR_ARG(unknown));
        return ERR_INVALID;
    }
    err = surface_make(service->mem, web.base_url, web.domains, fixtures_read(service->mem),
                       &web.mcp_surface, why);
    if (err)
        return err;
    struct openapi_params params = { web.base_url, web.auth_url, web.domains };
    struct arena *scratch = arena_new(); /* making the document takes ten times its size */
    err = openapi_make(scratch, &params, &web.openapi, why);
    if (err == ERR_NONE)
        err = web_new(&web, &service->web, why);
    if (err == ERR_NONE)
        reference_pages_start(service->web);
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

/* The last part of the start. Until here, no request was accepted, so each finds a service that is
 * complete. */
static enum err
start_server(struct service *service, struct why *why)
{
    const struct settings *settings = service->settings;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    /* The server closes its descriptor; a restart in place needs another one. */
    struct listener listener = service->listener;
    listener.fd = fcntl(service->listener.fd, F_DUPFD_CLOEXEC, 0);
    if (listener.fd < 0) {
        why_set(why, "listen: cannot serve on %s: %s", listener.address, strerror(errno));
        return ERR_UNAVAILABLE;
    }
    struct http_settings http = {
        .name = "main",
        .listener = &listener,
        .threads = settings->threads > 0 ? (size_t)settings->threads : (size_t)cores,
        .connections_max = (size_t)settings->connections,
        .connections_per_address_max = (size_t)settings->connections_per_address,
        .descriptors_reserved = reserved_descriptors(service),
        .trusted_proxies = settings->trusted_proxies,
        .tls_cert_file = settings->tls_cert,
        .tls_key_file = settings->tls_key,
        .workers = service->workers,
        .hashers = service->hashers,
        .health_workers = service->health_workers,
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

/* A listener of its own, so that metrics are never reachable through the public address. It has one
 * thread and few connections. */
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

/* Only for SQLite, whose file one process holds. */
static enum err
start_control(struct service *service, struct why *why)
{
    const char *store = service->settings->store;
    if (!db_address_is_sqlite(store))
        return ERR_NONE; /* PostgreSQL accepts other processes, so commands connect directly */
    process_hide_memory(false); /* bind() needs /proc/self/fd */
    struct str path = db_path_beside(service->mem, store, ".sock");
    struct control_settings settings = { &service->effective, service->domains, service->db,
                                         service->control_workers };
    return control_start(path.ptr, &settings, &service->control, why);
}

/* Four pools, so that no kind of work can delay another: requests, password hashes, commands, and
 * health checks. Hashing has a lower priority than requests, because it takes long and nothing
 * depends on its order. */
static void
start_workers(struct service *service)
{
    size_t threads = (size_t)service->settings->workers;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    /* On PostgreSQL threads share reads and transactions: one of low priority would keep all others
     * waiting. */
    bool shares = db_reads_block(service->db);
    int niceness = shares ? 0 : WORKER_NICENESS;
    service->workers = workers_start("workers", threads, threads * QUEUE_PER_WORKER, niceness);
    /* One core stays free of hashing. */
    service->hashers = workers_start("hashers", cores > 2 ? (size_t)cores - 1 : 1, HASH_QUEUE,
                                     shares ? 0 : HASH_NICENESS);
    service->control_workers =
        workers_start("control_workers", CONTROL_WORKERS, CONTROL_WORKERS * QUEUE_PER_WORKER, 0);
    service->health_workers = workers_start("health_workers", HEALTH_WORKERS, HEALTH_QUEUE, 0);
    metric_register(workers_write_metrics, service->workers);
    metric_register(workers_write_metrics, service->hashers);
    metric_register(mcp_write_metrics, service);
}

/* Without smtp-url, email stays unsent, and pages do not offer what needs it. */
static void
start_outbox(struct service *service)
{
    const struct settings *settings = service->settings;
    if (settings->smtp_url == NULL)
        return;
    struct outbox_settings outbox = {
        .db = service->db,
        .catalogs = service->web->languages.catalogs,
        .auth_url = service->web->settings.auth_url,
        .smtp = { settings->smtp_url, settings->smtp_from, settings->smtp_user,
                  settings->smtp_password, settings->smtp_ca },
    };
    service->outbox = outbox_start(&outbox);
}

struct service *
service_new(const struct service_plan *plan, const struct service_settings *with,
            const struct listener *listener)
{
    struct service *service = memory_alloc(1, sizeof *service);
    *service = (struct service){ .plan = plan,
                                 .settings = with->settings,
                                 .domains = with->domains,
                                 .listener = *listener,
                                 .mem = arena_new() };
    return service;
}

/* The order of the start is the order of dependence; service_stop() reverses it, and frees what was
 * started: members that were not set are NULL. */
enum err
service_start(struct service *service, struct why *why)
{
    const struct service_plan *plan = service->plan;
    service->base_url = find_base_url(service);
    service->effective = *service->settings;
    service->effective.base_url = service->base_url;
    enum err err = open_store(service, why);
    if (err)
        return err;
    start_workers(service);
    /* After the workers, before the server: it may write to the store, and no request sees it half
     * filled. */
    if (plan->before != NULL)
        err = plan->before(plan->context, service->db, service->base_url, why);
    service->counters = usage_counters_new(); /* also after an error: service_stop() frees them */
    service->activity = activity_counters_new(service->domains);
    service->rebuilds = rebuild_queue_new(service->domains);
    start_documents(service);
    if (!err)
        err = start_web(service, why);
    if (!err)
        err = start_metrics(service, why);
    if (!err)
        err = start_control(service, why);
    if (err)
        return err;
    start_outbox(service);
    service->housekeeping =
        housekeeping_start(service->db, service->counters, service->activity, service->rebuilds);
    process_hide_memory(true);
    return start_server(service, why); /* last, so that requests find everything started */
}

bool
service_has_store(const struct service *service)
{
    return service->db != NULL;
}

void
service_begin_drain(struct service *service)
{
    web_begin_drain(service->web);
}

/* ---- stop: accept nothing new, finish open requests, then free in reverse order ---- */

/* First, nothing may wait for long any more: for a document, or for the database. Then requests are
 * finished, then everything that they use is stopped, and the store last. */
void
service_stop(struct service *service)
{
    if (service->web != NULL)
        web_begin_drain(service->web);
    documents_cancel(service->documents); /* requests that wait for one are resumed */
    if (service->db != NULL)
        db_interrupt(service->db,
                     SERVICE_DRAIN_MS); /* a database that hangs must not delay the exit */
    control_stop(service->control);
    if (service->server != NULL)
        http_server_drain(service->server, SERVICE_DRAIN_MS);
    if (service->metrics_server != NULL)
        http_server_drain(service->metrics_server, SERVICE_DRAIN_MS);
    outbox_stop(service->outbox);
    housekeeping_stop(service->housekeeping); /* after the last request: writes the counters */
    if (service->workers != NULL) {
        metric_unregister(service->workers);
        metric_unregister(service->hashers);
        metric_unregister(service);
        workers_stop(service->workers);
        workers_stop(service->hashers);
        workers_stop(service->health_workers);
        workers_stop(service->control_workers);
    }
    control_free(service->control); /* after the workers, which use it */
    if (service->web != NULL)
        web_free(service->web);
    documents_free(service->documents);
    rebuild_queue_free(service->rebuilds);
    usage_counters_free(service->counters);
    activity_counters_free(service->activity);
    db_close(service->db);
    arena_free(service->mem);
    free(service);
}
