/* The thread of the control socket when no descriptor is free, and while a command takes long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command/control.h"
#include "command/control_socket.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/workers.h"
#include "db/driver.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic bool exhausted;
static _Atomic int attempts;

/* Replaces that of the C library. */
int
accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    attempts++;
    if (exhausted) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_accept4, fd, address, length, flags);
}

static bool hurries; /* a send timeout is short */

/* Replaces that of the C library. */
int
setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
    const struct timeval brief = { .tv_usec = 100000 };
    const void *used = hurries && level == SOL_SOCKET && name == SO_SNDTIMEO ? &brief : value;
    return (int)syscall(SYS_setsockopt, fd, level, name, used, length);
}

static void
pause_ms(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static int64_t
cpu_ms(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

static void
without_descriptors_the_thread_waits_and_recovers(void **state)
{
    char path[] = "/tmp/penchant-control-XXXXXX";
    struct why why = { 0 };
    struct control *control;
    struct control_settings settings = { .workers = workers_start("control_test", 1, 4, 0) };
    struct arena *mem = arena_new();
    (void)state;
    assert_non_null(mkdtemp(path));
    struct str socket_path = str_format(mem, "%s/socket", path);
    assert_int_equal(control_start(socket_path.ptr, &settings, &control, &why), ERR_NONE);
    exhausted = true;
    int fd = control_socket_connect(socket_path.ptr);
    assert_true(fd >= 0);
    int64_t before = cpu_ms();
    pause_ms(700);
    assert_in_range(attempts, 1, 5);
    assert_true(cpu_ms() - before < 300);

    exhausted = false;
    struct control_reader reader = { .fd = fd, .max = 4096 };
    assert_true(control_write(fd, STR("not JSON\n")));
    struct str line = control_read_line(mem, &reader);
    assert_true(str_starts(line, STR("{\"err\":")));
    close(fd);
    control_stop(control);
    workers_stop(settings.workers);
    control_free(control);
    rmdir(path);
    arena_free(mem);
}

static sem_t released; /* the command ends when it is posted */

static struct db_tx *
begin_when_released(struct db *db)
{
    (void)db;
    sem_wait(&released);
    return NULL;
}

static void *
stop_and_release(void *control)
{
    control_stop(control);
    pause_ms(1500);
    sem_post(&released);
    return NULL;
}

/* Also while the service stops: the command still runs to its end. */
static void
a_command_that_takes_long_is_known_to_run(void **state)
{
    char path[] = "/tmp/penchant-control-XXXXXX";
    struct why why = { 0 };
    struct control *control;
    struct db db = { .driver = &(struct db_driver){ .begin_read = begin_when_released } };
    struct control_settings settings = { .workers = workers_start("control_test", 1, 4, 0),
                                         .db = &db };
    struct arena *mem = arena_new();
    pthread_t stopper;
    (void)state;
    sem_init(&released, 0, 0);
    assert_non_null(mkdtemp(path));
    struct str socket_path = str_format(mem, "%s/socket", path);
    assert_int_equal(control_start(socket_path.ptr, &settings, &control, &why), ERR_NONE);
    int fd = control_socket_connect(socket_path.ptr);
    struct control_reader reader = { .fd = fd, .max = 4096, .silence_ms = 5000 };
    assert_true(control_write(fd, STR("{\"args\":[\"user\",\"list\"]}\n")));
    for (size_t i = 0; i < 3; i++)
        assert_true(str_eq(control_read_line(mem, &reader), STR("{}")));
    int queued = control_socket_connect(socket_path.ptr); /* the only worker is busy */
    struct control_reader second = { .fd = queued, .max = 4096, .silence_ms = 5000 };
    assert_true(control_write(queued, STR("not JSON\n")));
    for (size_t i = 0; i < 3; i++)
        assert_true(str_eq(control_read_line(mem, &second), STR("{}")));
    assert_int_equal(pthread_create(&stopper, NULL, stop_and_release, control), 0);
    size_t count = 0;
    struct str line;
    while (str_eq(line = control_read_line(mem, &reader), STR("{}")))
        count++;
    assert_in_range(count, 1, 10);
    assert_true(str_starts(line, STR("{\"err\":")));
    assert_true(str_eq(control_read_line(mem, &reader), STR("{\"exit\":1}")));
    assert_false(str_present(control_read_line(mem, &reader)));
    assert_false(reader.silent);
    while (str_eq(line = control_read_line(mem, &second), STR("{}")))
        continue;
    assert_true(str_starts(line, STR("{\"err\":")));
    close(fd);
    close(queued);
    pthread_join(stopper, NULL);
    workers_stop(settings.workers);
    control_free(control);
    rmdir(path);
    arena_free(mem);
}

static void
a_reader_gives_up_when_nothing_arrives(void **state)
{
    int fds[2];
    struct arena *mem = arena_new();
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    struct control_reader reader = { .fd = fds[0], .max = 4096, .silence_ms = 400 };
    assert_true(control_write(fds[1], STR("{}\n{\"out\"")));
    assert_true(str_eq(control_read_line(mem, &reader), STR("{}")));
    int64_t before = clock_steady_ms();
    assert_false(str_present(control_read_line(mem, &reader)));
    assert_true(reader.silent);
    assert_in_range(clock_steady_ms() - before, 400, 4000);
    close(fds[0]);
    close(fds[1]);
    arena_free(mem);
}

static void
a_service_that_accepts_nothing_is_said_to_have_received_nothing(void **state)
{
    char path[] = "/tmp/penchant-control-XXXXXX";
    struct arena *mem = arena_new();
    struct console_capture capture = console_capture(mem, NULL);
    const struct str words[] = { STR("user"), STR("list") };
    struct why why = { 0 };
    int status = 0;
    (void)state;
    assert_non_null(mkdtemp(path));
    struct str socket_path = str_format(mem, "%s/socket", path);
    assert_false(control_socket_has_listener(socket_path.ptr));
    int listener = control_socket_bind(socket_path.ptr);
    assert_int_equal(listen(listener, 0), 0);
    int first = control_socket_connect(socket_path.ptr); /* fills the backlog */
    assert_true(first >= 0);
    assert_true(control_socket_has_listener(socket_path.ptr));
    hurries = true;
    enum err err =
        control_send(socket_path.ptr, mem, words, 2, STR_NONE, &capture.console, &status, &why);
    hurries = false;
    assert_int_equal(err, ERR_UNAVAILABLE);
    assert_string_equal(why.text, "the service has not responded for 30 seconds; nothing was sent "
                                  "to it; see its log");
    close(first);
    close(listener);
    unlink(socket_path.ptr);
    rmdir(path);
    arena_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_descriptors_the_thread_waits_and_recovers),
        cmocka_unit_test(a_command_that_takes_long_is_known_to_run),
        cmocka_unit_test(a_reader_gives_up_when_nothing_arrives),
        cmocka_unit_test(a_service_that_accepts_nothing_is_said_to_have_received_nothing),
    };
    log_setup(LOG_AS_TEXT, LOG_ERROR);
    return cmocka_run_group_tests_name("app/control", tests, NULL, NULL);
}
