/* export and import: one account as a JSON document, or many accounts with one document per line.
 *
 * A command over many accounts runs one step per account (store_access.h), here or in the running
 * service, and captures each step's output. */
#include "command/command.h"

#include "base/ascii.h"
#include "transfer/document_file.h"
#include "command/store_access.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "flow/accounts.h"
#include "transfer/transfer.h"
#include "text/json_read.h"
#include "text/json_write.h"

#include <stdio.h>

#define PAGE STR("500")
#define UNAVAILABLE_MAX \
    3 /* after this many failures in a row the store is unavailable, not the account broken */

/* A problem of the document comes first, since it names the place. */
static int
fail(struct command_call *call, enum err err, struct str login, const struct why *why)
{
    if (why->text[0] != '\0')
        return command_fail(call, err, "%s; nothing was changed", why->text);
    if (err == ERR_NOT_FOUND)
        return command_fail(call, err, "there is no user %.*s", STR_ARG(login));
    if (err == ERR_TOO_LARGE)
        return command_fail(call, err, "the document would be larger than 64 MiB");
    return command_fail_other(call, err);
}

/* ---- the output of a step ---- */

/* The captured output as JSON; an empty object if it is not JSON. */
static const struct json_value *
read_output(struct arena *mem, const struct buf *output)
{
    static const struct json_value empty = { .type = JSON_OBJECT };
    const struct json_value *value = NULL;
    return json_read(mem, buf_str(output), 6, &value, NULL) ? &empty : value;
}

static int64_t
member_number(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_member(object, key);
    return value != NULL && value->type == JSON_INT ? value->integer : 0;
}

/* Prints the error of a step again, after `prefix`. Returns the step's status. */
static int
error_at(struct command_call *call, struct arena *mem, const char *prefix,
         const struct console_capture *capture, int status)
{
    const struct json_value *output = read_output(mem, &capture->err);
    struct str name = json_text(output, "error"), text = json_text(output, "error_description");
    /* A step that succeeded may have printed a warning, such as that of warn_of_dropped(). */
    enum command_severity severity = status == 0 ? COMMAND_INCOMPLETE : COMMAND_FAILED;
    if (severity == COMMAND_INCOMPLETE) {
        name = json_text(output, "warning");
        text = json_text(output, "warning_description");
    }
    if (text.len == 0)
        text = buf_str(&capture->err);
    command_error(call, severity, name, str_format(mem, "%s%.*s", prefix, STR_ARG(text)));
    return status;
}

/* ---- export ---- */

/* Without --domains this process does not know the operator's own domains and skips their facts. */
static void
warn_of_dropped(struct command_call *call, const struct left_out *left_out)
{
    if (left_out->facts > 0)
        command_error(
            call, COMMAND_INCOMPLETE, STR("omitted"),
            str_format(call->mem,
                       "%lld fact%s not exported, because their domains have no definition here: "
                       "%.*s; pass --domains with the folder of their definitions (if the service "
                       "runs, start it with --domains)",
                       (long long)left_out->facts, left_out->facts == 1 ? " was" : "s were",
                       STR_ARG(left_out->domains)));
}

/* With the view of an operator, which shows everything. */
static int
export_one(struct command_call *call)
{
    struct user user;
    struct why why = { 0 };
    if (call->argument_count != 1)
        return command_usage_error(call, "export needs one USER");
    struct str login = call->arguments[0];
    struct buf out = buf_in(call->mem, TRANSFER_OWN_MAX);
    struct left_out left_out = { 0 };
    enum err err = account_find(call->db, call->mem, login, &user);
    if (!err) {
        struct export_params params = { .view = view_whole(user.id),
                                        .domains = call->domains,
                                        .username = user.username,
                                        .now = clock_now(),
                                        .left_out = &left_out };
        err = transfer_export(call->db, call->mem, &params, &out);
    }
    if (err)
        return fail(call, err, login, &why);
    call->console->out(call->console, buf_str(&out));
    call->console->out(call->console, STR("\n"));
    warn_of_dropped(call, &left_out);
    return 0;
}

/* The export of all accounts runs in steps; `next` is the argument of the next one. */
struct exporting {
    struct command_call *call;
    int64_t done, failed, total;
    int unavailable; /* consecutive steps that found the store unavailable */
    /* The digits of a position, which has 64 bits. */
    char next[24];
};

/* Exports one account. An account deleted in the meantime is skipped; a failed one is reported and
 * does not stop the others. */
static void
export_step(struct exporting *exporting, const struct json_value *user)
{
    struct command_call *call = exporting->call;
    struct arena *mem = arena_new();
    /* The document goes to the output at once. Only its errors are captured. */
    struct console_capture capture = console_capture(mem, call->console);
    struct str id = json_text(user, "sub"), name = json_text(user, "username");
    /* By id: a username may change between the page and this step. */
    struct str words[] = { STR("export"), STR("--json"), STR("--"), id };
    int status = store_access_run_words(call->side, mem, words, 4, STR_NONE, &capture.console);
    struct str error = json_text(read_output(mem, &capture.err), "error");
    exporting->unavailable = str_eq(error, STR("unavailable")) ? exporting->unavailable + 1 : 0;
    exporting->done++;
    if (capture.err.len > 0 && !str_eq(error, STR("not_found"))) {
        struct str prefix = str_format(mem, "%.*s (%.*s): ", STR_ARG(name), STR_ARG(id));
        exporting->failed += error_at(call, mem, prefix.ptr, &capture, status) != 0 ? 1 : 0;
    }
    arena_free(mem);
    if (exporting->total > 0)
        call->console->progress(call->console, (int)(exporting->done * 100 / exporting->total));
}

/* Exports the page of accounts after `next`. *more: there may be another page. */
static int
export_page(struct exporting *exporting, struct arena *mem, bool *more)
{
    struct command_call *call = exporting->call;
    struct console_capture capture = console_capture(mem, NULL);
    struct str after = str_format(mem, "--after=%s", exporting->next);
    struct str words[] = { STR("user"), STR("list"), STR("--json"), STR("--limit"), PAGE, after };
    int status = store_access_run_words(call->side, mem, words, 6, STR_NONE, &capture.console);
    if (status != 0)
        return error_at(call, mem, "", &capture, status);
    const struct json_value *page = read_output(mem, &capture.out);
    const struct json_value *users = json_member(page, "users");
    snprintf(exporting->next, sizeof exporting->next, "%.*s", STR_ARG(json_text(page, "next")));
    if (exporting->total == 0)
        exporting->total = member_number(page, "total");
    *more = users != NULL && users->count > 0;
    for (size_t i = 0; *more && i < users->count && exporting->unavailable < UNAVAILABLE_MAX; i++)
        export_step(exporting, &users->children[i]);
    if (exporting->unavailable == UNAVAILABLE_MAX)
        status = command_fail(call, ERR_UNAVAILABLE,
                              "the store is unavailable; the remaining accounts were not exported");
    /* A full disk or a closed pipe ends the export here, and not after all other accounts were
     * read. */
    if (status == 0 && ferror(stdout))
        status = command_fail(call, ERR_UNAVAILABLE, "cannot write to standard output");
    return status;
}

/* In steps, so that the service can do other work in between, and memory is bounded by one page of
 * accounts. */
static int
export_typed(struct command_call *call)
{
    bool all = command_has(call, "all"), more = true;
    if (all == (call->argument_count == 1))
        return command_usage_error(call, "export needs a USER or --all");
    if (!all)
        return store_access_run(call->side, call);
    struct exporting exporting = { .call = call, .next = "0" };
    int status = 0;
    while (more && status == 0) {
        struct arena *mem = arena_new();
        status = export_page(&exporting, mem, &more);
        arena_free(mem);
    }
    call->console->err(call->console, STR("")); /* ends the progress */
    if (status == 0 && exporting.failed > 0)
        status = command_fail(call, ERR_UNAVAILABLE,
                              "%lld of %lld accounts could not be exported; see the errors above",
                              (long long)exporting.failed, (long long)exporting.done);
    return status;
}

static int
export_command(struct command_call *call)
{
    return call->db == NULL ? export_typed(call) : export_one(call); /* db: it is a step */
}

/* ---- import ---- */

/* Whether a name from a document is safe to print: other bytes could be terminal escapes. */
static bool
is_plain(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!(ascii_is_alphanumeric(c) || c == '_' || c == '-' || c == '.'))
            return false;
    }
    return name.len > 0 && name.len <= 64;
}

/* Finds the account to import into: --user, or the user named in the document. */
static enum err
find_owner(struct command_call *call, struct user *out, struct why *why)
{
    struct str sub, username, login = command_option_value(call, "user");
    if (str_present(login)) {
        enum err err = account_find(call->db, call->mem, login, out);
        if (err == ERR_NOT_FOUND)
            why_set(why, "there is no user %.*s", STR_ARG(login));
        return err;
    }
    enum err err = transfer_owner(call->mem, call->input, &sub, &username, why);
    if (err)
        return err;
    bool by_name = command_has(call, "by-username");
    struct str name = by_name ? username : sub;
    if (!str_present(name) || !is_plain(name)) {
        why_set(why, "the document does not name its user (user.%s); pass --user",
                by_name ? "username" : "sub");
        return ERR_INVALID;
    }
    err = account_find(call->db, call->mem, name, out);
    if (!err && !str_eq(by_name ? out->username : out->id, name))
        err = ERR_NOT_FOUND; /* a username may look like an id */
    if (err == ERR_NOT_FOUND)
        why_set(why, "there is no user %.*s; create the account first, or pass --user",
                STR_ARG(name));
    return err;
}

/* Always JSON: it is a step, and the command around it reads the result. */
static int
import_one(struct command_call *call)
{
    struct user user = { 0 };
    struct import_counts counts = { 0 };
    struct why why = { 0 };
    enum err err = find_owner(call, &user, &why);
    if (!err)
        err = transfer_import(call->db, call->mem, user.id, call->domains, call->input, clock_now(),
                              &counts, &why);
    if (err)
        return fail(call, err, user.id, &why);
    struct json *json = command_json(call);
    json_open_object(json);
    json_put_str(json, "sub", user.id);
    json_put_str(json, "username", user.username);
    json_put_int(json, "added", counts.added);
    json_put_int(json, "kept", counts.kept);
    json_close_object(json);
    return command_json_done(call, json);
}

/* The import of a file with one document per line runs in steps, one account each. */
struct importing {
    struct command_call *call;
    struct document_file *file;
    const char *name;
    int64_t added, kept, done, failed;
};

/* With --json, one line per account, as the steps wrote it. */
static void
report_import(struct importing *importing, const struct json_value *result, const struct buf *line)
{
    struct command_call *call = importing->call;
    int64_t added = member_number(result, "added"), kept = member_number(result, "kept");
    importing->done++;
    importing->added += added;
    importing->kept += kept;
    if (command_has(call, "json"))
        call->console->out(call->console, buf_str(line));
    else
        console_print(call->console, "%.*s (%.*s): %lld added, %lld unchanged\n",
                      STR_ARG(json_text(result, "username")), STR_ARG(json_text(result, "sub")),
                      (long long)added, (long long)kept);
}

/* Parsed and run like a command that was typed, so it works the same whether this process or the
 * service has the store. */
static void
import_step(struct importing *importing, struct arena *mem, const struct document *document)
{
    struct command_call *call = importing->call;
    struct console_capture capture = console_capture(mem, NULL);
    struct str user = command_option_value(call, "user");
    /* A step needs a FILE argument but does not open it, since its document is the input: "-". */
    struct str words[] = { STR("import"), STR("--json"), STR("--"), STR("-") };
    struct str to_user[] = { words[0], words[1], str_format(mem, "--user=%.*s", STR_ARG(user)),
                             words[2], words[3] };
    struct str by_name[] = { words[0], words[1], STR("--by-username"), words[2], words[3] };
    int status =
        str_present(user)
            ? store_access_run_words(call->side, mem, to_user, 5, document->text, &capture.console)
        : command_has(call, "by-username")
            ? store_access_run_words(call->side, mem, by_name, 5, document->text, &capture.console)
            : store_access_run_words(call->side, mem, words, 4, document->text, &capture.console);
    if (status == 0) {
        report_import(importing, read_output(mem, &capture.out), &capture.out);
        return;
    }
    importing->failed++;
    const char *prefix =
        document->line == 0
            ? str_format(mem, "%s: ", importing->name).ptr
            : str_format(mem, "%s: document on line %zu: ", importing->name, document->line).ptr;
    error_at(call, mem, prefix, &capture, status);
}

/* Imports every document of the file; a failed one does not stop the others. */
static int
import_all(struct importing *importing)
{
    struct command_call *call = importing->call;
    struct document document;
    struct why why = { 0 };
    enum err err = ERR_NONE;
    while (!err) {
        struct arena *mem = arena_new();
        err = document_file_next(importing->file, &document, &why);
        if (!err && !str_present(document.text)) {
            arena_free(mem);
            break;
        }
        if (!err) {
            import_step(importing, mem, &document);
            call->console->progress(call->console, document_file_percent(importing->file));
        }
        arena_free(mem);
    }
    call->console->err(call->console, STR("")); /* ends the progress */
    if (err)
        return command_fail(call, err, "%s: %s", importing->name, why.text);
    if (importing->done + importing->failed == 0)
        return command_fail(call, ERR_INVALID, "%s is empty", importing->name);
    if (importing->done + importing->failed > 1 && !command_has(call, "json"))
        console_print(call->console, "%lld accounts: %lld added, %lld unchanged; %lld failed\n",
                      (long long)importing->done, (long long)importing->added,
                      (long long)importing->kept, (long long)importing->failed);
    return importing->failed == 0 ? 0 : 1;
}

/* A failed account does not stop the import: the others follow, and the exit status is 1. */
static int
import_typed(struct command_call *call)
{
    struct why why = { 0 };
    bool to_user = command_has(call, "user");
    if (to_user && command_has(call, "by-username"))
        return command_usage_error(call, "--user and --by-username cannot be used together");
    struct importing importing = { .call = call, .name = str_c(call->mem, call->arguments[0]) };
    enum err err = document_file_open(call->mem, importing.name, &importing.file, &why);
    /* Otherwise the facts of several users would end up in one account. */
    if (!err && to_user && document_file_is_many(importing.file)) {
        why_set(&why, "%s has several documents; --user works with only one", importing.name);
        err = ERR_INVALID;
    }
    int status = err ? command_fail(call, err, "%s", why.text) : import_all(&importing);
    document_file_close(importing.file);
    return status;
}

static int
import_command(struct command_call *call)
{
    return call->db == NULL ? import_typed(call) : import_one(call); /* db: it is a step */
}

const struct command transfer_commands[] = {
    { "export", "USER", .arguments_max = 1,
      .options = { { "all", NULL, "all accounts, one document per line" }, JSON_OPTION },
      .mode = COMMAND_IN_STEPS, .run = export_command,
      .summary = "write all data of a user as one JSON document" },
    { "import", "FILE", .arguments_min = 1, .arguments_max = 1,
      .options = { { "user", "USER",
                     "import into this account (default: the user id in the document)" },
                   { "by-username", NULL,
                     "import into the account with the username in the document" },
                   JSON_OPTION },
      .mode = COMMAND_IN_STEPS, .input = DOCUMENT_INPUT, .run = import_command,
      .summary = "import documents: one, or one per line; - reads standard input" },
    { 0 },
};
