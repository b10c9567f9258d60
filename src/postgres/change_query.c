/* change_query.c - queries PostgreSQL for what changed since the last answer.
 *
 * The change query of docs/CONSISTENCY.md has the snapshot of the last answer as a
 * parameter; the answer is the current snapshot, and the change rows that are visible now and were
 * not visible then: those of transactions that began later, or were running. Transactions commit in
 * another order than they begin, so a single number could not tell what is new. docs/CONSISTENCY.md
 * has the argument.
 *
 * Everything cached is dropped if the answer may be incomplete: after the first answer of a
 * connection, from another incarnation of the server, or if old rows were deleted in between. */
#include "postgres/change_query.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUERY_INTERVAL_NS 200000 /* from one query to the next; an idle server is asked at once */
#define QUICK_NS 400000          /* how long an HTTP thread waits for an answer */
#define PAUSE_MIN_NS 16000000    /* the first pause of HTTP threads after a late answer */
#define PAUSE_MAX_NS 1000000000
#define CHANGES_MAX 1000 /* rows of an answer; more count as a change of everything */
#define RECONNECT_MS 100
#define TEXT(number) #number
#define TEXT_OF(macro) TEXT(macro)

/* The planner has no statistics of $1, so a generic plan is as good. */
#define LAST "CAST($1 AS pg_snapshot)"
#define STATE(count, slots)                                                                    \
    "SELECT pg_current_snapshot(), (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::BIGINT," \
    " " count ", " slots "," POSTGRES_INCARNATION
#define CHANGES                                                                      \
    STATE("COUNT(c.slots)", "string_agg(c.slots, ' ')")                              \
    " FROM ((SELECT slots FROM store_change WHERE xid >= pg_snapshot_xmax(" LAST ")" \
    " ORDER BY xid LIMIT " TEXT_OF(                                                  \
        CHANGES_MAX) " + 1)"                                                         \
                     " UNION ALL SELECT slots FROM store_change"                     \
                     " WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip(" LAST ")))) c"
static const struct postgres_statement changes = { "store_sync", CHANGES };

/* The brief query, which costs half as much. While the snapshot stays the same, no
 * transaction that changes rows has begun or ended. */
#define BRIEF STATE("0", "NULL")
static const struct postgres_statement brief = { "store_sync_brief", BRIEF };

/* A dump of another server has rows of transactions that do not exist here yet. */
static const char removal[] =
    "DELETE FROM store_change WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())";

/* A promoted replica says which commit it received last, until it is restarted. The first node that
 * uses it records it, before any request does. A node that wrote to the old primary until now
 * extends the time range. This does not wait for a synchronous replica, which the new primary may
 * not have yet: no request could read the database until then. */
#define NOTE_LOST(conflict)                                                         \
    "BEGIN; SET LOCAL synchronous_commit = local;"                                  \
    "INSERT INTO lost_writes (timeline, lost_from, lost_until)"                     \
    " SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),"                \
    " floor(EXTRACT(EPOCH FROM last)), ceil(EXTRACT(EPOCH FROM clock_timestamp()))" \
    " FROM pg_last_xact_replay_timestamp() last WHERE last IS NOT NULL"             \
    " ON CONFLICT (timeline) DO " conflict "; COMMIT"
static const char note_lost[] = NOTE_LOST("NOTHING");
static const char extend_lost[] = NOTE_LOST("UPDATE SET lost_until = excluded.lost_until"
                                            " WHERE lost_writes.lost_until < excluded.lost_until");
static const char preparation[] = "SET plan_cache_mode = force_generic_plan;"
                                  "PREPARE store_sync AS " CHANGES ";"
                                  "PREPARE store_sync_brief AS " BRIEF;

/* ---- one answer ---- */

static void
forget_snapshot(struct postgres_change_query *query)
{
    free(query->snapshot);
    query->snapshot = NULL;
}

void
postgres_change_query_close(struct postgres_change_query *query)
{
    forget_snapshot(query);
    postgres_disconnect(query->connection);
    query->connection = NULL;
    query->unread = false;
}

static bool
knows(struct postgres_store *store, const char *incarnation)
{
    pthread_mutex_lock(&store->lock);
    bool same = strcmp(store->incarnation, incarnation) == 0;
    pthread_mutex_unlock(&store->lock);
    return same;
}

/* False: the incarnation is the known one. Meanwhile another thread may have connected to a server
 * with a newer timeline. */
static bool
set_incarnation(struct postgres_store *store, const char *incarnation)
{
    pthread_mutex_lock(&store->lock);
    bool differs = strcmp(store->incarnation, incarnation) != 0;
    if (differs && postgres_timeline_of(incarnation) >= store->timeline) {
        snprintf(store->incarnation, sizeof store->incarnation, "%s", incarnation);
        atomic_fetch_add(&store->incarnations, 1);
    }
    pthread_mutex_unlock(&store->lock);
    return differs;
}

/* Reads into `touched` and raises versions, before any request continues. */
static void
apply(struct postgres_change_query *query, const PGresult *result)
{
    struct postgres_store *store = query->store;
    struct touched *touched = &query->touched;
    int64_t count = 0;
    bool moved = set_incarnation(store, PQgetvalue(result, 0, 4));
    bool readable = str_to_int(str_of(PQgetvalue(result, 0, 2)), 0, CHANGES_MAX, &count);
    if (moved || query->snapshot == NULL || !readable)
        touched->all = true;
    else if (count > 0)
        postgres_changes_read(str_of(PQgetvalue(result, 0, 3)),
                              postgres_snapshot_oldest(query->snapshot), touched);
    if (touched->all) {
        atomic_fetch_add(&store->drops, 1);
        log_debug("store_cache_dropped", log_number("changes", count));
    }
    if (touched_any(touched))
        versions_raise(store->versions, touched);
    if (moved && atomic_load(&store->incarnations) > 1)
        postgres_pool_renew(store);
    if (query->snapshot == NULL || strcmp(query->snapshot, PQgetvalue(result, 0, 0)) != 0) {
        forget_snapshot(query);
        query->snapshot = strdup(PQgetvalue(result, 0, 0));
    }
}

/* ---- one query ---- */

/* The server gives up first, so that it does not wait for a lock forever. */
static bool
prepare(struct postgres_connection *connection)
{
    char limit[64];
    snprintf(limit, sizeof limit, "SET statement_timeout = %lld",
             (long long)connection->deadline_ms * 9 / 10);
    if (!connection->pooled && !postgres_command(connection, limit))
        return false;
    return postgres_command(connection, removal) &&
           (connection->pooled || postgres_command(connection, preparation));
}

static bool
connect_server(struct postgres_change_query *query)
{
    struct postgres_store *store = query->store;
    struct why why = { 0 };
    if (clock_ticks_ns() < query->connect_after)
        return false;
    query->connection = postgres_connect(store, store->deadline_ms, &why);
    if (query->connection != NULL && prepare(query->connection))
        return true;
    log_warn("store_connect_failed", log_text("problem", str_of(why.text)));
    query->connect_after = postgres_until(RECONNECT_MS);
    postgres_change_query_close(query);
    return false;
}

static bool
send_query(struct postgres_change_query *query)
{
    const char *values[] = { query->snapshot };
    atomic_store(&query->asked, atomic_fetch_add(&query->store->versions->change_queries, 1) + 1);
    query->began = clock_ticks_ns();
    query->is_brief = query->unchanged && query->snapshot != NULL;
    query->unread = postgres_send(query->connection, query->is_brief ? &brief : &changes, values,
                                  NULL, NULL, query->is_brief ? 0 : 1);
    return query->unread;
}

/* Another server than before. False: it must not be used, or does not answer. */
static bool
follow(struct postgres_change_query *query, const char *incarnation)
{
    struct postgres_connection *connection = query->connection;
    uint64_t before = query->timeline, timeline = postgres_timeline_of(incarnation);
    snprintf(connection->incarnation, sizeof connection->incarnation, "%s", incarnation);
    if (!postgres_sync_may_use(connection) ||
        !postgres_command(connection, before == 0 || before == timeline ? note_lost : extend_lost))
        return false;
    query->timeline = timeline;
    return true;
}

enum reply { FAILED, ASK_AGAIN, ANSWERED };

/* ASK_AGAIN: the brief query was not enough. */
static enum reply
read_answer(struct postgres_change_query *query)
{
    enum reply reply = FAILED;
    int64_t time = 0;
    PGresult *result = postgres_collect(query->connection);
    query->unread = false;
    if (PQresultStatus(result) == PGRES_TUPLES_OK && !PQgetisnull(result, 0, 4) &&
        str_to_int(str_of(PQgetvalue(result, 0, 1)), 0, INT64_MAX / 1000, &time)) {
        query->unchanged =
            query->snapshot != NULL && strcmp(query->snapshot, PQgetvalue(result, 0, 0)) == 0;
        reply = query->is_brief && !query->unchanged ? ASK_AGAIN : ANSWERED;
    }
    if (reply == ANSWERED && !knows(query->store, PQgetvalue(result, 0, 4)) &&
        !follow(query, PQgetvalue(result, 0, 4)))
        reply = FAILED;
    if (reply == ANSWERED) {
        postgres_clock_check(query->store, time * 1000, query->began);
        apply(query, result);
        atomic_store(&query->answered, atomic_load(&query->asked));
        atomic_fetch_add_explicit(&query->store->syncs, 1, memory_order_relaxed);
    }
    PQclear(result);
    return reply;
}

/* Whether the last answer serves all of them. */
static bool
serves(const struct postgres_change_query *query, const struct db_sync *first)
{
    uint64_t answered = atomic_load(&query->answered);
    for (; first != NULL; first = first->next)
        if (first->ticket >= answered)
            return false;
    return true;
}

/* An answer that an HTTP thread did not wait for comes first. */
static bool
ask(struct postgres_change_query *query, const struct db_sync *first)
{
    enum reply reply = ASK_AGAIN;
    if (query->unread) {
        reply = read_answer(query);
        if (reply == ANSWERED && !serves(query, first))
            reply = ASK_AGAIN;
    }
    while (reply == ASK_AGAIN)
        reply = send_query(query) ? read_answer(query) : FAILED;
    return reply == ANSWERED;
}

enum err
postgres_change_query_run(struct postgres_change_query *query, const struct db_sync *first)
{
    if (atomic_exchange(&query->doubted, false))
        postgres_change_query_close(query);
    for (int attempt = 0; attempt < 2; attempt++) {
        bool is_new = query->connection == NULL;
        if (is_new && !connect_server(query))
            return ERR_UNAVAILABLE;
        if (ask(query, first))
            return ERR_NONE;
        bool closed = PQstatus(query->connection->handle) != CONNECTION_OK;
        postgres_change_query_close(query);
        if (is_new || !closed)
            break; /* it missed its deadline or failed: do not try again */
    }
    return ERR_UNAVAILABLE;
}

/* ---- for an HTTP thread ---- */

/* Whether the answer is there before QUICK_NS have passed. */
static bool
has_arrived(const struct postgres_change_query *query)
{
    PGconn *handle = query->connection->handle;
    for (;;) {
        if (PQflush(handle) != 0)
            return false;
        if (!PQisBusy(handle))
            return true;
        int64_t left = query->began + QUICK_NS - clock_ticks_ns();
        struct timespec timeout = { 0, left };
        struct pollfd fd = { .fd = PQsocket(handle), .events = POLLIN };
        if (left <= 0 || ppoll(&fd, 1, &timeout, NULL) <= 0 || !PQconsumeInput(handle))
            return false;
    }
}

/* The answer was late, or this thread was descheduled while it waited, as on a busy core. */
static void
pause_if_slow(struct postgres_change_query *query)
{
    int64_t now = clock_ticks_ns(), longer = query->pause * 2 + PAUSE_MIN_NS;
    if (now - query->began < QUICK_NS) {
        query->pause -= query->pause / 8;
        return;
    }
    query->pause = longer < PAUSE_MAX_NS ? longer : PAUSE_MAX_NS;
    query->quick_after = now + query->pause;
}

void
postgres_change_query_run_quickly(struct postgres_change_query *query)
{
    int64_t now = clock_ticks_ns();
    enum reply reply = ASK_AGAIN;
    if (query->snapshot == NULL || query->unread || atomic_load(&query->doubted) ||
        now < query->began + QUERY_INTERVAL_NS || now < query->quick_after)
        return;
    while (reply == ASK_AGAIN && send_query(query)) {
        bool arrived = has_arrived(query);
        pause_if_slow(query);
        if (!arrived)
            return;
        reply = read_answer(query);
    }
    if (reply == FAILED)
        postgres_change_query_close(query);
}

int64_t
postgres_change_query_due(const struct postgres_change_query *query)
{
    return query->unread ? 0 : query->began + QUERY_INTERVAL_NS;
}
