/* serve, demo, and health: run the service on the configured store or on a temporary one, and ask
 * it whether it is ready. */
#include "app/commands.h"

#include "config/definitions.h"
#include "app/demo_data.h"
#include "app/run.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/embedded.h"
#include "crypt/random.h"
#include "crypt/secret.h"
#include "flow/accounts.h"
#include "domain/domain.h"
#include "flow/apps.h"
#include "http/probe.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEALTH_MS 3000

/* Reads the same flags, the environment, and the file again, in an arena of the next run. */
static enum err
load_settings_again(void *context, struct service_settings *next, struct why *why)
{
    const struct command_call *call = context;
    struct settings *settings = ARENA_NEW(next->mem, struct settings);
    struct domains *domains = ARENA_NEW(next->mem, struct domains);
    enum err err = settings_load(next->mem, call->flags, call->flag_count, settings, why);
    if (err)
        return err;
    next->settings = settings; /* also if definitions fail: see reload_load() */
    next->domains = domains;
    return definitions_load(next->mem, settings->domains, settings->domains_off, domains, why);
}

/* Without `before` and `leave`, which only the demo uses. */
static int
serve(struct command_call *call)
{
    struct service_plan plan = { .settings = call->settings,
                                 .domains = call->domains,
                                 .reload = load_settings_again,
                                 .context = call };
    return run_service(&plan);
}

/* ---- health ---- */

/* For `HEALTHCHECK` of a container and for scripts: asks the service on this machine whether it is
 * ready. Host has the name of base-url, which the service accepts. */
static int
health(struct command_call *call)
{
    const struct settings *settings = call->settings;
    struct str host = STR("localhost"), scheme;
    if (settings->base_url != NULL) {
        host = str_of(settings->base_url);
        str_cut(&host, ':', &scheme);
        host = str_from(host, 2);
    }
    struct probe probe = { .listen = settings->listen,
                           .tls = settings->tls_cert != NULL,
                           .host = host,
                           .path = "/readyz",
                           .deadline_ms = HEALTH_MS };
    struct why why = { 0 };
    int status = 0;
    if (probe_request(&probe, &status, &why))
        return command_fail(call, ERR_UNAVAILABLE, "%s", why.text);
    if (status != 200)
        return command_fail(call, ERR_UNAVAILABLE,
                            "the service runs but is not ready (status %d); see its log", status);
    console_print(call->console, "ready\n");
    return 0;
}

/* ---- demo ---- */

/* A temporary service; `password` is that of the sample user. */
struct demo {
    struct arena *mem;
    struct console *console;
    const struct settings *settings;
    const struct domains *domains;
    const char *folder;
    struct str password;
};

/* The absolute path of this program, so that the printed commands work in any directory. */
static const char *
own_path(struct arena *mem)
{
    char *path = arena_alloc(mem, PATH_MAX + 1);
    return readlink("/proc/self/exe", path, PATH_MAX) > 0 ? path : "penchant";
}

/* The email counts as confirmed, so that the demo can show email without a mail server. */
static enum err
add_user(struct demo *demo, struct db *db, struct user *user)
{
    struct account_params params = { .username = STR("ada"),
                                     .email = STR("ada@example.org"),
                                     .confirmed = true,
                                     .name = STR("Ada"),
                                     .password = demo->password };
    struct account_problems problems = { 0 };
    return account_make(db, demo->mem, &params, clock_now(), user, &problems);
}

/* With every scope, so that everything can be tried. */
static enum err
add_app(struct demo *demo, struct db *db, struct str owner, const char *name, struct app *app,
        const struct secret **secret)
{
    const struct str uris[] = { STR("http://127.0.0.1/callback") };
    struct app_params params = {
        .owner = owner,
        .name = str_of(name),
        .redirect_uris = uris,
        .redirect_uri_count = 1,
        .scopes = scopes_write(demo->mem, ~(scopes)0),
    };
    struct app_problems problems;
    return app_register(db, demo->mem, &params, clock_now(), app, secret, &problems);
}

/* Writes the script that runs the whole OAuth flow, so that the printed command can be pasted. */
static const char *
write_script(struct demo *demo)
{
    struct str path = str_format(demo->mem, "%s/first-call.sh", demo->folder);
    struct str script = embedded_find("docs/first-call.sh");
    FILE *file = fopen(path.ptr, "w");
    if (file == NULL)
        return "docs/first-call.sh";
    bool written = fwrite(script.ptr, 1, script.len, file) == script.len;
    return fclose(file) == 0 && written ? path.ptr : "docs/first-call.sh";
}

/* Adds the sample user's facts, written by the user and by two apps, and what these apps did. */
static enum err
add_facts(struct demo *demo, struct db *db, struct str user_id, struct str finder,
          struct demo_counts *facts, struct why *why)
{
    struct app planner = { 0 };
    const struct secret *unused = NULL;
    enum err err = add_app(demo, db, user_id, "Dinner Planner", &planner, &unused);
    if (err)
        return err;
    struct demo_source sources[] = { { "Concert Finder", finder },
                                     { "Dinner Planner", planner.id } };
    return demo_data_add(db, demo->mem, demo->domains, user_id, sources, 2, clock_now(), facts,
                         why);
}

/* Runs after the service has opened the store and before it accepts requests. */
static enum err
fill(void *context, struct db *db, const char *base_url, struct why *why)
{
    struct demo *demo = context;
    struct user user = { 0 };
    struct app app = { 0 };
    const struct secret *secret = NULL;
    struct demo_counts facts = { 0 };
    enum err err = add_user(demo, db, &user);
    if (!err)
        err = add_app(demo, db, user.id, "Concert Finder", &app, &secret);
    if (!err)
        err = add_facts(demo, db, user.id, app.id, &facts, why);
    if (err) {
        why_set(why, "demo: cannot create the sample user and app (%s)", err_name(err));
        return err;
    }
    struct str shown = secret_reveal(secret);
    const char *program = own_path(demo->mem), *store = demo->settings->store;
    console_print(
        demo->console,
        "\n  Penchant is running on a temporary store, which is deleted when it stops.\n\n"
        "  Open   %s/\n"
        "  User   ada   password %.*s\n"
        "         %lld facts, %lld marked as wrong, %lld to review\n"
        "  App    Concert Finder\n"
        "         client_id      %.*s\n"
        "         client_secret  %.*s\n"
        "  MCP    %s/mcp   paste it into an AI assistant; instructions: %s/connect\n\n"
        "  Try    the OAuth flow, as an app and its user:\n"
        "         sh %s %s %.*s %.*s ada %.*s\n"
        "         list the accounts:\n"
        "         %s user list --store %s\n"
        "         export the user's data:\n"
        "         %s export ada --store %s\n"
        "         print the hints that an AI model would get:\n"
        "         %s hints ada --context restaurant_search --store %s\n\n"
        "  Mail   that would be sent is in\n"
        "         %s\n\n"
        "  Stop   Ctrl-C\n\n",
        base_url, STR_ARG(demo->password), (long long)facts.active, (long long)facts.suppressed,
        (long long)facts.held, STR_ARG(app.id), STR_ARG(shown), base_url, base_url,
        write_script(demo), base_url, STR_ARG(app.id), STR_ARG(shown), STR_ARG(demo->password),
        program, store, program, store, program, store, demo->settings->smtp_url);
    /* Standard output may be a pipe, and the service runs until it is stopped. */
    fflush(stdout);
    return ERR_NONE;
}

/* The folder is walked with its content first, because only empty folders can be removed. */
static int
remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)walk;
    return kind == FTW_DP ? rmdir(path) : unlink(path); /* the sandbox distinguishes them */
}

/* Opens the configured address; if it is in use, a free port instead, and prints which. */
static enum err
listen_or_use_free_port(struct command_call *call, struct listener *out, struct why *why)
{
    enum err err = listener_open("listen", call->settings->listen, out, why);
    if (err != ERR_TAKEN)
        return err;
    struct why other = { 0 };
    err = listener_open("listen", "127.0.0.1:0", out, &other);
    if (!err)
        console_print(call->console, "%s is in use; listening on %s instead.\n",
                      call->settings->listen, out->address);
    return err;
}

/* The temporary store is deleted when the service has stopped, also after Ctrl-C, because
 * run_service() then returns. */
static int
demo(struct command_call *call)
{
    struct why why = { 0 };
    struct listener listener;
    struct settings settings = *call->settings;
    const char *folder = getenv("TMPDIR");
    struct str template =
        str_format(call->mem, "%s/penchant-demo-XXXXXX", folder == NULL ? "/tmp" : folder);
    char *folder_path = (char *)(uintptr_t) template.ptr;
    /* Before the folder is made, so that a failure leaves nothing behind. */
    if (listen_or_use_free_port(call, &listener, &why))
        return command_fail(call, ERR_UNAVAILABLE, "%s", why.text);
    if (mkdtemp(folder_path) == NULL)
        return command_fail(call, ERR_UNAVAILABLE, "cannot create a folder for the demo: %s",
                            strerror(errno));
    settings.store = str_format(call->mem, "sqlite:%s/penchant.db", folder_path).ptr;
    if (settings.smtp_url == NULL) {
        settings.smtp_url = str_format(call->mem, "file:%s/mail.txt", folder_path).ptr;
        settings.smtp_from = "penchant@localhost";
    }
    struct demo demo = { call->mem,     call->console, &settings,
                         call->domains, folder_path,   random_groups(call->mem) };
    struct service_plan plan = { .settings = &settings,
                                 .domains = call->domains,
                                 .listener = &listener,
                                 .leave = folder_path, /* deleted below, in the sandbox */
                                 .before = fill,
                                 .context = &demo };
    int status = run_service(&plan);
    nftw(folder_path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return status;
}

const struct command serve_commands[] = {
    { "serve", "", .mode = COMMAND_SERVES, .run = serve,
      .summary = "run the service until SIGTERM or Ctrl-C" },
    { "demo", "", .mode = COMMAND_SERVES, .run = demo,
      .summary = "run the service on a temporary store with sample data" },
    { "health", "", .options = { { "json", NULL, "print errors as JSON" } },
      .mode = COMMAND_WITHOUT_STORE, .run = health,
      .summary = "ask the running service whether it is ready, at the address of --listen" },
    { 0 },
};
