/* user ...: create and manage user accounts. */
#include "command/command.h"

#include "base/clock.h"
#include "crypt/secret.h"
#include "flow/accounts.h"
#include "identity/passkeys.h"
#include "identity/profile.h"
#include "identity/recovery.h"
#include "text/json_write.h"
#include "text/time_text.h"

/* Rows per query, so that no transaction stays open while a long list is printed. */
#define PAGE 500

static int
fail(struct command_call *call, enum err err, struct str login)
{
    if (err == ERR_NOT_FOUND)
        return command_fail(call, err, "there is no user %.*s", STR_ARG(login));
    return command_fail_other(call, err);
}

/* Without the hash of the password, which no command shows. */
static void
write_members(struct json *json, const struct user *user)
{
    json_put_str(json, "sub", user->id);
    json_put_str(json, "username", user->username);
    json_put_str(json, "email", user->email);
    json_put_str(json, "unconfirmed_email", user->new_email);
    json_put_str(json, "name", user->name);
    json_put_str(json, "language", user->language);
    json_put_str(json, "time_zone", user->time_zone);
    json_put_str(json, "status", str_of(user_status_name(user->status)));
    json_put_time(json, "created_at", user->created_at);
}

static void
write_user(struct json *json, const struct user *user)
{
    json_open_object(json);
    write_members(json, user);
    json_close_object(json);
}

/* "disabled ada", or the user as JSON. */
static int
report_user(struct command_call *call, const char *done, const struct user *user)
{
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        write_user(json, user);
        return command_json_done(call, json);
    }
    console_print(call->console, "%s %.*s (%.*s)\n", done, STR_ARG(user->username),
                  STR_ARG(user->id));
    return 0;
}

/* The email counts as confirmed: the operator has entered it. */
static int
user_add(struct command_call *call)
{
    struct account_params params = {
        .username = call->arguments[0],
        .email = command_option_value(call, "email"),
        .confirmed = true,
        .name = command_option_value(call, "name"),
        .password = call->input,
    };
    struct account_problems problems = { 0 };
    struct user user;
    enum err err = account_make(call->db, call->mem, &params, clock_now(), &user, &problems);
    if (!err)
        return report_user(call, "added", &user);
    const char *found[] = { problems.username, problems.email, problems.name, problems.password };
    for (size_t i = 0; i < 4; i++)
        if (found[i] != NULL)
            return command_fail(call, err, "%s", found[i]);
    return fail(call, err, params.username);
}

static void
print_user(struct command_call *call, const struct user *user)
{
    console_print(call->console, "%-32.*s %-8s %s  %.*s\n", STR_ARG(user->username),
                  user_status_name(user->status), time_write(call->mem, user->created_at).ptr,
                  STR_ARG(user->email));
}

/* Reads an option as a whole number; on failure prints a usage error and returns false. */
static bool
read_number(struct command_call *call, const char *option, int64_t min, int64_t *out)
{
    struct str text = command_option_value(call, option);
    if (!str_present(text) || str_to_int(text, min, INT64_MAX, out))
        return true;
    command_usage_error(call, str_format(call->mem, "--%s must be a whole number", option).ptr);
    return false;
}

/* Prints accounts page by page. *after becomes the position of the last one. */
static enum err
show_users(struct command_call *call, struct json *json, int64_t *after, int64_t limit)
{
    /* A page that is not full is the last one. Accounts that are added or deleted meanwhile do not
     * move the others, because each page continues after a position. */
    size_t count = PAGE;
    while (count == PAGE && limit > 0) {
        struct user *users = NULL;
        enum err err =
            account_list(call->db, call->mem, *after, limit < PAGE ? limit : PAGE, &users, &count);
        if (err)
            return err;
        for (size_t i = 0; i < count; i++) {
            if (json != NULL)
                write_user(json, &users[i]);
            else
                print_user(call, &users[i]);
            *after = users[i].position;
        }
        limit -= (int64_t)count;
    }
    return ERR_NONE;
}

/* --limit and --after give pages, with `next` for the following one. */
static int
user_list(struct command_call *call)
{
    struct json *json = command_has(call, "json") ? command_json(call) : NULL;
    int64_t after = 0, limit = INT64_MAX, total = 0;
    bool in_pages = command_has(call, "limit");
    if (!read_number(call, "after", 0, &after) || !read_number(call, "limit", 1, &limit))
        return 2;
    /* Counted for the first page only: `export --all` needs it for its progress, once. */
    enum err err = in_pages && after == 0 ? account_count(call->db, call->mem, &total) : ERR_NONE;
    if (json != NULL) {
        json_open_object(json);
        json_key_array(json, "users");
    }
    if (!err)
        err = show_users(call, json, &after, limit);
    if (err)
        return fail(call, err, STR(""));
    if (json == NULL)
        return 0;
    json_close_array(json);
    if (in_pages)
        json_put_str(json, "next", str_format(call->mem, "%lld", (long long)after));
    if (total > 0)
        json_put_int(json, "total", total);
    json_close_object(json);
    return command_json_done(call, json);
}

static int
set_status(struct command_call *call, enum user_status status, const char *done)
{
    struct user user;
    enum err err =
        account_set_status(call->db, call->mem, call->arguments[0], status, clock_now(), &user);
    return err ? fail(call, err, call->arguments[0]) : report_user(call, done, &user);
}

static int
user_disable(struct command_call *call)
{
    return set_status(call, USER_DISABLED, "disabled");
}

static int
user_enable(struct command_call *call)
{
    return set_status(call, USER_ACTIVE, "enabled");
}

/* For users who have lost every other way to sign in. */
static int
user_passwd(struct command_call *call)
{
    struct user user;
    const char *problem = NULL;
    enum err err = account_set_password(call->db, call->mem, call->arguments[0], call->input,
                                        clock_now(), &user, &problem);
    if (problem != NULL)
        return command_fail(call, err, "%s", problem);
    return err ? fail(call, err, call->arguments[0])
               : report_user(call, "set the password of", &user);
}

/* The first problem is reported, as for every command. */
static int
user_set(struct command_call *call)
{
    struct profile_params params = {
        .username = command_option_value(call, "username"),
        .name = command_option_value(call, "name"),
        .language = command_option_value(call, "language"),
        .time_zone = command_option_value(call, "time-zone"),
        .email = command_option_value(call, "email"),
        .now = clock_now(),
    };
    struct profile_problems problems = { 0 };
    struct user user;
    enum err err =
        profile_change(call->db, call->mem, call->arguments[0], &params, &user, &problems);
    const char *found[] = { problems.username, problems.name, problems.language, problems.time_zone,
                            problems.email };
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        if (found[i] != NULL)
            return command_fail(call, err, "%s", found[i]);
    return err ? fail(call, err, call->arguments[0]) : report_user(call, "changed", &user);
}

/* Names and times only. */
static void
write_passkeys(struct json *json, const struct passkey *list, size_t count)
{
    json_key_array(json, "passkeys");
    for (size_t i = 0; i < count; i++) {
        json_open_object(json);
        json_put_str(json, "name", list[i].name);
        json_put_time(json, "created_at", list[i].created_at);
        json_put_time(json, "used_at", list[i].used_at);
        json_close_object(json);
    }
    json_close_array(json);
}

static void
print_line(struct command_call *call, const char *label, struct str value)
{
    if (str_present(value))
        console_print(call->console, "%-18s %.*s\n", label, STR_ARG(value));
}

/* Says whether there is a password, and nothing about it. */
static void
print_details(struct command_call *call, const struct user *user)
{
    print_line(call, "id", user->id);
    print_line(call, "username", user->username);
    print_line(call, "status", str_of(user_status_name(user->status)));
    print_line(call, "email", user->email);
    print_line(call, "unconfirmed email", user->new_email);
    print_line(call, "name", user->name);
    print_line(call, "language", user->language);
    print_line(call, "time zone", user->time_zone);
    print_line(call, "created", time_write(call->mem, user->created_at));
    print_line(call, "password", str_present(user->password_hash) ? STR("yes") : STR("no"));
}

/* By username, id, or email (account_find()). */
static int
user_show(struct command_call *call)
{
    struct user user;
    struct passkey *list = NULL;
    size_t count = 0;
    enum err err = account_find(call->db, call->mem, call->arguments[0], &user);
    if (!err)
        err = passkeys_list(call->db, call->mem, user.id, &list, &count);
    if (err)
        return fail(call, err, call->arguments[0]);
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        json_open_object(json);
        write_members(json, &user);
        json_put_bool(json, "has_password", str_present(user.password_hash));
        write_passkeys(json, list, count);
        json_close_object(json);
        return command_json_done(call, json);
    }
    print_details(call, &user);
    for (size_t i = 0; i < count; i++)
        print_line(call, "passkey", list[i].name);
    return 0;
}

/* Prints a link that sets a new password. It is a secret: it goes to the console only. */
static int
user_recover(struct command_call *call)
{
    const struct settings *settings = call->settings;
    /* The page is on the host for sign-in, which may differ from the host of the API. */
    const char *url = settings->auth_url != NULL
                          ? settings->auth_url
                          : settings_base_url(call->mem, settings, settings->listen);
    const struct secret *secret = NULL;
    struct user user;
    enum err err = recovery_make_link(call->db, call->mem, call->arguments[0], clock_now(),
                                      RECOVERY_OPERATOR_SECONDS, &secret, &user);
    if (err)
        return fail(call, err, call->arguments[0]);
    struct str link =
        str_format(call->mem, "%s/reset?token=%.*s", url, STR_ARG(secret_reveal(secret)));
    if (command_has(call, "json")) {
        struct json *json = command_json(call);
        json_open_object(json);
        json_put_str(json, "sub", user.id);
        json_put_str(json, "username", user.username);
        json_put_str(json, "link", link);
        json_put_time(json, "expires_at", clock_now() + RECOVERY_OPERATOR_SECONDS);
        json_close_object(json);
        return command_json_done(call, json);
    }
    console_print(call->console, "%.*s\n", STR_ARG(link));
    return 0;
}

static int
user_delete(struct command_call *call)
{
    struct user user;
    enum err err = account_delete(call->db, call->mem, call->arguments[0], &user);
    return err ? fail(call, err, call->arguments[0]) : report_user(call, "deleted", &user);
}

const struct command user_commands[] = {
    { "user add", "NAME", .arguments_min = 1, .arguments_max = 1,
      .options = { { "email", "ADDRESS", "email address; also accepted at sign-in" },
                   { "name", "NAME", "display name" },
                   { "no-password", NULL,
                     "no password; sign-in is impossible until `user passwd`" },
                   JSON_OPTION },
      .mode = COMMAND_ON_NEW_STORE, .input = SECRET_INPUT, .input_unless = "no-password",
      .run = user_add, .summary = "create an account" },
    { "user list", "",
      .options = { { "limit", "N",
                     "maximum number of accounts; --json output then includes `next`" },
                   { "after", "NEXT", "continue after this `next` value" },
                   JSON_OPTION },
      .mode = COMMAND_ON_STORE, .run = user_list, .summary = "list accounts, oldest first" },
    COMMAND_ON_ONE("user show", "USER", NO_INPUT, user_show, "print an account and its passkeys"),
    COMMAND_ON_ONE("user disable", "USER", NO_INPUT, user_disable,
                   "disable an account, sign it out, and revoke its tokens"),
    COMMAND_ON_ONE("user enable", "USER", NO_INPUT, user_enable,
                   "let a disabled account sign in again"),
    COMMAND_ON_ONE("user passwd", "USER", SECRET_INPUT, user_passwd, "set an account's password"),
    { "user set", "USER", .arguments_min = 1, .arguments_max = 1,
      .options = { { "username", "NAME", "username" },
                   { "email", "ADDRESS", "email address, which counts as confirmed; empty: none" },
                   { "name", "NAME", "display name; empty: none" },
                   { "language", "TAG", "language, such as de; empty: none" },
                   { "time-zone", "ZONE", "time zone, such as Europe/Berlin; empty: none" },
                   JSON_OPTION },
      .mode = COMMAND_ON_STORE, .run = user_set, .summary = "change an account's profile" },
    COMMAND_ON_ONE("user recover", "USER", NO_INPUT, user_recover,
                   "print a link that sets a new password, once, within 24 hours"),
    COMMAND_ON_ONE("user delete", "USER", NO_INPUT, user_delete,
                   "delete an account and all its data"),
    { 0 },
};
