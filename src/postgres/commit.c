/* commit.c - finds out the outcome of a commit whose confirmation was lost. PostgreSQL reports it
 * by the transaction's id, but a server that crashed or was promoted may have given the id to
 * another transaction. So the result is valid only from the same incarnation of the server. */
#include "postgres/postgres.h"

#include "base/clock.h"
#include "base/log.h"

#include <string.h>
#include <time.h>

#define ASK_AGAIN_MS 20

/* True if the answer is final. */
static bool
ask(struct postgres_connection *connection, const struct postgres_connection *lost, int64_t until,
    enum postgres_status *status)
{
    const char *values[] = { lost->xid };
    connection->deadline_ms = (until - clock_ticks_ns()) / 1000000;
    if (!PQsendQueryParams(connection->handle,
                           "SELECT pg_xact_status(CAST($1 AS xid8))," POSTGRES_INCARNATION, 1, NULL,
                           values, NULL, NULL, 0))
        return true;
    PGresult *result = postgres_collect(connection);
    bool same = PQresultStatus(result) == PGRES_TUPLES_OK &&
                strcmp(PQgetvalue(result, 0, 1), lost->incarnation) == 0;
    const char *answer = same ? PQgetvalue(result, 0, 0) : "";
    bool in_progress = strcmp(answer, "in progress") == 0;
    if (strcmp(answer, "committed") == 0)
        *status = POSTGRES_COMMITTED;
    else if (strcmp(answer, "aborted") == 0)
        *status = POSTGRES_ROLLED_BACK;
    else if (in_progress)
        *status = POSTGRES_IN_PROGRESS;
    PQclear(result);
    return !in_progress;
}

enum postgres_status
postgres_commit_status(const struct postgres_connection *lost)
{
    struct postgres_store *store = lost->store;
    struct why why = { 0 };
    enum postgres_status status = POSTGRES_UNKNOWN;
    int64_t until = postgres_until(store->deadline_ms);
    if (lost->incarnation[0] == '\0')
        return status;
    struct postgres_connection *connection = postgres_connect(store, store->deadline_ms, &why);
    if (connection == NULL)
        return status;
    while (!ask(connection, lost, until, &status) && !postgres_sync_is_old(lost) &&
           clock_ticks_ns() < until - 2 * ASK_AGAIN_MS * (int64_t)1000000)
        nanosleep(&(struct timespec){ .tv_nsec = ASK_AGAIN_MS * 1000000 }, NULL);
    postgres_disconnect(connection);
    if (status == POSTGRES_COMMITTED || status == POSTGRES_ROLLED_BACK)
        log_info("store_commit_found",
                 log_text("outcome",
                          status == POSTGRES_COMMITTED ? STR("committed") : STR("rolled back")));
    return status;
}
