/* request_metrics.h - how many requests, how they ended, how long they took; and the process
 * itself. */
#ifndef DISPATCH_REQUEST_METRICS_H
#define DISPATCH_REQUEST_METRICS_H

#include "base/metric.h"
#include "web/router.h"

extern const struct route metrics_routes[]; /* /metrics */

/* Of one row. Counting is safe from any thread. */
struct counts {
    _Atomic uint64_t ended[6]; /* by the status's first digit; 0: the connection died before */
    struct histogram latency;
};

void counts_add(struct counts *counts, int status, int64_t ns);

/* One struct counts for each row of the router, and one more for what no row answered. */
struct counts *counts_new(struct arena *mem, const struct router *router);

/* Both listeners' rows under one heading, as the text format asks. */
struct counted {
    const char *listener;
    const struct router *router;
    const struct counts *counts;
};
void metrics_write_requests(struct buf *page, const struct counted *counted, size_t count);
void metrics_write_process(struct buf *page, int64_t started_at);

#endif
