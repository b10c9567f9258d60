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

#define SCHEMA_MS 600000 /* another node may be updating the schema */
#define SCHEMA_LOCK "7305808854526354"

static struct postgres_store *
store_of(struct db *db)
{
    return (struct postgres_store *)db;
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
    if (!postgres_values_storable(values, count)) {
        why_set(why, "store: PostgreSQL cannot store a text that contains a NUL character");
        return ERR_INVALID;
    }
    postgres_values_to_text(mem, values, count, texts);
    if (!PQsendQueryParams(connection->handle, text, (int)count, NULL, texts, NULL, NULL, 0))
        connection->lost = true;
    PGresult *result = postgres_collect(connection);
    ExecStatusType status = PQresultStatus(result);
    enum err err = ERR_NONE;
    *rows = (struct db_rows){ 0 };
    if (status == PGRES_TUPLES_OK) {
        err = postgres_copy_rows(result, mem, rows);
    } else if (status != PGRES_COMMAND_OK) {
        const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        why_set(why, "store: %s", message == NULL ? "connection lost" : message);
        err = ERR_UNAVAILABLE;
    }
    PQclear(result);
    return err;
}

static void
schema_disconnect(struct postgres_store *store)
{
    postgres_disconnect(store->schema_connection);
    store->schema_connection = NULL;
}

/* A command writes and compares times as all nodes do: with the server's clock. Of several
 * databases, spread/clock.c chooses one. */
static void
follow_clock(struct postgres_connection *connection)
{
    static _Atomic bool warned; /* a command may lock the schema several times */
    struct why why = { 0 };
    int64_t server_us = 0, sent = clock_ticks_ns();
    if (schema_run(&connection->store->db,
                   "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::BIGINT", &server_us,
                   &why))
        return; /* the next statement reports it */
    postgres_clock_check(connection->store, server_us * 1000, sent);
    if (clock_is_wrong(&why) && !atomic_exchange(&warned, true))
        log_warn("machine_clock_differs", log_text("problem", str_of(why.text)));
}

static enum err
schema_lock(struct db *db, struct why *why)
{
    struct postgres_connection *connection = store_of(db)->schema_connection;
    int64_t unsafe = 0;
    connection->deadline_ms = POSTGRES_START_MS;
    enum err err = schema_run(db,
                              "SELECT COUNT(*) FROM pg_settings"
                              " WHERE name = 'synchronous_commit' AND setting = 'off'",
                              &unsafe, why);
    connection->deadline_ms = db->schema_ms > 0 ? db->schema_ms : SCHEMA_MS;
    if (!err && unsafe) {
        why_set(
            why,
            "store: synchronous_commit is off on this PostgreSQL server, so that committed writes "
            "could be lost; set it to on");
        return ERR_INVALID;
    }
    if (!err && !store_of(db)->watched) /* a command; the monitor of a service does it itself */
        follow_clock(connection);
    if (!err) /* one process at a time; the others find the steps applied */
        err = schema_run(db, "BEGIN; SELECT pg_advisory_xact_lock(" SCHEMA_LOCK ")", NULL, why);
    return err;
}

/* After a failure the next attempt begins with a new connection. */
static enum err
schema_begin(struct db *db, struct why *why)
{
    struct postgres_store *store = store_of(db);
    if (store->schema_connection == NULL)
        store->schema_connection = postgres_connect(store, POSTGRES_START_MS, why);
    if (store->schema_connection == NULL)
        return ERR_UNAVAILABLE;
    store->schema_connection->commits = true; /* callers run it as a script */
    enum err err = schema_lock(db, why);
    if (err)
        schema_disconnect(store);
    return err;
}

/* The connection is kept for prepare(), or for the next schema transaction; after a failure nothing
 * is, so that the operator can replace the database. */
static enum err
schema_end(struct db *db, bool keep, struct why *why)
{
    struct postgres_store *store = store_of(db);
    enum err err = schema_run(db, keep ? "COMMIT" : "ROLLBACK", NULL, why);
    if (err || !keep)
        schema_disconnect(store);
    return err;
}

/* ---- opening and closing ---- */

static void
postgres_close(struct db *db)
{
    struct postgres_store *store = store_of(db);
    postgres_monitor_stop(store);
    postgres_sync_stop(store);
    versions_stop(&store->own_versions);
    postgres_disconnect(store->schema_connection);
    postgres_reads_stop(store);
    postgres_group_stop(store);
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
    store->schema_known = db_schema_version(&store->db);
    store->address = strdup(settings->address);
    store->deadline_ms = settings->deadline_ms > 0 ? settings->deadline_ms : POSTGRES_DEADLINE_MS;
    store->watched = settings->watched;
    store->prepare_lazily = settings->prepare_lazily;
    store->versions = settings->versions;
    if (store->versions == NULL) {
        versions_start(&store->own_versions);
        store->versions = &store->own_versions;
    }
    /* It is never read, so that after interrupt() it ends every wait. */
    store->stop_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    postgres_pool_start(store, settings->connections == 0 ? 1 : settings->connections);
    postgres_writes_start(store);
    postgres_group_start(store);
    postgres_reads_start(store);
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
    /* One nanosecond more, because 0 would turn the timer off (timerfd_settime(2)). */
    struct itimerspec at = { .it_value = { after_ms / 1000, after_ms % 1000 * 1000000 + 1 } };
    timerfd_settime(store_of(db)->stop_fd, 0, &at, NULL);
}

/* The connection of the schema transaction becomes the first of the pool. */
static enum err
prepare(struct db *db, struct why *why)
{
    struct postgres_store *store = store_of(db);
    struct postgres_connection *connection = store->schema_connection;
    store->schema_connection = NULL;
    if (connection == NULL)
        connection = postgres_connect(store, POSTGRES_START_MS, why);
    if (connection == NULL)
        return ERR_UNAVAILABLE;
    connection->deadline_ms = store->deadline_ms;
    connection->commits = false;
    enum err err = postgres_set_up(connection, why);
    if (!err && !store->prepare_lazily)
        err = postgres_prepare_all(connection, POSTGRES_START_MS, why);
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
    .write_shared = postgres_write_shared,
    .begin_read = postgres_begin_read,
    .end_read = postgres_end_read,
    .query = postgres_query,
    .put = postgres_group_put,
    .prefetch = postgres_group_prefetch,
    .begin_write = postgres_begin_write,
    .end_write = postgres_end_write,
    .ping_begin = postgres_ping_begin,
    .ping_end = postgres_ping_end,
    .is_down = postgres_monitor_is_down,
    .is_silent = postgres_monitor_is_silent,
    .version = postgres_version,
    .commits = postgres_commits,
    .sync_versions = postgres_sync,
    .sync_ticket = postgres_sync_ticket,
    .sync_now = postgres_sync_now,
    .describe = describe,
    .write_metrics = postgres_metrics,
    .backup = postgres_backup,
    .restore = postgres_restore,
    .check = postgres_check,
    .inspect = postgres_inspect,
};
