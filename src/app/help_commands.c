/* version and help: every text is generated from the tables the program runs on. */
#include "app/commands.h"

#include "config/definitions.h"
#include "api/openapi.h"
#include "app/routes.h"
#include "base/buf.h"
#include "base/embedded.h"
#include "domain/domain.h"
#include "model/scope.h"
#include "portal/guide.h"
#include "portal/reference.h"
#include "portal/snippet.h"
#include "template/catalog.h"
#include "text/json_write.h"

#define HELP_MAX (256 * 1024)
#define API_MAX ((size_t)16 * 1024 * 1024)

static int
print(struct command_call *call, const struct buf *text)
{
    call->console->out(call->console, buf_str(text));
    return 0;
}

/* Without settings and store, so it works on every machine. */
static int
version(struct command_call *call)
{
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        json_open_object(json);
        json_put_str(json, "version", STR(PENCHANT_VERSION));
        json_close_object(json);
        return command_json_done(call, json);
    }
    console_print(call->console, "penchant %s\n", PENCHANT_VERSION);
    return 0;
}

/* Text, a table for the documents, or a file with all settings commented out. */
static int
help_settings(struct command_call *call)
{
    struct buf out = buf_in(call->mem, HELP_MAX);
    enum help_format format = command_has(call, "markdown") ? HELP_MARKDOWN
                              : command_has(call, "file")   ? HELP_FILE
                                                            : HELP_TEXT;
    if (format == HELP_FILE)
        buf_add_c(&out, "# Settings of Penchant; penchant.conf(5) describes the format. Remove the "
                        "# before a setting\n# to change it, and run `systemctl reload penchant`."
                        "\n");
    if (format == HELP_TEXT)
        buf_add_c(&out,
                  "Set each setting as a flag (--base-url), as an environment variable "
                  "(PENCHANT_BASE_URL),\nor as a line of the file given with --config (base-url "
                  "= …). A flag overrides a variable,\nand a variable overrides the file.\n\n");
    settings_describe(&out, format);
    return print(call, &out);
}

/* From the route tables, so it lists what this program serves. */
static int
help_routes(struct command_call *call)
{
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        routes_write(json);
        return command_json_done(call, json);
    }
    struct buf out = buf_in(call->mem, HELP_MAX);
    routes_describe(&out);
    return print(call, &out);
}

/* The same OpenAPI document that `serve` publishes with these settings. */
static enum err
make_description(struct command_call *call, struct str *out, struct why *why)
{
    const struct settings *settings = call->settings;
    struct domains domains;
    enum err err =
        definitions_load(call->mem, settings->domains, settings->domains_off, &domains, why);
    if (err)
        return err;
    scopes_setup(&domains);
    struct str base = settings->base_url != NULL
                          ? str_of(settings->base_url)
                          : str_format(call->mem, "http://%s", settings->listen);
    struct openapi_params params = {
        .base_url = base,
        .auth_url = settings->auth_url != NULL ? str_of(settings->auth_url) : base,
        .domains = &domains,
    };
    return openapi_make(call->mem, &params, out, why);
}

/* The description is the one that the service sends at /openapi.json, with this program's
 * domains. */
static int
help_api(struct command_call *call)
{
    struct buf out = buf_in(call->mem, API_MAX);
    struct str document = STR_NONE;
    struct reference reference;
    struct why why = { 0 };
    enum err err = make_description(call, &document, &why);
    if (!err && command_has(call, "json")) {
        buf_add(&out, document);
        buf_add_char(&out, '\n');
    } else if (!err) {
        err = reference_make(call->mem, document, &reference, &why);
        if (!err)
            reference_write(&out, &reference);
    }
    return err ? command_fail(call, err, "%s", why.text) : print(call, &out);
}

static int
help_commands_list(struct command_call *call)
{
    struct buf out = buf_in(call->mem, HELP_MAX);
    command_describe_all(&out, command_has(call, "markdown") ? HELP_MARKDOWN : HELP_TEXT);
    return print(call, &out);
}

/* In the format of man(7). */
static void
write_command_page(struct buf *out)
{
    help_text_man_start(out, "penchant", 1, "stores user preferences under the user's control");
    buf_add_c(out, ".SH SYNOPSIS\n.B penchant\n.I COMMAND\n.RI [ ARGUMENT ...]\n"
                   ".RI [ OPTION ...]\n.SH DESCRIPTION\nAn OAuth 2.0 authorization server with "
                   "an API for preferences and hints for AI agents. Every command also accepts "
                   "the settings of\n.BR penchant.conf (5)\nas options.\n.SH COMMANDS\n");
    command_describe_all(out, HELP_MAN);
    buf_add_c(out, ".SH EXIT STATUS\n0 success, 1 failure, 2 usage error.\n.SH SEE ALSO\n"
                   ".BR penchant.conf (5)\n");
}

/* The sections follow man-pages(7). */
static void
write_settings_page(struct buf *out)
{
    help_text_man_start(out, "penchant.conf", 5, "settings of penchant");
    buf_add_c(out,
              ".SH DESCRIPTION\nA text file with one setting per line, as\n.BR \"key = value\" .\n"
              "Lines that begin with # are comments; each setting may appear once. Name the file "
              "with\n.BR \\-\\-config \" or \" PENCHANT_CONFIG .\nA setting is also a "
              "variable, such as\n.BR PENCHANT_BASE_URL ,\nand an option, such as\n"
              ".BR \\-\\-base\\-url .\nAn option overrides a variable, and a variable "
              "overrides the file.\n.SH SETTINGS\n");
    settings_describe(out, HELP_MAN);
    buf_add_c(out, ".SH FILES\n.I /etc/penchant/penchant.conf\nis used by the Debian package if "
                   "no other file is named.\n.SH SEE ALSO\n.BR penchant (1)\n");
}

/* The guide for app developers, with the addresses of a demo. */
static int
help_guide(struct command_call *call)
{
    struct buf out = buf_in(call->mem, HELP_MAX);
    struct catalog *catalog = NULL;
    struct why why = { 0 };
    struct snippet snippet = { .base_url = STR("http://127.0.0.1:8080"),
                               .auth_url = STR("http://127.0.0.1:8080"),
                               .client_id = STR("app_…"),
                               .redirect_uri = STR("http://127.0.0.1:9876/callback"),
                               .scope = STR("music_preferences agent_hints"),
                               .api_path = STR("/v1/agent-hints?format=bullets&max_tokens=100"),
                               .confidential = true,
                               .hints = true };
    if (catalog_read(call->mem, "en.strings", embedded_find("pages/en.strings"), &catalog, &why))
        return command_usage_error(call, why.text);
    guide_write(&out, call->mem, catalog, &snippet);
    return print(call, &out);
}

/* Without an argument, the page of the program. */
static int
help_man(struct command_call *call)
{
    struct buf out = buf_in(call->mem, HELP_MAX);
    struct str page = call->argument_count > 0 ? call->arguments[0] : STR("penchant");
    if (str_eq_c(page, "penchant"))
        write_command_page(&out);
    else if (str_eq_c(page, "penchant.conf"))
        write_settings_page(&out);
    else
        return command_usage_error(call, "there are two manual pages: penchant and penchant.conf");
    return print(call, &out);
}

/* Every command whose words begin with the words given, or the list of all. */
static int
help(struct command_call *call)
{
    struct buf out = buf_in(call->mem, HELP_MAX);
    for (size_t table = 0; command_tables[table] != NULL; table++) {
        for (const struct command *row = command_tables[table]; row->words != NULL; row++) {
            struct str rest = str_of(row->words);
            struct str word;
            size_t same = 0;
            while (same < call->argument_count && str_cut(&rest, ' ', &word) &&
                   str_eq(word, call->arguments[same]))
                same++;
            if (call->argument_count == 0 || same < call->argument_count)
                continue;
            if (out.len > 0)
                buf_add_c(&out, "\n");
            command_describe(&out, row);
        }
    }
    if (out.len > 0)
        return print(call, &out);
    if (call->argument_count > 0) {
        console_error(call->console, "penchant: there is no command %.*s; see `penchant help`\n",
                      STR_ARG(call->arguments[0]));
        return 2;
    }
    buf_add_c(&out, "Penchant: user preferences in one place, under the user's control.\n\n");
    command_describe_all(&out, HELP_TEXT);
    buf_add_c(&out, "\nRun `penchant help COMMAND` for details. Exit status: 0 success, 1 failure, "
                    "2 usage error.\n");
    return print(call, &out);
}

#define MARKDOWN                                   \
    {                                              \
        "markdown", NULL, "print a Markdown table" \
    }

const struct command help_commands[] = {
    { "version", "", .options = { { "json", NULL, "print JSON" } }, .mode = COMMAND_WITHOUT_STORE,
      .run = version, .summary = "print the version" },
    { "help settings", "",
      .options = { MARKDOWN,
                   { "file", NULL, "print a settings file with every setting commented out" } },
      .mode = COMMAND_WITHOUT_STORE, .run = help_settings,
      .summary = "list all settings with their defaults" },
    { "help routes", "", .options = { { "json", NULL, "print JSON" } },
      .mode = COMMAND_WITHOUT_STORE, .run = help_routes,
      .summary = "list all routes and the credentials they need" },
    { "help api", "",
      .options = { { "json", NULL, "print the OpenAPI document" },
                   { "markdown", NULL, "print Markdown (the default)" } },
      .mode = COMMAND_WITHOUT_STORE, .run = help_api,
      .summary = "print the API reference for app developers" },
    { "help guide", "", .options = { { "markdown", NULL, "print Markdown (the default)" } },
      .mode = COMMAND_WITHOUT_STORE, .run = help_guide,
      .summary = "print the guide to the first API call" },
    { "help commands", "", .options = { MARKDOWN }, .mode = COMMAND_WITHOUT_STORE,
      .run = help_commands_list, .summary = "list all commands" },
    { "help man", "[PAGE]", .arguments_max = 1, .mode = COMMAND_WITHOUT_STORE, .run = help_man,
      .summary = "print the source of a manual page: penchant or penchant.conf" },
    /* Last: the first row whose words begin the line is used, and "help" begins all those above. */
    { "help", "[COMMAND]", .arguments_max = 3, .mode = COMMAND_WITHOUT_STORE, .run = help,
      .summary = "show help for a command, or list all commands" },
    { 0 },
};
