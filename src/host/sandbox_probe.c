/* sandbox_probe.c - the attempts that tests/api/sandbox.test.mjs makes inside the service. Each
 * returns a negative number, with errno, if the sandbox refused it. */
#include "host/sandbox_probe.h"

#ifdef PENCHANT_FAULT_INJECTION

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static long
try_execve(const char *path)
{
    char *const arguments[] = { (char[]){ "penchant" }, NULL };
    return execve(path, arguments, arguments + 1);
}

static long
try_execveat(const char *path)
{
    char *const arguments[] = { (char[]){ "penchant" }, NULL };
    return syscall(SYS_execveat, AT_FDCWD, path, arguments, arguments + 1, 0);
}

static long
close_if_open(int fd)
{
    return fd < 0 ? -1 : close(fd);
}

static long
try_read(const char *path)
{
    return close_if_open(open(path, O_RDONLY | O_CLOEXEC));
}

static long
try_write(const char *path)
{
    return close_if_open(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static long
try_list(const char *path)
{
    return close_if_open(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static long
try_delete(const char *path)
{
    return unlink(path);
}

static long
try_packet(const char *path)
{
    (void)path;
    return close_if_open(socket(AF_PACKET, SOCK_RAW, 0));
}

static long
try_writable_code(const char *path)
{
    (void)path;
    void *map =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return map == MAP_FAILED ? -1 : munmap(map, 4096);
}

/* Memory that was writable must not become executable. */
static long
try_new_code(const char *path)
{
    (void)path;
    void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return 0;
    long result = mprotect(map, 4096, PROT_READ | PROT_EXEC);
    int error = errno;
    munmap(map, 4096);
    errno = error;
    return result;
}

static long
try_unshare(const char *path)
{
    (void)path;
    return syscall(SYS_unshare, 0);
}

static long
try_type(const char *path)
{
    (void)path;
    return ioctl(STDIN_FILENO, TIOCSTI, "x");
}

static long
try_clone3(const char *path)
{
    (void)path;
    return syscall(SYS_clone3, NULL, 0);
}

/* For tests, which ask the running service to try what an attacker would. */
bool
sandbox_probe(const struct str *words, size_t count, struct why *out)
{
    static const struct {
        const char *name;
        long (*try)(const char *path);
    } calls[] = {
        { "execve", try_execve },     { "execveat", try_execveat },
        { "read", try_read },         { "write", try_write },
        { "list", try_list },         { "delete", try_delete },
        { "packet", try_packet },     { "writable-code", try_writable_code },
        { "new-code", try_new_code }, { "unshare", try_unshare },
        { "type", try_type },         { "clone3", try_clone3 },
    };
    char path[PATH_MAX] = "";
    if (count < 2 || !str_eq_c(words[0], "sandbox-probe"))
        return false;
    if (count > 2)
        snprintf(path, sizeof path, "%.*s", STR_ARG(words[2]));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (str_eq_c(words[1], calls[i].name))
            why_set(out, "%s", calls[i].try(path) < 0 ? strerrorname_np(errno) : "allowed");
    return true;
}

#else

/* ISO C requires a declaration in a translation unit. */
typedef int sandbox_probe_is_not_built;

#endif
