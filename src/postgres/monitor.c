/* monitor.c - checks once per second whether this process is ready: PostgreSQL answers, accepts
 * writes, and has this program's schema, no table stays locked, commits do not hang, and the clocks
 * agree. It uses a separate connection, or one of the pool if the server refuses another one. A
 * readiness check waits for an answer that is newer than itself, but not for a server that hangs.
 * The process follows the server's clock, so that all nodes agree on expiry. */
#include "postgres/postgres.h"

#include "base/arena.h"
#include "base/background.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#define PAUSE_MS 1000
#define SEARCH_MS 200      /* the pause while no server may be used: one may be promoted */
#define ROUND_MS 800       /* for connecting and for the answer, each */
#define POOL_BORROW_MS 300 /* for a connection of the pool */
#define LATE_MS 600        /* a readiness check does not wait for a round that takes longer */
#define LOOK_NS ((int64_t)5 * 1000000000)     /* between two looks at a host */
#define TROUBLE_NS ((int64_t)10 * 1000000000) /* after a missed deadline: looks in each round */
#define LOOK_MS 200                           /* for a look; readiness waits for it */
#define SILENT_MS 4000 /* longer than a pause and a round of three slow answers */
#define CHANGES_NS ((int64_t)60 * 1000000000)
#define FOLLOW_NS 50000000 /* smaller differences are the network's */

static const char state[] =
    "SELECT (SELECT COALESCE(MAX(version), 0) FROM schema_step),"
    " (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::BIGINT,"
    " CASE WHEN pg_is_in_recovery() THEN 1"
    " WHEN current_setting('transaction_read_only') = 'on' THEN 1"
    " ELSE 0 END, pg_snapshot_xmin(pg_current_snapshot())," POSTGRES_INCARNATION;

/* Deletes change rows of transactions below N, and records that in a change row of its own: see
 * pq/changes.c. All of them had ended when N was the oldest one running. */
static const char forget[] =
    "WITH old AS (SELECT ctid FROM store_change WHERE xid < '%s'::xid8 ORDER BY xid LIMIT 10000),"
    " gone AS (DELETE FROM store_change WHERE ctid IN (SELECT ctid FROM old) RETURNING 1)"
    " INSERT INTO store_change (xid, slots) SELECT pg_current_xact_id(), '<%s'"
    " WHERE EXISTS (SELECT 1 FROM gone)";

/* A table with a lock that makes writes wait, and whether commits of nodes hang, and then whether
 * they wait for a synchronous replica (2) or not (1). Such a commit cannot be cancelled and
 * occupies its connection of the server also after the node has closed it, so that a server which
 * commits nothing would soon have no connections left, also for reads. A single one is not enough:
 * perhaps only its process hangs. */
static const char blockers[] =
    "SELECT (SELECT c.relname FROM pg_locks l JOIN pg_class c ON c.oid = l.relation"
    " WHERE l.granted AND l.locktype = 'relation' AND c.relkind = 'r'"
    " AND c.relnamespace = current_schema()::regnamespace AND l.database ="
    " (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')"
    " ORDER BY c.relname LIMIT 1), (SELECT MAX(CASE WHEN wait_event = 'SyncRep' THEN 2 ELSE 1 END)"
    " FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'penchant'"
    " AND state = 'active' AND query_start < clock_timestamp() - interval '%lld milliseconds' AND"
    " (wait_event = 'SyncRep' OR query = 'COMMIT' OR query LIKE 'INSERT INTO store_change%%')"
    " HAVING COUNT(*) > 1)";

static const char old_primary[] =
    "The database that accepts writes is an old primary: " POSTGRES_OLD_PRIMARY
    ", so it lacks what was written since. Start the newer server; or, to use the older data, "
    "restart this service.";

struct postgres_monitor {
    struct postgres_store *store;
    struct postgres_connection *connection;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;  /* the thread */
    pthread_cond_t ended; /* a round */
    uint64_t rounds, rounds_ended;
    int64_t round_began;
    bool stopping;
    struct why problem;    /* of the last round; empty: none */
    struct why clock;      /* the clock of this machine is wrong; empty: no */
    struct why blocked;    /* the server answers, but writes wait; empty: none */
    int64_t blocked_since; /* clock_ticks_ns(); 0: no lock. Used by the thread only */
    char incarnation[100]; /* of the server that answered it */
    char oldest[2][24];    /* running transactions, at two times; change rows below the first go */
    int64_t noted;         /* when the second was */
    int64_t looked;        /* when another host was looked at */
    _Atomic int64_t answered_at; /* clock_ticks_ns() of the last answer */
};

/* ---- one round ---- */

static bool
read_number(const PGresult *result, int column, int64_t *out)
{
    return str_to_int(str_of(PQgetvalue(result, 0, column)), 0, INT64_MAX, out);
}

/* Several databases share versions, and spread/clock.c compares their clocks. */
static bool
is_part(const struct postgres_store *store)
{
    return store->versions != &store->own_versions;
}

void
postgres_clock_check(struct postgres_store *store, int64_t server_ns, int64_t sent)
{
    int64_t inexact = (clock_ticks_ns() - sent) / 2; /* the server's time is from in between */
    int64_t ticks_to_server = server_ns - sent - inexact;
    int64_t difference = ticks_to_server - atomic_load(&store->db.clock);
    if (difference <= inexact + FOLLOW_NS && difference >= -inexact - FOLLOW_NS)
        return;
    atomic_store(&store->db.clock, ticks_to_server);
    if (!is_part(store))
        clock_follow_ns(ticks_to_server);
}

static void
check_result(struct postgres_connection *connection, const PGresult *result, int64_t sent,
             struct why *why)
{
    struct postgres_store *store = connection->store;
    int64_t version = 0, time = 0, read_only = 0;
    if (PQresultStatus(result) != PGRES_TUPLES_OK || !read_number(result, 0, &version) ||
        !read_number(result, 1, &time) || !read_number(result, 2, &read_only)) {
        why_set(why, "The database does not respond. Try again in a few seconds.");
        return;
    }
    if (version > store->schema_known) {
        postgres_schema_is_newer(store, version);
        why_set(why,
                "The database was updated to schema step %lld, but this instance supports up to "
                "step %lld. Update it.",
                (long long)version, (long long)store->schema_known);
    } else
        store->schema_is_newer = false;
    if (read_only && store->wants_writable) {
        why_set(why, "The database is read-only. Try again in a few seconds.");
        connection->lost = true; /* look for another host */
    }
    postgres_clock_check(store, time * 1000, sent);
}

/* Change rows are kept for one to two times CHANGES_NS. A node that asks less often than that drops
 * everything it has cached. */
static void
forget_changes(struct postgres_monitor *monitor, struct postgres_connection *connection,
               const char *oldest)
{
    char script[sizeof forget + 64];
    int64_t now = clock_ticks_ns();
    if (now - monitor->noted > CHANGES_NS) {
        memcpy(monitor->oldest[0], monitor->oldest[1], sizeof monitor->oldest[0]);
        snprintf(monitor->oldest[1], sizeof monitor->oldest[1], "%s", oldest);
        monitor->noted = now;
    }
    if (monitor->oldest[0][0] == '\0')
        return;
    snprintf(script, sizeof script, forget, monitor->oldest[0], monitor->oldest[0]);
    PQclear(postgres_run(connection, script));
}

static void
log_change(const struct why *before, const struct why *now)
{
    if (strcmp(before->text, now->text) == 0)
        return;
    if (now->text[0] != '\0')
        log_warn("store_not_ready", log_text("problem", str_of(now->text)));
    else
        log_info("store_ready");
}

/* A lock that lasts longer than a statement may take makes requests fail. Shorter ones are usual:
 * VACUUM takes one. */
static void
check_lock(struct postgres_monitor *monitor, const char *table, struct why *why)
{
    int64_t now = clock_ticks_ns();
    if (table == NULL)
        monitor->blocked_since = 0;
    else if (monitor->blocked_since == 0)
        monitor->blocked_since = now;
    else if (now - monitor->blocked_since > monitor->store->deadline_ms * 1000000)
        why_set(why,
                "The table %s of the database is locked by another program, so it cannot be "
                "written. End that program's transaction.",
                table);
}

static const char *
cell(const PGresult *result, int column)
{
    return PQgetisnull(result, 0, column) ? NULL : PQgetvalue(result, 0, column);
}

static void
find_blockers(struct postgres_monitor *monitor, struct postgres_connection *connection)
{
    char script[sizeof blockers + 32];
    struct why why = { 0 };
    snprintf(script, sizeof script, blockers, (long long)monitor->store->deadline_ms);
    PGresult *result = postgres_run(connection, script);
    bool answered = PQresultStatus(result) == PGRES_TUPLES_OK;
    const char *hang = answered ? cell(result, 1) : NULL;
    if (hang != NULL)
        why_set(&why,
                strcmp(hang, "2") == 0
                    ? "The database waits for a synchronous replica to confirm commits, so it "
                      "cannot be written. Start that replica, or correct "
                      "synchronous_standby_names."
                    : "The database does not complete commits, so it cannot be written. Check "
                      "its disk.");
    check_lock(monitor, answered ? cell(result, 0) : NULL, &why);
    monitor->store->commits_hang = hang != NULL;
    PQclear(result);
    pthread_mutex_lock(&monitor->lock);
    log_change(&monitor->blocked, &why);
    monitor->blocked = why;
    pthread_mutex_unlock(&monitor->lock);
}

/* The answer is the result of the round. */
static void
ask_on(struct postgres_monitor *monitor, struct postgres_connection *connection, struct why *why)
{
    connection->deadline_ms = ROUND_MS;
    int64_t sent = clock_ticks_ns();
    PGresult *result = postgres_run(connection, state);
    bool answered = PQresultStatus(result) == PGRES_TUPLES_OK;
    if (answered) {
        atomic_store(&monitor->answered_at, clock_ticks_ns());
        snprintf(connection->incarnation, sizeof connection->incarnation, "%s",
                 PQgetvalue(result, 0, 4));
    }
    if (answered && !postgres_sync_may_use(connection)) {
        why_set(why, "%s", old_primary);
        postgres_discard(connection); /* look for another host */
    } else
        check_result(connection, result, sent, why);
    if (why->text[0] == '\0') {
        pthread_mutex_lock(&monitor->lock);
        snprintf(monitor->incarnation, sizeof monitor->incarnation, "%s", connection->incarnation);
        pthread_mutex_unlock(&monitor->lock);
        forget_changes(monitor, connection, PQgetvalue(result, 0, 3));
    }
    if (!connection->lost)
        find_blockers(monitor, connection);
    else
        monitor->store->commits_hang = false; /* perhaps another server accepts writes */
    PQclear(result);
}

/* A server that refuses another connection, because it has too many, may serve those of the pool.
 * One that does not answer is not asked again. False: none was pooled. */
static bool
ask_on_pool_connection(struct postgres_monitor *monitor, int64_t refused_after, struct why *why)
{
    struct postgres_store *store = monitor->store;
    struct postgres_connection *pooled = refused_after < POOL_BORROW_MS * (int64_t)1000000
                                             ? postgres_borrow_open(store, POOL_BORROW_MS)
                                             : NULL;
    if (pooled == NULL)
        return false;
    ask_on(monitor, pooled, why);
    pooled->deadline_ms = store->deadline_ms;
    postgres_give_back(store, pooled);
    return true;
}

/* "session is read-only" is the reason that libpq gives. */
static void
explain(const char *unreachable, struct why *why)
{
    if (strstr(unreachable, POSTGRES_OLD_PRIMARY) != NULL)
        why_set(why, "%s", old_primary);
    else
        why_set(why, "The database %s. Try again in a few seconds.",
                strstr(unreachable, "read-only") != NULL ? "is read-only" : "does not respond");
}

/* True if the connection was closed while it was idle, or the process now uses another server: ask
 * again on a new one. */
static bool
ask(struct postgres_monitor *monitor, struct why *why)
{
    struct why unreachable = { 0 };
    bool was_idle = monitor->connection != NULL;
    int64_t began = clock_ticks_ns();
    if (!was_idle)
        monitor->connection = postgres_connect(monitor->store, ROUND_MS, &unreachable);
    struct postgres_connection *connection = monitor->connection;
    if (connection == NULL) {
        if (!ask_on_pool_connection(monitor, clock_ticks_ns() - began, why)) {
            monitor->store->commits_hang = false;
            explain(unreachable.text, why);
        }
        return false;
    }
    ask_on(monitor, connection, why);
    bool closed = PQstatus(connection->handle) != CONNECTION_OK || connection->elsewhere;
    if (connection->lost) {
        postgres_disconnect(connection);
        monitor->connection = NULL;
    }
    return closed && was_idle;
}

/* ---- the thread ---- */

/* Call with the lock held, which is released during the round. */
static void
next_round(struct postgres_monitor *monitor)
{
    struct why why = { 0 }, clock = { 0 };
    monitor->rounds++;
    monitor->round_began = clock_ticks_ns();
    pthread_mutex_unlock(&monitor->lock);
    if (ask(monitor, &why)) {
        why = (struct why){ 0 };
        ask(monitor, &why);
    }
    if (why.text[0] == '\0') {
        postgres_pool_reachable(monitor->store);
        postgres_sync_idle(monitor->store);
    }
    pthread_mutex_lock(&monitor->lock);
    log_change(&monitor->problem, &why);
    monitor->problem = why;
    if (!is_part(monitor->store))
        clock_is_wrong(&clock);
    log_change(&monitor->clock, &clock);
    monitor->clock = clock;
    monitor->rounds_ended = monitor->rounds;
    pthread_cond_broadcast(&monitor->ended);
}

/* The old primary may still answer after another server was promoted. Call with the lock held,
 * which is released meanwhile. */
static void
look_at_other_host(struct postgres_monitor *monitor)
{
    int64_t now = clock_ticks_ns(), late_at = monitor->store->late_at;
    int64_t interval = late_at != 0 && now - late_at < TROUBLE_NS ? 0 : LOOK_NS;
    if (monitor->connection == NULL || now - monitor->looked < interval)
        return;
    monitor->looked = now;
    pthread_mutex_unlock(&monitor->lock);
    postgres_look_at_other_host(monitor->store, LOOK_MS);
    pthread_mutex_lock(&monitor->lock);
}

static void *
run(void *argument)
{
    struct postgres_monitor *monitor = argument;
    pthread_mutex_lock(&monitor->lock);
    while (!monitor->stopping) {
        bool searching = monitor->connection == NULL && monitor->store->host_count > 1;
        clock_cond_wait(&monitor->wake, &monitor->lock,
                        postgres_until(searching ? SEARCH_MS : PAUSE_MS));
        if (!monitor->stopping)
            next_round(monitor);
        if (!monitor->stopping)
            look_at_other_host(monitor);
    }
    pthread_mutex_unlock(&monitor->lock);
    return NULL;
}

/* Call with the lock held. */
static struct db_ping
begin_check(struct postgres_monitor *monitor)
{
    /* If a round under way finds no problem, its result is used; a problem must be found by a newer
     * round. */
    struct db_ping check = { .good = monitor->rounds_ended + 1,
                             .bad = monitor->rounds + 1,
                             .give_up = postgres_until(LATE_MS) };
    if (monitor->rounds > monitor->rounds_ended) /* it hangs already */
        check.give_up = monitor->round_began + LATE_MS * (int64_t)1000000;
    pthread_cond_signal(&monitor->wake);
    return check;
}

/* Call with the lock held. Whether the server answers; `why` says why not. */
static bool
wait_for_round(struct postgres_monitor *monitor, const struct db_ping *check, struct why *why)
{
    bool late = false;
    while (!late && monitor->rounds_ended < check->bad &&
           !(monitor->rounds_ended >= check->good && monitor->problem.text[0] == '\0')) {
        pthread_cond_signal(&monitor->wake);
        late = !clock_cond_wait(&monitor->ended, &monitor->lock, check->give_up);
    }
    if (late)
        why_set(why, "The database does not respond. Try again in a few seconds.");
    else
        *why = monitor->problem;
    return why->text[0] == '\0';
}

void
postgres_ping_begin(struct db *db, struct db_ping *out)
{
    struct postgres_monitor *monitor = ((struct postgres_store *)db)->monitor;
    if (monitor == NULL)
        return;
    pthread_mutex_lock(&monitor->lock);
    *out = begin_check(monitor);
    pthread_mutex_unlock(&monitor->lock);
}

enum err
postgres_ping_end(struct db *db, const struct db_ping *begun, struct why *why)
{
    struct postgres_monitor *monitor = ((struct postgres_store *)db)->monitor;
    if (monitor == NULL)
        return db_ping_by_query(db);
    pthread_mutex_lock(&monitor->lock);
    if (wait_for_round(monitor, begun, why))
        *why = monitor->clock.text[0] != '\0' ? monitor->clock : monitor->blocked;
    pthread_mutex_unlock(&monitor->lock);
    return why->text[0] == '\0' ? ERR_NONE : ERR_UNAVAILABLE;
}

bool
postgres_monitor_confirms(struct postgres_store *store, const char *incarnation)
{
    struct postgres_monitor *monitor = store->monitor;
    struct why unused = { 0 };
    if (monitor == NULL || incarnation[0] == '\0')
        return false;
    pthread_mutex_lock(&monitor->lock);
    struct db_ping check = begin_check(monitor);
    bool same =
        wait_for_round(monitor, &check, &unused) && strcmp(monitor->incarnation, incarnation) == 0;
    pthread_mutex_unlock(&monitor->lock);
    return same;
}

bool
postgres_monitor_is_down(struct db *db)
{
    struct postgres_monitor *monitor = ((struct postgres_store *)db)->monitor;
    if (monitor == NULL)
        return false;
    pthread_mutex_lock(&monitor->lock);
    bool hangs = monitor->rounds > monitor->rounds_ended &&
                 clock_ticks_ns() - monitor->round_began > LATE_MS * (int64_t)1000000;
    bool down = hangs || monitor->problem.text[0] != '\0';
    pthread_mutex_unlock(&monitor->lock);
    return down;
}

bool
postgres_monitor_is_silent(struct db *db)
{
    struct postgres_monitor *monitor = ((struct postgres_store *)db)->monitor;
    return monitor != NULL &&
           clock_ticks_ns() - atomic_load(&monitor->answered_at) > SILENT_MS * (int64_t)1000000;
}

void
postgres_monitor_start(struct postgres_store *store)
{
    struct postgres_monitor *monitor = memory_alloc(1, sizeof *monitor);
    monitor->store = store;
    monitor->answered_at = clock_ticks_ns();
    pthread_mutex_init(&monitor->lock, NULL);
    pthread_cond_init(&monitor->wake, NULL);
    pthread_cond_init(&monitor->ended, NULL);
    pthread_mutex_lock(&monitor->lock);
    next_round(monitor); /* the clock is right before the first request */
    pthread_mutex_unlock(&monitor->lock);
    if (background_thread(&monitor->thread, run, monitor)) {
        store->monitor = monitor;
    } else {
        postgres_disconnect(monitor->connection);
        free(monitor);
    }
}

void
postgres_monitor_stop(struct postgres_store *store)
{
    struct postgres_monitor *monitor = store->monitor;
    if (monitor == NULL)
        return;
    pthread_mutex_lock(&monitor->lock);
    monitor->stopping = true;
    pthread_cond_signal(&monitor->wake);
    pthread_mutex_unlock(&monitor->lock);
    pthread_join(monitor->thread, NULL);
    postgres_disconnect(monitor->connection);
    pthread_cond_destroy(&monitor->wake);
    pthread_cond_destroy(&monitor->ended);
    pthread_mutex_destroy(&monitor->lock);
    free(monitor);
    store->monitor = NULL;
    if (!is_part(store))
        clock_follow_ns(0);
}
