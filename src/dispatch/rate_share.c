#include "dispatch/rate_share.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "crypt/random.h"
#include "dispatch/throttle.h"
#include "store/session_store.h"
#include "store/tx.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#define PAUSE_MS 1000
#define VALID_SECONDS 3 /* a node that stopped counts so long */

struct rate_share {
    struct arena *mem;
    struct db *db;
    struct throttle *throttle;
    int64_t node;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping;
};

struct round {
    struct arena *mem;
    int64_t node, now;
    struct throttle_busy list[THROTTLE_BUSY_MAX];
    size_t count;
};

static enum err
exchange(struct db_tx *tx, void *argument)
{
    struct round *round = argument;
    enum err err = ERR_NONE;
    for (size_t i = 0; i < round->count && !err; i++) {
        struct throttle_busy *one = &round->list[i];
        err = rate_store_put(tx, round->mem, one->key, round->node, one->calls,
                             round->now + VALID_SECONDS);
        if (!err)
            err = rate_store_find(tx, round->mem, one->key, round->node, round->now, &one->others);
    }
    return err;
}

static void
run_round(struct rate_share *share, struct arena *mem)
{
    struct round *round = ARENA_NEW(mem, struct round);
    round->mem = mem;
    round->node = share->node;
    round->now = clock_now();
    round->count = throttle_list_busy(share->throttle, round->list, THROTTLE_BUSY_MAX);
    if (round->count > 0 && tx_write(share->db, exchange, round) == ERR_NONE)
        throttle_set_others(share->throttle, round->list, round->count);
    arena_reset(mem);
}

/* True if the thread must stop. */
static bool
pause_round(struct rate_share *share)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PAUSE_MS / 1000;
    pthread_mutex_lock(&share->lock);
    while (!share->stopping &&
           pthread_cond_clockwait(&share->wake, &share->lock, CLOCK_MONOTONIC, &until) == 0)
        ;
    bool stopping = share->stopping;
    pthread_mutex_unlock(&share->lock);
    return stopping;
}

static void *
run(void *argument)
{
    struct rate_share *share = argument;
    struct arena *mem = arena_new();
    while (!pause_round(share))
        run_round(share, mem);
    arena_free(mem);
    return NULL;
}

struct rate_share *
rate_share_start(struct db *db, struct throttle *throttle)
{
    sigset_t all, before;
    struct arena *mem = arena_new();
    struct rate_share *share = ARENA_NEW(mem, struct rate_share);
    *share = (struct rate_share){ .mem = mem, .db = db, .throttle = throttle };
    random_bytes(&share->node, sizeof share->node);
    pthread_mutex_init(&share->lock, NULL);
    pthread_cond_init(&share->wake, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* only the main thread handles signals */
    int failed = pthread_create(&share->thread, NULL, run, share);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed == 0)
        return share;
    log_warn("rate_share_not_started");
    arena_free(mem);
    return NULL;
}

void
rate_share_stop(struct rate_share *share)
{
    if (share == NULL)
        return;
    pthread_mutex_lock(&share->lock);
    share->stopping = true;
    pthread_cond_signal(&share->wake);
    pthread_mutex_unlock(&share->lock);
    pthread_join(share->thread, NULL);
    pthread_cond_destroy(&share->wake);
    pthread_mutex_destroy(&share->lock);
    arena_free(share->mem); /* `share` itself is in it */
}
