/* rate_share.c - one thread, one transaction per second, and none if no token is busy. */
#include "dispatch/rate_share.h"

#include "base/arena.h"
#include "base/background.h"
#include "base/clock.h"
#include "base/log.h"
#include "crypt/random.h"
#include "dispatch/throttle.h"
#include "credential/session_store.h"
#include "store/tx.h"

#define PAUSE_MS 1000
#define VALID_SECONDS 3 /* a node that stopped counts so long */

struct rate_share {
    struct arena *mem;
    struct db *db;
    struct throttle *throttle;
    int64_t node;
    struct background background;
};

/* One exchange of counts with the other nodes. */
struct round {
    struct arena *mem;
    int64_t node, now;
    struct throttle_busy list[THROTTLE_BUSY_MAX];
    size_t count;
};

/* Writes this node's count and reads the sum of the others, for each busy token. */
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

/* Counts are exchanged only for callers near their limit, so the table stays small. If the store is
 * unavailable, the last counts of other nodes are used until throttle.c forgets them. */
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

/* The thread of the rate share. Its arena is reset in each round. */
static void *
run(void *argument)
{
    struct rate_share *share = argument;
    struct arena *mem = arena_new();
    while (!background_wait(&share->background, PAUSE_MS))
        run_round(share, mem);
    arena_free(mem);
    return NULL;
}

/* NULL: the limits then hold per node, which is no reason to stop the service. */
struct rate_share *
rate_share_start(struct db *db, struct throttle *throttle)
{
    struct arena *mem = arena_new();
    struct rate_share *share = ARENA_NEW(mem, struct rate_share);
    *share = (struct rate_share){ .mem = mem, .db = db, .throttle = throttle };
    /* Identifies this process among the nodes until it ends. */
    random_bytes(&share->node, sizeof share->node);
    if (background_start(&share->background, run, share))
        return share;
    log_warn("rate_share_not_started");
    arena_free(mem);
    return NULL;
}

/* NULL is allowed: with one node there is nothing to share. */
void
rate_share_stop(struct rate_share *share)
{
    if (share == NULL)
        return;
    background_stop(&share->background);
    arena_free(share->mem); /* `share` itself is in it */
}
