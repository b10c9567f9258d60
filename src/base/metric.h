/* metric.h - counts and latencies, and the page that shows them (Prometheus text).
 *
 * A room keeps its own counters as atomics and histograms, and registers one function that writes
 * them onto the page when it is asked for. Nothing here holds an identifier of a person or an app.
 * Counting is safe from any thread; registering is done while the program starts. */
#ifndef BASE_METRIC_H
#define BASE_METRIC_H

#include "base/buf.h"

#include <stdatomic.h>

#define HISTOGRAM_BUCKETS 12

/* Latencies from 50 microseconds to 10 seconds. All zero is a fresh one. */
struct histogram {
    _Atomic uint64_t buckets[HISTOGRAM_BUCKETS + 1];
    _Atomic uint64_t sum_ns;
};

void histogram_observe(struct histogram *histogram, int64_t ns);
uint64_t histogram_count(const struct histogram *histogram);

typedef void metric_writer(struct buf *page, void *context);

void metric_register(metric_writer *write, void *context);
void
metric_unregister(void *context); /* what was registered with this context is no longer asked */
void metric_write_page(struct buf *page);

/* For writers. `type` is "counter", "gauge" or "histogram"; `labels` is "" or a="b",c="d". */
void metric_family(struct buf *page, const char *name, const char *type, const char *help);
void metric_value(struct buf *page, const char *name, const char *labels, int64_t value);
void metric_histogram(struct buf *page, const char *name, const char *labels,
                      const struct histogram *histogram);

#endif
