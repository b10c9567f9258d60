/* watch.c - opens the databases that were missing when the service started, and repairs replicated
 * rows. One thread; requests do not wait for it.
 *
 * A database that is missing may be another one when it answers, or have another schema. It is
 * compared, updated, and repaired as at a start, and only then used. It is repaired only while all
 * others answer. If one does not, it is used without a repair: an app cannot be changed while a
 * database is down, so that only an interrupted change, which was not acknowledged, can differ. */
#include "spread/spread.h"

#include "base/arena.h"
#include "base/background.h"
#include "base/clock.h"
#include "base/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_NS ((int64_t)1000000000)
#define REPAIR_MS 600000 /* a change that another node began may have been interrupted */
#define AGAIN_MS 10000   /* after a repair that failed */

struct spread_watch {
    struct spread_store *store;
    pthread_t thread;
    bool was_down[SPREAD_MAX];
    int64_t repair_at; /* clock_steady_ms() */
    bool one_failed;   /* the last repair */

    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t wake;
    bool stopping;
    struct why missing[SPREAD_MAX]; /* the problems of those that are not open */
    bool refused[SPREAD_MAX];       /* … which answer, but must not be used */
    struct db *repairing[SPREAD_MAX];
    size_t repairing_count;
};

/* ---- repair ---- */

/* On connections of their own, because those of the service are in use. */
static bool
open_for_repair(struct spread_watch *watch, struct why *why)
{
    struct arena *mem = arena_new();
    struct str rest = str_of(watch->store->addresses);
    struct db_settings settings = { .connections = 1, .deadline_ms = watch->store->deadline_ms };
    bool opened = true;
    while (opened && (settings.address = spread_next_address(mem, &rest)) != NULL) {
        struct db *db = NULL;
        opened = db_driver_of(settings.address)->open(&settings, &db, why) == ERR_NONE;
        /* In the list, so that spread_watch_interrupt() can end a statement that waits. */
        pthread_mutex_lock(&watch->lock);
        if (opened)
            watch->repairing[watch->repairing_count++] = db;
        opened = opened && !watch->stopping;
        pthread_mutex_unlock(&watch->lock);
    }
    arena_free(mem);
    return opened;
}

static void
close_after_repair(struct spread_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    size_t count = watch->repairing_count;
    watch->repairing_count = 0;
    pthread_mutex_unlock(&watch->lock);
    for (size_t i = 0; i < count; i++)
        watch->repairing[i]->driver->close(watch->repairing[i]);
}

static bool
repair(struct spread_watch *watch)
{
    struct why why = { 0 };
    bool is_restored;
    enum err err = ERR_UNAVAILABLE;
    if (open_for_repair(watch, &why))
        err = spread_repair(watch->repairing, watch->store->count, &is_restored, &why);
    close_after_repair(watch);
    if (err && !watch->one_failed)
        log_warn("store_repair_failed", log_text("problem", str_of(why.text)));
    watch->one_failed = err != ERR_NONE;
    watch->repair_at = clock_steady_ms() + (err ? AGAIN_MS : REPAIR_MS);
    return err == ERR_NONE;
}

static bool
others_are_up(const struct spread_store *store, size_t except)
{
    for (size_t i = 0; i < store->count; i++)
        if (i != except && spread_is_down(store, i))
            return false;
    return true;
}

/* ---- databases that are missing ---- */

/* Logs a problem once, not every second. */
static void
set_missing(struct spread_watch *watch, size_t database, enum err err, const struct why *why)
{
    pthread_mutex_lock(&watch->lock);
    watch->refused[database] = err != ERR_UNAVAILABLE;
    bool differs = strcmp(watch->missing[database].text, why->text) != 0;
    watch->missing[database] = *why;
    pthread_mutex_unlock(&watch->lock);
    if (differs)
        log_error("store_database_missing", log_number("database", (int64_t)database + 1),
                  log_text("problem", str_of(why->text)),
                  log_text("effect", STR("its users get 503 until it can be used")));
}

static void
open_missing(struct spread_watch *watch, size_t database)
{
    struct spread_store *store = watch->store;
    struct why why = { 0 };
    enum err err = spread_check(store, database, false, &why);
    bool repairs = !err && others_are_up(store, database);
    if (repairs && !repair(watch)) {
        why_set(&why, "store: it could not be compared with the other databases");
        err = ERR_UNAVAILABLE;
    }
    if (!err)
        err = spread_prepare(store, database, &why);
    if (!err)
        watch->was_down[database] = !repairs; /* then a repair is due when the others are up */
    if (err)
        set_missing(watch, database, err, &why);
    else
        log_info("store_database_opened", log_number("database", (int64_t)database + 1));
}

/* ---- the thread ---- */

static void
run_round(struct spread_watch *watch)
{
    struct spread_store *store = watch->store;
    bool is_back = false;
    spread_clock_follow(store);
    for (size_t i = 0; i < store->count; i++) {
        if (!spread_is_open(store, i))
            open_missing(watch, i);
        bool down = spread_is_down(store, i);
        is_back = is_back || (watch->was_down[i] && !down);
        watch->was_down[i] = down;
    }
    if (is_back)
        watch->repair_at = 0;
    if (clock_steady_ms() >= watch->repair_at && others_are_up(store, SPREAD_MAX))
        repair(watch);
}

static void *
run(void *argument)
{
    struct spread_watch *watch = argument;
    pthread_mutex_lock(&watch->lock);
    while (!watch->stopping) {
        clock_cond_wait(&watch->wake, &watch->lock, clock_ticks_ns() + PAUSE_NS);
        if (watch->stopping)
            break;
        pthread_mutex_unlock(&watch->lock);
        run_round(watch);
        pthread_mutex_lock(&watch->lock);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

void
spread_watch_start(struct spread_store *store, const struct why *missing, bool repaired)
{
    struct spread_watch *watch = memory_alloc(1, sizeof *watch);
    watch->store = store;
    watch->repair_at = clock_steady_ms() + (repaired ? REPAIR_MS : AGAIN_MS);
    pthread_mutex_init(&watch->lock, NULL);
    pthread_cond_init(&watch->wake, NULL);
    for (size_t i = 0; i < store->count; i++) {
        watch->was_down[i] = !spread_is_open(store, i);
        if (watch->was_down[i])
            set_missing(watch, i, ERR_UNAVAILABLE, &missing[i]);
    }
    if (background_thread(&watch->thread, run, watch))
        store->watch = watch;
    else
        free(watch);
}

void
spread_watch_problem(struct spread_store *store, size_t database, struct why *out)
{
    struct spread_watch *watch = store->watch;
    if (watch == NULL)
        return;
    pthread_mutex_lock(&watch->lock);
    bool refused = watch->refused[database];
    pthread_mutex_unlock(&watch->lock);
    why_set(out, refused ? "The database answers, but must not be used. The log says why."
                         : "The database does not respond. Try again in a few seconds.");
}

void
spread_watch_interrupt(struct spread_store *store, int64_t after_ms)
{
    struct spread_watch *watch = store->watch;
    if (watch == NULL)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->stopping = true;
    for (size_t i = 0; i < watch->repairing_count; i++)
        db_interrupt(watch->repairing[i], after_ms);
    pthread_cond_signal(&watch->wake);
    pthread_mutex_unlock(&watch->lock);
}

void
spread_watch_stop(struct spread_store *store)
{
    struct spread_watch *watch = store->watch;
    if (watch == NULL)
        return;
    for (size_t i = 0; i < store->count; i++)
        if (!spread_is_open(store, i))
            db_interrupt(store->of[i], 0);
    spread_watch_interrupt(store, 0);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->wake);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
    store->watch = NULL;
}
