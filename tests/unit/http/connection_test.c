/* connection_test.c - deadlines, limits, and clients that disconnect. */
#include "unit/http/wire.h"

#include "base/buf.h"
#include "base/metric.h"

#include <sys/resource.h>

static struct world world;

static void
open_world(void)
{
    world_open(&world);
}

/* The value of a line of the metrics page; -1 if there is none. */
static long
metric_of(const char *line_start)
{
    struct arena *mem = arena_new();
    struct buf page = buf_in(mem, 1 << 20);
    long value = -1;
    metric_write_page(&page);
    buf_add_char(&page, '\0');
    const char *found = strstr(buf_str(&page).ptr, line_start);
    if (found != NULL)
        value = strtol(found + strlen(line_start), NULL, 10);
    arena_free(mem);
    return value;
}

#define CUT(stage) \
    "penchant_http_connections_timed_out_total{listener=\"main\",stage=\"" stage "\"} "

/* Waits until the reaper has checked every connection twice. */
static void
let_the_reaper_pass(void)
{
    int64_t end = clock_ticks_ns() + 250000000;
    while (clock_ticks_ns() < end)
        pause_briefly();
}

static bool
still_open(int fd)
{
    char byte;
    ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    return got > 0 || (got < 0 && errno == EAGAIN);
}

static void
a_late_client_is_closed_at_the_deadline(void **state)
{
    static const struct {
        const char *why;
        const char *sent;
        int64_t allowed_ms;
        const char *metric;
    } rows[] = {
        { "a head that does not end", "GET /x HTTP/1.1\r\nHost: a\r\n", HTTP_HEAD_MS, CUT("head") },
        { "a request line that does not end", "GE", HTTP_HEAD_MS, CUT("head") },
        { "a body that does not end", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
          HTTP_BODY_MS, CUT("body") },
        { "chunks that do not end",
          "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", HTTP_BODY_MS,
          CUT("body") },
        { "an early answer's body that does not end",
          "POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab", HTTP_BODY_MS,
          CUT("body") },
        { "nothing at all", "", HTTP_IDLE_MS, CUT("idle") },
    };
    (void)state;
    open_world();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        long before = metric_of(rows[i].metric);
        int fd = wire_connect(&world);
        assert_true(wire_send(fd, rows[i].sent));
        WAIT_UNTIL(open_connections(&world) == 1);
        let_the_reaper_pass(); /* by then the bytes were read, too */
        forward_ms(rows[i].allowed_ms - 3000);
        let_the_reaper_pass();
        if (!still_open(fd))
            fail_msg("%s: cut before its time", rows[i].why);
        forward_ms(3000);
        if (!wire_ends(fd))
            fail_msg("%s: not cut", rows[i].why);
        WAIT_UNTIL(open_connections(&world) == 0);
        if (metric_of(rows[i].metric) != before + 1)
            fail_msg("%s: not counted", rows[i].why);
        close(fd);
    }
    world_close(&world);
}

/* The library's own timeout would not close it: it restarts at every byte. */
static void
a_slow_sender_is_closed_at_the_deadline(void **state)
{
    static const char *const starts[] = {
        "GET /x HTTP/1.1\r\nHost: a\r\nX-Slow: ",
        "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n",
    };
    (void)state;
    open_world();
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        int fd = wire_connect(&world);
        int seconds = 0;
        assert_true(wire_send(fd, starts[i]));
        while (seconds < 60 && still_open(fd) && wire_send(fd, "a")) {
            seconds++;
            forward_ms(1000);
            int64_t end = clock_ticks_ns() + 120000000;
            while (clock_ticks_ns() < end && still_open(fd))
                pause_briefly();
        }
        int allowed = (i == 0 ? HTTP_HEAD_MS : HTTP_BODY_MS) / 1000;
        assert_in_range(seconds, allowed - 4, allowed + 1); /* real time passes too */
        close(fd);
    }
    world_close(&world);
}

static void
a_stalled_reader_is_closed_and_others_are_served(void **state)
{
    struct answer answer;
    char piece[1000];
    (void)state;
    open_world();
    int fd = wire_connect(&world);
    assert_true(wire_send(fd, GET("/big?50000000")));
    assert_int_equal(wire_receive(fd, piece, sizeof piece, WAIT_MS), sizeof piece);
    assert_true(ask(&world, GET("/x"), &answer));
    assert_int_equal(answer.status, 200);
    forward_ms(HTTP_RESPONSE_MS + 1000); /* that many bytes may take longer */
    assert_true(ask(&world, GET("/x"), &answer));
    assert_int_equal(metric_of(CUT("response")), 0);
    forward_ms((int64_t)(50000000 / HTTP_RESPONSE_BYTES) * HTTP_RESPONSE_MS);
    WAIT_UNTIL(open_connections(&world) == 0);
    assert_int_equal(metric_of(CUT("response")), 1);
    assert_int_equal(atomic_load(&world.done), 3);
    close(fd);
    world_close(&world);
}

static void
an_idle_connection_is_closed_after_the_idle_time(void **state)
{
    struct answer answer;
    (void)state;
    open_world();
    int fd = wire_connect(&world);
    for (int i = 0; i < 3; i++) {
        assert_true(wire_send(fd, GET("/x")));
        assert_true(wire_answer(fd, &answer));
        let_the_reaper_pass();
        forward_ms(HTTP_IDLE_MS - 2000);
        let_the_reaper_pass();
        assert_true(still_open(fd));
    }
    forward_ms(2000);
    assert_true(wire_ends(fd));
    close(fd);
    world_close(&world);
}

static void
work_has_no_deadline(void **state)
{
    struct answer answer;
    (void)state;
    open_world();
    int fd = wire_connect(&world);
    assert_true(wire_send(fd, GET("/gate")));
    WAIT_UNTIL(atomic_load(&world.gated) == 1);
    forward_ms(3600 * 1000);
    let_the_reaper_pass();
    atomic_store(&world.gate_open, true);
    assert_true(wire_answer(fd, &answer));
    assert_int_equal(answer.status, 200);
    close(fd);
    world_close(&world);
}

static void
over_a_limit_a_connection_gets_an_error_and_is_closed(void **state)
{
    static const struct {
        size_t all, each;
        const char *trusted;
        bool taken;
    } rows[] = {
        { 4, 1000, NULL, false },
        { 1000, 4, NULL, false },
        { 4, 1000, "127.0.0.1", false },
        { 1000, 4, "127.0.0.1", true }, /* a proxy connects for many clients */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct http_settings settings = usual_settings();
        struct answer answer;
        int fds[4];
        settings.connections_max = rows[i].all;
        settings.connections_per_address_max = rows[i].each;
        settings.trusted_proxies = rows[i].trusted;
        world_open_with(&world, settings, 1, 1);
        for (int n = 0; n < 4; n++) {
            fds[n] = wire_connect(&world);
            assert_true(wire_send(fds[n], GET("/x")));
            assert_true(wire_answer(fds[n], &answer));
            assert_int_equal(answer.status, 200);
        }
        assert_true(ask(&world, GET("/x"), &answer));
        assert_int_equal(answer.status, rows[i].taken ? 200 : 503);
        assert_int_equal(answer.closed, !rows[i].taken);
        assert_true(wire_send(fds[0], GET("/x"))); /* existing connections are not affected */
        assert_true(wire_answer(fds[0], &answer));
        assert_int_equal(answer.status, 200);
        close(fds[3]);
        WAIT_UNTIL(open_connections(&world) <= 3);
        assert_true(ask(&world, GET("/x"), &answer)); /* under the limit again */
        assert_int_equal(answer.status, 200);
        for (int n = 0; n < 3; n++)
            close(fds[n]);
        world_close(&world);
    }
}

static void
over_a_limit_a_connection_has_two_seconds_for_its_request(void **state)
{
    struct http_settings settings = usual_settings();
    struct answer answer;
    (void)state;
    settings.connections_max = 1;
    world_open_with(&world, settings, 1, 1);
    int first = wire_connect(&world);
    assert_true(wire_send(first, GET("/x")));
    assert_true(wire_answer(first, &answer));
    int second = wire_connect(&world);
    WAIT_UNTIL(open_connections(&world) == 2);
    forward_ms(HTTP_OVER_LIMIT_MS);
    assert_true(wire_ends_within(second, 3000));
    assert_true(still_open(first));
    close(first);
    close(second);
    world_close(&world);
}

static void
far_over_the_limit_connections_are_closed_without_a_response(void **state)
{
    struct http_settings settings = usual_settings();
    int fds[1 + HTTP_OVER_LIMIT_CONNECTIONS];
    (void)state;
    settings.connections_max = 1;
    world_open_with(&world, settings, 1, 1);
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
        fds[i] = wire_connect(&world);
    WAIT_UNTIL(open_connections(&world) == 1 + HTTP_OVER_LIMIT_CONNECTIONS);
    int fd = wire_connect(&world);
    assert_true(wire_ends(fd));
    close(fd);
    assert_int_equal(open_connections(&world), 1 + HTTP_OVER_LIMIT_CONNECTIONS);
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
        close(fds[i]);
    world_close(&world);
}

/* Closes with a reset. */
static void
slam(int fd)
{
    struct linger now = { .l_onoff = 1, .l_linger = 0 };
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(fd);
}

static void
clients_that_disconnect_leak_nothing(void **state)
{
    static const char *const sent[] = {
        "",
        "GET /x HT",
        "GET /x HTTP/1.1\r\nHost: a\r\nX",
        "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab",
        "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        GET("/x"),
        GET("/block"),
        GET("/big?3000000"),
        GET("/x") GET("/block") GET("/x"),
        "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\nab",
    };
    (void)state;
    open_world();
    size_t before = open_descriptors();
    for (size_t i = 0; i < 1000; i++) {
        int fd = wire_connect(&world);
        wire_send(fd, sent[i % (sizeof sent / sizeof sent[0])]);
        if (i % 7 == 0) /* during the response, if there is one */
            wire_receive(fd, (char[10]){ 0 }, 10, 1);
        if (i % 2 == 0)
            slam(fd);
        else
            close(fd);
    }
    WAIT_UNTIL(open_connections(&world) == 0);
    forward_ms(HTTP_LINGER_MS);
    WAIT_UNTIL(open_descriptors() == before);
    struct answer answer;
    assert_true(ask(&world, GET("/x"), &answer));
    assert_int_equal(answer.status, 200);
    world_close(&world);
}

/* The FIN arrives with the request: the response is sent, then the connection is closed. */
static void
a_half_closed_connection_gets_the_response(void **state)
{
    struct answer answer;
    (void)state;
    open_world();
    for (int i = 0; i < 20; i++) {
        int fd = wire_connect(&world);
        assert_true(wire_send(fd, GET("/x")));
        shutdown(fd, SHUT_WR);
        assert_true(wire_answer(fd, &answer));
        assert_int_equal(answer.status, 200);
        close(fd);
    }
    int fd = wire_connect(&world);
    assert_true(wire_send(fd, GET("/x")));
    shutdown(fd, SHUT_WR);
    assert_true(wire_answer(fd, &answer));
    assert_true(wire_ends(fd));
    close(fd);
    world_close(&world);
}

static void
the_server_recovers_when_descriptors_run_out(void **state)
{
    struct rlimit usual;
    struct answer answer;
    int fds[60];
    (void)state;
    open_world();
    assert_true(ask(&world, GET("/block"), &answer));
    for (size_t i = 0; i < 60; i++) /* the client's first, so that only the server runs out */
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    getrlimit(RLIMIT_NOFILE, &usual);
    struct rlimit few = { (rlim_t)fds[59] + 20, usual.rlim_max };
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(world.port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (size_t i = 0; i < 60; i++)
        assert_int_equal(connect(fds[i], (const struct sockaddr *)&to, sizeof to), 0);
    let_the_reaper_pass();
    size_t taken = open_connections(&world);
    for (size_t i = 0; i < 60; i++)
        close(fds[i]);
    WAIT_UNTIL(open_connections(&world) == 0);
    assert_true(ask(&world, GET("/x"), &answer));
    assert_int_equal(answer.status, 200);
    setrlimit(RLIMIT_NOFILE, &usual);
    assert_true(taken < 30);
    world_close(&world);
}

/* Ticks of processor time a process has used. */
static unsigned long
ticks_of(pid_t pid)
{
    char path[64], line[1024];
    unsigned long user = 0, system_time = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_int_equal(sscanf(strrchr(line, ')'),
                            ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                            &system_time),
                     2);
    return user + system_time;
}

/* Serves in a child with 400 descriptors; writes its port to a pipe and exits when the other
 * closes. */
static pid_t
serve_with_few_descriptors(int *tell_end)
{
    int port_pipe[2], end[2];
    assert_int_equal(pipe(port_pipe), 0);
    assert_int_equal(pipe(end), 0);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit few = { 400, 400 };
        char byte;
        close(end[1]);
        setrlimit(RLIMIT_NOFILE, &few);
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDERR_FILENO); /* hides the warning */
        open_world();
        bool good = write(port_pipe[1], &world.port, sizeof world.port) == sizeof world.port &&
                    read(end[0], &byte, 1) == 0;
        world_close(&world);
        _exit(good ? 0 : 1);
    }
    close(port_pipe[1]);
    close(end[0]);
    assert_int_equal(read(port_pipe[0], &world.port, sizeof world.port), sizeof world.port);
    close(port_pipe[0]);
    *tell_end = end[1];
    return child;
}

static void
the_connection_limit_is_reached_before_descriptors_run_out(void **state)
{
    struct answer answer;
    int tell_end, status, served = 0, rejected = 0;
    int fds[500];
    (void)state;
    pid_t child = serve_with_few_descriptors(&tell_end);
    for (int i = 0; i < 500; i++) {
        fds[i] = wire_connect(&world);
        answer.status = 0;
        if (wire_send(fds[i], GET("/x")))
            wire_answer(fds[i], &answer);
        served += answer.status == 200;
        rejected += answer.status == 503;
    }
    assert_int_equal(served, 125); /* of 400: 200 reserved, 25 for errors, 50 linger */
    assert_true(rejected > 0);
    unsigned long before = ticks_of(child);
    let_the_reaper_pass();
    assert_true(ticks_of(child) - before < 10); /* of the 25 that passed */
    for (int i = 0; i < 500; i++)
        close(fds[i]);
    WAIT_UNTIL(ask(&world, GET("/x"), &answer) && answer.status == 200);
    close(tell_end);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void
the_metrics_page_counts(void **state)
{
    struct answer answer;
    (void)state;
    open_world();
    int fd = wire_connect(&world);
    assert_true(wire_send(fd, GET("/x")));
    assert_true(wire_answer(fd, &answer));
    assert_true(ask(&world, GET("*"), &answer));
    WAIT_UNTIL(open_connections(&world) == 1);
    assert_int_equal(metric_of("penchant_http_connections{listener=\"main\"} "), 1);
    assert_int_equal(metric_of("penchant_http_connections_total{listener=\"main\"} "), 2);
    assert_int_equal(
        metric_of("penchant_http_refused_total{listener=\"main\",reason=\"bad_request\"} "), 1);
    close(fd);
    world_close(&world);
    assert_int_equal(metric_of("penchant_http_connections{listener=\"main\"} "), -1);
}

int
main(void)
{
    control_clock();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_client_is_closed_at_the_deadline),
        cmocka_unit_test(a_slow_sender_is_closed_at_the_deadline),
        cmocka_unit_test(a_stalled_reader_is_closed_and_others_are_served),
        cmocka_unit_test(an_idle_connection_is_closed_after_the_idle_time),
        cmocka_unit_test(work_has_no_deadline),
        cmocka_unit_test(over_a_limit_a_connection_gets_an_error_and_is_closed),
        cmocka_unit_test(over_a_limit_a_connection_has_two_seconds_for_its_request),
        cmocka_unit_test(far_over_the_limit_connections_are_closed_without_a_response),
        cmocka_unit_test(clients_that_disconnect_leak_nothing),
        cmocka_unit_test(a_half_closed_connection_gets_the_response),
        cmocka_unit_test(the_server_recovers_when_descriptors_run_out),
        cmocka_unit_test(the_connection_limit_is_reached_before_descriptors_run_out),
        cmocka_unit_test(the_metrics_page_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
