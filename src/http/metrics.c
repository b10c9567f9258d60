/* metrics.c - connections, refusals, and certificates of all servers on the metrics page.
 *
 * Lock order: the registry of base/metric.h calls write_all() with its lock held, so
 * metric_register() and metric_unregister() are called without ours. */
#include "base/metric.h"
#include "http/server_state.h"

/* One writer for all servers, because a metric family may appear only once on the page. */
static struct {
    pthread_mutex_t lock;
    struct http_server *first;
} shown = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const char *const stage_names[STAGE_COUNT] = {
    [STAGE_IDLE] = "idle",
    [STAGE_HEAD] = "head",
    [STAGE_BODY] = "body",
    [STAGE_RESPONSE] = "response",
};

static const char *const refusal_names[HTTP_REFUSALS] = {
    [HTTP_BAD_REQUEST] = "bad_request",
    [HTTP_BODY_TOO_LARGE] = "body_too_large",
    [HTTP_TARGET_TOO_LONG] = "target_too_long",
    [HTTP_HEAD_TOO_LARGE] = "head_too_large",
    [HTTP_BAD_EXPECTATION] = "bad_expectation",
    [HTTP_OVERLOADED] = "overloaded",
    [HTTP_TOO_MANY_CONNECTIONS] = "too_many_connections",
};

/* One line of a metric, with the listener as its first label. */
static void
write_value(struct buf *page, const struct http_server *server, const char *family,
            const char *label, const char *label_value, uint64_t value)
{
    char labels[128];
    if (label == NULL)
        snprintf(labels, sizeof labels, "listener=\"%s\"", server->name);
    else
        snprintf(labels, sizeof labels, "listener=\"%s\",%s=\"%s\"", server->name, label,
                 label_value);
    metric_value(page, family, labels, (int64_t)value);
}

static void
write_cut(struct buf *page, const struct http_server *server)
{
    /* New connections that were cut are reported as "head": they sent no head in time. */
    for (size_t i = 0; i < STAGE_COUNT; i++) {
        uint64_t count = atomic_load(&server->connections.cut[i]);
        if (i == STAGE_HEAD)
            count += atomic_load(&server->connections.cut[STAGE_FRESH]);
        if (stage_names[i] != NULL)
            write_value(page, server, "penchant_http_connections_timed_out_total", "stage",
                        stage_names[i], count);
    }
}

static void
write_certificates(struct buf *page)
{
    metric_family(page, "penchant_tls_certificate_expiry_timestamp_seconds", "gauge",
                  "When the TLS certificate expires, in seconds since 1970.");
    for (struct http_server *s = shown.first; s != NULL; s = s->next)
        if (s->certificate_expires_at > 0)
            write_value(page, s, "penchant_tls_certificate_expiry_timestamp_seconds", NULL, NULL,
                        (uint64_t)s->certificate_expires_at);
}

/* Runs whenever /metrics is read. The lock keeps servers from being freed meanwhile. Lines of one
 * metric must be together (Prometheus text format), so each loop goes over all servers. */
static void
write_all(struct buf *page, void *context)
{
    (void)context;
    pthread_mutex_lock(&shown.lock);
    metric_family(page, "penchant_http_connections", "gauge", "Open connections.");
    for (struct http_server *s = shown.first; s != NULL; s = s->next)
        write_value(page, s, "penchant_http_connections", NULL, NULL,
                    atomic_load(&s->connections.open));
    metric_family(page, "penchant_http_connections_total", "counter", "Connections accepted.");
    for (struct http_server *s = shown.first; s != NULL; s = s->next)
        write_value(page, s, "penchant_http_connections_total", NULL, NULL,
                    atomic_load(&s->connections.total));
    metric_family(page, "penchant_http_connections_timed_out_total", "counter",
                  "Connections closed at a deadline, by stage.");
    for (struct http_server *s = shown.first; s != NULL; s = s->next)
        write_cut(page, s);
    metric_family(page, "penchant_http_refused_total", "counter",
                  "Requests rejected by the HTTP server itself.");
    for (struct http_server *s = shown.first; s != NULL; s = s->next)
        for (size_t i = 0; i < HTTP_REFUSALS; i++)
            write_value(page, s, "penchant_http_refused_total", "reason", refusal_names[i],
                        atomic_load(&s->refused[i]));
    write_certificates(page);
    pthread_mutex_unlock(&shown.lock);
}

void
metrics_add_server(struct http_server *server)
{
    pthread_mutex_lock(&shown.lock);
    /* The first server registers the writer, the last one removes it. */
    bool first = shown.first == NULL;
    server->next = shown.first;
    shown.first = server;
    pthread_mutex_unlock(&shown.lock);
    if (first)
        metric_register(write_all, &shown);
}

void
metrics_remove_server(struct http_server *server)
{
    pthread_mutex_lock(&shown.lock);
    struct http_server **at = &shown.first;
    while (*at != server)
        at = &(*at)->next;
    *at = server->next;
    bool last = shown.first == NULL;
    pthread_mutex_unlock(&shown.lock);
    if (last) /* outside our lock: the registry holds its own lock while it calls write_all() */
        metric_unregister(&shown);
}
