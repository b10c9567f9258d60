#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/penchant-sandbox-XXXXXX";
static char inside[PATH_MAX], outside[PATH_MAX], link_name[PATH_MAX];

static void
make_file(char *path, const char *name)
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static int
set_up(void **state)
{
    (void)state;
    char name[PATH_MAX];
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(name, sizeof name, "%s/in", folder);
    mkdir(name, 0700);
    make_file(inside, "in/file");
    make_file(outside, "in-other");
    snprintf(link_name, sizeof link_name, "%s/in/link", folder);
    return symlink(outside, link_name);
}

static int
tear_down(void **state)
{
    (void)state;
    char name[PATH_MAX];
    unlink(inside);
    unlink(link_name);
    unlink(outside);
    snprintf(name, sizeof name, "%s/in", folder);
    rmdir(name);
    return rmdir(folder);
}

/* Allows the folder "in" for reading. */
static struct sandbox
reading(char *name)
{
    struct sandbox sandbox = { .count = 0 };
    snprintf(name, PATH_MAX, "%s/in", folder);
    sandbox_allow(&sandbox, name, SANDBOX_READ);
    sandbox_allow(&sandbox, NULL, SANDBOX_WRITE);
    sandbox_allow(&sandbox, "/does/not/exist", SANDBOX_WRITE);
    return sandbox;
}

static void
rules_cover_a_folder_and_what_links_lead_to(void **state)
{
    (void)state;
    char name[PATH_MAX];
    struct sandbox sandbox = reading(name);
    assert_true(sandbox_covers(&sandbox, inside, SANDBOX_READ));
    assert_true(sandbox_covers(&sandbox, name, SANDBOX_READ));
    assert_false(sandbox_covers(&sandbox, inside, SANDBOX_WRITE));
    assert_false(sandbox_covers(&sandbox, outside, SANDBOX_READ)); /* the same beginning */
    assert_false(sandbox_covers(&sandbox, link_name, SANDBOX_READ));
    assert_true(sandbox_covers(&sandbox, "/nowhere/at/all", SANDBOX_READ));
    sandbox_allow(&sandbox, folder, SANDBOX_WRITE);
    assert_true(sandbox_covers(&sandbox, outside, SANDBOX_READ));
    assert_true(sandbox_covers(&sandbox, outside, SANDBOX_WRITE));
    assert_false(sandbox_covers(&sandbox, outside, SANDBOX_REMOVE_FOLDER));
}

static int
open_error(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : errno;
}

/* Bits of what went wrong, in a process of its own, because nothing lifts the rules again. */
static int
try_in_sandbox(void)
{
    char name[PATH_MAX];
    struct sandbox sandbox = reading(name);
    struct why why = { 0 };
    if (sandbox_enter(&sandbox, &why))
        return 1;
    return (open_error(inside, O_RDONLY) != 0) << 1 | (open_error(inside, O_RDWR) != EACCES) << 2 |
           (open_error(outside, O_RDONLY) != EACCES) << 3 |
           (open_error(link_name, O_RDONLY) != EACCES) << 4 | (unlink(inside) == 0) << 5 |
           (execl("/bin/true", "true", (char *)NULL) == 0 || errno != EPERM) << 6;
}

static void
only_the_rules_allow(void **state)
{
    (void)state;
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(try_in_sandbox());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_cover_a_folder_and_what_links_lead_to),
        cmocka_unit_test(only_the_rules_allow),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
