/* command.c - finds, parses, and describes commands by their tables. A word that is no command or
 * option is compared with all of them, to suggest what was probably meant. */
#include "command/command.h"

#include "base/arena.h"
#include "base/buf.h"
#include "text/nearest.h"
#include "db/db.h"
#include "text/json_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of the JSON of one command. `user list --json` without --limit fails above it. */
#define OUTPUT_MAX ((size_t)64 * 1024 * 1024)

/* Walks the rows of every table. */
static const struct command *
next_command(size_t *table, size_t *row)
{
    while (command_tables[*table] != NULL) {
        const struct command *command = &command_tables[*table][*row];
        if (command->words != NULL) {
            ++*row;
            return command;
        }
        ++*table;
        *row = 0;
    }
    return NULL;
}

/* The number of words that the command has, if the line begins with all of them; otherwise 0. */
static size_t
matching_words(const struct command *command, const struct str *words, size_t count)
{
    struct str rest = str_of(command->words);
    struct str word;
    size_t used = 0;
    while (str_cut(&rest, ' ', &word)) {
        if (used == count || !str_eq(words[used], word))
            return 0;
        used++;
    }
    return used;
}

/* *used is the number of words that belong to the command; the rest are its arguments. */
static const struct command *
find_command(const struct str *words, size_t count, size_t *used)
{
    size_t table = 0, row = 0;
    for (const struct command *command; (command = next_command(&table, &row)) != NULL;) {
        *used = matching_words(command, words, count);
        if (*used > 0) /* of several rows, the first one wins */
            return command;
    }
    return NULL;
}

/* ---- parsing ---- */

/* The command that the words probably mean, or NULL. */
static const struct command *
nearest_command(const struct str *words, size_t count)
{
    const struct command *nearest = NULL;
    size_t least = NEAREST_MAX, table = 0, row = 0;
    for (const struct command *command; (command = next_command(&table, &row)) != NULL;) {
        /* As many of the typed words as the command has: one or two. */
        char typed[NEAREST_MAX];
        if (strchr(command->words, ' ') != NULL && count > 1)
            snprintf(typed, sizeof typed, "%.*s %.*s", STR_ARG(words[0]), STR_ARG(words[1]));
        else
            snprintf(typed, sizeof typed, "%.*s", STR_ARG(words[0]));
        size_t distance = nearest_distance(str_of(typed), str_of(command->words));
        if (distance < least && nearest_is_typo(str_of(typed), str_of(command->words))) {
            nearest = command;
            least = distance;
        }
    }
    return nearest;
}

/* Whether commands begin with this word: "user". */
static bool
is_first_word(struct str word)
{
    size_t table = 0, row = 0;
    for (const struct command *command; (command = next_command(&table, &row)) != NULL;)
        if (str_starts(str_of(command->words), word) && command->words[word.len] == ' ')
            return true;
    return false;
}

/* A typing mistake gets a suggestion, and a word that begins several commands a pointer to their
 * help. */
static void
explain_unknown_command(const struct str *words, size_t count, struct why *why)
{
    if (count == 0) {
        why_set(why, "the command is missing; see `penchant help`");
        return;
    }
    const struct command *nearest = nearest_command(words, count);
    if (nearest != NULL)
        why_set(why, "there is no command %.*s; did you mean `penchant %s`?", STR_ARG(words[0]),
                nearest->words);
    else if (is_first_word(words[0]))
        why_set(why, "%.*s needs another word; see `penchant help %.*s`", STR_ARG(words[0]),
                STR_ARG(words[0]));
    else
        why_set(why, "there is no command %.*s; see `penchant help`", STR_ARG(words[0]));
}

static const struct command_option *
option_of(const struct command *command, struct str name)
{
    for (const struct command_option *option = command->options; option->name != NULL; option++)
        if (str_eq_c(name, option->name))
            return option;
    return NULL;
}

static const char *
nearest_option(const struct command *command, struct str name)
{
    for (const struct command_option *option = command->options; option->name != NULL; option++)
        if (nearest_is_typo(name, str_of(option->name)))
            return option->name;
    return setting_nearest(name);
}

/* Takes the option at words[*at] and its value, which follows '=' or is the next word. */
static enum err
take_option(const struct str *words, size_t count, size_t *at, struct command_line *out,
            struct why *why)
{
    struct command_call *call = &out->call;
    struct str name = str_from(words[*at], 2);
    struct str value = STR_NONE;
    size_t equals = str_index(name, '=');
    if (equals < name.len) {
        value = str_from(name, equals + 1);
        name = str_first(name, equals);
    }
    /* An option hides a setting of the same name. */
    const struct command_option *option = option_of(out->command, name);
    bool setting = option == NULL && setting_exists(name);
    if (option == NULL && !setting) {
        const char *nearest = nearest_option(out->command, name);
        if (nearest != NULL)
            why_set(why, "there is no option --%.*s; did you mean --%s?", STR_ARG(name), nearest);
        /* why_set() keeps the first sentence. */
        why_set(why, "there is no option --%.*s; see `penchant help %s`", STR_ARG(name),
                out->command->words);
        return ERR_INVALID;
    }
    if ((setting || option->value != NULL) && !str_present(value)) {
        if (*at + 1 == count) {
            why_set(why, "--%.*s needs a value", STR_ARG(name));
            return ERR_INVALID;
        }
        value = words[++*at]; /* also if it begins with "--" */
    } else if (!setting && option->value == NULL && str_present(value)) {
        why_set(why, "--%.*s takes no value", STR_ARG(name));
        return ERR_INVALID;
    }
    bool full = setting ? out->flag_count == sizeof out->flags / sizeof out->flags[0]
                        : call->option_count == COMMAND_OPTIONS_MAX;
    if (full) {
        why_set(why, "too many options");
        return ERR_INVALID;
    }
    if (setting) {
        out->flags[out->flag_count++] = (struct setting_flag){ name, value };
    } else {
        call->options[call->option_count].name = name;
        /* Present for an option without a value as well: command_has() depends on it. */
        call->options[call->option_count++].value = str_present(value) ? value : STR("");
    }
    return ERR_NONE;
}

/* Options may stand before and after arguments. "--" ends them, so that an argument may begin with
 * a hyphen. Nothing is executed here, so that a mistake in the last word changes nothing. */
enum err
command_parse(struct arena *mem, const struct str *words, size_t count, struct command_line *out,
              struct why *why)
{
    size_t used = 0;
    bool after_options = false;
    *out = (struct command_line){ .command = find_command(words, count, &used) };
    struct command_call *call = &out->call;
    if (out->command == NULL) {
        explain_unknown_command(words, count, why);
        return ERR_INVALID;
    }
    call->command = out->command;
    call->mem = mem;
    for (size_t i = used; i < count; i++) {
        if (!after_options && str_eq(words[i], STR("--"))) { /* the rest are arguments */
            after_options = true;
        } else if (!after_options && str_starts(words[i], STR("--"))) {
            enum err err = take_option(words, count, &i, out, why);
            if (err)
                return err;
        } else if (call->argument_count < out->command->arguments_max) {
            call->arguments[call->argument_count++] = words[i];
        } else {
            why_set(why, "unexpected argument: %.*s", STR_ARG(words[i]));
            return ERR_INVALID;
        }
    }
    if (call->argument_count < out->command->arguments_min) {
        why_set(why, "usage: penchant %s %s", out->command->words, out->command->arguments);
        return ERR_INVALID;
    }
    return ERR_NONE;
}

/* ---- helpers for commands ---- */

bool
command_takes_value(const struct command *command, struct str option)
{
    const struct command_option *row = option_of(command, option);
    return row != NULL && row->value != NULL;
}

struct str
command_option_value(const struct command_call *call, const char *name)
{
    struct str value = STR_NONE;
    for (size_t i = 0; i < call->option_count; i++)
        if (str_eq_c(call->options[i].name, name))
            value = call->options[i].value; /* the last one wins */
    return value;
}

/* For options that may be given several times. Values beyond `max` are left out, so the caller
 * passes the largest possible number. */
size_t
command_option_values(const struct command_call *call, const char *name, struct str *out,
                      size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < call->option_count && count < max; i++)
        if (str_eq_c(call->options[i].name, name))
            out[count++] = call->options[i].value;
    return count;
}

enum command_mode
command_mode(const struct command_call *call)
{
    if (call->command->mode == COMMAND_BESIDE_SERVICE || call->command->mode == COMMAND_ALONE)
        return command_has(call, "compact") ? COMMAND_ON_STORE : COMMAND_WITHOUT_STORE;
    return call->command->mode == COMMAND_ON_NEW_STORE ? COMMAND_ON_STORE : call->command->mode;
}

bool
command_has(const struct command_call *call, const char *name)
{
    return str_present(command_option_value(call, name));
}

bool
command_wants_input(const struct command_call *call)
{
    const struct command *command = call->command;
    bool not_needed = command->input_unless != NULL && command_has(call, command->input_unless);
    return command->input != NO_INPUT && !not_needed;
}

/* With --json, errors are JSON as well, on standard error, so that a program never has to parse
 * sentences. */
void
command_error(struct command_call *call, enum command_severity severity, struct str name,
              struct str sentence)
{
    bool failed = severity == COMMAND_FAILED;
    if (!command_has(call, "json")) {
        console_error(call->console, "penchant: %s%.*s\n",
                      failed ? "" : "warning: ", STR_ARG(sentence));
        return;
    }
    struct buf out = buf_in(call->mem, OUTPUT_MAX);
    struct json json = json_into(&out);
    json_open_object(&json);
    json_put_str(&json, failed ? "error" : "warning", name);
    json_put_str(&json, failed ? "error_description" : "warning_description", sentence);
    json_close_object(&json);
    buf_add_char(&out, '\n');
    call->console->err(call->console, buf_str(&out));
}

/* The name of the error is for programs, the sentence for people. Returns the exit status 1. */
int
command_fail(struct command_call *call, enum err err, const char *format, ...)
{
    char sentence[600];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    command_error(call, COMMAND_FAILED, str_of(err_name(err)), str_of(sentence));
    return 1;
}

/* For errors that a command does not explain itself. */
int
command_fail_other(struct command_call *call, enum err err)
{
    if (err != ERR_UNAVAILABLE)
        return command_fail(call, err, "the command failed (%s)", err_name(err));
    if (call->db != NULL && db_is_full(call->db))
        return command_fail(call, ERR_UNAVAILABLE,
                            "store: the disk of %.*s is full; nothing was changed; free space and "
                            "try again",
                            STR_ARG(db_describe(call->db, call->mem)));
    return command_fail(call, ERR_UNAVAILABLE, "the store is unavailable; nothing was changed");
}

int
command_fail_store(struct command_call *call, enum err err, const struct why *why)
{
    command_fail(call, err, "%s", why->text);
    return err == ERR_NOT_FOUND ? 2 : 1; /* no such store: probably mistyped */
}

int
command_usage_error(struct command_call *call, const char *sentence)
{
    command_fail(call, ERR_INVALID, "%s", sentence);
    return 2;
}

/* Written at once by command_json_done(): a program never reads half a document. */
struct json *
command_json(struct command_call *call)
{
    struct buf *out = ARENA_NEW(call->mem, struct buf);
    struct json *json = ARENA_NEW(call->mem, struct json);
    *out = buf_in(call->mem, OUTPUT_MAX);
    *json = json_into(out);
    return json;
}

/* Returns the exit status. */
int
command_json_done(struct command_call *call, struct json *json)
{
    buf_add_char(json->out, '\n');
    if (json->out->overflow)
        return command_fail(call, ERR_TOO_LARGE, "the output is too large");
    call->console->out(call->console, buf_str(json->out));
    return 0;
}

/* ---- help ---- */

/* The text follows from the row of the command, so help and behavior cannot differ. */
void
command_describe(struct buf *out, const struct command *command)
{
    buf_add_format(out, "penchant %s%s%s\n\n", command->words,
                   command->arguments[0] == '\0' ? "" : " ", command->arguments);
    help_text_wrap(out, "  ", command->summary);
    if (command->input == SECRET_INPUT)
        buf_add_format(out, "  The password is read from standard input%s%s.\n",
                       command->input_unless == NULL ? "" : ", unless --",
                       command->input_unless == NULL ? "" : command->input_unless);
    if (command->options[0].name != NULL)
        buf_add_c(out, "\n");
    for (const struct command_option *option = command->options; option->name != NULL; option++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", option->name, option->value == NULL ? "" : " ",
                 option->value == NULL ? "" : option->value);
        buf_add_format(out, "  %-24s %s\n", left, option->summary);
    }
    if (command->mode == COMMAND_SERVES)
        buf_add_c(out, "\n  Every setting (`penchant help settings`) can be passed as an option: "
                       "--listen …\n");
    else if (command->mode != COMMAND_WITHOUT_STORE)
        buf_add_format(
            out,
            "\n  Use --store and the other settings (`penchant help settings`) to choose "
            "the store.\n  %s\n",
            command->mode == COMMAND_ALONE ? "Stop the service first."
                                           : "Works while the service runs.");
    if (command->mode == COMMAND_ON_NEW_STORE)
        buf_add_c(out, "  Creates the store if it does not exist.\n");
}

/* Everything is escaped for troff, where a dot or an apostrophe at the start of a line is a
 * command. */
static void
describe_for_man(struct buf *out, const struct command *command)
{
    buf_add_c(out, ".TP\n.B ");
    help_text_man(out, str_of(command->words));
    buf_add_format(out, "%s%s\n", command->arguments[0] == '\0' ? "" : " ", command->arguments);
    help_text_man(out, str_of(command->summary));
    buf_add_c(out, ".\n");
    if (command->options[0].name != NULL)
        buf_add_c(out, ".RS\n");
    for (const struct command_option *option = command->options; option->name != NULL; option++) {
        buf_add_c(out, ".TP\n.B ");
        help_text_man(out, STR("--"));
        help_text_man(out, str_of(option->name));
        buf_add_format(out, "%s%s\n", option->value == NULL ? "" : " ",
                       option->value == NULL ? "" : option->value);
        help_text_man(out, str_of(option->summary));
        buf_add_c(out, ".\n");
    }
    if (command->options[0].name != NULL)
        buf_add_c(out, ".RE\n");
}

/* The same rows in three formats: text, Markdown for documents, and troff for the manual page. */
void
command_describe_all(struct buf *out, enum help_format format)
{
    size_t table = 0, row = 0;
    if (format == HELP_MARKDOWN)
        buf_add_c(out, "| Command | |\n|---|---|\n");
    for (const struct command *command; (command = next_command(&table, &row)) != NULL;) {
        char left[80];
        snprintf(left, sizeof left, "%s %s", command->words, command->arguments);
        if (format == HELP_MARKDOWN)
            buf_add_format(out, "| `penchant %.*s` | %s |\n",
                           (int)strlen(left) - (command->arguments[0] == '\0'), left,
                           command->summary);
        else if (format == HELP_MAN)
            describe_for_man(out, command);
        else
            buf_add_format(out, "  penchant %-28s %s\n", left, command->summary);
    }
}
