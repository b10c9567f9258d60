/* commands.h - the commands that need no open store: those that run the service, check
 * it, or describe the program.
 *
 * commands.c lists these tables together with those of command/command.h. Read-only; any thread. */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "command/command.h"

/* Each ends with a row without words. */
extern const struct command serve_commands[];
extern const struct command doctor_commands[];
extern const struct command help_commands[];

#endif
