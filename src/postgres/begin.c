/* begin.c - the beginning of a transaction that writes.
 *
 * It takes a lock on schema_step that conflicts with the one of a migration (db/migrate.c), and
 * reads the schema's step under it. So a migration waits for the transactions that run, and a
 * transaction that begins during one waits for it and then finds the new step: a program of an
 * older version changes nothing after the schema has moved past it. Reading is not blocked.
 *
 * A pooler may run every transaction on another server connection. There the settings that
 * prepare.c makes for a connection are made for the transaction, and the incarnation of its server
 * is read in it.
 *
 * A transaction begins only on the server that versions are synchronized with. Another one may be
 * an old primary, and what was written there would be lost. */
#include "postgres/postgres.h"

#include "base/log.h"

#include <string.h>

#define GROUP_LOCK_MS 200

static const char lock[] = "LOCK TABLE schema_step IN ROW EXCLUSIVE MODE";
#define STATE "SELECT pg_current_xact_id(), (SELECT COALESCE(MAX(version), 0) FROM schema_step)"
static const char state[] = STATE;
#define LOCK_LIMIT ", set_config('lock_timeout', '%lld', true)" /* of a group, see group.c */
static const char lock_limit[] = LOCK_LIMIT;
/* Planning takes longer than all else here. */
static const char preparation[] =
    "PREPARE store_begin AS " STATE "; PREPARE store_begin_shared AS " STATE LOCK_LIMIT;
static const char prepared[] = "EXECUTE store_begin";
static const char prepared_shared[] = "EXECUTE store_begin_shared";
static const char limits[] =
    "," POSTGRES_INCARNATION ", set_config('statement_timeout', '%lld', true)"
    ", set_config('idle_in_transaction_session_timeout', '%d', true)";
static const char planner[] = POSTGRES_PLANNER("true");

#define STATE_MAX (sizeof state + sizeof limits + sizeof lock_limit + sizeof planner + 64)

static long long
lock_limit_ms(const struct postgres_connection *connection)
{
    int64_t quarter = connection->deadline_ms / 4;
    return quarter < GROUP_LOCK_MS ? quarter : GROUP_LOCK_MS;
}

static void
write_state(const struct postgres_connection *connection, bool shared, char out[STATE_MAX])
{
    const char *text = connection->pooled ? state : shared ? prepared_shared : prepared;
    size_t length = (size_t)snprintf(out, STATE_MAX, "%s", text);
    if (!connection->pooled)
        return;
    length += (size_t)snprintf(out + length, STATE_MAX - length, limits,
                               (long long)connection->deadline_ms * 9 / 10,
                               POSTGRES_IDLE_IN_TRANSACTION_MS);
    if (shared)
        length += (size_t)snprintf(out + length, STATE_MAX - length, lock_limit,
                                   lock_limit_ms(connection));
    snprintf(out + length, STATE_MAX - length, "%s", planner);
}

/* Whether this program may write, by the result of the last statement. */
static bool
may_write(struct postgres_connection *connection, const PGresult *result)
{
    struct postgres_store *store = connection->store;
    int64_t step = 0;
    if (PQresultStatus(result) != PGRES_TUPLES_OK ||
        !str_to_int(str_of(PQgetvalue(result, 0, 1)), 0, INT64_MAX, &step))
        return false;
    snprintf(connection->xid, sizeof connection->xid, "%s", PQgetvalue(result, 0, 0));
    if (connection->pooled) {
        snprintf(connection->incarnation, sizeof connection->incarnation, "%s",
                 PQgetvalue(result, 0, 2));
        connection->confirmed = 0;
    }
    if (!postgres_sync_is_same_server(connection)) {
        postgres_discard(connection);
        return false;
    }
    if (step > store->schema_known)
        postgres_schema_is_newer(store, step);
    return step <= store->schema_known;
}

bool
postgres_begin_prepare(struct postgres_connection *connection)
{
    char script[sizeof preparation + 32];
    snprintf(script, sizeof script, preparation, lock_limit_ms(connection));
    return postgres_command(connection, script);
}

bool
postgres_begin(struct postgres_connection *connection)
{
    char text[STATE_MAX], script[STATE_MAX + sizeof lock + 16];
    write_state(connection, false, text);
    snprintf(script, sizeof script, "BEGIN; %s; %s", lock, text);
    PGresult *result = postgres_run(connection, script);
    bool begun = may_write(connection, result);
    PQclear(result);
    if (!begun && !connection->lost)
        postgres_command(connection, "ROLLBACK");
    return begun;
}

static bool
send_text(PGconn *handle, const char *text)
{
    return PQsendQueryParams(handle, text, 0, NULL, NULL, NULL, NULL, 0) == 1;
}

bool
postgres_begin_send(struct postgres_connection *connection)
{
    char text[STATE_MAX];
    write_state(connection, true, text);
    return send_text(connection->handle, "BEGIN") && send_text(connection->handle, lock) &&
           send_text(connection->handle, text);
}

bool
postgres_begin_take(struct postgres_connection *connection, int64_t until)
{
    bool good = true;
    for (int i = 0; i < 3; i++) {
        PGresult *result = postgres_take(connection, until);
        good = good &&
               (i < 2 ? PQresultStatus(result) == PGRES_COMMAND_OK : may_write(connection, result));
        PQclear(result);
    }
    return good;
}

void
postgres_schema_is_newer(struct postgres_store *store, int64_t step)
{
    if (!atomic_exchange(&store->schema_is_newer, true))
        log_warn("store_schema_newer", log_number("step", step),
                 log_number("known", store->schema_known),
                 log_text("problem",
                          STR("This instance is too old for the schema: it does not write any "
                              "more. Update it.")));
}
