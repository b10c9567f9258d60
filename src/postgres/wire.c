#include "postgres/postgres.h"

#include "base/clock.h"
#include "base/log.h"

#include <poll.h>
#include <string.h>

#define TLS_SLICE_MS 20
#define SERVER_SLICE_MS 50 /* between two checks whether another server was promoted */

int64_t
postgres_until(int64_t ms)
{
    return clock_ticks_ns() + ms * 1000000;
}

bool
postgres_wait(const struct postgres_store *store, PGconn *handle, short events, int64_t until)
{
    struct pollfd fds[] = { { .fd = PQsocket(handle), .events = events },
                            { .fd = store->stop_fd, .events = POLLIN } };
    for (;;) {
        /* Rounded up: with 0, poll() would not wait in the last millisecond. */
        int64_t left = (until - clock_ticks_ns() + 999999) / 1000000;
        if (left <= 0 || fds[0].fd < 0)
            return false;
        /* The TLS library may hold bytes that poll() does not see. */
        bool slice = PQsslInUse(handle) && left > TLS_SLICE_MS;
        int ready = poll(fds, 2, slice ? TLS_SLICE_MS : (int)left);
        if (fds[1].revents != 0)
            return false;
        if (ready > 0 || (ready == 0 && slice))
            return true;
    }
}

/* False: not before `until`, or another server was promoted. */
static bool
wait_for_server(const struct postgres_connection *connection, short events, int64_t until)
{
    for (;;) {
        int64_t slice = postgres_until(SERVER_SLICE_MS);
        if (connection->store->host_count == 1 || slice > until)
            slice = until;
        if (postgres_wait(connection->store, connection->handle, events, slice))
            return true;
        bool interrupted = clock_ticks_ns() < slice;
        if (slice == until || interrupted || postgres_sync_is_old(connection))
            return false;
    }
}

/* Sends what is queued and reads until a result is complete. */
static bool
wait_for_result(struct postgres_connection *connection, int64_t until)
{
    PGconn *handle = connection->handle;
    int unsent;
    while ((unsent = PQflush(handle)) > 0 || PQisBusy(handle)) {
        short events = unsent > 0 ? POLLIN | POLLOUT : POLLIN;
        if (!wait_for_server(connection, events, until))
            return false;
        if (!PQconsumeInput(handle))
            return true; /* PQgetResult() returns the error */
    }
    return true;
}

static void
mark_lost(struct postgres_connection *connection, const char *event)
{
    connection->lost = true;
    log_warn(event, log_text("host", str_of(PQhost(connection->handle))),
             log_text("port", str_of(PQport(connection->handle))));
}

void
postgres_mark_lost(struct postgres_connection *connection, const char *event)
{
    connection->host->failed_at = clock_ticks_ns();
    mark_lost(connection, event);
}

void
postgres_discard(struct postgres_connection *connection)
{
    connection->elsewhere = true;
    mark_lost(connection, "store_other_server");
}

PGresult *
postgres_next_result(struct postgres_connection *connection, int64_t until)
{
    bool arrived = connection->lost || wait_for_result(connection, until);
    if (!arrived && postgres_sync_is_old(connection))
        postgres_discard(connection);
    else if (!arrived) {
        /* The server cancels a slow statement earlier, unless a pooler is in between. */
        atomic_fetch_add(&connection->store->late, 1);
        connection->store->late_at = clock_ticks_ns();
        connection->late = true;
        if (!connection->commits)
            postgres_cancel(connection->host->canceller, connection->handle);
        postgres_mark_lost(connection, "store_deadline_missed");
    }
    if (connection->lost)
        return PQmakeEmptyPGresult(connection->handle, PGRES_FATAL_ERROR);
    PGresult *result = PQgetResult(connection->handle);
    if (PQstatus(connection->handle) != CONNECTION_OK)
        connection->lost = true;
    return result;
}

PGresult *
postgres_take(struct postgres_connection *connection, int64_t until)
{
    PGresult *result = postgres_next_result(connection, until);
    /* 25006 is read_only_sql_transaction: the server has become a standby. */
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (state != NULL && strcmp(state, "25006") == 0 && connection->store->wants_writable)
        postgres_mark_lost(connection, "store_read_only");
    if (!connection->lost)
        PQclear(postgres_next_result(connection, until));
    return result;
}

PGresult *
postgres_collect(struct postgres_connection *connection)
{
    int64_t until = postgres_until(connection->deadline_ms);
    PGresult *last = NULL, *next;
    while (!connection->lost && (next = postgres_next_result(connection, until)) != NULL) {
        PQclear(last);
        last = next;
    }
    return last == NULL ? PQmakeEmptyPGresult(connection->handle, PGRES_FATAL_ERROR) : last;
}

bool
postgres_send(struct postgres_connection *connection, const struct postgres_statement *statement,
              const char *const *values, const int *lengths, const int *formats, size_t count)
{
    if (connection->pooled)
        return PQsendQueryParams(connection->handle, statement->text, (int)count, NULL, values,
                                 lengths, formats, 0) == 1;
    return PQsendQueryPrepared(connection->handle, statement->name, (int)count, values, lengths,
                               formats, 0) == 1;
}

PGresult *
postgres_run(struct postgres_connection *connection, const char *script)
{
    if (!PQsendQuery(connection->handle, script))
        connection->lost = true;
    return postgres_collect(connection);
}

bool
postgres_command(struct postgres_connection *connection, const char *text)
{
    PGresult *result = postgres_run(connection, text);
    bool done = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    return done;
}
