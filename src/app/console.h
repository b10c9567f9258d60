/* console.h - where a command speaks to: a terminal, a pipe, or a control socket.
 *
 * A command does not know which. Not for threads. */
#ifndef APP_CONSOLE_H
#define APP_CONSOLE_H

#include "base/err.h"
#include "base/str.h"

struct console {
    void (*out)(struct console *console, struct str text);
    void (*err)(struct console *console, struct str text);
    void (*progress)(struct console *console, int percent);
};

struct console *console_standard(void); /* this process's own; progress only on a terminal */

void console_print(struct console *console, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void console_error(struct console *console, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* All of standard input, or, on a terminal, one line typed unseen after `prompt`. A newline at the
 * end is not part of it. ERR_TOO_LARGE past `max` bytes. */
enum err console_read_secret(struct arena *mem, const char *prompt, size_t max, struct str *out);

#endif
