/* notify.c - messages to systemd (sd_notify(3)): ready, reloading, stopping, the watchdog, and how
 * long a start or stop takes. */
#include "app/notify.h"

#include "base/str.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define EXTEND_USEC "60000000" /* from each message on */

/* The protocol of sd_notify(3), without its library. Without systemd, the variable is not set, and
 * nothing is sent. */
void
notify_send(const char *state)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    const char *path = getenv("NOTIFY_SOCKET");
    size_t length = path == NULL ? 0 : strlen(path);
    if (length == 0 || length >= sizeof to.sun_path)
        return;
    memcpy(to.sun_path, path, length);
    if (path[0] == '@') /* an abstract socket */
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    /* A lost message is not an error: systemd's timeout follows. */
    sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
    close(fd);
}

/* systemd uses the longer one of this time and that of the unit. */
void
notify_stopping(int64_t ms)
{
    char state[80];
    snprintf(state, sizeof state, "STOPPING=1\nEXTEND_TIMEOUT_USEC=%lld", (long long)ms * 1000);
    notify_send(state);
}

void
notify_alive(bool watchdog, bool starts)
{
    if (watchdog)
        notify_send("WATCHDOG=1");
    if (starts)
        notify_send("EXTEND_TIMEOUT_USEC=" EXTEND_USEC);
}

/* 0: there is no watchdog. */
int64_t
notify_watchdog_ms(void)
{
    int64_t microseconds, pid;
    if (!str_to_int(str_of(getenv("WATCHDOG_USEC")), 1, INT64_MAX, &microseconds))
        return 0;
    /* Variables are inherited: the watchdog may be meant for the parent process. */
    if (str_to_int(str_of(getenv("WATCHDOG_PID")), 1, INT32_MAX, &pid) && pid != getpid())
        return 0;
    /* Half the interval, as sd_watchdog_enabled(3) recommends, in milliseconds. */
    return microseconds / 2000 > 0 ? microseconds / 2000 : 1;
}
