/* hints: print a user's hints with every domain allowed, as the user would see them. */
#include "command/command.h"

#include "flow/accounts.h"
#include "preference/hints.h"
#include "text/json_read.h"
#include "text/json_write.h"

/* Every domain, as bits: no grant limits the operator. */
#define EVERYTHING (~(uint64_t)0)

/* False: an error was printed. Without names, all domains. */
static bool
read_domains(struct command_call *call, struct hints_params *params)
{
    struct str part, rest = command_option_value(call, "domains");
    uint64_t named = 0;
    while (str_cut(&rest, ',', &part)) {
        part = str_trim(part);
        const struct domain *domain = domains_find(params->domains, part);
        if (part.len > 0 && domain == NULL) {
            command_usage_error(
                call, str_format(call->mem, "there is no domain %.*s", STR_ARG(part)).ptr);
            return false;
        }
        if (domain != NULL)
            named |= (uint64_t)1 << (domain - params->domains->list);
    }
    params->domains_named = named != 0;
    params->allowed = named != 0 ? named : EVERYTHING;
    return true;
}

/* The same limits as those of the API. */
static bool
read_params(struct command_call *call, struct hints_params *params)
{
    struct str most = command_option_value(call, "max-tokens"),
               format = command_option_value(call, "format"),
               context = command_option_value(call, "context");
    int64_t tokens = HINTS_TOKENS_DEFAULT;
    *params = (struct hints_params){ .domains = call->domains, .sensitive = EVERYTHING };
    if (str_present(most) && !str_to_int(most, 1, HINTS_TOKENS_MAX, &tokens)) {
        command_usage_error(call, str_format(call->mem,
                                             "--max-tokens must be a whole number from 1 to %d",
                                             HINTS_TOKENS_MAX)
                                      .ptr);
        return false;
    }
    params->max_tokens = (int)tokens;
    if (str_present(format) && !hint_format_read(format, &params->format)) {
        command_usage_error(call, "--format must be text, json, or bullets");
        return false;
    }
    if (context.len > CONTEXT_MAX) {
        command_usage_error(
            call, str_format(call->mem, "--context must have at most %d bytes", CONTEXT_MAX).ptr);
        return false;
    }
    params->context = context.len > 0 ? context : STR_NONE;
    return read_domains(call, params);
}

/* Prints the hints as they would appear in a prompt. */
static void
print_hints(struct command_call *call, const struct hints *hints)
{
    const struct json_value *value = NULL;
    struct why why = { 0 };
    if (json_read(call->mem, hints->answer.hints, 8, &value, &why) != ERR_NONE)
        return;
    if (value->type == JSON_OBJECT)
        console_print(call->console, "%.*s\n", STR_ARG(hints->answer.hints));
    else if (value->type == JSON_STR && value->text.len > 0)
        console_print(call->console, "%.*s\n", STR_ARG(value->text));
    for (size_t i = 0; value->type == JSON_ARRAY && i < value->count; i++)
        console_print(call->console, "%.*s\n", STR_ARG(value->children[i].text));
}

/* The operator sees what an app with all permissions would get. */
static int
show_hints(struct command_call *call)
{
    struct hints_params params;
    struct hints hints;
    struct user user;
    if (!read_params(call, &params))
        return 2;
    enum err err = account_find(call->db, call->mem, call->arguments[0], &user);
    if (err == ERR_NOT_FOUND)
        return command_fail(call, err, "there is no user %.*s", STR_ARG(call->arguments[0]));
    params.view = view_whole(user.id); /* the operator sees all facts */
    if (!err)
        err = hints_read(call->db, call->mem, &params, &hints);
    if (err)
        return command_fail(call, err, "the store could not be read (%s)", err_name(err));
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        hints_write(json, &params, &hints);
        return command_json_done(call, json);
    }
    print_hints(call, &hints);
    if (hints.answer.available == 0)
        console_error(call->console,
                      "penchant: there are no hints for this user and context; nothing is stored "
                      "that fits\n");
    return 0;
}

const struct command hints_commands[] = {
    { "hints", "USER", .arguments_min = 1, .arguments_max = 1,
      .options = { { "context", "CONTEXT", "task of the agent, such as restaurant_search" },
                   { "max-tokens", "N", "token budget, 1 to 4000 (default 100)" },
                   { "format", "FORMAT", "text, json, or bullets (default text)" },
                   { "domains", "LIST", "only these domains, separated by commas" },
                   { "json", NULL, "print the JSON response of the API" } },
      .mode = COMMAND_ON_STORE, .run = show_hints,
      .summary = "print the hints an agent would get about a user" },
    { 0 },
};
