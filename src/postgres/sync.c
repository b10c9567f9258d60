/* sync.c - asks PostgreSQL what changed, once for all requests that wait.
 *
 * One connection of its own. While the server answers within a fraction of a millisecond, the HTTP
 * thread asks (postgres_sync_now()): it answers its waiting requests with that, and no thread is
 * woken. Otherwise requests wait without a thread, and a thread of this file asks. The question
 * carries the snapshot of the last answer; the answer is the current snapshot, and the change rows
 * that are visible now and were not visible then: those of transactions that began later, or were
 * running. Transactions commit in another order than they begin, so a single number could not tell
 * what is new. docs/CONSISTENCY.md has the argument.
 *
 * Everything cached is dropped if the answer may be incomplete: after the first answer of a
 * connection, from another incarnation of the server, or if old rows were deleted in between. */
#include "postgres/postgres.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PACE_NS \
    200000 /* between the beginnings of two questions; an idle server is asked at once */
#define QUICK_NS 400000       /* as long an HTTP thread waits for an answer */
#define PAUSE_MIN_NS 16000000 /* after a later answer no HTTP thread asks, at first for so long */
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
#define QUESTION                                                                     \
    STATE("COUNT(c.slots)", "string_agg(c.slots, ' ')")                              \
    " FROM ((SELECT slots FROM store_change WHERE xid >= pg_snapshot_xmax(" LAST ")" \
    " ORDER BY xid LIMIT " TEXT_OF(                                                  \
        CHANGES_MAX) " + 1)"                                                         \
                     " UNION ALL SELECT slots FROM store_change"                     \
                     " WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip(" LAST ")))) c"
static const struct postgres_statement question = { "store_sync", QUESTION };

/* For half the price: whether there is anything to ask. While the snapshot stays the same, no
 * transaction that changes rows has begun or ended. */
#define BRIEF STATE("0", "NULL")
static const struct postgres_statement brief = { "store_sync_brief", BRIEF };

/* A dump of another server has rows of transactions that do not exist here yet. */
static const char removal[] =
    "DELETE FROM store_change WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())";

/* A promoted replica says which commit it received last, until it is restarted. The first node that
 * uses it records it, before any request does. */
static const char note_lost[] =
    "INSERT INTO lost_writes (timeline, lost_from, lost_until)"
    " SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),"
    " floor(EXTRACT(EPOCH FROM last)), ceil(EXTRACT(EPOCH FROM clock_timestamp()))"
    " FROM pg_last_xact_replay_timestamp() last WHERE last IS NOT NULL"
    " ON CONFLICT (timeline) DO NOTHING";
static const char preparation[] = "SET plan_cache_mode = force_generic_plan;"
                                  "PREPARE store_sync AS " QUESTION ";"
                                  "PREPARE store_sync_brief AS " BRIEF;

struct postgres_syncer {
    struct postgres_store *store;
    _Atomic uint64_t asked;    /* number of the last question, counted before it is sent */
    _Atomic uint64_t answered; /* number of the last one that was answered and applied */
    _Atomic bool doubted;      /* a pool connection leads to another server */

    pthread_mutex_t asking; /* protects what follows */
    struct postgres_connection *connection;
    char *snapshot; /* of the last answer; NULL: none on this connection */
    struct touched touched;
    int64_t began;              /* the last question */
    int64_t connect_after;      /* no attempt before it */
    int64_t pause, quick_after; /* no HTTP thread asks before it; the pause before that */
    bool unread;                /* the answer to the last question was not read yet */
    bool unchanged;             /* the last answer had the same snapshot as the one before */
    bool is_brief;              /* the last question was */

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct db_sync *first, **end; /* waiting for the next question */
    bool stopping;
    struct db_sync beat; /* see postgres_sync_beat() */
    _Atomic bool beating;
};

/* ---- one answer ---- */

static void
forget_snapshot(struct postgres_syncer *syncer)
{
    free(syncer->snapshot);
    syncer->snapshot = NULL;
}

static void
leave(struct postgres_syncer *syncer)
{
    forget_snapshot(syncer);
    postgres_disconnect(syncer->connection);
    syncer->connection = NULL;
    syncer->unread = false;
}

static bool
knows(struct postgres_store *store, const char *incarnation)
{
    pthread_mutex_lock(&store->lock);
    bool same = strcmp(store->incarnation, incarnation) == 0;
    pthread_mutex_unlock(&store->lock);
    return same;
}

/* False: the incarnation is the known one. */
static bool
set_incarnation(struct postgres_store *store, const char *incarnation)
{
    pthread_mutex_lock(&store->lock);
    bool differs = strcmp(store->incarnation, incarnation) != 0;
    if (differs) {
        snprintf(store->incarnation, sizeof store->incarnation, "%s", incarnation);
        atomic_fetch_add(&store->incarnations, 1);
    }
    pthread_mutex_unlock(&store->lock);
    return differs;
}

/* Reads into `touched` and raises versions before anyone is told. */
static void
apply(struct postgres_syncer *syncer, const PGresult *result)
{
    struct postgres_store *store = syncer->store;
    struct touched *touched = &syncer->touched;
    int64_t count = 0;
    bool moved = set_incarnation(store, PQgetvalue(result, 0, 4));
    bool readable = str_to_int(str_of(PQgetvalue(result, 0, 2)), 0, CHANGES_MAX, &count);
    if (moved || syncer->snapshot == NULL || !readable)
        touched->all = true;
    else if (count > 0)
        postgres_changes_read(str_of(PQgetvalue(result, 0, 3)),
                              postgres_snapshot_oldest(syncer->snapshot), touched);
    if (touched->all) {
        atomic_fetch_add(&store->drops, 1);
        log_debug("store_cache_dropped", log_number("changes", count));
    }
    if (touched_any(touched))
        versions_raise(store->versions, touched);
    if (moved && atomic_load(&store->incarnations) > 1)
        postgres_pool_renew(store);
    if (syncer->snapshot == NULL || strcmp(syncer->snapshot, PQgetvalue(result, 0, 0)) != 0) {
        forget_snapshot(syncer);
        syncer->snapshot = strdup(PQgetvalue(result, 0, 0));
    }
}

/* ---- one question ---- */

/* The server gives up first, so that it does not wait for a lock for good. */
static bool
prepare(struct postgres_connection *connection)
{
    char limit[64];
    snprintf(limit, sizeof limit, "SET statement_timeout = %lld",
             (long long)connection->deadline_ms * 9 / 10);
    if (!postgres_find_pooler(connection))
        return false;
    if (!connection->pooled && !postgres_command(connection, limit))
        return false;
    return postgres_command(connection, removal) &&
           (connection->pooled || postgres_command(connection, preparation));
}

static bool
connect_server(struct postgres_syncer *syncer)
{
    struct postgres_store *store = syncer->store;
    struct why why = { 0 };
    if (clock_ticks_ns() < syncer->connect_after)
        return false;
    syncer->connection = postgres_connect(store, store->deadline_ms, &why);
    if (syncer->connection != NULL && prepare(syncer->connection))
        return true;
    log_warn("store_connect_failed", log_text("problem", str_of(why.text)));
    syncer->connect_after = postgres_until(RECONNECT_MS);
    leave(syncer);
    return false;
}

static bool
send_question(struct postgres_syncer *syncer)
{
    const char *values[] = { syncer->snapshot };
    atomic_store(&syncer->asked, atomic_fetch_add(&syncer->store->versions->questions, 1) + 1);
    syncer->began = clock_ticks_ns();
    syncer->is_brief = syncer->unchanged && syncer->snapshot != NULL;
    syncer->unread = postgres_send(syncer->connection, syncer->is_brief ? &brief : &question,
                                   values, NULL, NULL, syncer->is_brief ? 0 : 1);
    return syncer->unread;
}

enum reply { FAILED, ASK_AGAIN, ANSWERED };

/* ASK_AGAIN: the brief question was not enough. */
static enum reply
read_answer(struct postgres_syncer *syncer)
{
    enum reply reply = FAILED;
    int64_t time = 0;
    PGresult *result = postgres_collect(syncer->connection);
    syncer->unread = false;
    if (PQresultStatus(result) == PGRES_TUPLES_OK && !PQgetisnull(result, 0, 4) &&
        str_to_int(str_of(PQgetvalue(result, 0, 1)), 0, INT64_MAX / 1000, &time)) {
        syncer->unchanged =
            syncer->snapshot != NULL && strcmp(syncer->snapshot, PQgetvalue(result, 0, 0)) == 0;
        reply = syncer->is_brief && !syncer->unchanged ? ASK_AGAIN : ANSWERED;
    }
    if (reply == ANSWERED && !knows(syncer->store, PQgetvalue(result, 0, 4)) &&
        !postgres_command(syncer->connection, note_lost))
        reply = FAILED;
    if (reply == ANSWERED) {
        struct why unused = { 0 };
        postgres_clock_check(time * 1000, syncer->began, &unused);
        apply(syncer, result);
        atomic_store(&syncer->answered, atomic_load(&syncer->asked));
        atomic_fetch_add_explicit(&syncer->store->syncs, 1, memory_order_relaxed);
    }
    PQclear(result);
    return reply;
}

/* Whether the last answer serves all of them. */
static bool
serves(const struct postgres_syncer *syncer, const struct db_sync *first)
{
    uint64_t answered = atomic_load(&syncer->answered);
    for (; first != NULL; first = first->next)
        if (first->ticket >= answered)
            return false;
    return true;
}

/* An answer that an HTTP thread did not wait for comes first. */
static bool
ask(struct postgres_syncer *syncer, const struct db_sync *first)
{
    enum reply reply = ASK_AGAIN;
    if (syncer->unread) {
        reply = read_answer(syncer);
        if (reply == ANSWERED && !serves(syncer, first))
            reply = ASK_AGAIN;
    }
    while (reply == ASK_AGAIN)
        reply = send_question(syncer) ? read_answer(syncer) : FAILED;
    return reply == ANSWERED;
}

/* A connection that was closed while it was idle is replaced at once. */
static enum err
run_question(struct postgres_syncer *syncer, const struct db_sync *first)
{
    if (atomic_exchange(&syncer->doubted, false))
        leave(syncer);
    for (int attempt = 0; attempt < 2; attempt++) {
        bool is_new = syncer->connection == NULL;
        if (is_new && !connect_server(syncer))
            return ERR_UNAVAILABLE;
        if (ask(syncer, first))
            return ERR_NONE;
        bool closed = PQstatus(syncer->connection->handle) != CONNECTION_OK;
        leave(syncer);
        if (is_new || !closed)
            break; /* it missed its deadline, or cannot answer: the caller has waited enough */
    }
    return ERR_UNAVAILABLE;
}

/* ---- asked by an HTTP thread ---- */

/* Whether the answer is there before QUICK_NS have passed. */
static bool
has_arrived(const struct postgres_syncer *syncer)
{
    PGconn *handle = syncer->connection->handle;
    for (;;) {
        if (PQflush(handle) != 0)
            return false;
        if (!PQisBusy(handle))
            return true;
        int64_t left = syncer->began + QUICK_NS - clock_ticks_ns();
        struct timespec timeout = { 0, left };
        struct pollfd fd = { .fd = PQsocket(handle), .events = POLLIN };
        if (left <= 0 || ppoll(&fd, 1, &timeout, NULL) <= 0 || !PQconsumeInput(handle))
            return false;
    }
}

/* The answer was late, or other processes kept this thread from reading it: on a busy core, a
 * thread that waits loses its turn. */
static void
pause_if_slow(struct postgres_syncer *syncer)
{
    int64_t now = clock_ticks_ns(), longer = syncer->pause * 2 + PAUSE_MIN_NS;
    if (now - syncer->began < QUICK_NS) {
        syncer->pause -= syncer->pause / 8;
        return;
    }
    syncer->pause = longer < PAUSE_MAX_NS ? longer : PAUSE_MAX_NS;
    syncer->quick_after = now + syncer->pause;
}

/* Problems are left to the thread. */
static void
ask_quickly(struct postgres_syncer *syncer)
{
    int64_t now = clock_ticks_ns();
    enum reply reply = ASK_AGAIN;
    if (syncer->snapshot == NULL || syncer->unread || atomic_load(&syncer->doubted) ||
        now < syncer->began + PACE_NS || now < syncer->quick_after)
        return;
    while (reply == ASK_AGAIN && send_question(syncer)) {
        bool arrived = has_arrived(syncer);
        pause_if_slow(syncer);
        if (!arrived)
            return;
        reply = read_answer(syncer);
    }
    if (reply == FAILED)
        leave(syncer);
}

uint64_t
postgres_sync_ticket(struct db *db)
{
    return atomic_load(&((struct postgres_store *)db)->versions->questions);
}

bool
postgres_sync_now(struct db *db, uint64_t ticket, int shard)
{
    (void)shard;
    struct postgres_store *store = (struct postgres_store *)db;
    struct postgres_syncer *syncer = store->syncer;
    if (syncer == NULL)
        return false;
    if (atomic_load(&syncer->answered) <= ticket && pthread_mutex_trylock(&syncer->asking) == 0) {
        ask_quickly(syncer);
        pthread_mutex_unlock(&syncer->asking);
    }
    bool synced = atomic_load(&syncer->answered) > ticket;
    if (synced)
        atomic_fetch_add_explicit(&store->synced, 1, memory_order_relaxed);
    return synced;
}

/* ---- the thread ---- */

static void
finish(struct db_sync *first, enum err err)
{
    struct db_sync *next;
    for (struct db_sync *at = first; at != NULL; at = next) {
        next = at->next; /* the struct may be gone after done() */
        at->done(at, err);
    }
}

/* Call with the lock held. */
static struct db_sync *
take_all(struct postgres_syncer *syncer)
{
    struct db_sync *first = syncer->first;
    syncer->first = NULL;
    syncer->end = &syncer->first;
    return first;
}

static void
keep_pace(struct postgres_syncer *syncer)
{
    pthread_mutex_lock(&syncer->asking);
    int64_t at = syncer->unread ? 0 : syncer->began + PACE_NS;
    pthread_mutex_unlock(&syncer->asking);
    struct timespec until = { at / 1000000000, at % 1000000000 };
    if (clock_ticks_ns() < at)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void *
run(void *argument)
{
    struct postgres_syncer *syncer = argument;
    pthread_mutex_lock(&syncer->lock);
    while (!syncer->stopping) {
        if (syncer->first == NULL) {
            pthread_cond_wait(&syncer->wake, &syncer->lock);
            continue;
        }
        pthread_mutex_unlock(&syncer->lock);
        keep_pace(syncer);
        pthread_mutex_lock(&syncer->lock);
        struct db_sync *asked = take_all(syncer); /* all of them began before the question */
        pthread_mutex_unlock(&syncer->lock);
        pthread_mutex_lock(&syncer->asking);
        enum err err = run_question(syncer, asked);
        pthread_mutex_unlock(&syncer->asking);
        finish(asked, err);
        pthread_mutex_lock(&syncer->lock);
        if (err) { /* those that came meanwhile would wait as long again */
            struct db_sync *late = take_all(syncer);
            pthread_mutex_unlock(&syncer->lock);
            finish(late, err);
            pthread_mutex_lock(&syncer->lock);
        }
    }
    struct db_sync *left = take_all(syncer);
    pthread_mutex_unlock(&syncer->lock);
    finish(left, ERR_UNAVAILABLE);
    return NULL;
}

void
postgres_sync(struct db *db, struct db_sync *sync)
{
    struct postgres_store *store = (struct postgres_store *)db;
    struct postgres_syncer *syncer = store->syncer;
    if (syncer == NULL) {
        sync->done(sync, ERR_UNAVAILABLE);
        return;
    }
    sync->next = NULL;
    atomic_fetch_add_explicit(&store->synced, 1, memory_order_relaxed);
    pthread_mutex_lock(&syncer->lock);
    bool was_empty = syncer->first == NULL;
    *syncer->end = sync;
    syncer->end = &sync->next;
    pthread_mutex_unlock(&syncer->lock);
    if (was_empty)
        pthread_cond_signal(&syncer->wake);
}

static void
beat_done(struct db_sync *sync, enum err err)
{
    struct postgres_syncer *syncer =
        (struct postgres_syncer *)((char *)sync - offsetof(struct postgres_syncer, beat));
    (void)err;
    atomic_store(&syncer->beating, false);
}

void
postgres_sync_beat(struct postgres_store *store)
{
    struct postgres_syncer *syncer = store->syncer;
    if (syncer == NULL || atomic_exchange(&syncer->beating, true))
        return;
    syncer->beat.done = beat_done;
    syncer->beat.ticket = postgres_sync_ticket(&store->db);
    postgres_sync(&store->db, &syncer->beat);
}

bool
postgres_sync_is_same_server(struct postgres_connection *connection)
{
    struct postgres_store *store = connection->store;
    uint64_t current = atomic_load(&store->incarnations);
    if (connection->confirmed == current) /* 0: nothing is cached */
        return true;
    pthread_mutex_lock(&store->lock);
    bool same = strcmp(connection->incarnation, store->incarnation) == 0;
    if (same)
        connection->confirmed = atomic_load(&store->incarnations);
    pthread_mutex_unlock(&store->lock);
    if (!same && store->syncer != NULL)
        atomic_store(&store->syncer->doubted, true); /* one of the two is not the primary */
    return same;
}

void
postgres_sync_start(struct postgres_store *store)
{
    sigset_t all, before;
    struct postgres_syncer *syncer = memory_alloc(1, sizeof *syncer);
    syncer->store = store;
    syncer->end = &syncer->first;
    pthread_mutex_init(&syncer->asking, NULL);
    pthread_mutex_init(&syncer->lock, NULL);
    pthread_cond_init(&syncer->wake, NULL);
    run_question(syncer, NULL); /* so that the first requests are cached */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* only the main thread handles signals */
    if (pthread_create(&syncer->thread, NULL, run, syncer) == 0)
        store->syncer = syncer;
    else {
        leave(syncer);
        free(syncer);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void
postgres_sync_stop(struct postgres_store *store)
{
    struct postgres_syncer *syncer = store->syncer;
    if (syncer == NULL)
        return;
    pthread_mutex_lock(&syncer->lock);
    syncer->stopping = true;
    pthread_cond_signal(&syncer->wake);
    pthread_mutex_unlock(&syncer->lock);
    pthread_join(syncer->thread, NULL);
    leave(syncer);
    pthread_cond_destroy(&syncer->wake);
    pthread_mutex_destroy(&syncer->lock);
    pthread_mutex_destroy(&syncer->asking);
    free(syncer);
}
