#include "db/db_postgres.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BORROW_SECONDS 5
#define RECONNECT_MS 250 /* between two attempts while the server is unreachable */
#define WAITING_MAX 512

/* Defaults that the address may override, the address, then settings it may not override.
 * target_session_attrs avoids a node that was demoted in a failover. */
static const char *const keywords[] = { "connect_timeout",  "tcp_user_timeout",
                                        "keepalives_idle",  "target_session_attrs",
                                        "application_name", "dbname",
                                        "client_encoding",  NULL };

static void
ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* libpq writes one line per server that the address names, and hints that begin with a tab. Joins
 * the reasons to one line without the hints. */
static void
join_reasons(const char *message, struct why *why)
{
    static const struct str prefix = STR("connection to server ");
    char reasons[sizeof why->text] = "";
    struct str line, rest = str_of(message);
    size_t length = 0;
    while (str_cut(&rest, '\n', &line) && length < sizeof reasons) {
        if (line.len == 0 || line.ptr[0] == '\t')
            continue;
        if (str_starts(line, prefix))
            line = str_from(line, prefix.len);
        length += (size_t)snprintf(reasons + length, sizeof reasons - length, "%s%.*s",
                                   length == 0 ? "" : "; ", STR_ARG(line));
    }
    why_set(why, "store: cannot connect to PostgreSQL: %s", reasons);
}

PGconn *
postgres_connect(const char *address, struct why *why)
{
    const char *values[] = { "5", "10000", "30", "read-write", "penchant", address, "UTF8", NULL };
    PGconn *handle = PQconnectdbParams(keywords, values, 1);
    if (PQstatus(handle) == CONNECTION_OK) {
        PQsetNoticeReceiver(handle, ignore_notice, NULL);
        return handle;
    }
    join_reasons(PQerrorMessage(handle), why);
    PQfinish(handle);
    return NULL;
}

/* Uses pipeline mode, so that it does not need a round trip per statement. */
enum err
postgres_prepare_all(PGconn *handle, struct why *why)
{
    enum err err = ERR_NONE;
    size_t count = db_statement_count();
    if (!PQenterPipelineMode(handle))
        return ERR_UNAVAILABLE;
    for (size_t i = 0; i < count; i++)
        if (!PQsendPrepare(handle, db_statement(i)->name, db_statement(i)->text, 0, NULL))
            err = ERR_UNAVAILABLE;
    if (!PQpipelineSync(handle))
        err = ERR_UNAVAILABLE;
    for (size_t i = 0; i < count && !err; i++) {
        PGresult *result = PQgetResult(handle);
        if (PQresultStatus(result) != PGRES_COMMAND_OK) {
            const char *problem = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
            why_set(why, "store: cannot prepare statement %s: %s", db_statement(i)->name,
                    problem == NULL ? "connection lost" : problem);
            err = PQstatus(handle) == CONNECTION_OK ? ERR_INTERNAL : ERR_UNAVAILABLE;
        }
        PQclear(result);
        PQclear(PQgetResult(handle)); /* the NULL after each result */
    }
    if (err)
        return err; /* the caller closes the connection */
    PGresult *sync = PQgetResult(handle);
    err = PQresultStatus(sync) == PGRES_PIPELINE_SYNC ? ERR_NONE : ERR_UNAVAILABLE;
    PQclear(sync);
    return PQexitPipelineMode(handle) ? err : ERR_UNAVAILABLE;
}

void
postgres_pool_start(struct postgres_store *store, size_t connections)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&store->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&store->given_back, &attributes);
    pthread_condattr_destroy(&attributes);
    store->connections_max = connections;
}

static void
connection_free(struct postgres_connection *connection)
{
    PQfinish(connection->handle);
    free(connection);
}

static void
connections_free(struct postgres_connection *first)
{
    struct postgres_connection *next;
    for (struct postgres_connection *at = first; at != NULL; at = next) {
        next = at->next;
        connection_free(at);
    }
}

void
postgres_pool_stop(struct postgres_store *store)
{
    connections_free(store->idle);
    store->idle = NULL;
    pthread_cond_destroy(&store->given_back);
    pthread_mutex_destroy(&store->lock);
}

/* The caller has already counted the new connection in store->connections. */
static struct postgres_connection *
connection_open(struct postgres_store *store)
{
    struct why why = { 0 };
    struct postgres_connection *connection = memory_alloc(1, sizeof *connection);
    connection->handle = postgres_connect(store->address, &why);
    if (connection->handle != NULL && postgres_prepare_all(connection->handle, &why) == ERR_NONE) {
        atomic_fetch_add(&store->reconnects, 1);
        return connection;
    }
    log_warn("store_connect_failed", log_text("problem", str_of(why.text)));
    connection_free(connection);
    return NULL;
}

/* Call with the lock held. Waits until a connection is idle or the pool may grow. */
static enum err
wait_for_connection(struct postgres_store *store)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += BORROW_SECONDS;
    int late = 0;
    if (store->waiting >= WAITING_MAX)
        return ERR_UNAVAILABLE;
    store->waiting++;
    while (store->idle == NULL && store->connections >= store->connections_max && late == 0)
        late = pthread_cond_timedwait(&store->given_back, &store->lock, &until);
    store->waiting--;
    return late == 0 ? ERR_NONE : ERR_UNAVAILABLE;
}

enum err
postgres_borrow(struct postgres_store *store, struct postgres_connection **out)
{
    pthread_mutex_lock(&store->lock);
    enum err err = wait_for_connection(store);
    struct postgres_connection *connection = store->idle;
    if (!err && connection != NULL) {
        store->idle = connection->next;
        pthread_mutex_unlock(&store->lock);
        *out = connection;
        return ERR_NONE;
    }
    if (!err && clock_steady_ms() < store->reconnect_after_ms)
        err = ERR_UNAVAILABLE;
    if (err) {
        pthread_mutex_unlock(&store->lock);
        return err;
    }
    store->connections++;
    pthread_mutex_unlock(&store->lock);

    connection = connection_open(store);
    if (connection != NULL) {
        *out = connection;
        return ERR_NONE;
    }
    pthread_mutex_lock(&store->lock);
    store->connections--;
    store->reconnect_after_ms = clock_steady_ms() + RECONNECT_MS;
    pthread_cond_signal(&store->given_back);
    pthread_mutex_unlock(&store->lock);
    return ERR_UNAVAILABLE;
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

/* When one connection is lost, usually the server restarted and the idle ones are lost too. They
 * are closed at once, so that later transactions do not each spend an attempt on one. */
void
postgres_give_back(struct postgres_store *store, struct postgres_connection *connection)
{
    bool lost = PQstatus(connection->handle) != CONNECTION_OK;
    bool reusable = !lost && PQtransactionStatus(connection->handle) == PQTRANS_IDLE;
    struct postgres_connection *dropped = NULL;
    pthread_mutex_lock(&store->lock);
    if (lost)
        dropped = take_idle(store);
    if (reusable) {
        connection->next = store->idle;
        store->idle = connection;
        pthread_cond_signal(&store->given_back);
    } else {
        store->connections--;
        pthread_cond_broadcast(&store->given_back);
    }
    pthread_mutex_unlock(&store->lock);
    connections_free(dropped);
    if (!reusable)
        connection_free(connection);
}

void
postgres_pool_metrics(struct postgres_store *store, struct buf *page)
{
    pthread_mutex_lock(&store->lock);
    size_t connections = store->connections;
    size_t waiting = store->waiting;
    pthread_mutex_unlock(&store->lock);
    metric_family(page, "penchant_store_connections", "gauge", "Connections to PostgreSQL.");
    metric_value(page, "penchant_store_connections", "", (int64_t)connections);
    metric_family(page, "penchant_store_waiting", "gauge",
                  "Transactions waiting for a connection.");
    metric_value(page, "penchant_store_waiting", "", (int64_t)waiting);
    metric_family(page, "penchant_store_connects_total", "counter", "Connections opened.");
    metric_value(page, "penchant_store_connects_total", "",
                 (int64_t)atomic_load(&store->reconnects));
}
