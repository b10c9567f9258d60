#include "unit/assert_str.h"

#include "unit/workers_kit.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>

/* A door that jobs wait behind until it is opened. */
static struct {
    sem_t arrived;
    sem_t open;
    _Atomic int done;
    int order[64];
} site;

static int
shut_the_door(void **state)
{
    (void)state;
    sem_init(&site.arrived, 0, 0);
    sem_init(&site.open, 0, 0);
    atomic_store(&site.done, 0);
    return 0;
}

static void
wait_at_the_door(void *unused)
{
    (void)unused;
    sem_post(&site.arrived);
    sem_wait(&site.open);
    atomic_fetch_add(&site.done, 1);
}

static void
note_order(void *number)
{
    site.order[atomic_load(&site.done)] = *(int *)number; /* one thread only */
    atomic_fetch_add(&site.done, 1);
}

static void
count_one(void *unused)
{
    (void)unused;
    atomic_fetch_add(&site.done, 1);
}

static void
a_full_queue_refuses(void **state)
{
    struct workers *workers = workers_start("workers", 2, 3, 0);
    (void)state;
    for (int i = 0; i < 2; i++)
        assert_true(workers_submit(workers, wait_at_the_door, NULL));
    sem_wait(&site.arrived);
    sem_wait(&site.arrived); /* both threads are busy now */
    assert_int_equal(workers_busy(workers), 2);
    assert_int_equal(workers_waiting(workers), 0);
    for (int i = 0; i < 3; i++)
        assert_true(workers_submit(workers, wait_at_the_door, NULL));
    assert_int_equal(workers_waiting(workers), 3);
    assert_false(workers_submit(workers, wait_at_the_door, NULL));
    assert_false(workers_submit(workers, wait_at_the_door, NULL));
    sem_post(&site.open);
    sem_wait(&site.arrived); /* one job has finished, and the next has begun */
    assert_true(workers_submit(workers, wait_at_the_door, NULL));
    assert_false(workers_submit(workers, wait_at_the_door, NULL));
    for (int i = 0; i < 5; i++)
        sem_post(&site.open);
    workers_stop(workers);
    assert_int_equal(site.done, 6); /* each that was taken, none that was refused */
}

static void
jobs_run_in_the_order_they_came(void **state)
{
    struct workers *workers = workers_start("workers", 1, 10, 0);
    int numbers[40];
    (void)state;
    for (int round = 0; round < 4; round++) { /* so that the ring goes around */
        assert_true(workers_submit(workers, wait_at_the_door, NULL));
        sem_wait(&site.arrived);
        int before = atomic_load(&site.done);
        for (int i = 0; i < 10; i++) {
            numbers[round * 10 + i] = i;
            assert_true(workers_submit(workers, note_order, &numbers[round * 10 + i]));
        }
        sem_post(&site.open);
        while (atomic_load(&site.done) < before + 11)
            sched_yield();
        for (int i = 0; i < 10; i++)
            assert_int_equal(site.order[before + 1 + i], i);
    }
    workers_stop(workers);
}

static void *
stop(void *workers)
{
    workers_stop(workers);
    return NULL;
}

static void
stopping_finishes_every_job_and_takes_no_more(void **state)
{
    enum { QUEUE = 4000000 };
    struct workers *workers = workers_start("workers", 2, QUEUE, 0);
    pthread_t stopper;
    int taken = 2;
    (void)state;
    for (int i = 0; i < 2; i++)
        assert_true(workers_submit(workers, wait_at_the_door, NULL));
    sem_wait(&site.arrived);
    sem_wait(&site.arrived);
    for (int i = 0; i < 50; i++, taken++)
        assert_true(workers_submit(workers, count_one, NULL));
    assert_int_equal(pthread_create(&stopper, NULL, stop, workers), 0);
    while (workers_submit(workers, count_one, NULL)) /* until the stopper has begun */
        taken++;
    assert_true(workers_waiting(workers) < QUEUE);
    assert_int_equal(site.done, 0);
    sem_post(&site.open);
    sem_post(&site.open);
    pthread_join(stopper, NULL);
    assert_int_equal(site.done, taken);
}

static void
stopping_idle_workers_is_fine(void **state)
{
    (void)state;
    workers_stop(workers_start("workers", 4, 4, 0));
    struct workers *workers = workers_start("workers", 4, 4, 0);
    assert_true(workers_submit(workers, count_one, NULL));
    workers_stop(workers);
    assert_int_equal(site.done, 1);
}

static void
as_many_run_at_once_as_there_are_threads(void **state)
{
    enum { THREADS = 8 };
    struct workers *workers = workers_start("workers", THREADS, 20, 0);
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_true(workers_submit(workers, wait_at_the_door, NULL));
    for (int i = 0; i < THREADS; i++)
        sem_wait(&site.arrived); /* returns only if all of them run */
    assert_int_equal(workers_busy(workers), THREADS);
    for (int i = 0; i < THREADS; i++)
        sem_post(&site.open);
    workers_stop(workers);
    assert_int_equal(site.done, THREADS);
}

static void
look_at_signals(void *blocked)
{
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    *(int *)blocked = sigismember(&now, SIGTERM) && sigismember(&now, SIGINT);
}

static void
workers_leave_signals_to_the_main_thread(void **state)
{
    struct workers *workers = workers_start("workers", 1, 1, 0);
    int blocked = -1;
    sigset_t now;
    (void)state;
    assert_true(workers_submit(workers, look_at_signals, &blocked));
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    assert_false(sigismember(&now, SIGTERM));
    workers_stop(workers);
    assert_int_equal(blocked, 1);
}

static void
look_at_niceness(void *found)
{
    *(int *)found = getpriority(PRIO_PROCESS, 0); /* of the thread that asks */
}

static void
workers_run_at_the_niceness_of_the_pool(void **state)
{
    (void)state;
    int before = getpriority(PRIO_PROCESS, 0);
    static const int wanted[] = { 0, 5, 19 };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        int expected = before + wanted[i] < 19 ? before + wanted[i] : 19, found = -1;
        struct workers *workers = workers_start("workers", 1, 1, wanted[i]);
        assert_true(workers_submit(workers, look_at_niceness, &found));
        workers_stop(workers);
        assert_int_equal(found, expected);
    }
    assert_int_equal(getpriority(PRIO_PROCESS, 0), before); /* other threads do not */
}

enum { SUBMITTERS = 4, EACH = 5000 };

static void *
submit_many(void *workers)
{
    size_t taken = 0;
    for (int i = 0; i < EACH; i++)
        taken += workers_submit(workers, count_one, NULL);
    return (void *)taken;
}

static void
no_job_is_lost_or_run_twice_under_many_submitters(void **state)
{
    struct workers *workers = workers_start("workers", 3, 16, 0);
    pthread_t threads[SUBMITTERS];
    size_t taken = 0;
    (void)state;
    for (int i = 0; i < SUBMITTERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, submit_many, workers), 0);
    for (int i = 0; i < SUBMITTERS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        taken += (size_t)result;
    }
    workers_stop(workers);
    assert_true(taken > 0);
    assert_int_equal(site.done, taken);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_full_queue_refuses, shut_the_door),
        cmocka_unit_test_setup(jobs_run_in_the_order_they_came, shut_the_door),
        cmocka_unit_test_setup(stopping_finishes_every_job_and_takes_no_more, shut_the_door),
        cmocka_unit_test_setup(stopping_idle_workers_is_fine, shut_the_door),
        cmocka_unit_test_setup(as_many_run_at_once_as_there_are_threads, shut_the_door),
        cmocka_unit_test_setup(workers_leave_signals_to_the_main_thread, shut_the_door),
        cmocka_unit_test(workers_run_at_the_niceness_of_the_pool),
        cmocka_unit_test_setup(no_job_is_lost_or_run_twice_under_many_submitters, shut_the_door),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
