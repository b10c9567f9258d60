/* background.h - a thread that works in rounds until it is stopped.
 *
 *     struct job { struct background background; ... };
 *     static void *run(void *job)   { while (!background_wait(&job->background, 1000)) ...; }
 *     background_start(&job->background, run, job);
 *     background_stop(&job->background);
 *
 * The caller owns the struct and keeps it until background_stop() returns. Start and stop are
 * called by one thread, wait by the started thread, is_stopping by any. */
#ifndef BASE_BACKGROUND_H
#define BASE_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct background {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping;
};

/* The thread has all signals blocked, because only the main thread handles them. False if the
 * system refuses a thread; then nothing is to be stopped. */
bool background_start(struct background *background, void *(*run)(void *), void *argument);

/* Waits `ms` milliseconds, or until background_stop() is called. True if the thread must stop. */
bool background_wait(struct background *background, int64_t ms);
bool background_is_stopping(struct background *background);

/* Ends a wait and joins the thread. */
void background_stop(struct background *background);

/* For threads that wait in another way: starts a thread with all signals blocked, which the caller
 * joins, or one that ends by itself and is never joined, because its call cannot be interrupted.
 * False if the system refuses a thread. */
bool background_thread(pthread_t *thread, void *(*run)(void *), void *argument);
bool background_detach(void *(*run)(void *), void *argument);

#endif
