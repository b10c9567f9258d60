/* background.c - threads that wake at intervals. They block all signals, because only the main
 * thread handles them, and stop at the next background_wait(). */
#include "base/background.h"

#include "base/clock.h"

#include <signal.h>

#define NS_PER_MS 1000000

static void
destroy(struct background *background)
{
    pthread_cond_destroy(&background->wake);
    pthread_mutex_destroy(&background->lock);
}

/* Signals are blocked before the thread exists, because it inherits the mask of its creator; if it
 * blocked them itself, it could receive one before. */
bool
background_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* False: no thread could be started, and nothing needs to be stopped. */
bool
background_start(struct background *background, void *(*run)(void *), void *argument)
{
    *background = (struct background){ .stopping = false };
    pthread_mutex_init(&background->lock, NULL);
    pthread_cond_init(&background->wake, NULL);
    bool started = background_thread(&background->thread, run, argument);
    if (!started)
        destroy(background);
    return started;
}

/* For a thread that may hang in a call that cannot be cancelled: nothing waits for its end. */
bool
background_detach(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    return background_thread(&thread, run, argument) && pthread_detach(thread) == 0;
}

/* The end of the wait is computed once, so that a spurious wake-up does not prolong it. */
bool
background_wait(struct background *background, int64_t ms)
{
    int64_t until = clock_ticks_ns() + ms * NS_PER_MS;
    bool late = false;
    pthread_mutex_lock(&background->lock);
    while (!background->stopping && !late)
        late = !clock_cond_wait(&background->wake, &background->lock, until);
    bool stopping = background->stopping;
    pthread_mutex_unlock(&background->lock);
    return stopping;
}

bool
background_is_stopping(struct background *background)
{
    pthread_mutex_lock(&background->lock);
    bool stopping = background->stopping;
    pthread_mutex_unlock(&background->lock);
    return stopping;
}

/* Waits until the current step of the thread has ended. */
void
background_stop(struct background *background)
{
    pthread_mutex_lock(&background->lock);
    background->stopping = true;
    pthread_cond_signal(&background->wake);
    pthread_mutex_unlock(&background->lock);
    pthread_join(background->thread, NULL);
    destroy(background);
}
