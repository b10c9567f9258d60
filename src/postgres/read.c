/* read.c - reads that arrive together run as one statement.
 *
 * One read runs at a time. Others queue; when it ends, the first of the queue runs all that are
 * queued in one round trip (batch.c). So an idle service does not wait, and a busy one pays once
 * for the round trip and the statement. A read joins only what is sent after it was queued, so it
 * sees every commit that was acknowledged before. If the shared statement fails, each runs alone.
 *
 * If a read takes long, the queue does not wait for it: another one runs at the same time. Running
 * two at a time always would halve the size of the batches, and on a busy core the kernel did not
 * schedule one of the two server processes for seconds. */
#include "postgres/postgres.h"

#include "base/arena.h"
#include "base/clock.h"

#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>

#define RUNNING_MAX 4
#define QUEUE_WAIT_NS \
    20000000 /* a read that has waited this long runs at the same time as another one */

struct reader {
    struct postgres_request request;
    int64_t began;
    enum { QUEUED, LEADING, ENDED } state;
    sem_t woken; /* once, after its state has changed */
    struct reader *next;
};

struct postgres_reads {
    pthread_mutex_t lock;
    struct reader *queue, **queue_end;
    size_t running;
};

void
postgres_reads_start(struct postgres_store *store)
{
    struct postgres_reads *reads = memory_alloc(1, sizeof *reads);
    pthread_mutex_init(&reads->lock, NULL);
    reads->queue_end = &reads->queue;
    store->reads = reads;
}

void
postgres_reads_stop(struct postgres_store *store)
{
    if (store->reads != NULL)
        pthread_mutex_destroy(&store->reads->lock);
    free(store->reads);
}

/* ---- the queue; call with the lock held ---- */

static void
enqueue(struct postgres_reads *reads, struct reader *me)
{
    me->state = QUEUED;
    sem_init(&me->woken, 0, 0);
    *reads->queue_end = me;
    reads->queue_end = &me->next;
}

/* Takes what is queued, after `me`. Returns the number of all. */
static size_t
take_queue(struct postgres_reads *reads, struct reader *me, struct reader **taken)
{
    size_t count = 0;
    taken[count++] = me;
    while (reads->queue != NULL && count < POSTGRES_GROUP_MAX) {
        taken[count++] = reads->queue;
        reads->queue = reads->queue->next;
    }
    if (reads->queue == NULL)
        reads->queue_end = &reads->queue;
    return count;
}

/* Runs beside another read. False: one has taken it, or enough run already. */
static bool
leave_queue(struct postgres_reads *reads, struct reader *me)
{
    struct reader **at = &reads->queue;
    while (*at != NULL && *at != me)
        at = &(*at)->next;
    if (*at == NULL || reads->running == RUNNING_MAX)
        return false;
    *at = me->next;
    if (*at == NULL)
        reads->queue_end = at;
    reads->running++;
    me->state = LEADING;
    return true;
}

/* The first of the queue runs next, unless others run and it has not waited long. The caller wakes
 * it after it has released the lock. */
static struct reader *
promote(struct postgres_reads *reads)
{
    struct reader *next = reads->queue;
    if (next == NULL || (reads->running > 1 && clock_ticks_ns() - next->began < QUEUE_WAIT_NS)) {
        reads->running--;
        return NULL;
    }
    reads->queue = next->next;
    if (reads->queue == NULL)
        reads->queue_end = &reads->queue;
    next->state = LEADING;
    return next;
}

/* ---- running ---- */

/* Sets `done` of each request that has its result. The first has waited longest. */
static void
run_all(struct postgres_store *store, struct reader **readers, size_t count)
{
    struct postgres_request *requests[POSTGRES_GROUP_MAX];
    struct postgres_connection *connection = NULL;
    struct postgres_batch *list = NULL;
    if (postgres_borrow_since(store, readers[0]->began, &connection))
        return;
    struct arena *mem = arena_new();
    for (size_t i = 0; i < count; i++)
        requests[i] = &readers[i]->request;
    postgres_batch_add(mem, &list, requests, count);
    bool good = postgres_batch_run(connection, mem, list, false, NULL);
    if (good && !postgres_sync_is_same_server(connection)) {
        postgres_discard(connection);
        good = false;
    }
    for (size_t i = 0; i < count && !good; i++)
        requests[i]->done = false;
    arena_free(mem);
    postgres_give_back(store, connection);
    if (good)
        atomic_fetch_add_explicit(&store->reads_shared, count, memory_order_relaxed);
}

static void
start_next_read(struct postgres_reads *reads)
{
    pthread_mutex_lock(&reads->lock);
    struct reader *next = promote(reads);
    pthread_mutex_unlock(&reads->lock);
    if (next != NULL)
        sem_post(&next->woken);
}

static void
end_all(struct postgres_reads *reads, struct reader **readers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        readers[i]->state = ENDED;
        sem_post(&readers[i]->woken); /* it may be gone now */
    }
    start_next_read(reads); /* last, so that more reads can join */
}

/* Waits until it leads or has its result. A thread that is woken needs no lock for its result, so
 * that it does not wait for the one that wakes it. */
static void
wait_in_queue(struct postgres_reads *reads, struct reader *me)
{
    if (!clock_sem_wait(&me->woken, me->began + QUEUE_WAIT_NS)) {
        pthread_mutex_lock(&reads->lock);
        bool leads = leave_queue(reads, me);
        pthread_mutex_unlock(&reads->lock);
        while (!leads && sem_wait(&me->woken) != 0)
            ; /* a signal */
    }
    sem_destroy(&me->woken);
}

/* The reads that `me` runs with its own. 0: another one has run it. */
static size_t
wait_for_turn(struct postgres_reads *reads, struct reader *me, struct reader **taken)
{
    pthread_mutex_lock(&reads->lock);
    bool queued = reads->running > 0;
    if (queued) {
        enqueue(reads, me);
        pthread_mutex_unlock(&reads->lock);
        wait_in_queue(reads, me);
        if (me->state == ENDED)
            return 0;
        sched_yield(); /* threads that are ready can join */
        pthread_mutex_lock(&reads->lock);
    }
    reads->running += queued ? 0 : 1;
    size_t count = take_queue(reads, me, taken);
    pthread_mutex_unlock(&reads->lock);
    return count;
}

enum postgres_turn
postgres_read_together(struct postgres_store *store, struct postgres_request *request,
                       int64_t began)
{
    struct reader me = { .request = *request, .began = began, .state = LEADING };
    struct reader *taken[POSTGRES_GROUP_MAX];
    size_t count = wait_for_turn(store->reads, &me, taken);
    if (count == 1)
        return POSTGRES_ALONE;
    if (count > 1) {
        run_all(store, taken, count);
        end_all(store->reads, taken, count);
    }
    *request = me.request;
    return request->done ? POSTGRES_SHARED : POSTGRES_FAILED;
}

void
postgres_read_ended(struct postgres_store *store)
{
    start_next_read(store->reads);
}
