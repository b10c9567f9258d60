#include "unit/assert_str.h"

#include "base/background.h"

#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#define HOUR_MS ((int64_t)60 * 60 * 1000)

static struct {
    struct background background;
    int64_t pause_ms;
    sem_t began, round;
    bool ended_by_stop, hears_signals;
} job;

static void *
work(void *unused)
{
    (void)unused;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    job.hears_signals = !sigismember(&blocked, SIGTERM) || !sigismember(&blocked, SIGUSR1);
    sem_post(&job.began);
    while (!background_wait(&job.background, job.pause_ms))
        sem_post(&job.round);
    job.ended_by_stop = background_is_stopping(&job.background);
    return NULL;
}

static void
start(int64_t pause_ms)
{
    sem_init(&job.began, 0, 0);
    sem_init(&job.round, 0, 0);
    job.pause_ms = pause_ms;
    job.ended_by_stop = false;
    assert_true(background_start(&job.background, work, NULL));
    sem_wait(&job.began);
}

static void
a_thread_works_in_rounds_until_it_is_stopped(void **state)
{
    (void)state;
    start(1);
    for (int i = 0; i < 3; i++)
        sem_wait(&job.round);
    assert_false(background_is_stopping(&job.background));
    background_stop(&job.background);
    assert_true(job.ended_by_stop);
}

/* Otherwise SIGALRM ends the test. The pause lets the thread begin to wait: a thread that was asked
 * before needs no signal. */
static void
stopping_ends_a_long_wait(void **state)
{
    (void)state;
    start(HOUR_MS);
    usleep(100 * 1000);
    alarm(60);
    background_stop(&job.background);
    alarm(0);
    int rounds = -1;
    sem_getvalue(&job.round, &rounds);
    assert_int_equal(rounds, 0);
    assert_true(job.ended_by_stop);
}

static void
a_wait_of_zero_returns_at_once(void **state)
{
    (void)state;
    start(0);
    sem_wait(&job.round);
    background_stop(&job.background);
    assert_true(job.ended_by_stop);
}

static void
the_thread_handles_no_signals_and_the_caller_still_does(void **state)
{
    (void)state;
    sigset_t blocked;
    start(HOUR_MS);
    background_stop(&job.background);
    assert_false(job.hears_signals);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGTERM));
}

static void *
work_once(void *unused)
{
    (void)unused;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    job.hears_signals = !sigismember(&blocked, SIGTERM);
    sem_post(&job.began);
    return NULL;
}

static void
a_detached_thread_handles_no_signals_either(void **state)
{
    (void)state;
    sigset_t blocked;
    sem_init(&job.began, 0, 0);
    job.hears_signals = true;
    assert_true(background_detach(work_once, NULL));
    sem_wait(&job.began);
    assert_false(job.hears_signals);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGTERM));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_works_in_rounds_until_it_is_stopped),
        cmocka_unit_test(stopping_ends_a_long_wait),
        cmocka_unit_test(a_wait_of_zero_returns_at_once),
        cmocka_unit_test(the_thread_handles_no_signals_and_the_caller_still_does),
        cmocka_unit_test(a_detached_thread_handles_no_signals_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
