/* main.c - parses the command line, loads the settings, and runs the command. */
#include "command/command.h"
#include "config/definitions.h"
#include "command/store_access.h"
#include "base/arena.h"
#include "base/fault_injection.h"
#include "base/log.h"
#include "crypt/random.h"
#include "domain/domain.h"
#include "model/scope.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* If standard descriptors are closed, the store could become descriptor 2 and receive error output.
 */
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

/* If the service has the store, the command is sent to it (store_access_open()). A command in steps
 * sends one request per step. */
static int
run_on_store(struct command_call *call)
{
    struct why why = { 0 };
    struct store_access *side = ARENA_NEW(call->mem, struct store_access);
    bool must_exist = call->command->mode != COMMAND_ON_NEW_STORE;
    enum err err = store_access_open(call->settings, call->domains, must_exist, side, &why);
    if (err)
        return command_fail_store(call, err, &why);
    call->side = side;
    int status = call->command->mode == COMMAND_IN_STEPS ? call->command->run(call)
                                                         : store_access_run(side, call);
    store_access_close(side);
    return status;
}

/* A document is read by the command itself; a password is short and read here. */
static enum err
read_input(struct command_call *call)
{
    if (!command_wants_input(call) || call->command->input == DOCUMENT_INPUT)
        return ERR_NONE;
    return console_read_secret(call->mem, "Password: ", COMMAND_INPUT_MAX, &call->input);
}

/* The order decides what an error message is about: first the command, then the settings, then the
 * definitions, and only then the store. */
static int
run(struct arena *mem, const struct str *words, size_t count)
{
    struct command_line *line = ARENA_NEW(mem, struct command_line);
    struct settings settings;
    struct domains domains;
    struct why why = { 0 };
    if (command_parse(mem, words, count, line, &why))
        return usage(why.text);
    struct command_call *call = &line->call;
    call->console = console_standard();
    if (settings_load(mem, line->flags, line->flag_count, &settings, &why))
        return usage(why.text);
    call->settings = &settings;
    call->flags = line->flags;
    call->flag_count = line->flag_count;
    if (command_mode(call) != COMMAND_WITHOUT_STORE) {
        if (definitions_load(mem, settings.domains, settings.domains_off, &domains, &why))
            return usage(why.text);
        scopes_setup(&domains);
        call->domains = &domains;
    }
    log_setup(settings.log_format,
              LOG_WARN); /* commands print their own output; serve sets its level */
    /* Before the store is opened, so that nothing else waits for its lock while a user types. */
    if (read_input(call))
        return usage("the password on standard input is too long");
    enum command_mode mode = command_mode(call);
    bool on_store = mode == COMMAND_ON_STORE || mode == COMMAND_IN_STEPS;
    return on_store ? run_on_store(call) : line->command->run(call);
}

/* Turns `penchant user add --help` into `penchant help user add`. `words` has room for one more. */
static size_t
rewrite_help_option(struct str *words, size_t count)
{
    size_t leading = 0;
    bool found = false;
    while (leading < count && !str_starts(words[leading], STR("--")))
        leading++;
    for (size_t i = leading; i < count; i++)
        found = found || str_eq(words[i], STR("--help"));
    if (!found)
        return count;
    for (size_t i = leading; i > 0; i--)
        words[i] = words[i - 1];
    words[0] = STR("help");
    return leading + 1;
}

/* Runs before any thread exists: umask, signals, and the allocator are settings of the whole
 * process. */
int
main(int argc, char **argv)
{
    occupy_standard_descriptors();
    umask(077); /* only the owner may read the store and its backups */
    signal(SIGPIPE, SIG_IGN);
    /* Setting it stops glibc from raising it: a large block is then unmapped when it is freed. */
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    /* The next request uses the memory that one has freed. By default, a thread returns it to the
     * kernel above 128 KiB, and each page costs a fault to get it back. */
    mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
    fault_injection_start();
    random_start();

    struct arena *mem = arena_new();
    /* One more for "help" without arguments, or for rewrite_help_option(). */
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
    count = rewrite_help_option(words, count);
    int status = run(mem, words, count);
    arena_free(mem);
    /* A full disk must not look like success: scripts rely on the status of `export > FILE`. */
    if (fflush(stdout) != 0 && status == 0) {
        fprintf(stderr, "penchant: cannot write to standard output\n");
        status = 1;
    }
    return status;
}
