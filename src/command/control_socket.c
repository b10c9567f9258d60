/* control_socket.c - Unix sockets with paths of any length, and a reader of lines in pieces. */
#include "command/control_socket.h"

#include "base/arena.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define POLL_MS 200 /* the precision of the reader's silence_ms */

/* sun_path has only 108 bytes. Addressing the socket through a descriptor of its folder allows
 * paths of any length. */
static int
open_socket(const char *path, struct sockaddr_un *address, int *folder)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    snprintf(parent, sizeof parent, "%.*s", slash == NULL ? 1 : (int)(slash - path) + 1,
             slash == NULL ? "." : path);
    /* O_PATH needs no permission to read the folder. The caller closes it after bind() or
     * connect(), which look up the path. */
    *folder = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (*folder < 0)
        return -1;
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    int length =
        snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", *folder, name);
    if (length < 0 || (size_t)length >= sizeof address->sun_path) {
        close(*folder);
        errno = ENAMETOOLONG;
        return -1;
    }
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* Only the owner may connect (0600). errno has the reason of a failure, also after close(). */
int
control_socket_bind(const char *path)
{
    struct sockaddr_un address;
    int folder = -1;
    int fd = open_socket(path, &address, &folder);
    if (fd < 0)
        return -1;
    unlink(path); /* left by a killed service; we hold the store's lock, so it is stale */
    bool bound = bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
                 chmod(path, 0600) == 0 && listen(fd, 256) == 0;
    int problem = errno;
    close(folder);
    if (bound)
        return fd;
    close(fd);
    errno = problem;
    return -1;
}

/* -1 with errno set. A socket file without a listener is ECONNREFUSED. */
static int
connect_within(const char *path, int64_t ms)
{
    struct sockaddr_un address;
    int folder = -1;
    int fd = open_socket(path, &address, &folder);
    const struct timeval limit = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
    if (fd < 0)
        return -1;
    /* Also limits connect(), which waits while the backlog of the listener is full (EAGAIN). */
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    int code = connect(fd, (const struct sockaddr *)&address, sizeof address);
    int problem = errno;
    close(folder);
    if (code == 0)
        return fd;
    close(fd);
    errno = problem;
    return -1;
}

int
control_socket_connect(const char *path)
{
    return connect_within(path, CONTROL_SILENCE_MS);
}

bool
control_socket_has_listener(const char *path)
{
    int fd = connect_within(path, 1); /* 0 is no limit */
    if (fd < 0)
        return errno != ENOENT && errno != ECONNREFUSED;
    close(fd);
    return true;
}

/* Doubles the capacity, up to the maximum; false if that is reached. */
static bool
grow_buffer(struct arena *mem, struct control_reader *reader)
{
    if (reader->capacity == reader->max)
        return false;
    size_t capacity = reader->capacity == 0 ? 4096 : reader->capacity * 2;
    if (capacity > reader->max)
        capacity = reader->max;
    /* The arena keeps the smaller buffers. Doubling limits them to the size of the last one. */
    char *grown = arena_alloc(mem, capacity);
    if (reader->length > 0)
        memcpy(grown, reader->bytes, reader->length);
    reader->bytes = grown;
    reader->capacity = capacity;
    return true;
}

/* Resumes where the last search ended, so that each byte is checked once. */
static bool
find_line(struct control_reader *reader, size_t *length)
{
    if (reader->length == reader->seen) /* also before anything was read, when there is no buffer */
        return false;
    struct str fresh = { reader->bytes + reader->seen, reader->length - reader->seen };
    size_t at = str_index(fresh, '\n');
    *length = reader->seen + at;
    reader->seen += at;
    return at < fresh.len;
}

/* One read(), so that a thread with several connections never blocks on one of them. */
enum control_read_result
control_read_some(struct arena *mem, struct control_reader *reader, size_t *length)
{
    if (reader->length == reader->capacity && !grow_buffer(mem, reader))
        return CONTROL_CLOSED;
    ssize_t got =
        read(reader->fd, reader->bytes + reader->length, reader->capacity - reader->length);
    if (got < 0 && errno == EINTR)
        return CONTROL_MORE;
    if (got <= 0)
        return CONTROL_CLOSED;
    reader->length += (size_t)got;
    return find_line(reader, length) ? CONTROL_LINE : CONTROL_MORE;
}

/* Whether there is something to read, or the connection was closed. */
static bool
wait_for_bytes(struct control_reader *reader)
{
    struct pollfd fd = { reader->fd, POLLIN, 0 };
    int64_t until = clock_steady_ms() + reader->silence_ms;
    while (reader->silence_ms > 0 && poll(&fd, 1, POLL_MS) <= 0)
        if (clock_steady_ms() >= until) {
            reader->silent = true;
            return false;
        }
    return true;
}

/* Blocks until a line has arrived. Absent: the connection was closed, the line is too long, or
 * nothing has arrived for too long. */
struct str
control_read_line(struct arena *mem, struct control_reader *reader)
{
    size_t end = 0;
    enum control_read_result result = find_line(reader, &end) ? CONTROL_LINE : CONTROL_MORE;
    while (result == CONTROL_MORE)
        result = wait_for_bytes(reader) ? control_read_some(mem, reader, &end) : CONTROL_CLOSED;
    if (result == CONTROL_CLOSED)
        return STR_NONE;
    struct str line = str_copy(mem, (struct str){ reader->bytes, end });
    reader->length -= end + 1;
    reader->seen = 0;
    memmove(reader->bytes, reader->bytes + end + 1, reader->length);
    return line;
}

/* False: the other side has closed the connection, or reads nothing (errno is EAGAIN). SIGPIPE must
 * not end the process. */
bool
control_write(int fd, struct str text)
{
    while (text.len > 0) {
        ssize_t sent = send(fd, text.ptr, text.len, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        text = str_from(text, (size_t)sent);
    }
    return true;
}
