/* Where the program begins: understand what was typed, find out where it has to run, run it. */
#include "app/command.h"
#include "app/control.h"
#include "app/definitions.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/rehearsal.h"
#include "crypt/random.h"
#include "db/db.h"
#include "model/domain.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A store opened as descriptor 2 would get the error messages written into it. */
static void
occupy_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

static int
usage(const char *problem)
{
    fprintf(stderr, "penchant: %s\n", problem);
    return 2;
}

/* The command's own words and options, without the settings that said where to run it. */
static size_t
words_to_send(struct arena *mem, const struct call_of_command *call, struct str *words)
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
    words[count++] = STR("--");
    for (size_t i = 0; i < call->argument_count; i++)
        words[count++] = call->arguments[i];
    return count;
}

static int
run_in_service(struct call_of_command *call)
{
    struct str words[8 + COMMAND_OPTIONS_MAX + COMMAND_ARGUMENTS_MAX];
    size_t count = words_to_send(call->mem, call, words);
    struct str path = db_path_beside(call->mem, call->settings->store, ".sock");
    struct why why = { 0 };
    int status = 1;
    enum err err =
        control_send(path.ptr, call->mem, words, count, call->input, call->console, &status, &why);
    return err ? command_fail(call, err, "%s", why.text) : status;
}

static int
run_on_store(struct call_of_command *call)
{
    struct why why = { 0 };
    struct db_settings settings = { call->settings->store, 1 };
    enum err err = db_open(&settings, &call->db, &why);
    if (err == ERR_TAKEN)
        return run_in_service(call);
    if (err)
        return command_fail(call, err, "%s", why.text);
    int status = call->command->run(call);
    db_close(call->db);
    return status;
}

static enum err
read_input(struct call_of_command *call)
{
    if (!command_wants_input(call))
        return ERR_NONE;
    return console_read_secret(call->mem, "Password: ", COMMAND_INPUT_MAX, &call->input);
}

static int
run(struct arena *mem, const struct str *words, size_t count)
{
    struct command_line *line = ARENA_NEW(mem, struct command_line);
    struct settings settings;
    struct domains domains;
    struct why why = { 0 };
    if (command_parse(mem, words, count, line, &why))
        return usage(why.text);
    struct call_of_command *call = &line->call;
    call->console = console_standard();
    if (settings_load(mem, line->flags, line->flag_count, &settings, &why))
        return usage(why.text);
    call->settings = &settings;
    if (line->command->place != ON_ITS_OWN) {
        if (definitions_load(mem, settings.domains, &domains, &why))
            return usage(why.text);
        call->domains = &domains;
    }
    log_setup(settings.log_format,
              LOG_WARN); /* commands speak for themselves; serve sets its own */
    if (read_input(call))
        return usage("what was given on standard input is too long");
    return line->command->place == ON_THE_STORE ? run_on_store(call) : line->command->run(call);
}

/* `penchant user add --help` is `penchant help user add`: the words before the first option. There
 * is room for one word more. */
static size_t
ask_for_help(struct str *words, size_t count)
{
    size_t leading = 0;
    bool asked = false;
    while (leading < count && !str_starts(words[leading], STR("--")))
        leading++;
    for (size_t i = leading; i < count; i++)
        asked = asked || str_eq(words[i], STR("--help"));
    if (!asked)
        return count;
    for (size_t i = leading; i > 0; i--)
        words[i] = words[i - 1];
    words[0] = STR("help");
    return leading + 1;
}

int
main(int argc, char **argv)
{
    occupy_standard_descriptors();
    umask(077); /* the store, its log and its backups are nobody else's to read */
    signal(SIGPIPE, SIG_IGN);
    rehearsal_start();
    random_start();

    struct arena *mem = arena_new();
    struct str *words = ARENA_ARRAY(mem, struct str, (size_t)argc + 2);
    size_t count = 0;
    for (int i = 1; i < argc; i++)
        words[count++] = str_of(argv[i]);
    if (count == 0)
        words[count++] = STR("help");
    if (str_eq(words[0], STR("-h")))
        words[0] = STR("help");
    if (str_eq(words[0], STR("--version")))
        words[0] = STR("version");
    count = ask_for_help(words, count);
    int status = run(mem, words, count);
    arena_free(mem);
    if (fflush(stdout) != 0 && status == 0) {
        fprintf(stderr, "penchant: could not write the answer\n");
        status = 1;
    }
    return status;
}
