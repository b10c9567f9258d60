/* store_access.h - runs commands on the store, here or in the service that has it open.
 *
 * Only one process may open a SQLite store. If the service holds it, the command's words and input
 * are sent over the control socket, and the same function runs there. One thread. */
#ifndef COMMAND_STORE_ACCESS_H
#define COMMAND_STORE_ACCESS_H

#include "command/command.h"

struct store_access {
    const struct settings *settings;
    const struct domains *domains;
    struct db *db; /* NULL: open in the running service */
};

/* ERR_NOT_FOUND: the store does not exist and `must_exist` is set. Close with store_access_close().
 */
enum err store_access_open(const struct settings *settings, const struct domains *domains,
                           bool must_exist, struct store_access *out, struct why *why);
void store_access_close(struct store_access *side);

/* Runs a parsed command and returns its exit status. */
int store_access_run(const struct store_access *side, struct command_call *call);

/* Runs one step of a command that consists of several, given as words, input, and console. */
int store_access_run_words(const struct store_access *side, struct arena *mem,
                           const struct str *words, size_t count, struct str input,
                           struct console *console);

#endif
