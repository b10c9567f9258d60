/* store_access.h - the store, as a command has it: opened here, or in the service that has it open.
 *
 * Only one process may have a SQLite file. A command that finds it taken goes to the service as
 * words and input, and the same function runs there. */
#ifndef APP_STORE_ACCESS_H
#define APP_STORE_ACCESS_H

#include "app/command.h"

struct store_access {
    const struct settings *settings;
    const struct domains *domains;
    struct db *db; /* NULL: the service has it */
};

/* ERR_NOT_FOUND: `must_exist`, and there is no store. */
enum err store_access_open(const struct settings *settings, const struct domains *domains,
                           bool must_exist, struct store_access *out, struct why *why);
void store_access_close(struct store_access *side);

/* Runs a command that was parsed; gives its exit status. */
int store_access_run(const struct store_access *side, struct command_call *call);

/* One step of a command that consists of several: other words, a document, another console. */
int store_access_run_words(const struct store_access *side, struct arena *mem,
                           const struct str *words, size_t count, struct str input,
                           struct console *console);

#endif
