/* prepare.c - the settings and the prepared statements of a connection.
 *
 * A connection prepares a statement when it first runs it, in the same round trip. Of some hundred
 * statements, most connections run few. So the pool grows quickly, also when all nodes connect to a
 * new server at once. A service prepares all of them on its first connection, so that an invalid
 * one fails at startup. */
#include "postgres/postgres.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define COMPRESSION /* of texts; PostgreSQL's own takes longer than the rest of a write */ \
    ", (SELECT set_config(name, 'lz4', false) FROM pg_settings"                            \
    " WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals))"

/* ---- settings ---- */

/* The server cancels a statement before the client gives up on it, so that the connection can be
 * used again, and ends a transaction whose client froze. */
static bool
set_limits(struct postgres_connection *connection)
{
    char statement[32], idle[32];
    const char *values[] = { statement, idle };
    snprintf(statement, sizeof statement, "%lld", (long long)connection->deadline_ms * 9 / 10);
    snprintf(idle, sizeof idle, "%d", POSTGRES_IDLE_IN_TRANSACTION_MS);
    if (!PQsendQueryParams(connection->handle,
                           "SELECT set_config('statement_timeout', $1, false),"
                           " set_config('idle_in_transaction_session_timeout', $2, "
                           "false)" POSTGRES_PLANNER("false") COMPRESSION,
                           2, NULL, values, NULL, NULL, 0))
        return false;
    PGresult *result = postgres_collect(connection);
    bool set = PQresultStatus(result) == PGRES_TUPLES_OK;
    PQclear(result);
    return set;
}

/* A pooler hands out process ids of its own. */
bool
postgres_find_pooler(struct postgres_connection *connection)
{
    PGresult *result = postgres_run(connection, "SELECT pg_backend_pid()," POSTGRES_INCARNATION);
    bool answered = PQresultStatus(result) == PGRES_TUPLES_OK;
    if (answered) {
        connection->pooled =
            strtol(PQgetvalue(result, 0, 0), NULL, 10) != PQbackendPID(connection->handle);
        snprintf(connection->incarnation, sizeof connection->incarnation, "%s",
                 PQgetvalue(result, 0, 1));
    }
    PQclear(result);
    return answered;
}

enum err
postgres_set_up(struct postgres_connection *connection, struct why *why)
{
    if (connection->pooled || (set_limits(connection) && postgres_begin_prepare(connection))) {
        connection->prepared = memory_alloc(2 * db_statement_count(), sizeof(bool));
        return ERR_NONE;
    }
    why_set(why, "store: cannot set up a connection to PostgreSQL: %s",
            connection->lost ? "connection lost" : PQerrorMessage(connection->handle));
    return ERR_UNAVAILABLE;
}

/* ---- statements ---- */

/* A statement and its form for many callers are prepared separately. */
static bool *
prepared(const struct postgres_connection *connection, const struct sql *sql, bool many)
{
    size_t number = (size_t)(sql - db_statement(0));
    return &connection->prepared[2 * number + (many ? 1 : 0)];
}

bool
postgres_must_prepare(const struct postgres_connection *connection, const struct sql *sql,
                      bool many)
{
    return !connection->pooled && !*prepared(connection, sql, many);
}

bool
postgres_send_prepare(struct postgres_connection *connection, struct arena *mem,
                      const struct sql *sql, bool many)
{
    const char *name = many ? postgres_many_name(mem, sql).ptr : sql->name;
    const char *text = many ? postgres_many_text(mem, sql).ptr : sql->text;
    *prepared(connection, sql, many) = true;
    return PQsendPrepare(connection->handle, name, text, 0, NULL) == 1;
}

PGresult *
postgres_take_prepare(struct postgres_connection *connection, const struct sql *sql, bool many,
                      int64_t until)
{
    PGresult *result = postgres_next_result(connection, until);
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        *prepared(connection, sql, many) = false;
    if (!connection->lost)
        PQclear(postgres_next_result(connection, until)); /* the NULL after each result */
    return result;
}

/* Ends a pipeline. A connection that cannot leave it is lost. */
static void
leave_pipeline(struct postgres_connection *connection, int64_t until)
{
    PGresult *synced = connection->lost ? NULL : postgres_next_result(connection, until);
    if (PQresultStatus(synced) != PGRES_PIPELINE_SYNC || !PQexitPipelineMode(connection->handle))
        connection->lost = true;
    PQclear(synced);
}

/* In pipeline mode, so that both take one round trip. */
static PGresult *
prepare_and_execute(struct postgres_connection *connection, struct arena *mem,
                    const struct sql *sql, const char *const *values, size_t count)
{
    const struct postgres_statement statement = { sql->name, sql->text };
    int64_t until = postgres_until(connection->deadline_ms);
    if (!PQenterPipelineMode(connection->handle) ||
        !postgres_send_prepare(connection, mem, sql, false) ||
        !postgres_send(connection, &statement, values, NULL, NULL, count) ||
        !PQpipelineSync(connection->handle))
        connection->lost = true;
    PGresult *result = postgres_take_prepare(connection, sql, false, until);
    PGresult *executed = postgres_next_result(connection, until);
    if (PQresultStatus(result) == PGRES_COMMAND_OK) {
        PQclear(result);
        result = executed;
    } else
        PQclear(executed);
    if (!connection->lost)
        PQclear(postgres_next_result(connection, until));
    leave_pipeline(connection, until);
    return result;
}

PGresult *
postgres_execute(struct postgres_connection *connection, struct arena *mem, const struct sql *sql,
                 const char *const *values, size_t count)
{
    const struct postgres_statement statement = { sql->name, sql->text };
    if (postgres_must_prepare(connection, sql, false))
        return prepare_and_execute(connection, mem, sql, values, count);
    if (!postgres_send(connection, &statement, values, NULL, NULL, count))
        connection->lost = true;
    return postgres_collect(connection);
}

/* ---- all statements ---- */

static enum err
take_all(struct postgres_connection *connection, int64_t until, struct why *why)
{
    for (size_t i = 0; i < 2 * db_statement_count(); i++) {
        const struct sql *sql = db_statement(i / 2);
        bool many = i % 2 == 1;
        if (many && sql->many == NULL)
            continue;
        PGresult *result = postgres_take_prepare(connection, sql, many, until);
        bool good = PQresultStatus(result) == PGRES_COMMAND_OK;
        const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        bool cancelled = state != NULL && strcmp(state, "57014") == 0; /* a table is locked */
        if (!good) {
            const char *problem = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
            why_set(why, "store: cannot prepare statement %s: %s", sql->name,
                    problem == NULL ? "connection lost" : problem);
        }
        PQclear(result);
        if (!good)
            return connection->lost || cancelled ? ERR_UNAVAILABLE : ERR_INTERNAL;
    }
    leave_pipeline(connection, until);
    return connection->lost ? ERR_UNAVAILABLE : ERR_NONE;
}

enum err
postgres_prepare_all(struct postgres_connection *connection, int64_t within_ms, struct why *why)
{
    int64_t until = postgres_until(within_ms);
    if (connection->pooled)
        return ERR_NONE;
    struct arena *mem = arena_new();
    bool sent = PQenterPipelineMode(connection->handle);
    for (size_t i = 0; i < db_statement_count() && sent; i++) {
        const struct sql *sql = db_statement(i);
        sent = postgres_send_prepare(connection, mem, sql, false) &&
               (sql->many == NULL || postgres_send_prepare(connection, mem, sql, true));
    }
    arena_free(mem);
    if (!sent || !PQpipelineSync(connection->handle)) {
        why_set(why, "store: cannot prepare statements: %s", PQerrorMessage(connection->handle));
        return ERR_UNAVAILABLE; /* the caller closes the connection */
    }
    return take_all(connection, until, why);
}
