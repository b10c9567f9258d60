/* cancel.c - asks a server to cancel statements that missed their deadline.
 *
 * statement_timeout ends most of them earlier. It is not set for reads behind a pooler, and a
 * statement can outlast it. libpq 15 sends a cancel request only with PQcancel(), which waits for
 * the server and cannot be interrupted. So each host has a thread for it, which exists only while
 * there is something to do; when the host hangs, only this thread waits.
 *
 * A pooler forgets a client that closes its connection, and then ignores the request. So such a
 * connection is closed by the thread, after the request. A server of its own recognizes the request
 * by its process, which nothing else can use.
 *
 * The engine does not cancel a COMMIT: with synchronous replication the server would then report a
 * transaction as committed that no replica has. */
#include "pq/pq.h"

#include "base/arena.h"
#include "base/background.h"
#include "base/log.h"

#include <pthread.h>
#include <stdlib.h>

#define JOBS_MAX 64 /* while a host hangs; then connections are closed without a request */
#define PROBLEM_MAX 256

/* Either a request or a connection to close. */
struct job {
    PGcancel *request;
    PGconn *handle;
    struct job *next;
};

struct postgres_canceller {
    pthread_mutex_t lock;
    struct job *first, **end;
    size_t count;
    bool running; /* the thread exists */
    bool stopped; /* the store is closed: the thread frees this when it ends */
};

static void
canceller_free(struct postgres_canceller *canceller)
{
    pthread_mutex_destroy(&canceller->lock);
    free(canceller);
}

static void
job_free(struct job *job)
{
    PQfreeCancel(job->request);
    PQfinish(job->handle);
    free(job);
}

/* ---- call these with the lock held ---- */

static void
append(struct postgres_canceller *canceller, struct job *job)
{
    *canceller->end = job;
    canceller->end = &job->next;
    canceller->count++;
}

/* NULL: there is none. */
static struct job *
take_first(struct postgres_canceller *canceller)
{
    struct job *job = canceller->first;
    if (job == NULL)
        return NULL;
    canceller->first = job->next;
    if (canceller->first == NULL)
        canceller->end = &canceller->first;
    canceller->count--;
    return job;
}

static void
send_request(struct postgres_canceller *canceller, PGcancel *request)
{
    char problem[PROBLEM_MAX] = "";
    pthread_mutex_unlock(&canceller->lock);
    bool sent = PQcancel(request, problem, sizeof problem) == 1;
    pthread_mutex_lock(&canceller->lock);
    if (!sent && !canceller->stopped)
        log_warn("store_cancel_failed", log_text("problem", str_of(problem)));
}

/* ---- the thread ---- */

static void *
run(void *argument)
{
    struct postgres_canceller *canceller = argument;
    struct job *job;
    pthread_mutex_lock(&canceller->lock);
    while (!canceller->stopped && (job = take_first(canceller)) != NULL) {
        if (job->request != NULL)
            send_request(canceller, job->request);
        job_free(job);
    }
    canceller->running = false;
    bool stopped = canceller->stopped;
    pthread_mutex_unlock(&canceller->lock);
    if (stopped)
        canceller_free(canceller);
    return NULL;
}

/* False: there are too many, or the system refuses a thread. */
static bool
add(struct postgres_canceller *canceller, PGcancel *request, PGconn *handle)
{
    pthread_mutex_lock(&canceller->lock);
    bool accepted = canceller->count < JOBS_MAX;
    if (accepted && !canceller->running)
        accepted = canceller->running = background_detach(run, canceller);
    if (accepted) {
        struct job *job = memory_alloc(1, sizeof *job);
        *job = (struct job){ .request = request, .handle = handle };
        append(canceller, job);
    }
    pthread_mutex_unlock(&canceller->lock);
    return accepted;
}

/* ---- the callers ---- */

struct postgres_canceller *
postgres_canceller_new(void)
{
    struct postgres_canceller *canceller = memory_alloc(1, sizeof *canceller);
    pthread_mutex_init(&canceller->lock, NULL);
    canceller->end = &canceller->first;
    return canceller;
}

void
postgres_canceller_stop(struct postgres_canceller *canceller)
{
    struct job *job;
    pthread_mutex_lock(&canceller->lock);
    while ((job = take_first(canceller)) != NULL)
        job_free(job);
    canceller->stopped = true;
    bool running = canceller->running;
    pthread_mutex_unlock(&canceller->lock);
    if (!running)
        canceller_free(canceller);
}

void
postgres_cancel(struct postgres_canceller *canceller, PGconn *handle)
{
    PGcancel *request = PQgetCancel(handle);
    if (request != NULL && !add(canceller, request, NULL))
        PQfreeCancel(request);
}

void
postgres_close_cancelled(struct postgres_canceller *canceller, PGconn *handle)
{
    if (!add(canceller, NULL, handle))
        PQfinish(handle);
}
