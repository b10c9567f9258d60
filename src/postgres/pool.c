/* pool.c - the connection pool. First come, first served: a connection that is returned
 * goes to the transaction that has waited longest. */
#include "postgres/postgres.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#define BORROW_MS 5000
#define RECONNECT_MS 250 /* between two attempts while the server is unreachable */
#define WAITING_MAX 512

struct postgres_waiter {
    pthread_cond_t granted;
    enum grant { WAIT, USE, OPEN, FAIL } grant;
    struct postgres_connection *connection; /* to use */
    int64_t since;                          /* clock_ticks_ns() */
    struct postgres_waiter *next;
};

void
postgres_pool_start(struct postgres_store *store, size_t connections)
{
    pthread_mutex_init(&store->lock, NULL);
    store->waiters_end = &store->waiters;
    store->connections_max = connections;
    store->borrow_ms = BORROW_MS;
}

static void
connections_free(struct postgres_connection *first)
{
    struct postgres_connection *next;
    for (struct postgres_connection *at = first; at != NULL; at = next) {
        next = at->next;
        postgres_disconnect(at);
    }
}

void
postgres_pool_stop(struct postgres_store *store)
{
    connections_free(store->idle);
    store->idle = NULL;
    pthread_mutex_destroy(&store->lock);
}

/* ---- waiting; call these functions with the lock held ---- */

/* In the order in which they came: a waiter whose attempt to connect failed keeps its place. */
static void
enqueue(struct postgres_store *store, struct postgres_waiter *waiter, bool has_tried)
{
    struct postgres_waiter **at = has_tried ? &store->waiters : store->waiters_end;
    while (*at != NULL && (*at)->since <= waiter->since)
        at = &(*at)->next;
    waiter->next = *at;
    *at = waiter;
    if (waiter->next == NULL)
        store->waiters_end = &waiter->next;
    store->waiting++;
}

static void
dequeue(struct postgres_store *store, const struct postgres_waiter *waiter)
{
    struct postgres_waiter **at = &store->waiters;
    while (*at != waiter)
        at = &(*at)->next;
    *at = waiter->next;
    if (*at == NULL)
        store->waiters_end = at;
    store->waiting--;
}

static void
grant(struct postgres_store *store, struct postgres_waiter *waiter, enum grant what,
      struct postgres_connection *connection)
{
    dequeue(store, waiter);
    waiter->grant = what;
    waiter->connection = connection;
    pthread_cond_signal(&waiter->granted);
}

/* Returns FAIL if nothing was granted before `until`. */
static enum grant
wait_for_grant(struct postgres_store *store, int64_t since, int64_t until, bool has_tried,
               struct postgres_connection **out)
{
    struct postgres_waiter waiter = { .grant = WAIT, .since = since };
    bool late = false;
    if (store->waiting >= WAITING_MAX)
        return FAIL;
    pthread_cond_init(&waiter.granted, NULL);
    enqueue(store, &waiter, has_tried);
    while (waiter.grant == WAIT && !late)
        late = !clock_cond_wait(&waiter.granted, &store->lock, until);
    if (waiter.grant == WAIT)
        dequeue(store, &waiter);
    pthread_cond_destroy(&waiter.granted);
    *out = waiter.connection;
    return waiter.grant == WAIT ? FAIL : waiter.grant;
}

/* While attempts fail, one transaction at a time tries again. */
static bool
may_open(const struct postgres_store *store)
{
    return store->connections < store->connections_max &&
           clock_ticks_ns() >= store->connect_after && (!store->failing || store->connecting == 0);
}

static void
reserve(struct postgres_store *store)
{
    store->connections++;
    store->connecting++;
}

/* The first one. While attempts fail, as on a server with too many connections, the last one: it
 * misses what is returned meanwhile. */
static struct postgres_waiter *
next_to_open(const struct postgres_store *store)
{
    struct postgres_waiter *at = store->waiters;
    while (store->failing && at->next != NULL)
        at = at->next;
    return at;
}

/* Lets waiters open connections while the pool may grow. If the server is unreachable and no
 * connection is left to wait for, all waiters fail at once. */
static void
open_for_waiters(struct postgres_store *store)
{
    while (store->waiters != NULL && may_open(store)) {
        reserve(store);
        grant(store, next_to_open(store), OPEN, NULL);
    }
    while (store->waiters != NULL && store->connections == 0)
        grant(store, store->waiters, FAIL, NULL);
}

/* False if no connection is idle. None is while a transaction waits: postgres_give_back() gives it
 * to the first one. */
static bool
take_one_idle(struct postgres_store *store, struct postgres_connection **out)
{
    *out = store->idle;
    if (*out == NULL)
        return false;
    store->idle = (*out)->next;
    return true;
}

/* Decides how a new borrower gets a connection. */
static enum grant
decide(struct postgres_store *store, struct postgres_connection **out)
{
    if (take_one_idle(store, out))
        return USE;
    open_for_waiters(store);
    if (store->waiters == NULL && may_open(store)) {
        reserve(store);
        return OPEN;
    }
    return store->connections > 0 ? WAIT : FAIL;
}

/* ---- borrowing ---- */

static struct postgres_connection *
connection_open(struct postgres_store *store, uint64_t generation, int64_t until)
{
    struct why why = { 0 };
    int64_t left_ms = (until - clock_ticks_ns()) / 1000000;
    int64_t within_ms = left_ms < store->deadline_ms ? left_ms : store->deadline_ms;
    struct postgres_connection *connection = postgres_connect(store, within_ms, &why);
    if (connection != NULL && postgres_set_up(connection, &why) == ERR_NONE) {
        connection->generation = generation;
        atomic_fetch_add(&store->reconnects, 1);
        return connection;
    }
    log_warn("store_connect_failed", log_text("problem", str_of(why.text)));
    postgres_disconnect(connection);
    return NULL;
}

enum err
postgres_borrow(struct postgres_store *store, struct postgres_connection **out)
{
    return postgres_borrow_since(store, clock_ticks_ns(), out);
}

enum err
postgres_borrow_since(struct postgres_store *store, int64_t began, struct postgres_connection **out)
{
    int64_t until = began + store->borrow_ms * 1000000;
    int64_t longest_ms =
        store->borrow_ms > store->deadline_ms ? store->borrow_ms : store->deadline_ms;
    pthread_mutex_lock(&store->lock);
    enum grant granted = decide(store, out);
    if (granted == WAIT)
        granted = wait_for_grant(store, began, until, false, out);
    while (granted == OPEN) {
        /* Read before: if all connections are given up meanwhile, this one is old as well. */
        uint64_t generation = store->generation;
        pthread_mutex_unlock(&store->lock);
        *out = connection_open(store, generation, began + longest_ms * 1000000);
        pthread_mutex_lock(&store->lock);
        store->connecting--;
        store->failing = *out == NULL;
        if (*out == NULL) {
            store->connections--;
            store->connect_after = postgres_until(RECONNECT_MS);
        }
        open_for_waiters(store);
        if (*out != NULL)
            break;
        /* The server may have too many connections: take one that was returned meanwhile, or wait
         * for one in use. */
        if (take_one_idle(store, out))
            granted = USE;
        else
            granted =
                store->connections > 0 ? wait_for_grant(store, began, until, true, out) : FAIL;
    }
    pthread_mutex_unlock(&store->lock);
    return granted == FAIL ? ERR_UNAVAILABLE : ERR_NONE;
}

struct postgres_connection *
postgres_borrow_open(struct postgres_store *store, int64_t within_ms)
{
    struct postgres_connection *connection = NULL;
    int64_t now = clock_ticks_ns();
    pthread_mutex_lock(&store->lock);
    if (!take_one_idle(store, &connection) && store->connections > store->connecting &&
        wait_for_grant(store, now, now + within_ms * 1000000, false, &connection) == OPEN) {
        /* It is another transaction's turn to connect. */
        store->connections--;
        store->connecting--;
        open_for_waiters(store);
    }
    pthread_mutex_unlock(&store->lock);
    return connection;
}

void
postgres_pool_reachable(struct postgres_store *store)
{
    pthread_mutex_lock(&store->lock);
    if (store->connections == store->connecting) { /* otherwise it may have been full, not down */
        store->failing = false;
        store->connect_after = 0;
    }
    open_for_waiters(store);
    pthread_mutex_unlock(&store->lock);
}

/* Call with the lock held. Removes all idle connections from the pool. */
static struct postgres_connection *
take_idle(struct postgres_store *store)
{
    struct postgres_connection *first = store->idle;
    for (struct postgres_connection *at = first; at != NULL; at = at->next)
        store->connections--;
    store->idle = NULL;
    return first;
}

void
postgres_pool_renew(struct postgres_store *store)
{
    pthread_mutex_lock(&store->lock);
    struct postgres_connection *dropped = take_idle(store);
    store->generation++;
    open_for_waiters(store);
    pthread_mutex_unlock(&store->lock);
    connections_free(dropped);
}

/* A server that became read-only reports it with the next result. */
static bool
is_read_only(PGconn *handle)
{
    const char *standby = PQparameterStatus(handle, "in_hot_standby");
    const char *read_only = PQparameterStatus(handle, "default_transaction_read_only");
    return (standby != NULL && strcmp(standby, "on") == 0) ||
           (read_only != NULL && strcmp(read_only, "on") == 0);
}

/* Whether the connection missed a deadline although its server answers others: one process of the
 * server hangs, or one path of the network. */
static bool
server_answers_others(struct postgres_store *store, struct postgres_connection *connection)
{
    if (!connection->late || PQstatus(connection->handle) != CONNECTION_OK ||
        !postgres_monitor_confirms(store, connection->incarnation))
        return false;
    connection->host->failed_at = 0;
    return true;
}

/* When one connection is lost, usually the server restarted or hangs, and the others are lost too.
 * Idle ones are closed at once, so that later transactions do not each spend an attempt on one, and
 * those in use when they come back. If the only server hangs, it gets a pause. */
void
postgres_give_back(struct postgres_store *store, struct postgres_connection *connection)
{
    if (store->wants_writable && is_read_only(connection->handle))
        postgres_mark_lost(connection, "store_read_only");
    struct postgres_connection *dropped = NULL;
    bool alone = server_answers_others(store, connection);
    pthread_mutex_lock(&store->lock);
    bool current = connection->generation == store->generation;
    if (connection->lost && current && !alone) {
        dropped = take_idle(store);
        store->generation++;
        if (PQstatus(connection->handle) == CONNECTION_OK && store->host_count == 1 &&
            !connection->elsewhere)
            store->connect_after = postgres_until(RECONNECT_MS);
    }
    bool reusable =
        !connection->lost && current && PQtransactionStatus(connection->handle) == PQTRANS_IDLE;
    if (!reusable) {
        store->connections--;
        open_for_waiters(store);
    } else if (store->waiters != NULL)
        grant(store, store->waiters, USE, connection);
    else {
        connection->next = store->idle;
        store->idle = connection;
    }
    pthread_mutex_unlock(&store->lock);
    connections_free(dropped);
    if (!reusable)
        postgres_disconnect(connection);
}

/* ---- metrics ---- */

static void
pool_metrics(struct postgres_store *store, struct buf *page)
{
    pthread_mutex_lock(&store->lock);
    size_t connections = store->connections;
    size_t waiting = store->waiting;
    pthread_mutex_unlock(&store->lock);
    metric_put(page, "penchant_store_connections", "gauge", "Connections to PostgreSQL.",
               (int64_t)connections);
    metric_put(page, "penchant_store_waiting", "gauge", "Transactions waiting for a connection.",
               (int64_t)waiting);
    metric_put(page, "penchant_store_connects_total", "counter", "Connections opened.",
               (int64_t)atomic_load(&store->reconnects));
}

void
postgres_metrics(struct db *db, struct buf *page)
{
    struct postgres_store *store = (struct postgres_store *)db;
    metric_put(page, "penchant_store_transactions_total", "counter", "Write transactions begun.",
               (int64_t)atomic_load(&store->transactions));
    metric_put(page, "penchant_store_groups_total", "counter",
               "Transactions that writes shared, each by all writes that waited.",
               (int64_t)atomic_load(&store->groups));
    metric_put(page, "penchant_store_reads_shared_total", "counter",
               "Reads that ran together with others, as one statement.",
               (int64_t)atomic_load(&store->reads_shared));
    metric_put(page, "penchant_store_retries_total", "counter",
               "Transactions run again after a conflict or a lost connection.",
               (int64_t)atomic_load(&store->retries));
    metric_put(page, "penchant_store_transactions_failed_total", "counter",
               "Transactions that failed because of the store.",
               (int64_t)atomic_load(&store->failed));
    metric_put(page, "penchant_store_deadlines_missed_total", "counter",
               "Statements without an answer within store-deadline; the connection was closed.",
               (int64_t)atomic_load(&store->late));
    metric_family(page, "penchant_store_transaction_seconds", "histogram",
                  "How long a transaction used its connection.");
    metric_histogram(page, "penchant_store_transaction_seconds", "", &store->transaction_latency);
    metric_put(page, "penchant_store_syncs_total", "counter",
               "Questions to PostgreSQL about what changed, each for all requests that waited.",
               (int64_t)atomic_load(&store->syncs));
    metric_put(page, "penchant_store_synced_total", "counter",
               "Requests that waited for such an answer.", (int64_t)atomic_load(&store->synced));
    metric_put(page, "penchant_store_cache_drops_total", "counter",
               "How often everything cached was dropped, because changes may have been missed.",
               (int64_t)atomic_load(&store->drops));
    pool_metrics(store, page);
}
