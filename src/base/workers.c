/* workers.c - a ring of jobs and threads that take from it. One lock protects everything; jobs run
 * without it.
 *
 * A thread is started when there are more jobs than idle threads, and ends only with the pool. On a
 * quiet server most of the threads that are allowed never start. */
#include "base/workers.h"

#include "base/arena.h"
#include "base/metric.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* Enough for SQLite, libpq and Argon2 (which takes its memory from the heap). */
#define STACK_BYTES ((size_t)512 * 1024)

struct job {
    void (*run)(void *);
    void *argument;
};

/* A pool. `queue` is a ring of queue_max jobs, of which `waiting` begin at `first`. The lock
 * protects everything below it. */
struct workers {
    const char *name;
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct job *queue; /* a ring */
    size_t queue_max;
    size_t first;
    size_t waiting;
    pthread_t *threads;
    size_t threads_max;
    size_t started;
    size_t busy;
    int niceness;
    bool stopping;
    uint64_t taken;
    uint64_t refused;
};

static _Thread_local bool is_worker;

bool
workers_is_current(void)
{
    return is_worker;
}

/* The thread. When stopping, it ends only after the queue is empty. */
static void *
work(void *argument)
{
    struct workers *workers = argument;
    is_worker = true;
    if (workers->niceness > 0) /* on Linux this affects only the calling thread */
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + workers->niceness);
    pthread_mutex_lock(&workers->lock);
    for (;;) {
        while (workers->waiting == 0 && !workers->stopping)
            pthread_cond_wait(&workers->filled, &workers->lock);
        if (workers->waiting == 0)
            break;
        struct job job = workers->queue[workers->first];
        workers->first = (workers->first + 1) % workers->queue_max;
        workers->waiting--;
        workers->busy++;
        pthread_mutex_unlock(&workers->lock);
        job.run(job.argument);
        pthread_mutex_lock(&workers->lock);
        workers->busy--;
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

/* Threads are started when they are needed, so an idle pool costs nothing. */
struct workers *
workers_start(const char *name, size_t threads, size_t queue_max, int niceness)
{
    struct workers *workers = memory_alloc(1, sizeof *workers);
    workers->name = name;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->filled, NULL);
    workers->queue = memory_alloc(queue_max, sizeof *workers->queue);
    workers->queue_max = queue_max;
    workers->threads = memory_alloc(threads, sizeof *workers->threads);
    workers->threads_max = threads;
    workers->niceness = niceness;
    return workers;
}

/* Call with the lock held. Starts another thread only if no thread is idle. */
static void
start_thread_if_needed(struct workers *workers)
{
    size_t idle = workers->started - workers->busy;
    if (idle >= workers->waiting || workers->started == workers->threads_max)
        return;
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* only the main thread handles signals */
    if (pthread_create(&workers->threads[workers->started], &attributes, work, workers) == 0)
        workers->started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

/* False: the queue is full; the caller responds that the service is busy. Never blocks. */
bool
workers_submit(struct workers *workers, void (*run)(void *), void *argument)
{
    pthread_mutex_lock(&workers->lock);
    bool taken = !workers->stopping && workers->waiting < workers->queue_max;
    if (taken) {
        size_t end = (workers->first + workers->waiting) % workers->queue_max;
        workers->queue[end] = (struct job){ run, argument };
        workers->waiting++;
        start_thread_if_needed(workers);
        if (workers->started == 0) {
            /* No thread could be created: reject the job instead of queuing it forever. */
            workers->waiting--;
            taken = false;
        }
    }
    workers->taken += taken ? 1 : 0;
    workers->refused += taken ? 0 : 1;
    pthread_mutex_unlock(&workers->lock);
    if (taken)
        pthread_cond_signal(&workers->filled); /* with the lock, the thread would wait for it */
    return taken;
}

/* The name of the pool is a part of the name of the metric. */
static void
write_metric(struct buf *page, const struct workers *workers, const char *suffix, const char *type,
             const char *help, int64_t value)
{
    char name[64];
    snprintf(name, sizeof name, "penchant_%s%s", workers->name, suffix);
    metric_put(page, name, type, help, value);
}

/* Copied under the lock and written without it. */
void
workers_write_metrics(struct buf *page, void *context)
{
    struct workers *workers = context;
    pthread_mutex_lock(&workers->lock);
    size_t started = workers->started, busy = workers->busy, waiting = workers->waiting;
    uint64_t taken = workers->taken, refused = workers->refused;
    pthread_mutex_unlock(&workers->lock);
    write_metric(page, workers, "", "gauge", "Worker threads started.", (int64_t)started);
    write_metric(page, workers, "_busy", "gauge", "Worker threads running a job.", (int64_t)busy);
    write_metric(page, workers, "_waiting", "gauge", "Jobs in the queue.", (int64_t)waiting);
    write_metric(page, workers, "_jobs_total", "counter", "Jobs accepted.", (int64_t)taken);
    write_metric(page, workers, "_refused_total", "counter",
                 "Jobs rejected because the queue was full.", (int64_t)refused);
}

/* Jobs in the queue are finished first. */
void
workers_stop(struct workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    workers->stopping = true;
    pthread_cond_broadcast(&workers->filled);
    pthread_mutex_unlock(&workers->lock);
    for (size_t i = 0; i < workers->started; i++)
        pthread_join(workers->threads[i], NULL);
    pthread_mutex_destroy(&workers->lock);
    pthread_cond_destroy(&workers->filled);
    free(workers->threads);
    free(workers->queue);
    free(workers);
}
