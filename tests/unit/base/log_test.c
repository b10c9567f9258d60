#include "unit/assert_str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "text/json_read.h"
#include "text/time_text.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct arena *mem;
static int real_stderr = -1;
static int reader = -1;

/* From here to said() standard error is a pipe. */
static void
listen_to_stderr(void)
{
    int pipes[2];
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    fflush(stderr);
    real_stderr = dup(STDERR_FILENO);
    assert_int_equal(dup2(pipes[1], STDERR_FILENO), STDERR_FILENO);
    close(pipes[1]);
    reader = pipes[0];
}

static void
give_stderr_back(void)
{
    dup2(real_stderr, STDERR_FILENO);
    close(real_stderr);
}

static struct str
read_all(int fd)
{
    struct buf all = buf_in(mem, (size_t)64 << 20);
    char some[65536];
    ssize_t length;
    while ((length = read(fd, some, sizeof some)) > 0)
        buf_add(&all, (struct str){ some, (size_t)length });
    close(fd);
    return str_copy(mem, buf_str(&all));
}

static struct str
said(void)
{
    give_stderr_back();
    return read_all(reader);
}

/* The line without its time, which must be one. */
static struct str
without_time(struct str line)
{
    int64_t seconds;
    assert_true(line.len > 21 && time_read(str_first(line, 20), &seconds));
    return str_from(line, 20);
}

static int
begin(void **state)
{
    (void)state;
    mem = arena_new();
    log_setup(LOG_AS_TEXT, LOG_INFO);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    arena_free(mem);
    log_setup(LOG_AS_TEXT, LOG_INFO);
    return 0;
}

static const struct {
    const char *why;
    struct str value;
    const char *in_text;
    const char *in_json;
} values[] = {
    { "plain", { "/v1/x", 5 }, "/v1/x", "\"/v1/x\"" },
    { "empty", { "", 0 }, "\"\"", "\"\"" },
    { "absent", { NULL, 0 }, "\"\"", "\"\"" },
    { "space", { "a b", 3 }, "\"a b\"", "\"a b\"" },
    { "equals sign", { "a=b", 3 }, "\"a=b\"", "\"a=b\"" },
    { "quotes", { "a\"b\\", 4 }, "\"a\\\"b\\\\\"", "\"a\\\"b\\\\\"" },
    { "a second line", { "a\nb\r", 4 }, "\"a\\u000ab\\u000d\"", "\"a\\u000ab\\u000d\"" },
    { "terminal escape", { "\x1b[2J", 4 }, "\"\\u001b[2J\"", "\"\\u001b[2J\"" },
    { "NUL and DEL", { "\0\x7f", 2 }, "\"\\u0000\\u007f\"", "\"\\u0000\\u007f\"" },
    { "UTF-8",
      { "caf\xc3\xa9\xf0\x9f\x98\x80", 9 },
      "\"caf\xc3\xa9\xf0\x9f\x98\x80\"",
      "\"caf\xc3\xa9\xf0\x9f\x98\x80\"" },
    { "C1 control, an escape to terminals",
      { "\xc2\x9b"
        "2J",
        4 },
      "\"\\u009b2J\"",
      "\"\\u009b2J\"" },
    { "not UTF-8", { "a\xff\xc3", 3 }, "\"a\\ufffd\\ufffd\"", "\"a\\ufffd\\ufffd\"" },
    { "overlong", { "\xc0\x8a", 2 }, "\"\\ufffd\\ufffd\"", "\"\\ufffd\\ufffd\"" },
    { "surrogate",
      { "\xed\xa0\x80", 3 },
      "\"\\ufffd\\ufffd\\ufffd\"",
      "\"\\ufffd\\ufffd\\ufffd\"" },
};

static void
text_lines_quote_what_is_not_plain(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS(values); i++) {
        listen_to_stderr();
        log_info("request", log_text("v", values[i].value), log_number("n", -7));
        struct str expected = str_format(mem, " info request v=%s n=-7\n", values[i].in_text);
        assert_str(without_time(said()), expected, values[i].why);
    }
}

static void
json_lines_can_be_read(void **state)
{
    (void)state;
    log_setup(LOG_AS_JSON, LOG_INFO);
    for (size_t i = 0; i < ROWS(values); i++) {
        const struct json_value *root = NULL;
        struct why why = { 0 };
        int64_t seconds;
        listen_to_stderr();
        log_error("an event", log_text("v", values[i].value), log_number("n", INT64_MIN));
        struct str line = said();
        struct str expected = str_format(
            mem,
            "\"level\":\"error\",\"event\":\"an event\",\"v\":%s,\"n\":-9223372036854775808}\n",
            values[i].in_json);
        assert_str(str_from(line, strlen("{\"time\":\"2026-11-14T09:30:00Z\",")), expected,
                   values[i].why);
        if (json_read(mem, line, 4, &root, &why) != ERR_NONE)
            fail_msg("%s: %s", values[i].why, why.text);
        assert_true(time_read(json_member(root, "time")->text, &seconds));
    }
}

static void
an_event_may_have_no_fields(void **state)
{
    (void)state;
    listen_to_stderr();
    log_warn("started");
    assert_str(without_time(said()), STR(" warn started\n"), "text");
}

static void
levels_below_the_chosen_one_are_silent(void **state)
{
    (void)state;
    log_setup(LOG_AS_TEXT, LOG_WARN);
    assert_true(log_enabled(LOG_ERROR) && log_enabled(LOG_WARN));
    assert_false(log_enabled(LOG_INFO) || log_enabled(LOG_DEBUG));
    listen_to_stderr();
    log_info("silent");
    log_debug("silent");
    assert_str(said(), STR(""), "nothing");
}

static void
a_line_too_long_is_cut_and_stays_well_formed(void **state)
{
    static const char *const units[] = { "a", "\"", "\n", "\xc3\xa9", "\xf0\x9f\x98\x80", "\xff" };
    (void)state;
    for (int json = 0; json < 2; json++) {
        log_setup(json ? LOG_AS_JSON : LOG_AS_TEXT, LOG_INFO);
        for (size_t u = 0; u < ROWS(units); u++) {
            struct buf value = buf_in(mem, 100000);
            for (int i = 0; i < 5000; i++)
                buf_add_c(&value, units[u]);
            listen_to_stderr();
            log_info("request", log_text("long", buf_str(&value)), log_text("next", STR("x y")),
                     log_number("status", 200), log_text("more", buf_str(&value)));
            struct str line = said();
            assert_true(line.len <= 2048);
            assert_int_equal(str_index(line, '\n'), line.len - 1);
            const struct json_value *root;
            struct why why = { 0 };
            if (json && json_read(mem, line, 4, &root, &why) != ERR_NONE)
                fail_msg("%s", why.text);
            if (!json && u > 0) /* quoted, since it is not plain */
                assert_true(str_ends(line, STR("\"\n")));
        }
    }
}

static void
queued_lines_come_out_whole_and_in_order(void **state)
{
    (void)state;
    listen_to_stderr();
    uint64_t dropped = log_dropped();
    log_start();
    for (int i = 0; i < 500; i++)
        log_info("n", log_number("i", i));
    log_stop();
    struct str all = said(), line;
    assert_int_equal(log_dropped(), dropped);
    for (int i = 0; i < 500; i++) {
        assert_true(str_cut(&all, '\n', &line));
        assert_str(without_time(line), str_format(mem, " info n i=%d", i), "in order");
    }
    assert_str(all, STR(""), "nothing more");

    listen_to_stderr();
    log_info("after"); /* at once again */
    assert_str(without_time(said()), STR(" info after\n"), "after the stop");
}

static void *
read_in_a_thread(void *all)
{
    *(struct str *)all = read_all(reader);
    return NULL;
}

static void
lines_that_find_a_blocked_pipe_are_dropped_counted_and_reported(void **state)
{
    enum { MORE = 1000 };
    pthread_t thread;
    struct str all = STR_NONE, line;
    (void)state;
    listen_to_stderr();
    uint64_t before = log_dropped();
    log_start();
    uint64_t written = 0;
    while (log_dropped() == before) { /* the pipe is full, but logging does not block */
        log_info("n", log_number("i", (int64_t)written));
        written++;
    }
    for (int i = 0; i < MORE; i++, written++)
        log_info("n", log_number("i", (int64_t)written));
    uint64_t dropped = log_dropped() - before;
    assert_true(dropped >= MORE);
    assert_int_equal(pthread_create(&thread, NULL, read_in_a_thread, &all), 0);
    log_stop();
    give_stderr_back();
    pthread_join(thread, NULL);

    uint64_t whole = 0, reported = 0;
    while (str_cut(&all, '\n', &line) && line.len > 0) {
        struct str rest = without_time(line);
        struct str drop_line = STR(" warn log_lines_dropped lines=");
        int64_t count;
        if (str_starts(rest, drop_line)) {
            assert_true(str_to_int(str_from(rest, drop_line.len), 1, INT64_MAX, &count));
            reported += (uint64_t)count;
        } else {
            assert_str(rest, str_format(mem, " info n i=%d", (int)whole), "whole, in order");
            whole++;
        }
    }
    assert_int_equal(reported, dropped);
    assert_int_equal(whole + dropped, written);
}

static void
a_reader_that_never_reads_does_not_hold_the_stop_for_ever(void **state)
{
    int blocked[2];
    (void)state;
    assert_int_equal(pipe(blocked), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct timespec from, to;
        dup2(blocked[1], STDERR_FILENO);
        log_start();
        for (int i = 0; i < 20000; i++)
            log_info("n", log_number("i", i));
        clock_gettime(CLOCK_MONOTONIC, &from);
        log_stop();
        clock_gettime(CLOCK_MONOTONIC, &to);
        _exit(to.tv_sec - from.tv_sec > 10 ? 1 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(blocked[0]);
    close(blocked[1]);
}

/* As in a restart in place: the thread of the first start still writes. */
static void
a_log_that_starts_again_while_its_reader_blocks_stays_in_order(void **state)
{
    pthread_t thread;
    struct str all = STR_NONE, line;
    (void)state;
    listen_to_stderr();
    uint64_t before = log_dropped();
    log_start();
    int64_t written = 0, last = -1, number;
    while (log_dropped() == before)
        log_info("n", log_number("i", written++));
    log_stop(); /* gives up */
    log_start();
    assert_int_equal(pthread_create(&thread, NULL, read_in_a_thread, &all), 0);
    while (log_dropped() > before) { /* the queue has space again */
        before = log_dropped();
        log_info("n", log_number("i", written++));
        usleep(1000);
    }
    log_info("n", log_number("i", written));
    log_stop();
    give_stderr_back();
    pthread_join(thread, NULL);
    struct str prefix = STR(" info n i=");
    while (str_cut(&all, '\n', &line) && line.len > 0) {
        struct str rest = without_time(line);
        if (!str_starts(rest, prefix))
            continue; /* the report of dropped lines */
        assert_true(str_to_int(str_from(rest, prefix.len), 0, INT64_MAX, &number));
        assert_true(number > last);
        last = number;
    }
    assert_int_equal(last, written);
}

static void
a_pipe_that_does_not_block_loses_nothing(void **state)
{
    enum { LINES = 5000 };
    pthread_t thread;
    struct str all = STR_NONE, line;
    (void)state;
    listen_to_stderr();
    assert_int_equal(fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(pthread_create(&thread, NULL, read_in_a_thread, &all), 0);
    for (int i = 0; i < LINES; i++)
        log_info("n", log_number("i", i)); /* at once, faster than the reader */
    give_stderr_back();
    pthread_join(thread, NULL);
    for (int i = 0; i < LINES; i++) {
        assert_true(str_cut(&all, '\n', &line));
        assert_str(without_time(line), str_format(mem, " info n i=%d", i), "every line");
    }
}

static volatile sig_atomic_t interrupted_other;
static pthread_t the_main;

static void
on_signal(int number)
{
    (void)number;
    if (!pthread_equal(pthread_self(), the_main))
        interrupted_other = 1;
}

static void
the_log_leaves_signals_to_the_main_thread(void **state)
{
    sigset_t set, before;
    (void)state;
    the_main = pthread_self();
    struct sigaction action = { .sa_handler = on_signal }, old;
    sigaction(SIGUSR1, &action, &old);
    listen_to_stderr();
    log_start();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    kill(getpid(), SIGUSR1); /* goes to whichever thread lets it in: none */
    for (int i = 0; i < 200; i++)
        log_info("n", log_number("i", i));
    log_stop();
    sigset_t pending;
    sigpending(&pending);
    bool still_there = sigismember(&pending, SIGUSR1) == 1;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGUSR1, &old, NULL);
    said();
    assert_true(still_there);
    assert_int_equal(interrupted_other, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text_lines_quote_what_is_not_plain, begin, end),
        cmocka_unit_test_setup_teardown(json_lines_can_be_read, begin, end),
        cmocka_unit_test_setup_teardown(an_event_may_have_no_fields, begin, end),
        cmocka_unit_test_setup_teardown(levels_below_the_chosen_one_are_silent, begin, end),
        cmocka_unit_test_setup_teardown(a_line_too_long_is_cut_and_stays_well_formed, begin, end),
        cmocka_unit_test_setup_teardown(queued_lines_come_out_whole_and_in_order, begin, end),
        cmocka_unit_test_setup_teardown(
            lines_that_find_a_blocked_pipe_are_dropped_counted_and_reported, begin, end),
        cmocka_unit_test_setup_teardown(a_reader_that_never_reads_does_not_hold_the_stop_for_ever,
                                        begin, end),
        cmocka_unit_test_setup_teardown(
            a_log_that_starts_again_while_its_reader_blocks_stays_in_order, begin, end),
        cmocka_unit_test_setup_teardown(a_pipe_that_does_not_block_loses_nothing, begin, end),
        cmocka_unit_test_setup_teardown(the_log_leaves_signals_to_the_main_thread, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
