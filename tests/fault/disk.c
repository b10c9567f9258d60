/* disk.c - makes the disk slow or failing for tests, by LD_PRELOAD. Affects only files whose path
 * contains DISK_PATH; without it, none.
 *
 *   DISK_FSYNC_MS=5            each fsync and fdatasync takes this much longer
 *   DISK_FAIL_FSYNC_AT=n       the n-th of them fails; DISK_FAIL_FSYNC_FOR=m: m in a row (1)
 *   DISK_FAIL_WRITE_AT=n       the n-th write fails;   DISK_FAIL_WRITE_FOR=m: m in a row (1)
 *   DISK_FAIL_FSYNC_WHILE=f    they fail as long as the file f exists
 *   DISK_FAIL_WRITE_WHILE=f    the same for writes
 *   DISK_FAIL_READ_WHILE=f     the same for reads, with EIO
 *   DISK_READ_ONLY_WHILE=f     as long as the file f exists, the file system is read-only
 *   DISK_FULL_WHILE=f          as long as the file f exists, files can only grow by what other
 * files have shrunk since, and writes within a file succeed DISK_NO_NOREPLACE=1        renameat2
 * with flags fails, as on some file systems DISK_ERRNO=ENOSPC          errno of a failed write:
 * ENOSPC (default) or EIO; of an fsync: EIO
 *
 * The program under test must not be built with a sanitizer, which must be preloaded first. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* A kind of call that can be made to fail. */
struct fault {
    const char *at;
    const char *lasts;
    const char *meanwhile;
    _Atomic long calls;
};

static struct fault writes = { "DISK_FAIL_WRITE_AT", "DISK_FAIL_WRITE_FOR", "DISK_FAIL_WRITE_WHILE",
                               0 };
static struct fault syncs = { "DISK_FAIL_FSYNC_AT", "DISK_FAIL_FSYNC_FOR", "DISK_FAIL_FSYNC_WHILE",
                              0 };

static struct fault reads = { "DISK_FAIL_READ_AT", "DISK_FAIL_READ_FOR", "DISK_FAIL_READ_WHILE",
                              0 };

static long
number_in(const char *variable, long fallback)
{
    const char *text = getenv(variable);
    return text == NULL ? fallback : strtol(text, NULL, 10);
}

static bool
is_affected(int fd)
{
    const char *wanted = getenv("DISK_PATH");
    if (wanted == NULL)
        return false;
    char link[40];
    char path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    return strstr(path, wanted) != NULL;
}

/* ISO C has no cast from the object pointer of dlsym to a function pointer; a copy is allowed. */
static void
find(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

/* Whether the file that the variable names exists. access() is replaced below. */
static bool
lasts(const char *variable)
{
    int (*real)(const char *, int);
    const char *file = getenv(variable);
    find(&real, "access");
    return file != NULL && real(file, F_OK) == 0;
}

static bool
fails(struct fault *fault)
{
    long call = atomic_fetch_add(&fault->calls, 1) + 1;
    long first = number_in(fault->at, 0);
    if (first > 0 && call >= first && call < first + number_in(fault->lasts, 1))
        return true;
    return lasts(fault->meanwhile);
}

static _Atomic long free_bytes; /* of a full disk */

static bool
is_full(void)
{
    return lasts("DISK_FULL_WHILE");
}

/* False if the disk is full and the file cannot have `size` bytes. */
static bool
grow(int fd, off_t size)
{
    struct stat now;
    if (!is_full())
        atomic_store(&free_bytes, 0);
    if (!is_full() || fstat(fd, &now) != 0)
        return true;
    long more = (long)(size - now.st_size);
    if (more > 0 && more > atomic_load(&free_bytes))
        return false;
    if (more > 0)
        atomic_fetch_sub(&free_bytes, more);
    return true;
}

static bool
write_fails(int fd, off_t end)
{
    if (!is_affected(fd))
        return false;
    if (lasts("DISK_READ_ONLY_WHILE")) {
        errno = EROFS;
        return true;
    }
    if (!fails(&writes) && grow(fd, end))
        return false;
    const char *name = getenv("DISK_ERRNO");
    errno = name != NULL && strcmp(name, "EIO") == 0 ? EIO : ENOSPC;
    return true;
}

static bool
sync_fails(int fd)
{
    if (!is_affected(fd))
        return false;
    long ms = number_in("DISK_FSYNC_MS", 0);
    if (ms > 0) {
        struct timespec wait = { ms / 1000, ms % 1000 * 1000000 };
        nanosleep(&wait, NULL);
    }
    if (!fails(&syncs))
        return false;
    errno = EIO;
    return true;
}

static bool
read_fails(int fd)
{
    if (!is_affected(fd) || !fails(&reads))
        return false;
    errno = EIO;
    return true;
}

/* The prototypes of these are libc's own; the parameters' names are ours. */

ssize_t
write(int fd, const void *bytes, size_t length)
{
    ssize_t (*real)(int, const void *, size_t);
    find(&real, "write");
    return write_fails(fd, 0) ? -1 : real(fd, bytes, length);
}

ssize_t
pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off_t);
    find(&real, "pwrite");
    return write_fails(fd, offset + (off_t)length) ? -1 : real(fd, bytes, length, offset);
}

ssize_t
pwrite64(int fd, const void *bytes, size_t length, off64_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off64_t);
    find(&real, "pwrite64");
    return write_fails(fd, offset + (off_t)length) ? -1 : real(fd, bytes, length, offset);
}

ssize_t
writev(int fd, const struct iovec *pieces, int count)
{
    ssize_t (*real)(int, const struct iovec *, int);
    find(&real, "writev");
    return write_fails(fd, 0) ? -1 : real(fd, pieces, count);
}

static off_t
length_of(const struct iovec *pieces, int count)
{
    off_t length = 0;
    for (int i = 0; i < count; i++)
        length += (off_t)pieces[i].iov_len;
    return length;
}

ssize_t
pwritev(int fd, const struct iovec *pieces, int count, off_t offset)
{
    ssize_t (*real)(int, const struct iovec *, int, off_t);
    find(&real, "pwritev");
    return write_fails(fd, offset + length_of(pieces, count)) ? -1
                                                              : real(fd, pieces, count, offset);
}

ssize_t
pwritev64(int fd, const struct iovec *pieces, int count, off64_t offset)
{
    ssize_t (*real)(int, const struct iovec *, int, off64_t);
    find(&real, "pwritev64");
    return write_fails(fd, offset + length_of(pieces, count)) ? -1
                                                              : real(fd, pieces, count, offset);
}

ssize_t
read(int fd, void *bytes, size_t length)
{
    ssize_t (*real)(int, void *, size_t);
    find(&real, "read");
    return read_fails(fd) ? -1 : real(fd, bytes, length);
}

ssize_t
pread(int fd, void *bytes, size_t length, off_t offset)
{
    ssize_t (*real)(int, void *, size_t, off_t);
    find(&real, "pread");
    return read_fails(fd) ? -1 : real(fd, bytes, length, offset);
}

ssize_t
pread64(int fd, void *bytes, size_t length, off64_t offset)
{
    ssize_t (*real)(int, void *, size_t, off64_t);
    find(&real, "pread64");
    return read_fails(fd) ? -1 : real(fd, bytes, length, offset);
}

int
access(const char *path, int mode)
{
    int (*real)(const char *, int);
    const char *wanted = getenv("DISK_PATH");
    find(&real, "access");
    if ((mode & W_OK) != 0 && wanted != NULL && strstr(path, wanted) != NULL &&
        lasts("DISK_READ_ONLY_WHILE")) {
        errno = EROFS;
        return -1;
    }
    return real(path, mode);
}

int
ftruncate(int fd, off_t size)
{
    int (*real)(int, off_t);
    struct stat now;
    find(&real, "ftruncate");
    if (is_full() && is_affected(fd) && fstat(fd, &now) == 0 && size < now.st_size)
        atomic_fetch_add(&free_bytes, (long)(now.st_size - size));
    return real(fd, size);
}

int
posix_fallocate(int fd, off_t offset, off_t length)
{
    int (*real)(int, off_t, off_t);
    find(&real, "posix_fallocate");
    return is_affected(fd) && !grow(fd, offset + length) ? ENOSPC : real(fd, offset, length);
}

int
fsync(int fd)
{
    int (*real)(int);
    find(&real, "fsync");
    return sync_fails(fd) ? -1 : real(fd);
}

int
fdatasync(int fd)
{
    int (*real)(int);
    find(&real, "fdatasync");
    return sync_fails(fd) ? -1 : real(fd);
}

int
renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    int (*real)(int, const char *, int, const char *, unsigned);
    find(&real, "renameat2");
    if (flags != 0 && getenv("DISK_NO_NOREPLACE") != NULL) {
        errno = EINVAL;
        return -1;
    }
    return real(from, old, to, new, flags);
}
