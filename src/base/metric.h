/* metric.h - counters and histograms, and the metrics page in Prometheus text format.
 *
 * A module keeps its counters as atomics and registers one function that writes them to the page.
 * Metrics never contain the identifier of a user or an app. Counting is safe from any thread;
 * registering is too, but a writer must not register or unregister. */
#ifndef BASE_METRIC_H
#define BASE_METRIC_H

#include "base/buf.h"

#include <stdatomic.h>

#define HISTOGRAM_BUCKETS 12

/* Latencies from 50 microseconds to 10 seconds. Initialize with zeros. */
struct histogram {
    _Atomic uint64_t buckets[HISTOGRAM_BUCKETS + 1];
    _Atomic uint64_t sum_ns;
};

void histogram_observe(struct histogram *histogram, int64_t ns);
uint64_t histogram_count(const struct histogram *histogram);

typedef void metric_writer(struct buf *page, void *context);

void metric_register(metric_writer *write, void *context);
void metric_unregister(void *context); /* removes all writers of this context */
void metric_write_page(struct buf *page);

/* Used by writers. `type` is "counter", "gauge" or "histogram"; `labels` is "" or a="b",c="d". */
void metric_family(struct buf *page, const char *name, const char *type, const char *help);
void metric_value(struct buf *page, const char *name, const char *labels, int64_t value);
void metric_seconds(struct buf *page, const char *name, const char *labels, int64_t ms);
void metric_histogram(struct buf *page, const char *name, const char *labels,
                      const struct histogram *histogram);

/* A family with one value, without labels. */
void metric_put(struct buf *page, const char *name, const char *type, const char *help,
                int64_t value);

#endif
