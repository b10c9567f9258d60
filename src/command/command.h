/* command.h - the command line: tables of commands, and their parsing, output, and help.
 *
 * A command is its words ("user add"), its options, and a function, which gets parsed and counted
 * arguments. Help is generated from the tables. A command that needs the store runs in this process
 * if the store is free, and otherwise inside the running service; the function is the same. All
 * memory comes from the call's arena. A call is used by one thread at a time: the main thread, or a
 * worker of the service. */
#ifndef COMMAND_COMMAND_H
#define COMMAND_COMMAND_H

#include "command/console.h"
#include "config/settings_load.h"
#include "base/err.h"
#include "base/str.h"

struct arena;
struct buf;
struct db;
struct domains;
struct json;
struct store_access;

#define COMMAND_ARGUMENTS_MAX 4
#define COMMAND_OPTIONS_MAX 20
#define COMMAND_INPUT_MAX (64 * 1024)

struct command_option {
    const char *name;  /* without the dashes; NULL ends the list */
    const char *value; /* placeholder in help; NULL: takes no value */
    const char *summary;
};

enum command_mode {
    COMMAND_WITHOUT_STORE, /* needs no store */
    COMMAND_SERVES,        /* runs the service, which opens the store */
    COMMAND_ON_STORE,      /* needs the open store: here, or in the running service */
    COMMAND_ON_NEW_STORE,  /* the same, and creates a missing store */
    COMMAND_IN_STEPS, /* runs here, with `side` and without `db`, to open files; for each step it
                       * runs a command on the store (store_access.h), possibly itself with `db` */
    COMMAND_BESIDE_SERVICE, /* opens the store itself, read-only; with --compact COMMAND_ON_STORE */
    COMMAND_ALONE,          /* opens the store itself, and no service may use it */
};

enum command_input {
    NO_INPUT,
    SECRET_INPUT,   /* a password, on standard input */
    DOCUMENT_INPUT, /* of a step: a document from the file that the command opened */
};

struct command_call; /* see below */

struct command {
    const char *words;     /* "user add" */
    const char *arguments; /* "NAME", as in help; "" for none */
    size_t arguments_min, arguments_max;
    struct command_option options[COMMAND_OPTIONS_MAX];
    enum command_mode mode;
    enum command_input input;
    const char *input_unless; /* an option that makes the input unnecessary */
    int (*run)(struct command_call *call);
    const char *summary;
};

#define JSON_OPTION                \
    {                              \
        "json", NULL, "print JSON" \
    }

/* A command on one user or app, with --json as its only option. */
#define COMMAND_ON_ONE(words, argument, input, run, summary)                                \
    {                                                                                       \
        words, argument, 1, 1, { JSON_OPTION }, COMMAND_ON_STORE, input, NULL, run, summary \
    }

/* One command being run. */
struct command_call {
    const struct command *command;
    struct arena *mem;
    struct console *console;
    const struct settings *settings;
    const struct setting_flag *flags; /* the settings of the command line, to load them again */
    size_t flag_count;
    const struct domains *domains;   /* not COMMAND_WITHOUT_STORE */
    struct db *db;                   /* COMMAND_ON_STORE, and a step */
    const struct store_access *side; /* COMMAND_IN_STEPS, but not in its steps */
    struct str input;                /* absent: not read */
    struct str arguments[COMMAND_ARGUMENTS_MAX];
    size_t argument_count;
    struct {
        struct str name;
        struct str value;
    } options[COMMAND_OPTIONS_MAX];
    size_t option_count;
};

/* The effective mode with the given options: never COMMAND_ON_NEW_STORE nor
 * COMMAND_BESIDE_SERVICE. */
enum command_mode command_mode(const struct command_call *call);

bool command_takes_value(const struct command *command, struct str option);

/* The value of an option, empty for one that takes none; absent if it was not given. */
struct str command_option_value(const struct command_call *call, const char *name);
/* All values of an option that may be repeated, in order; returns their number. */
size_t command_option_values(const struct command_call *call, const char *name, struct str *out,
                             size_t max);

bool command_has(const struct command_call *call, const char *name);

/* Whether the command reads standard input with the given options. */
bool command_wants_input(const struct command_call *call);

/* Prints an error, as text or with --json as JSON. Returns exit status 1. */
int command_fail(struct command_call *call, enum err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for an error that needs no sentence of the command. ERR_UNAVAILABLE: says whether the
 * disk is full. */
int command_fail_other(struct command_call *call, enum err err);

/* The same for an error from opening the store. Returns 2 if the store does not exist, because then
 * a setting is wrong. */
int command_fail_store(struct command_call *call, enum err err, const struct why *why);

/* The same for a usage error. Returns 2. */
int command_usage_error(struct command_call *call, const char *sentence);

/* Prints an error, or for COMMAND_INCOMPLETE a warning: the command succeeded in part. */
enum command_severity { COMMAND_FAILED, COMMAND_INCOMPLETE };
void command_error(struct command_call *call, enum command_severity severity, struct str name,
                   struct str sentence);

/* JSON output: start, write, then print with command_json_done(), which returns the exit status. */
struct json *command_json(struct command_call *call);
int command_json_done(struct command_call *call, struct json *json);

/* Finds the command at the start of the words and splits the rest into arguments, options, and
 * settings. ERR_INVALID: `why` says what is wrong. */
struct command_line {
    const struct command *command;
    struct command_call call;
    struct setting_flag flags[32];
    size_t flag_count;
};
enum err command_parse(struct arena *mem, const struct str *words, size_t count,
                       struct command_line *out, struct why *why);

/* Every table, ended by NULL. The program defines it (app/commands.c), because the tables of other
 * modules are in it as well. */
extern const struct command *const command_tables[];

/* The tables of this module. */
extern const struct command user_commands[];
extern const struct command app_commands[];
extern const struct command hints_commands[];
extern const struct command store_commands[];
extern const struct command backup_commands[];
extern const struct command transfer_commands[];

/* Help for one command, or a list of all commands. */
void command_describe(struct buf *out, const struct command *command);
void command_describe_all(struct buf *out, enum help_format format);
#endif
