/* request_metrics.h - counts and latencies of requests per route, and process metrics. Counters are
 * in the arena given to counts_new(). Any thread may count and write them. */
#ifndef DISPATCH_REQUEST_METRICS_H
#define DISPATCH_REQUEST_METRICS_H

#include "base/metric.h"
#include "web/router.h"

struct cache;

extern const struct route metrics_routes[]; /* /metrics */

/* Of one route. */
struct counts {
    struct histogram latency[6]; /* by class of status; [0]: closed without a response */
};

void counts_add(struct counts *counts, int status, int64_t ns);

/* One struct counts for each route, and one more for requests that matched no route. */
struct counts *counts_new(struct arena *mem, const struct router *router);

/* The routes of one listener. The text format requires all listeners under one heading. */
struct counted {
    const char *listener;
    const struct router *router;
    const struct counts *counts;
};
void metrics_write_requests(struct buf *page, const struct counted *counted, size_t count);
void metrics_write_process(struct buf *page, int64_t started_at);
void metrics_write_cache(struct buf *page, struct cache *cache);

#endif
