/* control_socket.h - reads and writes lines on the control socket. Private to control.c and
 * control_send.c. Lines are allocated from `mem`. Any thread may use a descriptor of its own. */
#ifndef COMMAND_CONTROL_SOCKET_H
#define COMMAND_CONTROL_SOCKET_H

#include "base/str.h"

#include <stdint.h>

/* The largest document as a JSON string: at most twice its size, since a JSON document contains no
 * bytes with longer escapes. */
#define CONTROL_REQUEST_MAX ((size_t)129 * 1024 * 1024)

/* How long a client waits for the service to send or to receive anything. A service that runs a
 * command sends something more often: see control.h. */
#define CONTROL_SILENCE_MS 30000

/* A Unix socket at a path of any length; -1 with errno set. Connecting, and a write to a connected
 * one, fail with EAGAIN if the service accepts or receives nothing for CONTROL_SILENCE_MS. */
int control_socket_bind(const char *path);
int control_socket_connect(const char *path);

/* Does not wait for the listener. True also if that is not known. */
bool control_socket_has_listener(const char *path);

/* Returns the next line without its newline; absent at the end, past `max` bytes, or if nothing
 * arrives for `silence_ms`. Bytes after the newline are kept for the next call. */
struct control_reader {
    int fd;
    size_t max;
    int64_t silence_ms; /* 0: no limit */
    bool silent;        /* nothing has arrived in time */
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
