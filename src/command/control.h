/* control.h - sends commands to the running service over a Unix socket next to its store.
 *
 * Only one process may open a SQLite store, so a command that finds it locked is sent to the
 * service that holds it. The socket has mode 0600, and the service accepts only peers with its own
 * user id or root.
 *
 * One request, a line of JSON: {"args":["user","add","ada"],"stdin":"…"}. The response is lines of
 * JSON as they are produced: {"out":"…"}, {"err":"…"}, {"progress":40}, and last {"exit":0}. While
 * the command waits for a worker or runs, the service also sends {} every five seconds, which
 * distinguishes a command that takes long from a service that hangs. Start, stop, and free it from
 * the main thread, which owns it; control_send() and control_read_request() may be called from any
 * thread. */
#ifndef COMMAND_CONTROL_H
#define COMMAND_CONTROL_H

#include "command/command.h"
#include "base/err.h"

struct control;
struct workers;

/* Borrowed; must stay valid until control_free(). */
struct control_settings {
    const struct settings *settings;
    const struct domains *domains;
    struct db *db;
    struct workers *workers;
};

/* Listens on `path`. Commands run on the workers, one connection each. */
enum err control_start(const char *path, const struct control_settings *settings,
                       struct control **out, struct why *why);
void control_stop(struct control *control); /* accepted commands still finish on the workers */
void control_free(struct control *control); /* after the workers have stopped */

/* Sends a command to the service and copies its output to `console`. ERR_UNAVAILABLE if no service
 * listens on `path`, or it sends nothing for 30 seconds. */
enum err control_send(const char *path, struct arena *mem, const struct str *words, size_t count,
                      struct str input, struct console *console, int *exit_status, struct why *why);

/* Parses a request line into words and input, allocated in the arena. Exported for tests. */
enum err control_read_request(struct arena *mem, struct str line, struct str *words,
                              size_t words_max, size_t *count, struct str *input, struct why *why);

#endif
