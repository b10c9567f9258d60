/* launch.c - runs the program of the tests by a fork of fork_server.c.
 *
 * usage: launch SOCKET PROGRAM [ARGUMENT…]
 *
 * Behaves as PROGRAM would: it passes its arguments, environment, working directory, and standard
 * descriptors on, exits with the program's status, and dies of the signal that ended the program.
 * Signals go to the program itself: the name of this process (/proc/PID/comm) is the program's
 * process id. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUEST_MAX (256 * 1024)
#define BROKEN 125

extern char **environ;

static char request[REQUEST_MAX];
static size_t length;

static _Noreturn void
fail(const char *what)
{
    fprintf(stderr, "launch: %s: %s\n", what, strerror(errno));
    exit(BROKEN);
}

static void
add(const char *prefix, const char *word)
{
    size_t size = strlen(prefix) + strlen(word) + 1;
    if (size > sizeof request - length) {
        errno = E2BIG;
        fail("too many arguments");
    }
    length += (size_t)sprintf(request + length, "%s%s", prefix, word) + 1;
}

/* Each word with a dot before it, then an empty string. */
static void
add_list(char **words)
{
    for (; *words != NULL; words++)
        add(".", *words);
    add("", "");
}

static int
connect_to(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int size = REQUEST_MAX;
    int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connection < 0 || strlen(path) >= sizeof address.sun_path)
        fail(path);
    memcpy(address.sun_path, path, strlen(path));
    setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0)
        fail(path);
    return connection;
}

static void
send_request(int connection)
{
    const int descriptors[3] = { 0, 1, 2 };
    union {
        char bytes[CMSG_SPACE(sizeof descriptors)];
        struct cmsghdr aligned;
    } control = { { 0 } };
    struct iovec part = { request, length };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptors);
    memcpy(CMSG_DATA(head), descriptors, sizeof descriptors);
    if (sendmsg(connection, &message, 0) != (ssize_t)length)
        fail("sending");
}

int
main(int argc, char **argv)
{
    char folder[4096], name[16];
    pid_t pid;
    int status;
    if (argc < 3 || getcwd(folder, sizeof folder) == NULL) {
        fprintf(stderr, "usage: launch SOCKET PROGRAM [ARGUMENT...]\n");
        return BROKEN;
    }
    add_list(argv + 2);
    add_list(environ);
    add("", folder);
    int connection = connect_to(argv[1]);
    send_request(connection);
    if (recv(connection, &pid, sizeof pid, 0) != sizeof pid)
        return BROKEN; /* the program's side has written why to standard error */
    snprintf(name, sizeof name, "%d", (int)pid);
    prctl(PR_SET_NAME, name);
    /* Only the program keeps the standard descriptors open. */
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    if (send(connection, "", 1, MSG_NOSIGNAL) != 1 ||
        recv(connection, &status, sizeof status, 0) != sizeof status)
        return BROKEN;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return BROKEN;
}
