#include "app/housekeeping.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "flow/tokens.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define ROUND_MS (60 * 1000) /* from the end of one round to the next */
#define STEP_MS 100          /* between two steps of a round: others write, too */
#define LOOK_MS 500          /* how often it looks at the clock, which a rehearsal may move */

struct housekeeping {
    struct db *db;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stop;
    bool stopping;
};

/* True when it is time to end. */
static bool
wait_for(struct housekeeping *housekeeping, int64_t ms)
{
    int64_t until = clock_steady_ms() + ms;
    pthread_mutex_lock(&housekeeping->lock);
    while (!housekeeping->stopping && clock_steady_ms() < until) {
        struct timespec look;
        int64_t pause = ms < LOOK_MS ? ms : LOOK_MS;
        clock_gettime(CLOCK_REALTIME, &look);
        look.tv_nsec += (long)(pause * 1000000);
        look.tv_sec += look.tv_nsec / 1000000000;
        look.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&housekeeping->stop, &housekeeping->lock, &look);
    }
    bool stopping = housekeeping->stopping;
    pthread_mutex_unlock(&housekeeping->lock);
    return stopping;
}

static void *
keep_house(void *argument)
{
    struct housekeeping *housekeeping = argument;
    struct arena *mem = arena_new();
    while (!wait_for(housekeeping, ROUND_MS)) {
        bool more = true;
        while (more && !wait_for(housekeeping, STEP_MS)) {
            if (token_clean(housekeeping->db, mem, clock_now(), &more) != ERR_NONE)
                more = false; /* the store is away: the next round tries again */
            arena_reset(mem);
        }
    }
    arena_free(mem);
    return NULL;
}

struct housekeeping *
housekeeping_start(struct db *db)
{
    sigset_t all, before;
    struct housekeeping *housekeeping = memory_alloc(1, sizeof *housekeeping);
    housekeeping->db = db;
    pthread_mutex_init(&housekeeping->lock, NULL);
    pthread_cond_init(&housekeeping->stop, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the main thread's business */
    int failed = pthread_create(&housekeeping->thread, NULL, keep_house, housekeeping);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed == 0)
        return housekeeping;
    log_warn("no thread for removing what is over");
    free(housekeeping);
    return NULL;
}

void
housekeeping_stop(struct housekeeping *housekeeping)
{
    if (housekeeping == NULL)
        return;
    pthread_mutex_lock(&housekeeping->lock);
    housekeeping->stopping = true;
    pthread_cond_signal(&housekeeping->stop);
    pthread_mutex_unlock(&housekeeping->lock);
    pthread_join(housekeeping->thread, NULL);
    pthread_cond_destroy(&housekeeping->stop);
    pthread_mutex_destroy(&housekeeping->lock);
    free(housekeeping);
}
