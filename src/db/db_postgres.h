/* db_postgres.h - declarations shared by the files of the PostgreSQL engine. Private to db/.
 *
 *   db_postgres.c       opening, transactions, statements
 *   db_postgres_pool.c  the connection pool
 *   db_postgres_maintenance.c  backup and check */
#ifndef DB_DB_POSTGRES_H
#define DB_DB_POSTGRES_H

#include "base/metric.h"
#include "db/driver.h"

#include <libpq-fe.h>
#include <pthread.h>

struct postgres_connection {
    PGconn *handle;
    struct postgres_connection *next; /* in the idle list */
};

struct postgres_store {
    struct db db;
    char *address;
    struct postgres_connection *schema_connection; /* during a schema transaction */

    pthread_mutex_t lock;
    pthread_cond_t given_back;
    struct postgres_connection *idle;
    size_t connections; /* idle and in use */
    size_t connections_max;
    size_t waiting;
    int64_t reconnect_after_ms;

    _Atomic uint64_t transactions;
    _Atomic uint64_t retries;
    _Atomic uint64_t failed;
    _Atomic uint64_t reconnects;
    struct histogram transaction_latency;
};

/* db_postgres_pool.c */
void postgres_pool_start(struct postgres_store *store, size_t connections);
void postgres_pool_stop(struct postgres_store *store);

/* A connection with every statement prepared. ERR_UNAVAILABLE if none is free in time. */
enum err postgres_borrow(struct postgres_store *store, struct postgres_connection **out);

/* Returns a connection to the pool. A broken one is closed together with all idle ones; new ones
 * are opened on demand. */
void postgres_give_back(struct postgres_store *store, struct postgres_connection *connection);

/* A connection outside the pool, without prepared statements. */
PGconn *postgres_connect(const char *address, struct why *why);
enum err postgres_prepare_all(PGconn *handle, struct why *why);
void postgres_pool_metrics(struct postgres_store *store, struct buf *page);

/* db_postgres_maintenance.c */
enum err postgres_backup(const char *address, const char *file,
                         void (*progress)(void *context, int percent), void *context,
                         struct why *why);
enum err postgres_check(const char *address, struct buf *report, struct why *why);
char *postgres_address_without_password(const char *address); /* caller frees; NULL if invalid */

#endif
