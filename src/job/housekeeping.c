/* housekeeping.c - one thread with one loop, which wakes up twice a second.
 *
 * In each turn: counters if they are due, then hint sets, then the state of the clock, and once a
 * minute a round of deletion. A long round must not delay the counters, which have a fixed size, so
 * each of its steps also looks whether they are due. All work is done in short transactions with
 * pauses in between, because on SQLite there is one writer and requests wait for it. An error ends
 * a step, never the thread: each kind of work is tried again by itself. */
#include "job/housekeeping.h"

#include "base/arena.h"
#include "base/background.h"
#include "base/clock.h"
#include "base/fault_injection.h"
#include "base/log.h"
#include "base/timekeeper.h"
#include "job/activity.h"
#include "job/activity_counters.h"
#include "job/expiry.h"
#include "job/rebuild.h"
#include "job/usage.h"
#include "job/usage_counters.h"
#include "store/activity_store.h"
#include "store/app_store.h"
#include "store/draft_store.h"
#include "credential/grant_store.h"
#include "store/housekeeping_store.h"
#include "credential/lookup_claims.h"
#include "credential/passkey_store.h"
#include "credential/recovery_store.h"
#include "credential/session_store.h"
#include "store/refusal_store.h"
#include "store/tx.h"
#include "store/undo_store.h"
#include "store/usage_store.h"
#include "store/user_store.h"

#include <stdlib.h>

#define ROUND_MS (60 * 1000) /* from the end of one round of deletion to the next */
#define CLOCK_SECONDS 60     /* between two writes of the state of the clock */
#define WRITE_MS (10 * 1000) /* between two writes of usage counters */
#define STEP_MS 100          /* at most between two steps of a round, so that requests can write */
#define REBUILD_MS 20        /* between two rebuild steps, which are short */
#define CLOCK_CHECK_MS FAULT_INJECTION_INTERVAL(500) /* fault injection may move the clock */

/* Used by the thread of housekeeping only, apart from `background`. */
struct housekeeping {
    struct db *db;
    struct usage_counters *counters;
    struct activity_counters *activity;
    struct rebuild_queue *rebuilds;
    int64_t next_write_ms;
    struct timekeeper_state clock; /* as stored */
    struct background background;
};

/* True if the thread must stop. In short pauses, because fault injection moves clock_steady_ms(),
 * which a timed wait does not notice. */
static bool
wait_for(struct housekeeping *housekeeping, int64_t ms)
{
    int64_t until = clock_steady_ms() + ms;
    int64_t pause = ms < CLOCK_CHECK_MS ? ms : CLOCK_CHECK_MS;
    bool stopping = background_is_stopping(&housekeeping->background);
    while (!stopping && clock_steady_ms() < until)
        stopping = background_wait(&housekeeping->background, pause);
    return stopping;
}

/* An error of one does not stop the other. The arena is reset between them, since each batch can be
 * large. */
static void
write_counts(struct housekeeping *housekeeping, struct arena *mem)
{
    if (usage_write(housekeeping->db, mem, housekeeping->counters) != ERR_NONE)
        log_debug("usage_write_failed"); /* the counts stay in memory */
    arena_reset(mem);
    if (activity_write(housekeeping->db, mem, housekeeping->activity) != ERR_NONE)
        log_debug("activity_write_failed");
    arena_reset(mem);
}

/* Early if a table is half full: what does not fit is dropped. */
static void
write_counts_if_due(struct housekeeping *housekeeping, struct arena *mem)
{
    if (clock_steady_ms() < housekeeping->next_write_ms &&
        !usage_counters_nearly_full(housekeeping->counters) &&
        !activity_counters_nearly_full(housekeeping->activity))
        return;
    write_counts(housekeeping, mem);
    housekeeping->next_write_ms = clock_steady_ms() + WRITE_MS;
}

/* ---- the state of the clock ---- */

struct clock_work {
    struct arena *mem;
    struct timekeeper_state state;
};

static enum err
put_clock(struct db_tx *tx, void *argument)
{
    struct clock_work *work = argument;
    return clock_store_put(tx, work->mem, work->state);
}

/* Once per minute, and soon after the clock has jumped. Each database has the state, so that a
 * start finds it in any of them. */
static void
save_clock_if_due(struct housekeeping *housekeeping, struct arena *mem)
{
    timekeeper_deletion_time(); /* notices a jump without requests, too */
    struct clock_work work = { .mem = mem, .state = timekeeper_save() };
    if (work.state.highest < housekeeping->clock.highest + CLOCK_SECONDS &&
        work.state.set_back_at == housekeeping->clock.set_back_at)
        return;
    for (size_t i = 0; i < store_database_count(housekeeping->db); i++) {
        struct db *database = store_database(housekeeping->db, i);
        if (database != NULL && tx_write(database, put_clock, &work) == ERR_NONE)
            housekeeping->clock = work.state;
    }
    arena_reset(mem);
}

/* Before requests are served, so that a clock that was set back while the service was stopped is
 * noticed. The first start finds no state and stores one. */
static void
load_clock(struct housekeeping *housekeeping)
{
    struct arena *mem = arena_new();
    struct timekeeper_state state;
    struct db_tx *tx = tx_begin_read(housekeeping->db);
    if (tx_end_read(tx, clock_store_find(tx, mem, &state)) == ERR_NONE)
        timekeeper_load(state);
    save_clock_if_due(housekeeping, mem);
    arena_free(mem);
}

/* ---- the rounds ---- */

/* Some of these functions do other work in steps of the same kind: they note in the user's activity
 * that a grant expired, close days of activity, finish the deletion of an app, and compare lookup
 * rows with their users.
 *
 * After each step there is a pause as long as the step, so that half of the time is left for
 * requests. The number of rows follows the backlog, so that rows are deleted faster than requests
 * add them. */
static void
run_steps(struct housekeeping *housekeeping, struct arena *mem, struct db *db, expiry_delete *step)
{
    bool more = true;
    int64_t rows = EXPIRY_ROWS, pause = STEP_MS;
    while (more && !wait_for(housekeeping, pause)) {
        int64_t began = clock_ticks_ns();
        if (expiry_step(db, mem, step, timekeeper_deletion_time(), rows, &more) != ERR_NONE)
            more = false; /* the store is unavailable: the next round tries again */
        arena_reset(mem);
        int64_t took = (clock_ticks_ns() - began) / 1000000;
        rows = expiry_next_rows(rows, took);
        pause = took < STEP_MS ? took + 1 : STEP_MS;
        write_counts_if_due(housekeeping, mem);
    }
}

/* In each database by itself, except what concerns several: apps, and names of users elsewhere. */
static void
delete_expired_rows(struct housekeeping *housekeeping, struct arena *mem)
{
    static expiry_delete *const in_each[] = {
        grant_store_note_expired,      token_clean_expired,          usage_store_delete_expired,
        refusal_store_delete_expired,  undo_store_delete_expired,    draft_store_delete_expired,
        recovery_store_delete_expired, passkey_store_delete_expired, activity_store_close,
        activity_store_delete_expired, attempt_store_delete_expired,
    };
    static expiry_delete *const in_all[] = {
        app_store_delete_expired,
        app_store_finish_deletions,
        lookup_claims_settle,
    };
    struct db *db = housekeeping->db;
    for (size_t i = 0; i < store_database_count(db); i++)
        for (size_t j = 0; j < sizeof in_each / sizeof *in_each; j++) {
            struct db *database = store_database(db, i);
            if (database != NULL)
                run_steps(housekeeping, mem, database, in_each[j]);
        }
    for (size_t i = 0; i < sizeof in_all / sizeof *in_all; i++)
        run_steps(housekeeping, mem, db, in_all[i]);
}

/* Rebuilds until the queue is empty or usage counters are due. */
static void
rebuild_hints(struct housekeeping *housekeeping, struct arena *mem)
{
    for (bool more = true; more && clock_steady_ms() < housekeeping->next_write_ms;) {
        if (rebuild_step(housekeeping->db, mem, housekeeping->rebuilds, &more) != ERR_NONE)
            more = false; /* the next read of these users queues them again */
        arena_reset(mem);
        more = more && !wait_for(housekeeping, REBUILD_MS);
    }
}

/* The thread of housekeeping. Everything it does can wait, so it looks for work at intervals, one
 * thing after another. */
static void *
run(void *argument)
{
    struct housekeeping *housekeeping = argument;
    struct arena *mem = arena_new();
    int64_t next_round = clock_steady_ms() + ROUND_MS;
    housekeeping->next_write_ms = clock_steady_ms() + WRITE_MS;
    while (!wait_for(housekeeping, CLOCK_CHECK_MS)) {
        write_counts_if_due(housekeeping, mem);
        rebuild_hints(housekeeping, mem);
        save_clock_if_due(housekeeping, mem);
        if (clock_steady_ms() < next_round)
            continue;
        delete_expired_rows(housekeeping, mem);
        next_round = clock_steady_ms() + ROUND_MS;
        log_debug("housekeeping_done");
    }
    save_clock_if_due(housekeeping, mem);
    write_counts(housekeeping, mem); /* the HTTP server has stopped: these are the last */
    arena_free(mem);
    return NULL;
}

/* NULL: the service can run without it, but expired rows stay and counters are not written. */
struct housekeeping *
housekeeping_start(struct db *db, struct usage_counters *counters,
                   struct activity_counters *activity, struct rebuild_queue *rebuilds)
{
    struct housekeeping *housekeeping = memory_alloc(1, sizeof *housekeeping);
    housekeeping->db = db;
    housekeeping->counters = counters;
    housekeeping->activity = activity;
    housekeeping->rebuilds = rebuilds;
    load_clock(housekeeping);
    if (background_start(&housekeeping->background, run, housekeeping))
        return housekeeping;
    log_warn("housekeeping_not_started");
    free(housekeeping);
    return NULL;
}

/* Waits for the step that runs. The thread writes the counters before it ends. */
void
housekeeping_stop(struct housekeeping *housekeeping)
{
    if (housekeeping == NULL)
        return;
    background_stop(&housekeeping->background);
    free(housekeeping);
}
