/* metric.c - the registry of writers, and the text format of Prometheus (version 0.0.4): each
 * family has HELP and TYPE lines, then its values. */
#include "base/metric.h"

#include <pthread.h>
#include <stdlib.h>

#define WRITERS 16

/* Upper bounds, from 50 microseconds to 10 seconds. The last bucket, +Inf, has none. */
static const int64_t bounds_us[HISTOGRAM_BUCKETS] = {
    50, 100, 250, 500, 1000, 2500, 5000, 10000, 50000, 250000, 1000000, 10000000
};

/* Writers are called with the lock held, so that after metric_unregister() returns, no writer of
 * this context runs and the context may be freed. */
static struct {
    pthread_mutex_t lock;
    size_t count;
    struct {
        metric_writer *write;
        void *context;
    } writers[WRITERS];
} registry = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Each bucket counts only its own range; metric_histogram() adds them up, as Prometheus expects.
 * There is no separate count that could differ from the sum of the buckets. */
void
histogram_observe(struct histogram *histogram, int64_t ns)
{
    size_t bucket = 0;
    while (bucket < HISTOGRAM_BUCKETS && ns > bounds_us[bucket] * 1000)
        bucket++;
    /* Relaxed: each is a count of its own, and nothing else is read because of it. */
    atomic_fetch_add_explicit(&histogram->buckets[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum_ns, (uint64_t)(ns < 0 ? 0 : ns),
                              memory_order_relaxed);
}

/* Buckets are read one by one, so observations at the same time may be missing. */
uint64_t
histogram_count(const struct histogram *histogram)
{
    uint64_t count = 0;
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++)
        count += atomic_load_explicit(&histogram->buckets[i], memory_order_relaxed);
    return count;
}

/* Writers run in the order in which they were registered. */
void
metric_register(metric_writer *write, void *context)
{
    pthread_mutex_lock(&registry.lock);
    if (registry.count == WRITERS)
        abort(); /* a bug that shows at every start: increase WRITERS */
    registry.writers[registry.count].write = write;
    registry.writers[registry.count].context = context;
    registry.count++;
    pthread_mutex_unlock(&registry.lock);
}

/* Also waits for a page that is being written. */
void
metric_unregister(void *context)
{
    pthread_mutex_lock(&registry.lock);
    size_t kept = 0;
    for (size_t i = 0; i < registry.count; i++)
        if (registry.writers[i].context != context)
            registry.writers[kept++] = registry.writers[i];
    registry.count = kept;
    pthread_mutex_unlock(&registry.lock);
}

/* A writer must not register or unregister another one: the lock is held. */
void
metric_write_page(struct buf *page)
{
    pthread_mutex_lock(&registry.lock);
    for (size_t i = 0; i < registry.count; i++)
        registry.writers[i].write(page, registry.writers[i].context);
    pthread_mutex_unlock(&registry.lock);
}

void
metric_family(struct buf *page, const char *name, const char *type, const char *help)
{
    buf_add_format(page, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void
metric_value(struct buf *page, const char *name, const char *labels, int64_t value)
{
    if (labels[0] == '\0')
        buf_add_format(page, "%s %lld\n", name, (long long)value);
    else
        buf_add_format(page, "%s{%s} %lld\n", name, labels, (long long)value);
}

void
metric_put(struct buf *page, const char *name, const char *type, const char *help, int64_t value)
{
    metric_family(page, name, type, help);
    metric_value(page, name, "", value);
}

/* Written from milliseconds without floating point. */
void
metric_seconds(struct buf *page, const char *name, const char *labels, int64_t ms)
{
    const char *open = labels[0] == '\0' ? "" : "{";
    const char *close = labels[0] == '\0' ? "" : "}";
    buf_add_format(page, "%s%s%s%s %lld.%03lld\n", name, open, labels, close, (long long)ms / 1000,
                   (long long)ms % 1000);
}

/* Buckets are cumulative (Prometheus text format), and the last one is +Inf. Counts are read one by
 * one while others change them, so the count is made from the buckets, never larger or smaller than
 * their sum. */
void
metric_histogram(struct buf *page, const char *name, const char *labels,
                 const struct histogram *histogram)
{
    const char *comma = labels[0] == '\0' ? "" : ",";
    uint64_t count = 0;
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) {
        count += atomic_load_explicit(&histogram->buckets[i], memory_order_relaxed);
        if (i < HISTOGRAM_BUCKETS)
            buf_add_format(page, "%s_bucket{%s%sle=\"%g\"} %llu\n", name, labels, comma,
                           (double)bounds_us[i] / 1e6, (unsigned long long)count);
        else
            buf_add_format(page, "%s_bucket{%s%sle=\"+Inf\"} %llu\n", name, labels, comma,
                           (unsigned long long)count);
    }
    const char *open = labels[0] == '\0' ? "" : "{";
    const char *close = labels[0] == '\0' ? "" : "}";
    double sum = (double)atomic_load_explicit(&histogram->sum_ns, memory_order_relaxed) / 1e9;
    buf_add_format(page, "%s_sum%s%s%s %.9f\n", name, open, labels, close, sum);
    buf_add_format(page, "%s_count%s%s%s %llu\n", name, open, labels, close,
                   (unsigned long long)count);
}
