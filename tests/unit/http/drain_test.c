/* drain_test.c - stopping: running requests are served, new connections are refused. */
#include "unit/http/wire.h"

static struct world world;

struct asker {
    pthread_t thread;
    int whole;
    int torn; /* responses that began and did not end */
    int index;
};

static bool
a_response_begins(int fd)
{
    char byte;
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    return poll(&poll_fd, 1, WAIT_MS) == 1 && recv(fd, &byte, 1, MSG_PEEK) == 1;
}

static void *
ask_until_the_end(void *argument)
{
    static const char *const requests[] = { GET("/x"), GET("/block"), GET("/big?300000") };
    struct asker *asker = argument;
    int fd;
    while ((fd = wire_try_connect(&world)) >= 0) {
        char value[256];
        struct answer answer;
        /* A connection may be closed between two requests. */
        while (wire_send(fd, requests[(asker->index + asker->whole) % 3]) &&
               a_response_begins(fd)) {
            if (!wire_answer(fd, &answer)) {
                asker->torn++;
                break;
            }
            asker->whole++;
            if (answer_header(&answer, "Connection", value) != NULL)
                break;
        }
        close(fd);
    }
    return NULL;
}

static void
draining_under_load_cuts_no_response(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        struct asker askers[8] = { 0 };
        int torn = 0, whole = 0;
        world_open(&world);
        for (int i = 0; i < 8; i++) {
            askers[i].index = i;
            assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_until_the_end, &askers[i]),
                             0);
        }
        WAIT_UNTIL(atomic_load(&world.done) >= 200);
        world_close(&world);
        for (int i = 0; i < 8; i++) {
            pthread_join(askers[i].thread, NULL);
            torn += askers[i].torn;
            whole += askers[i].whole;
        }
        assert_int_equal(torn, 0);
        /* Every exchange the service saw was answered whole, but for requests whose connection was
         * idle when they were sent; those were never handled. */
        assert_int_equal(whole, atomic_load(&world.done));
    }
}

/* Sends a body in two parts, so that it becomes complete at a random time. */
static void *
send_until_the_end(void *argument)
{
    int fd;
    (void)argument;
    while ((fd = wire_try_connect(&world)) >= 0) {
        struct answer answer;
        while (wire_send(fd, "POST /block HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na") &&
               wire_send(fd, "b") && a_response_begins(fd) && wire_answer(fd, &answer))
            continue;
        close(fd);
    }
    return NULL;
}

/* The library aborts if it is stopped in certain states. So it is stopped at many times, with and
 * without time for running requests. */
static void
draining_is_safe_at_any_time(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        pthread_t senders[4];
        struct asker askers[4] = { 0 };
        world_open_with(&world, usual_settings(), 2, 100);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(pthread_create(&senders[i], NULL, send_until_the_end, NULL), 0);
            assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_until_the_end, &askers[i]),
                             0);
        }
        WAIT_UNTIL(atomic_load(&world.done) >= 1 + round % 7);
        http_server_drain(world.server, round % 2 == 0 ? 0 : WAIT_MS);
        for (int i = 0; i < 4; i++) {
            pthread_join(senders[i], NULL);
            pthread_join(askers[i].thread, NULL);
        }
        workers_stop(world.workers);
    }
}

static void *
drain(void *argument)
{
    http_server_drain(world.server, *(int64_t *)argument);
    return NULL;
}

static void
draining_closes_idle_connections_and_finishes_requests(void **state)
{
    struct answer answer;
    char value[256];
    pthread_t drainer;
    int64_t long_enough = 3600 * 1000;
    (void)state;
    world_open(&world);
    int idle = wire_connect(&world);
    int fresh = wire_connect(&world);
    int busy = wire_connect(&world);
    int sending = wire_connect(&world);
    assert_true(wire_send(idle, GET("/x")));
    assert_true(wire_answer(idle, &answer));
    assert_true(wire_send(busy, GET("/gate")));
    assert_true(wire_send(sending, "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na"));
    WAIT_UNTIL(atomic_load(&world.gated) == 1 && atomic_load(&world.heads) == 3 &&
               open_connections(&world) == 4);
    assert_int_equal(pthread_create(&drainer, NULL, drain, &long_enough), 0);
    assert_true(wire_ends(idle));
    assert_true(wire_ends(fresh));

    assert_int_equal(wire_try_connect(&world), -1); /* new connections are refused */

    assert_true(wire_send(sending, "b"));
    assert_true(wire_answer(sending, &answer));
    assert_string_equal(answer.body, "POST /x from 127.0.0.1 agent  body ab");
    assert_string_equal(answer_header(&answer, "Connection", value), "close");
    assert_true(wire_ends(sending));
    atomic_store(&world.gate_open, true);
    assert_true(wire_answer(busy, &answer));
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer_header(&answer, "Connection", value), "close");
    assert_true(wire_ends(busy));
    pthread_join(drainer, NULL);
    workers_stop(world.workers);
    assert_int_equal(atomic_load(&world.done), 3);
    int all[] = { idle, fresh, busy, sending };
    for (size_t i = 0; i < 4; i++)
        close(all[i]);
}

static void
draining_closes_connections_at_its_deadline(void **state)
{
    pthread_t drainer;
    int64_t time = 5000;
    (void)state;
    world_open_with(&world, usual_settings(), 1, 10);
    int working = wire_connect(&world);
    int queued = wire_connect(&world);
    int stalled = wire_connect(&world);
    int late = wire_connect(&world);
    assert_true(wire_send(working, GET("/gate")));
    WAIT_UNTIL(atomic_load(&world.gated) == 1);
    assert_true(wire_send(queued, GET("/gate")));
    WAIT_UNTIL(workers_waiting(world.workers) == 1);
    assert_true(wire_send(stalled, GET("/big?50000000")));
    assert_true(wire_send(late, "GET /x HTTP/1.1\r\nHost: a\r\n"));
    WAIT_UNTIL(atomic_load(&world.handled) == 2);
    assert_int_equal(pthread_create(&drainer, NULL, drain, &time), 0);
    pause_briefly();
    forward_ms(time);
    assert_true(wire_ends(late));
    assert_true(wire_ends(working));
    assert_true(wire_ends(queued));
    for (int i = 0; i < 50; i++) /* drain waits for the handler even after its deadline */
        pause_briefly();
    atomic_store(&world.gate_open, true);
    pthread_join(drainer, NULL);
    workers_stop(world.workers);
    assert_int_equal(atomic_load(&world.gated), 1); /* queued work does not start */
    assert_int_equal(atomic_load(&world.done), 3);
    assert_true(wire_ends(stalled));
    int all[] = { working, queued, stalled, late };
    for (size_t i = 0; i < 4; i++)
        close(all[i]);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(draining_under_load_cuts_no_response),
        cmocka_unit_test(draining_is_safe_at_any_time),
        cmocka_unit_test(draining_closes_idle_connections_and_finishes_requests),
        cmocka_unit_test(draining_closes_connections_at_its_deadline),
    };
    control_clock();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
