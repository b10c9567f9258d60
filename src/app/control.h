/* control.h - commands for a service that runs, over a Unix socket beside its store.
 *
 * Only one process may use a SQLite file, so a command that finds it taken is sent to the process
 * that has it. The socket is mode 0600, and the other side's user must be the service's own or
 * root.
 *
 * One request, a line of JSON: {"args":["user","add","ada"],"stdin":"…"}. The answer is lines of
 * JSON as they arise: {"out":"…"}, {"err":"…"}, {"progress":40}, and last {"exit":0}. */
#ifndef APP_CONTROL_H
#define APP_CONTROL_H

#include "app/command.h"
#include "base/err.h"

struct control;
struct workers;

/* What commands work with. */
struct control_settings {
    const struct settings *settings;
    const struct domains *domains;
    struct db *db;
    struct workers *workers;
};

/* Listens on `path`. Commands run on the workers, one connection each. */
enum err control_start(const char *path, const struct control_settings *settings,
                       struct control **out, struct why *why);
void control_stop(struct control *control); /* commands that were taken finish on the workers */
void control_free(struct control *control); /* when the workers are done */

/* Sends a command to the service and passes on what it says. ERR_UNAVAILABLE if nobody listens. */
enum err control_send(const char *path, struct arena *mem, const struct str *words, size_t count,
                      struct str input, struct console *console, int *exit_status, struct why *why);

/* A request as it came: the words and the input, in the arena. */
enum err control_read_request(struct arena *mem, struct str line, struct str *words,
                              size_t words_max, size_t *count, struct str *input, struct why *why);

#endif
