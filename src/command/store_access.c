/* store_access.c - a command opens the store itself, or sends its words to the service that has it
 * open. Which of both is only known after trying to open it, because the lock of the store
 * decides. */
#include "command/store_access.h"

#include "command/control.h"
#include "command/control_socket.h"
#include "base/arena.h"
#include "base/clock.h"
#include "db/db.h"

#include <time.h>

#define COMMAND_STATEMENT_MS 60000 /* no other request waits for a command's statement */
#define LOCKED_MS 12000            /* longer than a service drains */
#define LOOK_MS 50
#define WORDS_MAX (8 + COMMAND_OPTIONS_MAX + COMMAND_ARGUMENTS_MAX)

/* Waits while the process that has the store accepts no commands: another command, or a service
 * that starts, reloads, or stops. */
static enum err
open_when_free(const struct db_settings *settings, struct db **out, struct why *why)
{
    const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000 };
    int64_t until = clock_ticks_ns() + LOCKED_MS * (int64_t)1000000;
    struct arena *mem = arena_new();
    enum err err;
    while ((err = db_open(settings, out, why)) == ERR_TAKEN && clock_ticks_ns() < until &&
           !control_socket_has_listener(db_path_beside(mem, settings->address, ".sock").ptr)) {
        *why = (struct why){ 0 };
        nanosleep(&pause, NULL);
    }
    arena_free(mem);
    return err;
}

/* out->db is NULL if the service has the store; the command is then sent to it. */
enum err
store_access_open(const struct settings *settings, const struct domains *domains, bool must_exist,
                  struct store_access *out, struct why *why)
{
    struct db_settings with = { .address = settings->store,
                                .connections = 1,
                                .deadline_ms = COMMAND_STATEMENT_MS,
                                .must_exist = must_exist,
                                .prepare_lazily = must_exist }; /* it runs few statements */
    *out = (struct store_access){ .settings = settings, .domains = domains };
    enum err err = open_when_free(&with, &out->db, why);
    if (err)
        out->db = NULL;
    return err == ERR_TAKEN ? ERR_NONE : err; /* taken: the service has it open */
}

void
store_access_close(struct store_access *side)
{
    if (side->db != NULL)
        db_close(side->db);
}

/* The command's words, options, and arguments, without the settings. */
static size_t
words_to_send(struct arena *mem, const struct command_call *call, struct str *words)
{
    struct str rest = str_of(call->command->words);
    size_t count = 0;
    while (str_cut(&rest, ' ', &words[count]))
        count++;
    for (size_t i = 0; i < call->option_count; i++) {
        struct str name = call->options[i].name, value = call->options[i].value;
        words[count++] = command_takes_value(call->command, name)
                             ? str_format(mem, "--%.*s=%.*s", STR_ARG(name), STR_ARG(value))
                             : str_format(mem, "--%.*s", STR_ARG(name));
    }
    words[count++] = STR("--"); /* arguments may begin with "--" */
    for (size_t i = 0; i < call->argument_count; i++)
        words[count++] = call->arguments[i];
    return count;
}

/* Output and exit status are those of the service's run of the command. */
static int
run_in_service(const struct store_access *side, struct command_call *call)
{
    struct str words[WORDS_MAX];
    size_t count = words_to_send(call->mem, call, words);
    struct str path = db_path_beside(call->mem, side->settings->store, ".sock");
    struct why why = { 0 };
    int status = 1;
    enum err err =
        control_send(path.ptr, call->mem, words, count, call->input, call->console, &status, &why);
    return err ? command_fail(call, err, "%s", why.text) : status;
}

int
store_access_run(const struct store_access *side, struct command_call *call)
{
    if (side->db == NULL)
        return run_in_service(side, call);
    call->db = side->db;
    return call->command->run(call);
}

/* For commands that run in steps: each step is a command of its own. */
int
store_access_run_words(const struct store_access *side, struct arena *mem, const struct str *words,
                       size_t count, struct str input, struct console *console)
{
    struct command_line *line = ARENA_NEW(mem, struct command_line);
    struct why why = { 0 };
    if (command_parse(mem, words, count, line, &why)) {
        console_error(console, "penchant: %s\n", why.text);
        return 2;
    }
    line->call.console = console;
    line->call.settings = side->settings;
    line->call.domains = side->domains;
    line->call.input = input;
    return store_access_run(side, &line->call);
}
