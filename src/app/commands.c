/* commands.c - every command of the program, in the order of `penchant help`. */
#include "app/commands.h"

const struct command *const command_tables[] = {
    serve_commands, doctor_commands, user_commands,     app_commands,  hints_commands,
    store_commands, backup_commands, transfer_commands, help_commands, NULL
};
