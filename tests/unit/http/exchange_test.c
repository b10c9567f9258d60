/* exchange_test.c - bodies, workers, pipelining, and rejections. */
#include "unit/http/wire.h"

static struct world world;

/* The counter that the SplitMix64 generator maps to this value. */
static uint64_t
unmix(const char *id)
{
    uint64_t x = strtoull(id, NULL, 16);
    x = (x ^ x >> 31 ^ x >> 62) * 0x319642b2d24d8ec3u;
    x = (x ^ x >> 27 ^ x >> 54) * 0x96de1b173f119089u;
    return x ^ x >> 30 ^ x >> 60;
}

static void
responses_have_the_services_headers_and_a_request_id(void **state)
{
    struct answer first, second;
    char id[256], other[256], value[256];
    (void)state;
    int fd = wire_connect(&world);
    assert_true(wire_send(fd, GET("/x?y=z") GET("/x")));
    assert_true(wire_answer(fd, &first));
    assert_true(wire_answer(fd, &second));
    assert_string_equal(first.body, "GET /x?y=z from 127.0.0.1 agent  body ");
    assert_string_equal(answer_header(&first, "Content-Type", value), "text/plain");
    assert_null(answer_header(&first, "Connection", value));
    assert_non_null(answer_header(&first, "Date", value));
    assert_non_null(answer_header(&first, "X-Request-Id", id));
    assert_non_null(answer_header(&second, "X-Request-Id", other));
    assert_int_equal(strlen(id), 16);
    assert_int_equal(strspn(id, "0123456789abcdef"), 16);
    assert_string_not_equal(id, other);
    assert_true(unmix(other) - unmix(id) != 1); /* an id is no request counter in disguise */
    close(fd);
}

static void
head_has_the_headers_of_get_and_no_body(void **state)
{
    struct answer get, head;
    char value[256];
    (void)state;
    int fd = wire_connect(&world);
    assert_true(wire_send(fd, GET("/big?1234") "HEAD /big?1234 HTTP/1.1\r\nHost: a\r\n\r\n"));
    assert_true(wire_answer(fd, &get));
    assert_true(wire_answer_to(fd, &head, true));
    assert_int_equal(get.body_len, 1234);
    assert_int_equal(head.status, 200);
    assert_string_equal(answer_header(&head, "Content-Length", value), "1234");
    assert_true(wire_send(fd, GET("/next"))); /* no byte of the body is left */
    assert_true(wire_answer(fd, &get));
    assert_int_equal(get.status, 200);
    close(fd);
}

static void
responses_without_content_have_no_body(void **state)
{
    struct answer answer;
    char value[256];
    (void)state;
    int fd = wire_connect(&world);
    assert_true(wire_send(fd, GET("/none") GET("/same") GET("/x")));
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 204);
    assert_null(answer_header(&answer, "Content-Length", value));
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 304);
    assert_int_equal(answer.body_len, 0);
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 200);
    close(fd);
}

static void
large_responses_arrive_whole(void **state)
{
    struct answer answer;
    (void)state;
    int fd = wire_connect(&world);
    assert_true(wire_send(fd, GET("/big?20000000") GET("/x")));
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.body_len, 20000000);
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 200);
    close(fd);
}

static void
a_response_can_close_the_connection(void **state)
{
    struct answer answer;
    (void)state;
    assert_true(ask(&world, GET("/close"), &answer));
    assert_true(answer.closed);
    assert_true(ask(&world, "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", &answer));
    assert_true(answer.closed);
    assert_true(ask(&world, "GET /x HTTP/1.0\r\n\r\n", &answer));
    assert_true(answer.closed);
}

/* A POST with a body of `length` bytes, with Content-Length or in chunks. */
static void
send_post(int fd, const char *path, size_t size, bool chunked)
{
    char head[256];
    char *body = memory_alloc(1, size + 1);
    memset(body, 'x', size);
    if (chunked) {
        snprintf(head, sizeof head,
                 "POST %s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", path);
        wire_send(fd, head);
        for (size_t at = 0; at < size; at += 5000) {
            size_t piece = size - at < 5000 ? size - at : 5000;
            snprintf(head, sizeof head, "%zx\r\n", piece);
            if (!wire_send(fd, head) || !wire_send_bytes(fd, body, piece) || !wire_send(fd, "\r\n"))
                break;
        }
        wire_send(fd, "0\r\n\r\n");
    } else {
        snprintf(head, sizeof head, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n\r\n",
                 path, size);
        wire_send(fd, head);
        wire_send_bytes(fd, body, size);
    }
    free(body);
}

static void
bodies_up_to_the_limit_are_accepted(void **state)
{
    static const size_t sizes[] = { 0, 1, 100, 16 * 1024, 16 * 1024 + 1, 40000, BODY_MAX };
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int chunked = 0; chunked < 2; chunked++) {
            struct answer answer;
            int fd = wire_connect(&world);
            send_post(fd, "/p", sizes[i], chunked);
            assert_true(wire_answer(fd, &answer));
            assert_int_equal(answer.status, 200);
            assert_int_equal(answer.body_len,
                             strlen("POST /p from 127.0.0.1 agent  body ") + sizes[i]);
            close(fd);
        }
}

static void
a_body_over_the_limit_gets_an_error_response(void **state)
{
    static const struct {
        size_t size;
        bool chunked;
        const char *path;
    } rows[] = {
        { BODY_MAX + 1, false, "/p" }, { BODY_MAX + 1, true, "/p" }, { 200000, false, "/p" },
        { 200000, true, "/p" },        { 20000000, false, "/p" },    { 1, false, "/nobody" },
        { 1, true, "/nobody" },        { 300000, true, "/p" },       { 4000000, true, "/p" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct answer answer;
        int before = atomic_load(&world.handled);
        int fd = wire_connect(&world);
        send_post(fd, rows[i].path, rows[i].size, rows[i].chunked);
        if (!wire_answer(fd, &answer))
            fail_msg("row %zu: no answer", i);
        assert_int_equal(answer.status, 413);
        assert_true(wire_ends(fd));
        assert_int_equal(atomic_load(&world.handled), before);
        close(fd);
    }
}

/* Only the caller of a large body is asked for before all of it is there, and the answer arrives.
 */
static void
a_large_body_of_a_stranger_is_not_kept(void **state)
{
    static const char *const paths[] = { "/stranger", "/block/stranger" };
    static const size_t sizes[] = { HTTP_SMALL_BODY, HTTP_SMALL_BODY + 1, BODY_MAX };
    (void)state;
    for (size_t p = 0; p < 2; p++)
        for (size_t s = 0; s < 3; s++)
            for (int chunked = 0; chunked < 2; chunked++) {
                struct answer answer;
                bool small = sizes[s] == HTTP_SMALL_BODY;
                int handled = atomic_load(&world.handled), asked = atomic_load(&world.identified);
                int fd = wire_connect(&world);
                send_post(fd, paths[p], sizes[s], chunked);
                assert_true(wire_answer(fd, &answer));
                assert_int_equal(answer.status, small ? 200 : 401);
                assert_int_equal(atomic_load(&world.handled), handled + small);
                assert_int_equal(atomic_load(&world.identified), asked + !small);
                close(fd);
            }
}

static void
a_caller_who_may_send_a_large_body_is_asked_once(void **state)
{
    struct answer answer;
    int asked = atomic_load(&world.identified);
    (void)state;
    for (int chunked = 0; chunked < 2; chunked++) {
        int fd = wire_connect(&world);
        send_post(fd, "/block/known", BODY_MAX, chunked);
        assert_true(wire_answer(fd, &answer));
        assert_int_equal(answer.status, 200);
        assert_int_equal(answer.body_len,
                         strlen("POST /block/known from 127.0.0.1 agent  body ") + BODY_MAX);
        close(fd);
    }
    assert_int_equal(atomic_load(&world.identified), asked + 2);
}

static void
one_large_body_is_taken_at_a_time(void **state)
{
    enum { SIZE = 2 * 1024 * 1024 };
    struct answer answer;
    int first = wire_connect(&world), second = wire_connect(&world);
    int gated = atomic_load(&world.gated);
    (void)state;
    atomic_store(&world.gate_open, false);
    send_post(first, "/gate/large", SIZE, false);
    WAIT_UNTIL(atomic_load(&world.gated) > gated);
    send_post(second, "/large", SIZE, false);
    assert_true(wire_answer(second, &answer));
    assert_int_equal(answer.status, 503);
    assert_int_equal(atomic_load(&world.last_refusal), HTTP_OVERLOADED);
    atomic_store(&world.gate_open, true);
    assert_true(wire_answer(first, &answer));
    assert_int_equal(answer.status, 200);
    send_post(second, "/large", SIZE, false); /* the turn of the next */
    assert_true(wire_answer(second, &answer));
    assert_int_equal(answer.status, 200);
    send_post(second, "/large", (size_t)32 * 1024 * 1024, false); /* takes more than there is */
    assert_true(wire_answer(second, &answer));
    assert_int_equal(answer.status, 503);
    atomic_store(&world.gate_open, false);
    close(first);
    close(second);
}

static void
a_response_whose_headers_cannot_be_sent_is_an_error(void **state)
{
    struct answer answer;
    (void)state;
    assert_true(ask(&world, GET("/wider"), &answer));
    assert_int_equal(answer.status, 500);
    assert_true(ask(&world, GET("/wide"), &answer));
    assert_int_equal(answer.status, 200);
}

static void
a_body_too_large_is_rejected_before_it_is_sent(void **state)
{
    struct answer answer;
    (void)state;
    assert_true(
        ask(&world, "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", &answer));
    assert_int_equal(answer.status, 413);
    assert_true(answer.closed);
}

/* A reset can overtake the response, so the server must not send one while the client sends. */
static void
a_rejection_during_the_body_closes_without_a_reset(void **state)
{
    struct answer answer;
    char byte;
    (void)state;
    int fd = wire_connect(&world);
    assert_true(wire_send(fd, "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n"));
    for (int i = 0; i < 1000; i++)
        assert_true(wire_send(fd, "some of the rejected body"));
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 413);
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    assert_int_equal(poll(&poll_fd, 1, WAIT_MS), 1);
    assert_int_equal(recv(fd, &byte, 1, 0), 0);
    for (int i = 0; i < 1000; i++)
        assert_true(wire_send(fd, "and more, sent before the answer was seen"));
    close(fd);
}

static void
an_early_response_waits_for_a_small_body_and_keeps_the_connection(void **state)
{
    struct answer answer;
    char value[256];
    (void)state;
    int fd = wire_connect(&world);
    send_post(fd, "/early", 3000, false);
    assert_true(wire_send(fd, GET("/x")));
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 404);
    assert_null(answer_header(&answer, "Connection", value));
    assert_true(wire_answer(fd, &answer));
    assert_string_equal(answer.body, "GET /x from 127.0.0.1 agent  body ");
    close(fd);
    /* A large body is not awaited. */
    fd = wire_connect(&world);
    send_post(fd, "/early", 3000000, false);
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 404);
    assert_true(wire_ends(fd));
    close(fd);
}

static void
body_bytes_after_a_rejection_are_not_a_request(void **state)
{
    struct answer answer;
    int before = atomic_load(&world.heads);
    (void)state;
    assert_true(ask(
        &world, "POST /p HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 38\r\n\r\n" GET("/x"),
        &answer));
    assert_int_equal(answer.status, 400);
    assert_true(answer.closed);
    assert_int_equal(atomic_load(&world.heads), before);
}

static void
expectations_are_met_or_rejected(void **state)
{
    struct answer answer;
    char line[64] = "";
    (void)state;
    int fd = wire_connect(&world);
    assert_true(wire_send(fd, "POST /p HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                              "Content-Length: 2\r\n\r\n"));
    for (size_t i = 0; i < strlen("HTTP/1.1 100 Continue\r\n\r\n"); i++)
        assert_int_equal(wire_receive(fd, line + i, 1, WAIT_MS), 1);
    assert_string_equal(line, "HTTP/1.1 100 Continue\r\n\r\n");
    assert_true(wire_send(fd, "hi"));
    assert_true(wire_answer(fd, &answer));
    assert_string_equal(answer.body, "POST /p from 127.0.0.1 agent  body hi");
    close(fd);

    fd = wire_connect(&world); /* without a body there is nothing to wait for */
    assert_true(wire_send(fd, "POST /p HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n"));
    assert_true(wire_answer(fd, &answer));
    if (answer.status == 100)
        assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 200);
    close(fd);
    assert_true(ask(&world,
                    "POST /p HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                    "Content-Length: 99999\r\n\r\n",
                    &answer));
    assert_int_equal(answer.status, 413); /* and not 100 */
    assert_true(ask(&world,
                    "POST /early HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                    "Content-Length: 9\r\n\r\n",
                    &answer));
    assert_int_equal(answer.status, 404);
    assert_true(answer.closed);
    assert_true(ask(&world, "GET /x HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n", &answer));
    assert_int_equal(answer.status, 417);
}

static void *
send_pipeline(void *argument)
{
    int fd = *(int *)argument;
    for (int i = 0; i < 1000; i++) {
        char text[128];
        snprintf(text, sizeof text, "GET %s%d HTTP/1.1\r\nHost: a\r\n\r\n",
                 i % 3 == 0 ? "/block/" : "/x/", i);
        if (!wire_send(fd, text))
            break;
    }
    return NULL;
}

static void
a_thousand_pipelined_requests_get_responses_in_order(void **state)
{
    pthread_t sender;
    int fd = wire_connect(&world);
    (void)state;
    assert_int_equal(pthread_create(&sender, NULL, send_pipeline, &fd), 0);
    for (int i = 0; i < 1000; i++) {
        struct answer answer;
        char expected[128];
        snprintf(expected, sizeof expected, "GET %s%d from 127.0.0.1 agent  body ",
                 i % 3 == 0 ? "/block/" : "/x/", i);
        assert_true(wire_answer(fd, &answer));
        assert_string_equal(answer.body, expected);
    }
    pthread_join(sender, NULL);
    close(fd);
}

static void
a_blocking_request_has_its_body_and_keeps_the_connection(void **state)
{
    int fd = wire_connect(&world);
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct answer answer;
        send_post(fd, "/block", 5, false);
        assert_true(wire_answer(fd, &answer));
        assert_string_equal(answer.body, "POST /block from 127.0.0.1 agent  body xxxxx");
    }
    close(fd);
}

static void
a_full_queue_is_reported_and_others_are_served(void **state)
{
    struct world small;
    struct answer answer;
    int waiting[3];
    (void)state;
    world_open_with(&small, usual_settings(), 1, 2);
    for (int i = 0; i < 3; i++) { /* one is running, two are queued */
        waiting[i] = wire_connect(&small);
        assert_true(wire_send(waiting[i], GET("/gate")));
        if (i == 0)
            WAIT_UNTIL(atomic_load(&small.gated) == 1);
    }
    WAIT_UNTIL(workers_waiting(small.workers) == 2);
    int fd = wire_connect(&small);
    assert_true(wire_send(fd, GET("/block") GET("/x")));
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 503);
    assert_int_equal(atomic_load(&small.last_refusal), HTTP_OVERLOADED);
    assert_true(wire_answer(fd, &answer)); /* the connection stays usable */
    assert_int_equal(answer.status, 200);
    atomic_store(&small.gate_open, true);
    for (int i = 0; i < 3; i++) {
        assert_true(wire_answer(waiting[i], &answer));
        assert_int_equal(answer.status, 200);
        close(waiting[i]);
    }
    assert_true(wire_send(fd, GET("/block")));
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 200);
    close(fd);
    world_close(&small);
}

static void
forwarded_addresses_count_only_from_trusted_proxies(void **state)
{
    struct world proxied;
    struct answer answer;
    struct http_settings settings = usual_settings();
    (void)state;
    assert_true(ask(&world,
                    "GET /x HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.1.1.1\r\n"
                    "X-Real-IP: 1.1.1.1\r\nForwarded: for=1.1.1.1\r\n\r\n",
                    &answer));
    assert_string_equal(answer.body, "GET /x from 127.0.0.1 agent  body ");

    settings.trusted_proxies = "127.0.0.0/8, 10.0.0.0/8";
    world_open_with(&proxied, settings, 1, 1);
    assert_true(ask(&proxied,
                    "GET /x HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6\r\n"
                    "X-Forwarded-For: 1.1.1.1, 10.0.0.1\r\nx-forwarded-for: 10.0.0.2\r\n\r\n",
                    &answer));
    assert_string_equal(answer.body, "GET /x from 1.1.1.1 agent  body ");
    assert_true(
        ask(&proxied, "GET /x HTTP/1.1\r\nHost: a\r\nForwarded: for=1.1.1.1\r\n\r\n", &answer));
    assert_string_equal(answer.body, "GET /x from 127.0.0.1 agent  body ");
    world_close(&proxied);
}

/* Runs in a child, which must write one line and abort. */
static void
dies(void (*defect)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        defect();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void
put_line_break_in_value(void)
{
    struct http_response response = { 0 };
    http_response_header(&response, "Location", "/x\r\nSet-Cookie: a=b");
}

static void
put_line_break_in_name(void)
{
    struct http_response response = { 0 };
    http_response_header(&response, "X\nY", "z");
}

static void
put_one_header_too_many(void)
{
    struct http_response response = { 0 };
    for (int i = 0; i <= HTTP_HEADERS_MAX; i++)
        http_response_header(&response, "X", "y");
}

static void
a_header_with_a_line_break_aborts(void **state)
{
    (void)state;
    dies(put_line_break_in_value);
    dies(put_line_break_in_name);
    dies(put_one_header_too_many);
}

static int
start(void **state)
{
    (void)state;
    world_open(&world);
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    world_close(&world);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses_have_the_services_headers_and_a_request_id),
        cmocka_unit_test(head_has_the_headers_of_get_and_no_body),
        cmocka_unit_test(responses_without_content_have_no_body),
        cmocka_unit_test(large_responses_arrive_whole),
        cmocka_unit_test(a_response_can_close_the_connection),
        cmocka_unit_test(bodies_up_to_the_limit_are_accepted),
        cmocka_unit_test(a_body_over_the_limit_gets_an_error_response),
        cmocka_unit_test(a_large_body_of_a_stranger_is_not_kept),
        cmocka_unit_test(a_caller_who_may_send_a_large_body_is_asked_once),
        cmocka_unit_test(one_large_body_is_taken_at_a_time),
        cmocka_unit_test(a_response_whose_headers_cannot_be_sent_is_an_error),
        cmocka_unit_test(a_body_too_large_is_rejected_before_it_is_sent),
        cmocka_unit_test(a_rejection_during_the_body_closes_without_a_reset),
        cmocka_unit_test(an_early_response_waits_for_a_small_body_and_keeps_the_connection),
        cmocka_unit_test(body_bytes_after_a_rejection_are_not_a_request),
        cmocka_unit_test(expectations_are_met_or_rejected),
        cmocka_unit_test(a_thousand_pipelined_requests_get_responses_in_order),
        cmocka_unit_test(a_blocking_request_has_its_body_and_keeps_the_connection),
        cmocka_unit_test(a_full_queue_is_reported_and_others_are_served),
        cmocka_unit_test(forwarded_addresses_count_only_from_trusted_proxies),
        cmocka_unit_test(a_header_with_a_line_break_aborts),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
