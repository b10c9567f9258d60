/* control_socket.h - reads and writes lines on the control socket. Private to control.c and
 * control_send.c. Lines are allocated from `mem`. Any thread may use a descriptor of its own. */
#ifndef COMMAND_CONTROL_SOCKET_H
#define COMMAND_CONTROL_SOCKET_H

#include "base/str.h"

/* The largest document as a JSON string: at most twice its size, since a JSON document contains no
 * bytes with longer escapes. */
#define CONTROL_REQUEST_MAX ((size_t)129 * 1024 * 1024)

/* A Unix socket at a path of any length; -1 with errno set. */
int control_socket_bind(const char *path);
int control_socket_connect(const char *path);

/* Returns the next line without its newline; absent at the end, past `max` bytes, or on a timeout.
 * Bytes after the newline are kept for the next call. */
struct control_reader {
    int fd;
    size_t max;
    char *bytes;
    size_t length;
    size_t seen; /* bytes without a newline */
    size_t capacity;
};
struct str control_read_line(struct arena *mem, struct control_reader *reader);

/* Reads once, for a socket that is readable. CONTROL_LINE: the first `length` bytes are a line. */
enum control_read_result { CONTROL_MORE, CONTROL_LINE, CONTROL_CLOSED };
enum control_read_result control_read_some(struct arena *mem, struct control_reader *reader,
                                           size_t *length);

bool control_write(int fd, struct str text);

#endif
