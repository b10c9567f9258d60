/* console.h - the output of a command: a terminal, a pipe, or a control socket.
 *
 * Commands use the same functions for all three. A console is used by one thread at a time. */
#ifndef COMMAND_CONSOLE_H
#define COMMAND_CONSOLE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct console {
    void (*out)(struct console *console, struct str text);
    void (*err)(struct console *console, struct str text);
    void (*progress)(struct console *console, int percent);
};

/* A console that stores its output in two buffers of `mem` and ignores progress. With `pass_on`,
 * standard output goes there instead. */
struct console_capture {
    struct console console;
    struct console *pass_on;
    struct buf out, err;
};

struct console_capture console_capture(struct arena *mem, struct console *pass_on);

struct console *console_standard(void); /* this process's own; progress only on a terminal */

void console_print(struct console *console, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void console_error(struct console *console, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads all of standard input, or on a terminal one line without echo after `prompt`. A final
 * newline is removed. ERR_TOO_LARGE past `max` bytes. */
enum err console_read_secret(struct arena *mem, const char *prompt, size_t max, struct str *out);

#endif
