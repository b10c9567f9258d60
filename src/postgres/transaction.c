/* transaction.c - reads and writes, one transaction on one connection each. Writes that share
 * a transaction are in group.c. */
#include "postgres/postgres.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ATTEMPTS_MAX 6
#define PARAMETERS_MAX 64

static struct postgres_store *
store_of(struct db *db)
{
    return (struct postgres_store *)db;
}

/* ---- one statement ---- */

/* The first two characters of a SQLSTATE are its class. */
static bool
is_class(const char *state, const char *class)
{
    return strncmp(state, class, 2) == 0;
}

/* A table or column is missing, or has another type. Every statement was prepared at startup, so a
 * newer version has changed the schema since. */
static bool
is_schema_change(const char *state)
{
    return strcmp(state, "42P01") == 0 || strcmp(state, "42703") == 0 ||
           strcmp(state, "0A000") == 0;
}

static enum err
err_of(struct postgres_tx *tx, const PGresult *result, const char *statement)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (state != NULL && strcmp(state, "25006") == 0 && store_of(tx->tx.db)->wants_writable)
        postgres_mark_lost(tx->connection, "store_read_only");
    if (state == NULL || tx->connection->lost)
        return ERR_UNAVAILABLE;
    tx->tx.db->is_full = strcmp(state, "53100") == 0;
    /* 23505: another transaction has just added the same key. The next run sees it; if it fails in
     * the same way, it is a defect. */
    bool same_key = strcmp(state, "23505") == 0;
    tx->conflict = same_key || strcmp(state, "40001") == 0 || strcmp(state, "40P01") == 0;
    if (tx->conflict)
        return same_key ? ERR_INTERNAL : ERR_UNAVAILABLE;
    bool unavailable = (is_class(state, "08") && strcmp(state, "08P01") != 0) ||
                       is_class(state, "53") || is_class(state, "57") || is_class(state, "58") ||
                       is_class(state, "25") || strcmp(state, "55P03") == 0 || /* lock_timeout */
                       is_schema_change(state);
    /* The server's message may quote a value, so only its code is logged. */
    if (unavailable) {
        log_warn("store_unavailable", log_text("statement", str_of(statement)),
                 log_text("sqlstate", str_of(state)));
        return ERR_UNAVAILABLE;
    }
    log_error("store_error", log_text("statement", str_of(statement)),
              log_text("sqlstate", str_of(state)));
    return ERR_INTERNAL;
}

static enum err
execute(struct postgres_tx *tx, struct arena *mem, const struct sql *sql, const char *const *texts,
        size_t count, struct db_rows *rows)
{
    PGresult *result = postgres_execute(tx->connection, mem, sql, texts, count);
    ExecStatusType status = PQresultStatus(result);
    enum err err = ERR_NONE;
    tx->conflict = false;
    if (status == PGRES_TUPLES_OK)
        err = postgres_copy_rows(result, mem, rows);
    else if (status != PGRES_COMMAND_OK)
        err = err_of(tx, result, sql->name);
    PQclear(result);
    return err;
}

/* A server that is not the one that versions are synchronized with may be an old primary: what it
 * says must not be cached, and the connection is replaced. */
static enum err
execute_read(struct postgres_tx *tx, struct arena *mem, const struct sql *sql,
             const char *const *texts, size_t count, struct db_rows *rows)
{
    enum err err = execute(tx, mem, sql, texts, count, rows);
    if (err || postgres_sync_is_same_server(tx->connection))
        return err;
    *rows = (struct db_rows){ 0 };
    postgres_discard(tx->connection);
    return ERR_UNAVAILABLE;
}

/* Exponential backoff with jitter. */
static void
wait_before_retry(size_t attempt)
{
    int64_t jitter = clock_ticks_ns() % 4000000;
    struct timespec pause = { .tv_nsec = (long)((1000000 + jitter) << attempt) % 100000000 };
    nanosleep(&pause, NULL);
}

/* Whether a transaction that began then may run again: after a hang the caller has waited enough.
 */
bool
postgres_is_in_time(int64_t began, const struct postgres_store *store)
{
    return clock_ticks_ns() < began + store->deadline_ms * 1000000;
}

/* Reads borrow a connection for their first statement: many find everything in the cache. */
static enum err
find_connection(struct postgres_tx *tx, int64_t began)
{
    if (tx->connection != NULL)
        return ERR_NONE;
    enum err err = postgres_borrow_since(store_of(tx->tx.db), began, &tx->connection);
    tx->began = clock_ticks_ns();
    return err;
}

/* After a failed statement of a read: true if it may run again, on another connection if this one
 * was lost. A connection that went stale while idle is the common case. */
static bool
may_read_again(struct postgres_tx *tx, size_t attempt, int64_t began)
{
    struct postgres_store *store = store_of(tx->tx.db);
    bool lost = tx->connection->lost, elsewhere = tx->connection->elsewhere;
    if (!postgres_is_in_time(began, store))
        return false;
    if (!lost && !tx->conflict)
        return false;
    if (lost) {
        postgres_give_back(store, tx->connection);
        tx->connection = NULL;
    }
    if (!lost || elsewhere) /* versions follow to the new server within some milliseconds */
        wait_before_retry(attempt);
    atomic_fetch_add(&store->retries, 1);
    return !lost || postgres_borrow_since(store, began, &tx->connection) == ERR_NONE;
}

/* `waited_since`: the read may have waited to run with others. */
static enum err
read_alone(struct postgres_tx *tx, struct arena *mem, const struct sql *sql,
           const struct db_value *values, size_t count, struct db_rows *rows, int64_t waited_since)
{
    const char *texts[PARAMETERS_MAX];
    int64_t began = clock_ticks_ns();
    postgres_values_to_text(mem, values, count, texts);
    enum err err = find_connection(tx, waited_since);
    if (!err)
        err = execute_read(tx, mem, sql, texts, count, rows);
    for (size_t i = 1;
         err && tx->connection != NULL && i < ATTEMPTS_MAX && may_read_again(tx, i, began); i++)
        err = execute_read(tx, mem, sql, texts, count, rows);
    return err;
}

/* A read that holds a connection already uses that. */
static enum err
read_rows(struct postgres_tx *tx, struct arena *mem, const struct sql *sql,
          const struct db_value *values, size_t count, struct db_rows *rows)
{
    struct postgres_store *store = store_of(tx->tx.db);
    int64_t began = clock_ticks_ns();
    if (!sql->shared || tx->connection != NULL)
        return read_alone(tx, mem, sql, values, count, rows, began);
    struct postgres_request request = { .sql = sql, .values = values, .count = count, .mem = mem };
    enum postgres_turn turn = postgres_read_together(store, &request, began);
    if (turn == POSTGRES_SHARED) {
        *rows = request.rows;
        return ERR_NONE;
    }
    if (turn == POSTGRES_FAILED && !postgres_is_in_time(began, store))
        return ERR_UNAVAILABLE;
    enum err err = read_alone(tx, mem, sql, values, count, rows, began);
    if (turn == POSTGRES_ALONE)
        postgres_read_ended(store);
    return err;
}

enum err
postgres_query(struct db_tx *tx, struct arena *mem, size_t number, const struct db_value *values,
               size_t count, struct db_rows *rows)
{
    struct postgres_tx *mine = (struct postgres_tx *)tx;
    const struct sql *sql = db_statement(number);
    if (count > PARAMETERS_MAX || !postgres_values_storable(values, count)) {
        log_error("store_parameters_invalid", log_text("statement", str_of(sql->name)));
        return ERR_INTERNAL;
    }
    if (mine->member != NULL)
        return postgres_group_query(mine->member, mem, sql, values, count, rows);
    if (mine->touched != NULL) {
        const char *texts[PARAMETERS_MAX];
        postgres_values_to_text(mem, values, count, texts);
        if (!sql->untracked && sql_writes(sql->text))
            touched_add_values(mine->touched, values, count);
        return execute(mine, mem, sql, texts, count, rows);
    }
    if (tx->commits == 0)
        tx->commits = db_commits(tx->db); /* before the first statement: see db.h */
    return read_rows(mine, mem, sql, values, count, rows);
}

/* ---- transactions ---- */

/* Adds the transaction's change row in the round trip of the COMMIT. */
static PGresult *
send_commit(struct postgres_connection *connection, const struct touched *touched)
{
    char script[POSTGRES_CHANGES_MAX + 128], changes[POSTGRES_CHANGES_MAX];
    if (!touched_any(touched))
        return postgres_run(connection, "COMMIT");
    postgres_changes_write(touched, changes);
    snprintf(script, sizeof script,
             "INSERT INTO store_change (xid, slots) VALUES (pg_current_xact_id(), '%s'); COMMIT",
             changes);
    return postgres_run(connection, script);
}

/* Whether versions were synchronized with another server since the transaction began. What it has
 * read may be lost, and what it writes would be, so it runs again there. */
static bool
server_changed(struct postgres_connection *connection)
{
    if (postgres_sync_is_same_server(connection))
        return false;
    postgres_discard(connection);
    return true;
}

/* In a failed transaction COMMIT rolls back and succeeds with the tag ROLLBACK. */
enum outcome
postgres_commit(struct postgres_tx *tx, enum err *err)
{
    struct postgres_connection *connection = tx->connection;
    if (server_changed(connection))
        return LOST_BEFORE;
    connection->commits = true;
    PGresult *result = send_commit(connection, tx->touched);
    connection->commits = false;
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    enum outcome outcome = LOST;
    if (PQresultStatus(result) == PGRES_COMMAND_OK && strcmp(PQcmdStatus(result), "COMMIT") == 0)
        outcome = DONE;
    else if (PQtransactionStatus(connection->handle) == PQTRANS_INERROR) { /* no change row */
        *err = err_of(tx, result, "store_change");
        outcome = tx->conflict ? CONFLICT : REJECTED;
        postgres_command(connection, "ROLLBACK");
    } else if (state != NULL && (strcmp(state, "40001") == 0 || strcmp(state, "40P01") == 0))
        outcome = CONFLICT;
    PQclear(result);
    return outcome;
}

static enum outcome
attempt_write(struct postgres_store *store, struct postgres_connection *connection, db_work *work,
              void *argument, enum err *err)
{
    struct touched touched;
    struct postgres_tx tx = { .tx = { .db = &store->db },
                              .connection = connection,
                              .touched = &touched };
    touched.count = 0;
    touched.all = false;
    if (!postgres_begin(connection))
        return LOST_BEFORE;
    *err = work(&tx.tx, argument);
    if (!*err)
        *err = tx.tx.broken;
    if (!*err)
        return postgres_commit(&tx, err);
    if (connection->lost || server_changed(connection))
        return LOST_BEFORE;
    postgres_command(connection, "ROLLBACK");
    return tx.conflict ? CONFLICT : REJECTED;
}

enum outcome
postgres_find_out(struct postgres_connection *lost)
{
    switch (postgres_commit_status(lost)) {
    case POSTGRES_COMMITTED:
        return DONE;
    case POSTGRES_ROLLED_BACK:
        return LOST_BEFORE;
    case POSTGRES_IN_PROGRESS:
        break;
    case POSTGRES_UNKNOWN:
        lost->late = false; /* its server does not answer: the pool need not ask it again */
        break;
    }
    return UNKNOWN;
}

bool
postgres_may_write(const struct postgres_store *store)
{
    return !store->schema_is_newer && !store->commits_hang;
}

/* A connection for a transaction that is not shared. Such transactions can wait for locks in all
 * connections that they get, so a quarter of the pool remains for reads and groups. */
static enum err
borrow_to_write(struct postgres_store *store, int64_t began, struct postgres_connection **out)
{
    if (!clock_sem_wait(&store->writes, began + store->borrow_ms * 1000000))
        return ERR_UNAVAILABLE;
    enum err err = postgres_borrow_since(store, began, out);
    if (err)
        sem_post(&store->writes);
    return err;
}

static void
give_back_written(struct postgres_store *store, struct postgres_connection *connection)
{
    postgres_give_back(store, connection);
    sem_post(&store->writes);
}

void
postgres_writes_start(struct postgres_store *store)
{
    size_t kept = (store->connections_max + 3) / 4;
    size_t most = store->connections_max > kept ? store->connections_max - kept : 1;
    sem_init(&store->writes, 0, (unsigned)most);
}

enum err
postgres_write(struct db *db, db_work *work, void *argument, bool urgent)
{
    (void)urgent; /* the disk is the server's */
    return postgres_write_since(db, work, argument, clock_ticks_ns());
}

enum err
postgres_write_since(struct db *db, db_work *work, void *argument, int64_t first)
{
    struct postgres_store *store = store_of(db);
    atomic_fetch_add(&store->transactions, 1);
    enum err last = ERR_UNAVAILABLE;
    for (size_t i = 0; i < ATTEMPTS_MAX && postgres_may_write(store) &&
                       (i == 0 || postgres_is_in_time(first, store));
         i++) {
        struct postgres_connection *connection = NULL;
        enum err err = borrow_to_write(store, first, &connection);
        last = ERR_UNAVAILABLE;
        if (err)
            break;
        int64_t began = clock_ticks_ns();
        enum outcome outcome = attempt_write(store, connection, work, argument, &err);
        histogram_observe(&store->transaction_latency, clock_ticks_ns() - began);
        if (outcome == LOST)
            outcome = postgres_find_out(connection);
        bool elsewhere = connection->elsewhere;
        give_back_written(store, connection);
        switch (outcome) {
        case DONE:
            db->is_full = false;
            return ERR_NONE;
        case REJECTED:
            if (err == ERR_UNAVAILABLE || err == ERR_INTERNAL)
                atomic_fetch_add(&store->failed, 1);
            return err;
        case LOST:
        case UNKNOWN:
            log_error("store_commit_lost", log_text("problem", STR("the outcome is unknown")));
            atomic_fetch_add(&store->failed, 1);
            return ERR_UNCONFIRMED;
        case LEFT_OUT: /* of groups only */
        case CONFLICT:
            last = err == ERR_INTERNAL ? ERR_INTERNAL : ERR_UNAVAILABLE;
            wait_before_retry(i);
            break;
        case LOST_BEFORE: /* an idle connection had become stale: the next one is new */
            if (elsewhere)
                wait_before_retry(i); /* versions follow to the new server */
            break;
        }
        atomic_fetch_add(&store->retries, 1);
    }
    atomic_fetch_add(&store->failed, 1);
    return last;
}

/* ---- a write in steps ---- */

struct steps {
    struct postgres_tx tx; /* first */
    struct touched touched;
};

/* A connection that became stale while it was idle is replaced. */
struct db_tx *
postgres_begin_write(struct db *db)
{
    struct postgres_store *store = store_of(db);
    struct postgres_connection *connection = NULL;
    atomic_fetch_add(&store->transactions, 1);
    bool elsewhere = false;
    for (size_t i = 0; i < (elsewhere ? ATTEMPTS_MAX : 2) && postgres_may_write(store); i++) {
        if (elsewhere)
            wait_before_retry(i); /* versions follow to the new server */
        if (borrow_to_write(store, clock_ticks_ns(), &connection))
            break;
        if (postgres_begin(connection)) {
            struct steps *steps = memory_alloc(1, sizeof *steps);
            steps->tx = (struct postgres_tx){ .tx = { .db = db },
                                              .connection = connection,
                                              .began = clock_ticks_ns(),
                                              .touched = &steps->touched };
            return &steps->tx.tx;
        }
        elsewhere = connection->elsewhere;
        give_back_written(store, connection);
    }
    atomic_fetch_add(&store->failed, 1);
    return NULL;
}

static enum outcome
roll_back(struct postgres_tx *tx)
{
    if (tx->connection->lost || server_changed(tx->connection))
        return LOST_BEFORE;
    postgres_command(tx->connection, "ROLLBACK");
    return tx->conflict ? CONFLICT : REJECTED;
}

enum db_end
postgres_end_write(struct db_tx *tx, bool keep, enum err *err)
{
    struct postgres_tx *mine = (struct postgres_tx *)tx;
    struct postgres_store *store = store_of(tx->db);
    enum outcome outcome = keep ? postgres_commit(mine, err) : roll_back(mine);
    if (outcome == LOST)
        outcome = postgres_find_out(mine->connection);
    histogram_observe(&store->transaction_latency, clock_ticks_ns() - mine->began);
    give_back_written(store, mine->connection);
    free((struct steps *)mine);
    if (outcome == DONE)
        store->db.is_full = false;
    if (outcome == UNKNOWN)
        log_error("store_commit_lost", log_text("problem", STR("the outcome is unknown")));
    switch (outcome) {
    case DONE:
        return DB_COMMITTED;
    case REJECTED:
        return DB_REJECTED;
    case CONFLICT:
    case LOST_BEFORE:
    case LEFT_OUT: /* of groups only */
        return DB_AGAIN;
    case LOST:
    case UNKNOWN:
        break;
    }
    return DB_UNKNOWN;
}

struct db_tx *
postgres_begin_read(struct db *db)
{
    struct postgres_tx *tx = memory_alloc(1, sizeof *tx);
    tx->tx.db = db;
    return &tx->tx;
}

enum err
postgres_end_read(struct db_tx *tx)
{
    struct postgres_tx *mine = (struct postgres_tx *)tx;
    struct postgres_store *store = store_of(tx->db);
    enum err err = tx->broken;
    if (mine->connection != NULL) {
        histogram_observe(&store->transaction_latency, clock_ticks_ns() - mine->began);
        postgres_give_back(store, mine->connection);
    }
    if (err == ERR_UNAVAILABLE || err == ERR_INTERNAL)
        atomic_fetch_add(&store->failed, 1);
    free(mine);
    return err;
}
