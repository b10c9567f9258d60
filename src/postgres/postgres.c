#include "postgres/postgres.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define ATTEMPTS_MAX 6
#define SCHEMA_MS 600000 /* another node may be updating the schema */
#define PARAMETERS_MAX 64
#define SCHEMA_LOCK "7305808854526354"

/* Column types: OIDs of pg_type. */
enum { OID_INT8 = 20, OID_INT2 = 21, OID_INT4 = 23, OID_NUMERIC = 1700 };

enum outcome {
    DONE,
    REJECTED,    /* the work returned an error: rolled back, and the error is the result */
    CONFLICT,    /* with another transaction: try again */
    LOST_BEFORE, /* the connection was lost before the commit: nothing changed, try again */
    LOST,        /* the connection was lost during the commit: find out */
    UNKNOWN,     /* … and it cannot be found out */
};

struct postgres_tx {
    struct db_tx tx;
    struct postgres_connection *connection;
    int64_t began;
    struct touched *touched; /* NULL: a read, of which each statement may run again */
    bool conflict;
};

static struct postgres_store *
store_of(struct db *db)
{
    return (struct postgres_store *)db;
}

/* ---- one statement ---- */

static enum err
read_cell(const PGresult *result, int row, int column, struct arena *mem, struct db_value *out)
{
    if (PQgetisnull(result, row, column)) {
        *out = (struct db_value){ .type = DB_NULL };
        return ERR_NONE;
    }
    struct str text = { PQgetvalue(result, row, column), (size_t)PQgetlength(result, row, column) };
    switch (PQftype(result, column)) {
    case OID_INT2:
    case OID_INT4:
    case OID_INT8:
    case OID_NUMERIC: /* the type of sum(BIGINT) */
        out->type = DB_INT;
        return str_to_int(text, INT64_MIN, INT64_MAX, &out->number) ? ERR_NONE : ERR_INTERNAL;
    default:
        *out = db_text(str_copy(mem, text));
        return ERR_NONE;
    }
}

static enum err
copy_rows(const PGresult *result, struct arena *mem, struct db_rows *rows)
{
    size_t columns = (size_t)PQnfields(result);
    size_t count = (size_t)PQntuples(result);
    struct db_value *cells = ARENA_ARRAY(mem, struct db_value, columns * count);
    for (size_t i = 0; i < columns * count; i++) {
        enum err err = read_cell(result, (int)(i / columns), (int)(i % columns), mem, &cells[i]);
        if (err)
            return err;
    }
    *rows = (struct db_rows){ count, columns, cells };
    return ERR_NONE;
}

/* The first two characters of a SQLSTATE are its class. */
static bool
is_class(const char *state, const char *class)
{
    return strncmp(state, class, 2) == 0;
}

static enum err
err_of(struct postgres_tx *tx, const PGresult *result, const char *statement)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (state != NULL && strcmp(state, "25006") == 0 && store_of(tx->tx.db)->wants_writable)
        postgres_leave(tx->connection, "store_read_only");
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
                       is_class(state, "25") || strcmp(state, "55P03") == 0; /* lock_timeout */
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

/* Parameters are sent as text; the server parses them by type. */
static bool
values_to_text(struct arena *mem, const struct db_value *values, size_t count, const char **texts)
{
    for (size_t i = 0; i < count; i++) {
        texts[i] = NULL;
        if (values[i].type == DB_INT)
            texts[i] = str_format(mem, "%lld", (long long)values[i].number).ptr;
        else if (values[i].type == DB_TEXT && str_index(values[i].text, '\0') < values[i].text.len)
            return false; /* PostgreSQL cannot store a NUL, and libpq would truncate the text there
                           */
        else if (values[i].type == DB_TEXT)
            texts[i] = str_c(mem, values[i].text);
    }
    return true;
}

static enum err
execute(struct postgres_tx *tx, struct arena *mem, const char *name, const char *const *texts,
        size_t count, struct db_rows *rows)
{
    PGresult *result = postgres_execute(tx->connection, name, texts, count);
    ExecStatusType status = PQresultStatus(result);
    enum err err = ERR_NONE;
    tx->conflict = false;
    if (status == PGRES_TUPLES_OK)
        err = copy_rows(result, mem, rows);
    else if (status != PGRES_COMMAND_OK)
        err = err_of(tx, result, name);
    PQclear(result);
    return err;
}

/* A server that is not the one that versions are synchronized with may be an old primary: what it
 * says must not be cached, and the connection is replaced. */
static enum err
execute_read(struct postgres_tx *tx, struct arena *mem, const char *name, const char *const *texts,
             size_t count, struct db_rows *rows)
{
    enum err err = execute(tx, mem, name, texts, count, rows);
    if (err || postgres_sync_is_same_server(tx->connection))
        return err;
    *rows = (struct db_rows){ 0 };
    postgres_leave(tx->connection, "store_other_server");
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
static bool
is_in_time(int64_t began, const struct postgres_store *store)
{
    return clock_ticks_ns() < began + store->deadline_ms * 1000000;
}

/* Reads borrow a connection for their first statement: many find everything in the cache. */
static enum err
find_connection(struct postgres_tx *tx)
{
    if (tx->connection != NULL)
        return ERR_NONE;
    enum err err = postgres_borrow(store_of(tx->tx.db), &tx->connection);
    tx->began = clock_ticks_ns();
    return err;
}

/* After a failed statement of a read: true if it may run again, on another connection if this one
 * was lost. A connection that went stale while idle is the common case. */
static bool
may_read_again(struct postgres_tx *tx, size_t attempt, int64_t began)
{
    struct postgres_store *store = store_of(tx->tx.db);
    bool lost = tx->connection->lost;
    if (!is_in_time(began, store))
        return false;
    if (!lost && !tx->conflict)
        return false;
    if (lost) {
        postgres_give_back(store, tx->connection);
        tx->connection = NULL;
    } else
        wait_before_retry(attempt);
    atomic_fetch_add(&store->retries, 1);
    return !lost || postgres_borrow(store, &tx->connection) == ERR_NONE;
}

static enum err
postgres_query(struct db_tx *tx, struct arena *mem, size_t number, const struct db_value *values,
               size_t count, struct db_rows *rows)
{
    struct postgres_tx *mine = (struct postgres_tx *)tx;
    const struct sql *sql = db_statement(number);
    const char *name = sql->name;
    const char *texts[PARAMETERS_MAX];
    if (count > PARAMETERS_MAX || !values_to_text(mem, values, count, texts)) {
        log_error("store_parameters_invalid", log_text("statement", str_of(name)));
        return ERR_INTERNAL;
    }
    if (mine->touched != NULL) {
        if (!sql->untracked && strncmp(sql->text, "SELECT", 6) != 0)
            touched_add_values(mine->touched, values, count);
        return execute(mine, mem, name, texts, count, rows);
    }
    if (tx->commits == 0)
        tx->commits = db_commits(tx->db); /* before the first statement: see db.h */
    int64_t began = clock_ticks_ns();
    enum err err = find_connection(mine);
    if (!err)
        err = execute_read(mine, mem, name, texts, count, rows);
    for (size_t i = 1;
         err && mine->connection != NULL && i < ATTEMPTS_MAX && may_read_again(mine, i, began); i++)
        err = execute_read(mine, mem, name, texts, count, rows);
    return err;
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

/* In a failed transaction COMMIT rolls back and succeeds with the tag ROLLBACK. */
static enum outcome
commit(struct postgres_tx *tx, enum err *err)
{
    struct postgres_connection *connection = tx->connection;
    PGresult *result = send_commit(connection, tx->touched);
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
        return commit(&tx, err);
    if (connection->lost)
        return LOST_BEFORE;
    postgres_command(connection, "ROLLBACK");
    return tx.conflict ? CONFLICT : REJECTED;
}

static enum outcome
find_out(const struct postgres_connection *lost)
{
    switch (postgres_commit_status(lost)) {
    case POSTGRES_COMMITTED:
        return DONE;
    case POSTGRES_ROLLED_BACK:
        return LOST_BEFORE;
    case POSTGRES_UNKNOWN:
        break;
    }
    return UNKNOWN;
}

static enum err
postgres_write(struct db *db, db_work *work, void *argument, bool urgent)
{
    (void)urgent; /* the disk is the server's */
    struct postgres_store *store = store_of(db);
    atomic_fetch_add(&store->transactions, 1);
    if (store->schema_is_newer) {
        atomic_fetch_add(&store->failed, 1);
        return ERR_UNAVAILABLE;
    }
    int64_t first = clock_ticks_ns();
    enum err last = ERR_UNAVAILABLE;
    for (size_t i = 0; i < ATTEMPTS_MAX && (i == 0 || is_in_time(first, store)); i++) {
        struct postgres_connection *connection = NULL;
        enum err err = postgres_borrow(store, &connection);
        last = ERR_UNAVAILABLE;
        if (err)
            break;
        int64_t began = clock_ticks_ns();
        enum outcome outcome = attempt_write(store, connection, work, argument, &err);
        histogram_observe(&store->transaction_latency, clock_ticks_ns() - began);
        if (outcome == LOST)
            outcome = find_out(connection);
        postgres_give_back(store, connection);
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
        case CONFLICT:
            last = err == ERR_INTERNAL ? ERR_INTERNAL : ERR_UNAVAILABLE;
            wait_before_retry(i);
            break;
        case LOST_BEFORE: /* an idle connection had become stale: the next one is new */
            break;
        }
        atomic_fetch_add(&store->retries, 1);
    }
    atomic_fetch_add(&store->failed, 1);
    return last;
}

static struct db_tx *
begin_read(struct db *db)
{
    struct postgres_tx *tx = memory_alloc(1, sizeof *tx);
    tx->tx.db = db;
    return &tx->tx;
}

static enum err
end_read(struct db_tx *tx)
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

/* ---- the schema ---- */

static enum err
schema_run(struct db *db, const char *script, int64_t *number, struct why *why)
{
    PGresult *result = postgres_run(store_of(db)->schema_connection, script);
    ExecStatusType status = PQresultStatus(result);
    enum err err = ERR_NONE;
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        why_set(why, "store: schema: %s", message == NULL ? "connection lost" : message);
        err = ERR_UNAVAILABLE;
    } else if (number != NULL &&
               (PQntuples(result) != 1 ||
                !str_to_int(str_of(PQgetvalue(result, 0, 0)), 0, INT64_MAX, number))) {
        why_set(why, "store: schema: unexpected result");
        err = ERR_INTERNAL;
    }
    PQclear(result);
    return err;
}

static enum err
schema_query(struct db *db, struct arena *mem, const char *text, const struct db_value *values,
             size_t count, struct db_rows *rows, struct why *why)
{
    struct postgres_connection *connection = store_of(db)->schema_connection;
    const char **texts = ARENA_ARRAY(mem, const char *, count + 1);
    if (!values_to_text(mem, values, count, texts)) {
        why_set(why, "store: PostgreSQL cannot store a text that contains a NUL character");
        return ERR_INVALID;
    }
    if (!PQsendQueryParams(connection->handle, text, (int)count, NULL, texts, NULL, NULL, 0))
        connection->lost = true;
    PGresult *result = postgres_collect(connection);
    ExecStatusType status = PQresultStatus(result);
    enum err err = ERR_NONE;
    *rows = (struct db_rows){ 0 };
    if (status == PGRES_TUPLES_OK) {
        err = copy_rows(result, mem, rows);
    } else if (status != PGRES_COMMAND_OK) {
        const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        why_set(why, "store: %s", message == NULL ? "connection lost" : message);
        err = ERR_UNAVAILABLE;
    }
    PQclear(result);
    return err;
}

static enum err
schema_begin(struct db *db, struct why *why)
{
    struct postgres_store *store = store_of(db);
    store->schema_connection = postgres_connect(store, POSTGRES_START_MS, why);
    if (store->schema_connection == NULL)
        return ERR_UNAVAILABLE;
    store->schema_connection->deadline_ms = SCHEMA_MS;
    int64_t unsafe = 0;
    enum err err = schema_run(db,
                              "SELECT COUNT(*) FROM pg_settings"
                              " WHERE name = 'synchronous_commit' AND setting = 'off'",
                              &unsafe, why);
    if (!err && unsafe) {
        why_set(
            why,
            "store: synchronous_commit is off on this PostgreSQL server, so that committed writes "
            "could be lost; set it to on");
        return ERR_INVALID;
    }
    if (!err) /* one process at a time; the others find the steps applied */
        err = schema_run(db, "BEGIN; SELECT pg_advisory_xact_lock(" SCHEMA_LOCK ")", NULL, why);
    return err;
}

static enum err
schema_end(struct db *db, bool keep, struct why *why)
{
    struct postgres_store *store = store_of(db);
    enum err err = schema_run(db, keep ? "COMMIT" : "ROLLBACK", NULL, why);
    postgres_disconnect(store->schema_connection);
    store->schema_connection = NULL;
    return err;
}

/* ---- opening and closing ---- */

static void
postgres_close(struct db *db)
{
    struct postgres_store *store = store_of(db);
    postgres_monitor_stop(store);
    postgres_sync_stop(store);
    versions_stop(&store->versions);
    postgres_disconnect(store->schema_connection);
    postgres_pool_stop(store);
    postgres_free_hosts(store);
    close(store->stop_fd);
    explicit_bzero(store->address, strlen(store->address));
    free(store->address);
    free(store);
}

static enum err
postgres_open(const struct db_settings *settings, struct db **out, struct why *why)
{
    struct postgres_store *store = memory_alloc(1, sizeof *store);
    store->db.driver = &db_postgres_driver;
    store->db.is_postgres = true;
    store->address = strdup(settings->address);
    store->deadline_ms = settings->deadline_ms > 0 ? settings->deadline_ms : POSTGRES_DEADLINE_MS;
    store->watched = settings->watched;
    versions_start(&store->versions);
    store->stop_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    postgres_pool_start(store, settings->connections == 0 ? 1 : settings->connections);
    if (store->stop_fd < 0 || !postgres_read_hosts(store)) {
        why_set(why, "store: the address names more than %d hosts, or no descriptor is left",
                POSTGRES_HOSTS_MAX);
        postgres_close(&store->db);
        return ERR_INVALID;
    }
    *out = &store->db;
    return ERR_NONE;
}

static void
interrupt(struct db *db, int64_t after_ms)
{
    struct itimerspec at = { .it_value = { after_ms / 1000, after_ms % 1000 * 1000000 + 1 } };
    timerfd_settime(store_of(db)->stop_fd, 0, &at, NULL);
}

/* On a new connection, which becomes the first of the pool. */
static enum err
prepare(struct db *db, struct why *why)
{
    struct postgres_store *store = store_of(db);
    struct postgres_connection *connection = postgres_connect(store, POSTGRES_START_MS, why);
    if (connection == NULL)
        return ERR_UNAVAILABLE;
    enum err err = postgres_prepare_all(connection, POSTGRES_START_MS, why);
    if (err) {
        postgres_disconnect(connection);
        return err;
    }
    store->connections = 1;
    postgres_give_back(store, connection);
    if (store->watched) {
        postgres_sync_start(store);
        postgres_monitor_start(store);
    }
    return ERR_NONE;
}

static enum err
ping(struct db *db, struct why *why)
{
    struct postgres_store *store = store_of(db);
    return store->monitor == NULL ? db_ping_by_query(db) : postgres_monitor_ask(store, why);
}

static struct str
describe(const struct db *db, struct arena *mem)
{
    char *shown = postgres_address_without_password(((const struct postgres_store *)db)->address);
    struct str text = str_copy(mem, str_of(shown == NULL ? "postgresql" : shown));
    free(shown);
    return text;
}

const struct db_driver db_postgres_driver = {
    .prefix = "postgresql://",
    .reads_block = true,
    .address_problem = postgres_address_problem,
    .address_files = postgres_address_files,
    .open = postgres_open,
    .close = postgres_close,
    .interrupt = interrupt,
    .schema_begin = schema_begin,
    .schema_run = schema_run,
    .schema_end = schema_end,
    .schema_query = schema_query,
    .catalog = "SELECT c.table_name::text, c.column_name::text,"
               " COALESCE(k.ordinal_position, 0)::bigint FROM information_schema.columns c"
               " JOIN information_schema.table_constraints t ON t.table_schema = c.table_schema"
               " AND t.table_name = c.table_name AND t.constraint_type = 'PRIMARY KEY'"
               " LEFT JOIN information_schema.key_column_usage k"
               " ON k.constraint_schema = t.constraint_schema"
               " AND k.constraint_name = t.constraint_name AND k.table_name = c.table_name"
               " AND k.column_name = c.column_name WHERE c.table_schema = current_schema()"
               " ORDER BY c.table_name COLLATE \"C\", c.ordinal_position",
    .other_processes = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
                       " AND application_name = 'penchant' AND pid <> pg_backend_pid()",
    .prepare = prepare,
    .write = postgres_write,
    .begin_read = begin_read,
    .end_read = end_read,
    .query = postgres_query,
    .ping = ping,
    .version = postgres_version,
    .commits = postgres_commits,
    .sync_versions = postgres_sync,
    .describe = describe,
    .write_metrics = postgres_metrics,
    .backup = postgres_backup,
    .restore = postgres_restore,
    .check = postgres_check,
    .inspect = postgres_inspect,
};
