/* The thread of the control socket when no descriptor is free. */
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

#include <errno.h>
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_descriptors_the_thread_waits_and_recovers),
    };
    log_setup(LOG_AS_TEXT, LOG_ERROR);
    return cmocka_run_group_tests_name("app/control", tests, NULL, NULL);
}
