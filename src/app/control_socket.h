/* control_socket.h - the socket's two ends and its lines. Private to control.c and control_send.c.
 */
#ifndef APP_CONTROL_SOCKET_H
#define APP_CONTROL_SOCKET_H

#include "base/str.h"

/* A request with the largest document there is: as a JSON text it has at most twice as many bytes,
 * unless it holds what no JSON may. */
#define CONTROL_REQUEST_MAX ((size_t)129 * 1024 * 1024)

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
    size_t seen; /* so far there is no newline */
    size_t capacity;
};
struct str control_read_line(struct arena *mem, struct control_reader *reader);

/* The same without waiting: reads once, when something is there. CONTROL_LINE: the first `length`
 * bytes are a line. */
enum control_read_result { CONTROL_MORE, CONTROL_LINE, CONTROL_CLOSED };
enum control_read_result control_read_some(struct arena *mem, struct control_reader *reader,
                                           size_t *length);

bool control_write(int fd, struct str text);

#endif
