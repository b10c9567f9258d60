/* wait_test.c - requests that wait for something without occupying a worker. */
#include "unit/http/wire.h"

#define WAITERS 20

static struct world world;

/* What the exchanges under /wait wait for. */
static struct {
    pthread_mutex_t lock;
    size_t count;
    struct waiter {
        void (*resume)(void *);
        void *argument;
    } list[WAITERS];
    atomic_int rounds;
    atomic_bool could_wait;
} waiting = { .lock = PTHREAD_MUTEX_INITIALIZER };

static size_t
waiters(void)
{
    pthread_mutex_lock(&waiting.lock);
    size_t count = waiting.count;
    pthread_mutex_unlock(&waiting.lock);
    return count;
}

static void
keep_waiting(void *context, void (*resume)(void *), void *argument)
{
    (void)context;
    pthread_mutex_lock(&waiting.lock);
    waiting.list[waiting.count++] = (struct waiter){ resume, argument };
    pthread_mutex_unlock(&waiting.lock);
}

static void
resume_at_once(void *context, void (*resume)(void *), void *argument)
{
    (void)context;
    resume(argument);
}

static void
resume_all(void)
{
    pthread_mutex_lock(&waiting.lock);
    size_t count = waiting.count;
    struct waiter list[WAITERS];
    memcpy(list, waiting.list, sizeof list);
    waiting.count = 0;
    pthread_mutex_unlock(&waiting.lock);
    for (size_t i = 0; i < count; i++)
        list[i].resume(list[i].argument);
}

static void
head(void *context, struct http_exchange *x)
{
    service_head(context, x);
    x->blocks = x->blocks || asks(x, "/wait");
}

/* /wait waits once; /wait/at-once does too, for something that has happened already. */
static void
handle(void *context, struct http_exchange *x)
{
    if (asks(x, "/wait") && x->wait_context == NULL) {
        atomic_store(&waiting.could_wait, x->can_wait);
        x->wait_context = &waiting;
        x->wait = asks(x, "/wait/at-once") ? resume_at_once : keep_waiting;
        atomic_fetch_add(&waiting.rounds, 1);
        return;
    }
    service_handle(context, x);
}

/* ---- requests under /await, which are answered from memory or later ---- */

static struct {
    atomic_int asked, waited;
} rounds;

static void
body(void *context, struct http_exchange *x)
{
    (void)context;
    x->awaits = asks(x, "/await");
    x->blocks = x->blocks || x->awaits;
}

/* /await/now has happened already. */
static bool
awaited(void *context, struct http_exchange *x)
{
    (void)context;
    atomic_fetch_add(&rounds.asked, 1);
    return asks(x, "/await/now");
}

static void
await(void *context, struct http_exchange *x, void (*resume)(void *), void *argument)
{
    (void)x;
    atomic_fetch_add(&rounds.waited, 1);
    keep_waiting(context, resume, argument);
}

static void
open_world(size_t workers, size_t queue)
{
    struct http_settings settings = usual_settings();
    struct http_service service = { &world,       head, service_identify, handle, service_refuse,
                                    service_done, body, awaited,          await };
    struct why why = { "" };
    world = (struct world){ .workers = workers_start("workers", workers, queue, 0) };
    settings.workers = world.workers;
    assert_int_equal(http_server_start(&settings, &service, &world.server, &why), ERR_NONE);
    world.port = (uint16_t)strtoul(strrchr(http_server_address(world.server), ':') + 1, NULL, 10);
    atomic_store(&waiting.rounds, 0);
}

static void
waiting_requests_occupy_no_worker(void **state)
{
    int fds[WAITERS];
    struct answer answer;
    (void)state;
    open_world(1, 100);
    for (size_t i = 0; i < WAITERS; i++) {
        fds[i] = wire_connect(&world);
        assert_true(wire_send(fds[i], GET("/wait")));
    }
    WAIT_UNTIL(waiters() == WAITERS);
    assert_true(atomic_load(&waiting.could_wait));
    int other = wire_connect(&world); /* needs the only worker */
    assert_true(wire_send(other, GET("/block")));
    assert_true(wire_answer(other, &answer));
    assert_int_equal(answer.status, 200);
    /* The worker sends a response before it counts itself as free. */
    WAIT_UNTIL(workers_busy(world.workers) + workers_waiting(world.workers) == 0);
    resume_all();
    for (size_t i = 0; i < WAITERS; i++) {
        assert_true(wire_answer(fds[i], &answer));
        assert_int_equal(answer.status, 200);
        assert_non_null(strstr(answer.body, "GET /wait from"));
        close(fds[i]);
    }
    assert_int_equal(atomic_load(&waiting.rounds), WAITERS);
    close(other);
    world_close(&world);
}

static void
what_has_happened_already_is_no_wait(void **state)
{
    struct answer answer;
    (void)state;
    open_world(1, 10);
    int fd = wire_connect(&world);
    for (int i = 0; i < 50; i++) {
        assert_true(wire_send(fd, GET("/wait/at-once")));
        assert_true(wire_answer(fd, &answer));
        assert_int_equal(answer.status, 200);
    }
    close(fd);
    world_close(&world);
}

static void
a_resumed_request_is_refused_if_the_queue_is_full(void **state)
{
    struct answer answer;
    (void)state;
    open_world(1, 1);
    int fd = wire_connect(&world), busy = wire_connect(&world), queued = wire_connect(&world);
    assert_true(wire_send(fd, GET("/wait")));
    WAIT_UNTIL(waiters() == 1);
    assert_true(wire_send(busy, GET("/gate")));
    WAIT_UNTIL(atomic_load(&world.gated) == 1);
    assert_true(wire_send(queued, GET("/gate")));
    WAIT_UNTIL(workers_waiting(world.workers) == 1);
    resume_all();
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 503);
    atomic_store(&world.gate_open, true);
    assert_true(wire_answer(busy, &answer) && wire_answer(queued, &answer));
    int all[] = { fd, busy, queued };
    for (size_t i = 0; i < 3; i++)
        close(all[i]);
    world_close(&world);
}

/* The library calls again at once, although nothing more arrives. */
static void
a_request_that_the_next_round_answers_is_not_suspended(void **state)
{
    struct answer answer;
    (void)state;
    open_world(1, 10);
    rounds.asked = rounds.waited = 0;
    int fd = wire_connect(&world);
    int64_t before = clock_steady_ms();
    for (int i = 0; i < 20; i++) {
        assert_true(wire_send(fd, GET("/await/now")));
        assert_true(wire_answer(fd, &answer));
        assert_int_equal(answer.status, 200);
    }
    assert_in_range(clock_steady_ms() - before, 0, 4000); /* its shortest timeout is a second */
    assert_int_equal(atomic_load(&rounds.asked), 20);
    assert_int_equal(atomic_load(&rounds.waited), 0);
    close(fd);
    world_close(&world);
}

static void
a_request_that_the_next_round_cannot_answer_waits(void **state)
{
    struct answer answer;
    int fds[WAITERS];
    (void)state;
    open_world(1, 10);
    rounds.asked = rounds.waited = 0;
    for (size_t i = 0; i < WAITERS; i++) {
        fds[i] = wire_connect(&world);
        assert_true(wire_send(fds[i], GET("/await")));
    }
    WAIT_UNTIL(waiters() == WAITERS);
    assert_int_equal(atomic_load(&rounds.asked), WAITERS);
    int other = wire_connect(&world);
    assert_true(wire_send(other, GET("/await/now")));
    assert_true(wire_answer(other, &answer));
    assert_int_equal(answer.status, 200);
    resume_all();
    for (size_t i = 0; i < WAITERS; i++) {
        assert_true(wire_answer(fds[i], &answer));
        assert_int_equal(answer.status, 200);
        close(fds[i]);
    }
    assert_int_equal(atomic_load(&rounds.waited), WAITERS);
    close(other);
    world_close(&world);
}

static void *
drain(void *unused)
{
    (void)unused;
    http_server_drain(world.server, WAIT_MS);
    return NULL;
}

static void
draining_waits_for_waiting_requests(void **state)
{
    pthread_t drainer;
    struct answer answer;
    (void)state;
    open_world(2, 10);
    int fd = wire_connect(&world);
    assert_true(wire_send(fd, GET("/wait")));
    WAIT_UNTIL(waiters() == 1);
    assert_int_equal(pthread_create(&drainer, NULL, drain, NULL), 0);
    WAIT_UNTIL(wire_try_connect(&world) == -1);
    resume_all();
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 200);
    pthread_join(drainer, NULL);
    workers_stop(world.workers);
    assert_int_equal(atomic_load(&world.done), 1);
    close(fd);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_requests_occupy_no_worker),
        cmocka_unit_test(what_has_happened_already_is_no_wait),
        cmocka_unit_test(a_resumed_request_is_refused_if_the_queue_is_full),
        cmocka_unit_test(a_request_that_the_next_round_answers_is_not_suspended),
        cmocka_unit_test(a_request_that_the_next_round_cannot_answer_waits),
        cmocka_unit_test(draining_waits_for_waiting_requests),
    };
    control_clock();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
