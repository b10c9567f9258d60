/* control_socket.h - the socket's two ends and its lines. Private to control.c and control_send.c.
 */
#ifndef APP_CONTROL_SOCKET_H
#define APP_CONTROL_SOCKET_H

#include "base/str.h"

/* A Unix socket at a path of any length; -1 with errno set. */
int control_socket_bind(const char *path);
int control_socket_connect(const char *path);

/* Up to a newline, which is not part of it; absent at the end, past `max` bytes, or when the other
 * side is silent for too long. What follows the newline stays for the next call. */
struct control_reader {
    int fd;
    size_t max;
    char *bytes;
    size_t length;
    size_t room;
};
struct str control_read_line(struct arena *mem, struct control_reader *reader);

bool control_write(int fd, struct str text);

#endif
