/* app ...: register and manage apps. A secret is printed only when it is created; the store keeps
 * its hash. */
#include "command/command.h"

#include "base/clock.h"
#include "crypt/secret.h"
#include "flow/accounts.h"
#include "flow/apps.h"
#include "text/json_write.h"

#define PAGE 500

/* For commands whose first argument is the app. */
static int
fail(struct command_call *call, enum err err)
{
    if (err == ERR_NOT_FOUND)
        return command_fail(call, err, "there is no app %.*s", STR_ARG(call->arguments[0]));
    /* Only `app rotate-secret` returns this. */
    if (err == ERR_FORBIDDEN)
        return command_fail(call, err, "app %.*s is public and has no secret",
                            STR_ARG(call->arguments[0]));
    return command_fail_other(call, err);
}

/* One array element per line, in the order of registration. */
static void
write_lines(struct json *json, const char *key, struct str lines)
{
    struct str line;
    json_key_array(json, key);
    while (str_cut(&lines, '\n', &line))
        json_str(json, line);
    json_close_array(json);
}

/* The secret exists only directly after it was made; the store has its hash. */
static void
write_app(struct command_call *call, struct json *json, const struct app *app,
          const struct secret *secret)
{
    json_open_object(json);
    json_put_str(json, "client_id", app->id);
    if (secret != NULL)
        json_put_str(json, "client_secret", secret_reveal(secret));
    json_put_str(json, "name", app->name);
    json_put_str(json, "owner", app->owner_id);
    write_lines(json, "redirect_uris", app->redirect_uris);
    json_put_str(json, "scope", scopes_write(call->mem, app->scopes));
    json_put_bool(json, "public", app->is_public);
    if (str_present(app->purpose))
        json_put_str(json, "purpose", app->purpose);
    if (app->rate_api != 0)
        json_put_int(json, "rate_api", app->rate_api < 0 ? 0 : app->rate_api); /* as the setting */
    json_put_str(json, "status", str_of(app_status_name(app->status)));
    json_put_time(json, "created_at", app->created_at);
    json_close_object(json);
}

/* The secret is printed once and never logged. */
static int
report_app(struct command_call *call, const char *done, const struct app *app,
           const struct secret *secret)
{
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        write_app(call, json, app, secret);
        return command_json_done(call, json);
    }
    console_print(call->console, "%s %.*s\n  client_id      %.*s\n", done, STR_ARG(app->name),
                  STR_ARG(app->id));
    if (secret != NULL) {
        struct str text = secret_reveal(secret);
        console_print(call->console,
                      "  client_secret  %.*s\n  Save it now; it is not shown again.\n",
                      STR_ARG(text));
    }
    return 0;
}

/* Problems are those of the portal's form; the first one is reported, since a command has one
 * error. */
static int
app_add(struct command_call *call)
{
    /* All that can be given. app_register() reports those beyond its own limit, instead of dropping
     * them. */
    struct str uris[COMMAND_OPTIONS_MAX];
    struct app_params params = {
        .owner = command_option_value(call, "owner"),
        .name = command_option_value(call, "name"),
        .redirect_uris = uris,
        .redirect_uri_count =
            command_option_values(call, "redirect-uri", uris, COMMAND_OPTIONS_MAX),
        .scopes = command_option_value(call, "scope"),
        .purpose = command_option_value(call, "purpose"),
        .is_public = command_has(call, "public"),
    };
    struct app_problems problems;
    struct app app;
    const struct secret *secret = NULL;
    if (!str_present(params.owner))
        return command_usage_error(call, "--owner is missing; pass the user who owns the app");
    if (!str_present(params.name))
        return command_usage_error(call, "--name is missing; pass the name that users will see");
    enum err err =
        app_register(call->db, call->mem, &params, clock_now(), &app, &secret, &problems);
    const char *found[] = { problems.owner, problems.name, problems.redirect_uris, problems.scopes,
                            problems.purpose };
    for (size_t i = 0; err && i < sizeof found / sizeof *found; i++)
        if (found[i] != NULL) {
            command_error(call, COMMAND_FAILED, str_of(err_name(err)), str_of(found[i]));
            return 1;
        }
    return err ? fail(call, err) : report_app(call, "registered", &app, secret);
}

static void
print_app(struct command_call *call, const struct app *app)
{
    console_print(call->console, "%.*s  %-8s  %-12s  %.*s\n", STR_ARG(app->id),
                  app_status_name(app->status), app->is_public ? "public" : "confidential",
                  STR_ARG(app->name));
}

/* In pages, so that no read transaction lasts for long. */
static int
app_list_all(struct command_call *call)
{
    struct json *json = command_has(call, "json") ? command_json(call) : NULL;
    struct str owner = command_option_value(call, "owner");
    struct user user;
    int64_t after = 0;
    size_t count = PAGE;
    if (str_present(owner)) {
        if (account_find(call->db, call->mem, owner, &user))
            return command_fail(call, ERR_NOT_FOUND, "there is no user %.*s", STR_ARG(owner));
        owner = user.id;
    }
    if (json != NULL) {
        json_open_object(json);
        json_key_array(json, "apps");
    }
    while (count == PAGE) {
        struct app *apps = NULL;
        enum err err = app_list(call->db, call->mem, owner, after, PAGE, &apps, &count);
        if (err)
            return fail(call, err);
        for (size_t i = 0; i < count; i++) {
            if (json != NULL)
                write_app(call, json, &apps[i], NULL);
            else
                print_app(call, &apps[i]);
            after = apps[i].position;
        }
    }
    if (json == NULL)
        return 0;
    json_close_array(json);
    json_close_object(json);
    return command_json_done(call, json);
}

/* Without --end-old, the old secret stays valid for a while, so that the app can be changed
 * over. */
static int
app_rotate(struct command_call *call)
{
    struct app app;
    const struct secret *secret = NULL;
    enum err err = app_rotate_secret(call->db, call->mem, call->arguments[0],
                                     command_has(call, "end-old"), clock_now(), &app, &secret);
    return err ? fail(call, err) : report_app(call, "created a new secret for", &app, secret);
}

static int
set_status(struct command_call *call, enum app_status status, const char *done)
{
    struct app app;
    enum err err =
        app_set_status(call->db, call->mem, call->arguments[0], status, clock_now(), &app);
    return err ? fail(call, err) : report_app(call, done, &app, NULL);
}

static int
app_disable(struct command_call *call)
{
    return set_status(call, APP_DISABLED, "disabled");
}

static int
app_enable(struct command_call *call)
{
    return set_status(call, APP_ACTIVE, "enabled");
}

/* Requests per second. In the store, 0 means the default of the settings, and -1 no limit. */
#define RATE_MAX 1000000

/* "default" is stored as 0 and "none" as -1, as in the app's row. */
static int
app_limit(struct command_call *call)
{
    struct app app;
    struct str rate = call->arguments[1];
    int64_t number = 0;
    if (!str_eq(rate, STR("default")) && !str_eq(rate, STR("none")) &&
        !str_to_int(rate, 1, RATE_MAX, &number))
        return command_usage_error(
            call, "RATE must be a whole number from 1 to 1000000, default, or none");
    if (str_eq(rate, STR("none")))
        number = -1;
    enum err err = app_set_rate(call->db, call->mem, call->arguments[0], number, clock_now(), &app);
    return err ? fail(call, err) : report_app(call, "limited", &app, NULL);
}

/* "none" removes the purpose. */
static int
app_purpose(struct command_call *call)
{
    struct app app;
    struct str purpose = call->arguments[1];
    const char *problem = NULL;
    enum err err = app_set_purpose(call->db, call->mem, call->arguments[0],
                                   str_eq(purpose, STR("none")) ? STR_NONE : purpose, clock_now(),
                                   &app, &problem);
    if (problem != NULL)
        return command_fail(call, err, "%s", problem);
    return err ? fail(call, err) : report_app(call, "changed the purpose of", &app, NULL);
}

static int
app_remove(struct command_call *call)
{
    struct app app;
    enum err err = app_delete(call->db, call->mem, call->arguments[0], &app);
    return err ? fail(call, err) : report_app(call, "deleted", &app, NULL);
}

#define SETTING_OF_AN_APP(words, arguments, run, summary)                                       \
    {                                                                                           \
        words, arguments, 2, 2, { JSON_OPTION }, COMMAND_ON_STORE, NO_INPUT, NULL, run, summary \
    }

const struct command app_commands[] = {
    { "app add", "",
      .options = { { "owner", "USER", "user who owns the app" },
                   { "name", "NAME", "name that users see on the consent page" },
                   { "redirect-uri", "URI", "redirect URI; repeat for up to 10" },
                   { "scope", "SCOPES", "scopes the app may request, separated by spaces" },
                   { "purpose", "CONTEXT", "context of hints for requests that send none" },
                   { "public", NULL, "public client without a secret: a browser or mobile app" },
                   JSON_OPTION },
      .mode = COMMAND_ON_STORE, .run = app_add,
      .summary = "register an app and print its secret once" },
    { "app list", "", .options = { { "owner", "USER", "only apps of this user" }, JSON_OPTION },
      .mode = COMMAND_ON_STORE, .run = app_list_all, .summary = "list apps, oldest first" },
    { "app rotate-secret", "APP", .arguments_min = 1, .arguments_max = 1,
      .options = { { "end-old", NULL, "revoke the old secret now instead of in 24 hours" },
                   JSON_OPTION },
      .mode = COMMAND_ON_STORE, .run = app_rotate,
      .summary = "create a new secret and print it once" },
    COMMAND_ON_ONE("app disable", "APP", NO_INPUT, app_disable,
                   "disable an app and revoke all its tokens"),
    COMMAND_ON_ONE("app enable", "APP", NO_INPUT, app_enable,
                   "let a disabled app request access again"),
    COMMAND_ON_ONE("app delete", "APP", NO_INPUT, app_remove,
                   "delete an app and all its connections"),
    SETTING_OF_AN_APP(
        "app limit", "APP RATE", app_limit,
        "set the requests per second for each token of an app: a number, default, or none"),
    SETTING_OF_AN_APP(
        "app purpose", "APP CONTEXT", app_purpose,
        "set the context of hints for requests of an app that send none; none removes it"),
    { 0 },
};
