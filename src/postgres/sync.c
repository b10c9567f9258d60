/* sync.c - runs the query for what changed (change_query.h) once for all requests that wait.
 *
 * While the server answers within a fraction of a millisecond, the HTTP thread runs it
 * (postgres_sync_now()) and then answers its waiting requests, and no thread is woken. Otherwise
 * the requests are suspended, and a thread of this file runs it. */
#include "postgres/postgres.h"
#include "postgres/change_query.h"

#include "base/arena.h"
#include "base/background.h"
#include "base/clock.h"
#include "base/log.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct postgres_syncer {
    struct postgres_change_query query;
    pthread_mutex_t asking; /* protects the query */

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct db_sync *first, **end; /* waiting for the next query */
    bool stopping;
    struct db_sync idle; /* see postgres_sync_idle() */
    _Atomic bool idle_syncing;
};

/* ---- asked by an HTTP thread ---- */

uint64_t
postgres_sync_ticket(struct db *db)
{
    return atomic_load(&((struct postgres_store *)db)->versions->change_queries);
}

bool
postgres_sync_now(struct db *db, uint64_t ticket, int shard)
{
    (void)shard;
    struct postgres_store *store = (struct postgres_store *)db;
    struct postgres_syncer *syncer = store->syncer;
    if (syncer == NULL)
        return false;
    if (atomic_load(&syncer->query.answered) <= ticket &&
        pthread_mutex_trylock(&syncer->asking) == 0) {
        postgres_change_query_run_quickly(&syncer->query);
        pthread_mutex_unlock(&syncer->asking);
    }
    bool synced = atomic_load(&syncer->query.answered) > ticket;
    if (synced)
        atomic_fetch_add_explicit(&store->synced, 1, memory_order_relaxed);
    return synced;
}

/* ---- the thread ---- */

static void
finish(struct db_sync *first, enum err err)
{
    struct db_sync *next;
    for (struct db_sync *at = first; at != NULL; at = next) {
        next = at->next; /* the struct may be gone after done() */
        at->done(at, err);
    }
}

/* Call with the lock held. */
static struct db_sync *
take_all(struct postgres_syncer *syncer)
{
    struct db_sync *first = syncer->first;
    syncer->first = NULL;
    syncer->end = &syncer->first;
    return first;
}

static void
wait_for_interval(struct postgres_syncer *syncer)
{
    pthread_mutex_lock(&syncer->asking);
    int64_t at = postgres_change_query_due(&syncer->query);
    pthread_mutex_unlock(&syncer->asking);
    struct timespec until = { at / 1000000000, at % 1000000000 };
    if (clock_ticks_ns() < at)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void *
run(void *argument)
{
    struct postgres_syncer *syncer = argument;
    pthread_mutex_lock(&syncer->lock);
    while (!syncer->stopping) {
        if (syncer->first == NULL) {
            pthread_cond_wait(&syncer->wake, &syncer->lock);
            continue;
        }
        pthread_mutex_unlock(&syncer->lock);
        wait_for_interval(syncer);
        pthread_mutex_lock(&syncer->lock);
        struct db_sync *asked = take_all(syncer); /* all of them began before the query */
        pthread_mutex_unlock(&syncer->lock);
        pthread_mutex_lock(&syncer->asking);
        enum err err = postgres_change_query_run(&syncer->query, asked);
        pthread_mutex_unlock(&syncer->asking);
        finish(asked, err);
        pthread_mutex_lock(&syncer->lock);
        if (err) { /* those that came meanwhile would wait as long again */
            struct db_sync *late = take_all(syncer);
            pthread_mutex_unlock(&syncer->lock);
            finish(late, err);
            pthread_mutex_lock(&syncer->lock);
        }
    }
    struct db_sync *left = take_all(syncer);
    pthread_mutex_unlock(&syncer->lock);
    finish(left, ERR_UNAVAILABLE);
    return NULL;
}

void
postgres_sync(struct db *db, struct db_sync *sync)
{
    struct postgres_store *store = (struct postgres_store *)db;
    struct postgres_syncer *syncer = store->syncer;
    if (syncer == NULL) {
        sync->done(sync, ERR_UNAVAILABLE);
        return;
    }
    sync->next = NULL;
    atomic_fetch_add_explicit(&store->synced, 1, memory_order_relaxed);
    pthread_mutex_lock(&syncer->lock);
    bool was_empty = syncer->first == NULL;
    *syncer->end = sync;
    syncer->end = &sync->next;
    pthread_mutex_unlock(&syncer->lock);
    if (was_empty)
        pthread_cond_signal(&syncer->wake);
}

static void
idle_done(struct db_sync *sync, enum err err)
{
    struct postgres_syncer *syncer =
        (struct postgres_syncer *)((char *)sync - offsetof(struct postgres_syncer, idle));
    (void)err;
    atomic_store(&syncer->idle_syncing, false);
}

void
postgres_sync_idle(struct postgres_store *store)
{
    struct postgres_syncer *syncer = store->syncer;
    if (syncer == NULL || atomic_exchange(&syncer->idle_syncing, true))
        return;
    syncer->idle.done = idle_done;
    syncer->idle.ticket = postgres_sync_ticket(&store->db);
    postgres_sync(&store->db, &syncer->idle);
}

/* Lets the change query connect again. */
static void
find_server(struct postgres_store *store)
{
    if (store->syncer == NULL)
        return;
    atomic_store(&store->syncer->query.doubted, true);
    postgres_sync_idle(store);
}

uint64_t
postgres_timeline_of(const char *incarnation)
{
    return strtoull(incarnation, NULL, 16); /* the first of its words */
}

bool
postgres_sync_is_old(const struct postgres_connection *connection)
{
    uint64_t timeline = postgres_timeline_of(connection->incarnation);
    return timeline != 0 && timeline < atomic_load(&connection->store->timeline);
}

bool
postgres_sync_may_use(const struct postgres_connection *connection)
{
    struct postgres_store *store = connection->store;
    uint64_t timeline = postgres_timeline_of(connection->incarnation);
    pthread_mutex_lock(&store->lock);
    uint64_t used = store->timeline;
    if (timeline > used)
        store->timeline = timeline;
    bool leaves = timeline > used && store->incarnation[0] != '\0';
    if (leaves) {
        store->incarnation[0] = '\0';
        atomic_fetch_add(&store->incarnations, 1);
    }
    pthread_mutex_unlock(&store->lock);
    if (leaves)
        find_server(store);
    bool old = timeline != 0 && timeline < used;
    if (atomic_exchange(&connection->host->is_old_primary, old) != old && old)
        log_warn("store_old_primary", log_text("host", str_of(PQhost(connection->handle))),
                 log_text("port", str_of(PQport(connection->handle))),
                 log_number("timeline", (int64_t)timeline), log_number("used", (int64_t)used));
    return !old;
}

bool
postgres_sync_is_same_server(struct postgres_connection *connection)
{
    struct postgres_store *store = connection->store;
    uint64_t current = atomic_load(&store->incarnations);
    if (connection->confirmed == current) /* 0: nothing is cached */
        return true;
    pthread_mutex_lock(&store->lock);
    bool same =
        store->incarnation[0] != '\0' && strcmp(connection->incarnation, store->incarnation) == 0;
    if (same)
        connection->confirmed = atomic_load(&store->incarnations);
    pthread_mutex_unlock(&store->lock);
    if (!same) /* one of the two is not the primary */
        find_server(store);
    return same;
}

void
postgres_sync_start(struct postgres_store *store)
{
    struct postgres_syncer *syncer = memory_alloc(1, sizeof *syncer);
    syncer->query.store = store;
    syncer->end = &syncer->first;
    pthread_mutex_init(&syncer->asking, NULL);
    pthread_mutex_init(&syncer->lock, NULL);
    pthread_cond_init(&syncer->wake, NULL);
    postgres_change_query_run(&syncer->query, NULL); /* so that the first requests are cached */
    if (background_thread(&syncer->thread, run, syncer))
        store->syncer = syncer;
    else {
        postgres_change_query_close(&syncer->query);
        free(syncer);
    }
}

void
postgres_sync_stop(struct postgres_store *store)
{
    struct postgres_syncer *syncer = store->syncer;
    if (syncer == NULL)
        return;
    pthread_mutex_lock(&syncer->lock);
    syncer->stopping = true;
    pthread_cond_signal(&syncer->wake);
    pthread_mutex_unlock(&syncer->lock);
    pthread_join(syncer->thread, NULL);
    postgres_change_query_close(&syncer->query);
    pthread_cond_destroy(&syncer->wake);
    pthread_mutex_destroy(&syncer->lock);
    pthread_mutex_destroy(&syncer->asking);
    free(syncer);
}

/* ---- versions ---- */

/* Nothing is cached in a process that does not synchronize its versions. */
uint64_t
postgres_version(struct db *db, struct str id)
{
    struct postgres_store *store = (struct postgres_store *)db;
    return atomic_load(&store->incarnations) == 0 ? 0 : versions_of(store->versions, id);
}

uint64_t
postgres_commits(struct db *db)
{
    struct postgres_store *store = (struct postgres_store *)db;
    return atomic_load(&store->incarnations) == 0 ? 0 : versions_commits(store->versions);
}
