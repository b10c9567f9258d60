/* workers.h - a thread pool for jobs that may block.
 *
 * A bounded number of threads, started on demand, runs jobs from a bounded FIFO queue. The caller
 * owns the argument of a job until workers_submit() returns true; then the job owns it. Safe from
 * any thread, except that workers_stop() must be the last call. */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct workers;

/* `name`, a literal such as "workers", is part of the names of the metrics. `niceness`, 0 to 19, is
 * added to the nice value of the process (see nice(2)). */
struct workers *workers_start(const char *name, size_t threads, size_t queue_max, int niceness);

/* False if the queue is full or the workers are stopping; the job will not run. */
bool workers_submit(struct workers *workers, void (*job)(void *), void *argument);

/* Whether the calling thread is a worker. Per-thread caches stay small on workers, because there
 * may be many. */
bool workers_is_current(void);

/* A metric_writer (metric.h); the context is the struct workers. */
void workers_write_metrics(struct buf *page, void *context);

/* Rejects new jobs, runs all queued jobs, joins the threads, and frees the workers. */
void workers_stop(struct workers *workers);

#endif
