/* workers.h - threads for work that may wait.
 *
 * A bounded number of threads, started as they are needed, take jobs from a bounded queue in the
 * order they came. Safe from any thread. */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct workers;

/* `niceness`, 0 to 19: how far they stand back where another thread wants the same core, added to
 * what the process has (see nice(2)). */
struct workers *workers_start(size_t threads, size_t queue_max, int niceness);

/* False when the queue is full or the workers are stopping: the job was not taken. */
bool workers_submit(struct workers *workers, void (*job)(void *), void *argument);

/* Whether the thread that asks is one of them: there may be many, so what each keeps is small. */
bool workers_is_current(void);

/* Jobs waiting, and jobs running. */
size_t workers_waiting(struct workers *workers);
size_t workers_busy(struct workers *workers);

/* How many threads there are and what they do, for the page of metrics; context is the workers. */
void workers_write_metrics(struct buf *page, void *context);

/* Takes no new jobs, finishes every job it took, joins the threads. */
void workers_stop(struct workers *workers);

#endif
