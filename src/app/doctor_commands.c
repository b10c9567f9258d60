/* doctor: makes a temporary account and app, lets doctor/ use them, and prints what it finds. */
#include "app/commands.h"

#include "command/store_access.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/definitions.h"
#include "crypt/random.h"
#include "db/db.h"
#include "doctor/doctor.h"
#include "domain/domain.h"
#include "model/scope.h"
#include "net/http_client.h"
#include "net/net.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/time_text.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static const char *const result_names[] = { "OK", "WARN", "FAIL" };

/* ---- output ---- */

struct output {
    struct command_call *call;
    struct json *json; /* NULL: text */
};

/* Findings are printed as they are made, because some checks take seconds. */
static void
show(const struct doctor_line *line, void *context)
{
    struct output *output = context;
    const char *result = result_names[line->result];
    if (output->json == NULL) {
        console_print(output->call->console, "%-4s  %-15s %.*s\n", result, line->check,
                      STR_ARG(line->text));
        if (str_present(line->action))
            console_print(output->call->console, "      %-15s %.*s\n", "", STR_ARG(line->action));
        return;
    }
    json_open_object(output->json);
    json_put_str(output->json, "check", str_of(line->check));
    json_put_str(output->json, "result", str_of(result));
    json_put_str(output->json, "text", line->text);
    if (str_present(line->action))
        json_put_str(output->json, "action", line->action);
    json_close_object(output->json);
}

/* ---- the temporary account ---- */

/* A check that is killed leaves its account. The next one finds it by its username, without a list
 * of all users, and by its name and age. */
#define USERNAME "doctor-check-%zu"
#define USERNAMES 4 /* checks at the same time */
#define NAME "Temporary account of penchant doctor"
#define CHECK_SECONDS 600 /* longer than any check takes */

/* The temporary account with which the OAuth flow is checked. */
struct account {
    struct doctor_report *report;
    const struct store_access *side;
    struct doctor_target *target;
    pthread_mutex_t lock; /* one thread at a time makes or deletes it */
    sigset_t signals;     /* that end the check: see delete_on_signal() */
};

/* What a command prints: its output or, if it fails, its error. Some errors are plain text, such as
 * that the service is overloaded. */
struct printed {
    const struct json_value *json; /* never NULL */
    struct str text;
};

/* Runs one command with --json. */
static bool
run(const struct account *account, struct arena *mem, const struct str *words, size_t count,
    struct str input, struct printed *out)
{
    struct console_capture capture = console_capture(mem, NULL);
    int status = store_access_run_words(account->side, mem, words, count, input, &capture.console);
    static const struct json_value none = { 0 };
    out->text = str_copy(mem, buf_str(status == 0 ? &capture.out : &capture.err));
    bool understood = json_read(mem, out->text, 8, &out->json, NULL) == ERR_NONE;
    if (!understood)
        out->json = &none;
    return understood && status == 0;
}

#define RUN(account, mem, input, out, ...)                 \
    run(account, mem, (const struct str[]){ __VA_ARGS__ }, \
        sizeof((const struct str[]){ __VA_ARGS__ }) / sizeof(struct str), input, out)

static bool
report_failure(const struct account *account, const char *command, const struct printed *error)
{
    struct str rest = error->text, text = json_text(error->json, "error_description");
    if (!str_present(text))
        str_cut(&rest, '\n', &text);
    doctor_problem(account->report, DOCTOR_FAIL, "test account",
                   "Read the log of the service; `penchant check` verifies the store.",
                   "`penchant %s` failed: %.*s", command, STR_ARG(text));
    return false;
}

/* Whether an account was made by a check that has ended. One without these properties, or that is
 * new, belongs to a person or to another check. */
static bool
is_left(const struct json_value *user)
{
    int64_t created_at = 0;
    return str_eq(json_text(user, "name"), STR(NAME)) && !str_present(json_text(user, "email")) &&
           !str_present(json_text(user, "unconfirmed_email")) &&
           time_read(json_text(user, "created_at"), &created_at) &&
           created_at + CHECK_SECONDS <= clock_now();
}

/* Deletes what checks have left that were killed. Returns the first free username, or a random one.
 */
static struct str
free_username(const struct account *account, struct arena *mem)
{
    struct printed out = { 0 };
    struct str found = STR_NONE;
    for (size_t i = 1; i <= USERNAMES; i++) {
        struct str username = str_format(mem, USERNAME, i);
        bool exists =
            RUN(account, mem, STR_NONE, &out, STR("user"), STR("show"), username, STR("--json"));
        if (exists && is_left(out.json))
            exists = !RUN(account, mem, STR_NONE, &out, STR("user"), STR("delete"), username,
                          STR("--json"));
        if (!exists && !str_present(found))
            found = username;
    }
    return str_present(found) ? found
                              : str_format(mem, "doctor-check-%08x", random_below(UINT32_MAX));
}

/* Another check may take the username meanwhile. */
static bool
add_user(const struct account *account)
{
    struct arena *mem = account->report->mem;
    struct printed out = { 0 };
    struct str password = random_groups(mem), username;
    bool taken = true;
    for (size_t i = 0; taken && i <= USERNAMES; i++) {
        username = free_username(account, mem);
        if (RUN(account, mem, password, &out, STR("user"), STR("add"), username,
                STR("--name=" NAME), STR("--json"))) {
            account->target->username = username;
            account->target->password = password;
            return true;
        }
        taken = str_eq(json_text(out.json, "error"), str_of(err_name(ERR_TAKEN)));
    }
    return report_failure(account, "user add", &out);
}

/* The user is in the target before the app is made, so that delete_account() deletes the account if
 * that fails. */
static bool
make_account(const struct account *account)
{
    struct arena *mem = account->report->mem;
    struct doctor_target *target = account->target;
    struct printed out = { 0 };
    if (!add_user(account))
        return false;
    if (!RUN(account, mem, STR_NONE, &out, STR("app"), STR("add"),
             str_format(mem, "--owner=%s", target->username.ptr), STR("--name=Installation check"),
             STR("--redirect-uri=" DOCTOR_REDIRECT_URI), STR("--scope=" DOCTOR_SCOPES),
             STR("--json")))
        return report_failure(account, "app add", &out);
    target->client_id = json_text(out.json, "client_id");
    target->client_secret = json_text(out.json, "client_secret");
    return true;
}

/* Deletes the account, which deletes its app and tokens. */
static bool
delete_account(const struct account *account, struct arena *mem, struct printed *out)
{
    struct str username = account->target->username;
    account->target->username = STR_NONE;
    return !str_present(username) ||
           RUN(account, mem, STR_NONE, out, STR("user"), STR("delete"), username, STR("--json"));
}

/* Waits for a signal that ends the check, such as Ctrl-C, and deletes the account before it does.
 * The other thread may wait for a response of the service meanwhile. That thread is not joined. */
static void *
delete_on_signal(void *argument)
{
    struct account *account = argument;
    struct printed out = { 0 };
    int number = 0;
    sigset_t one;
    sigwait(&account->signals, &number);
    pthread_mutex_lock(&account->lock);
    delete_account(account, arena_new(), &out);
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    _exit(128 + number); /* not reached: nothing handles it */
}

/* Blocks the signals, for threads that are started later as well. One that is ignored, as with
 * nohup, stays ignored. */
static void
block_signals(struct account *account, sigset_t *before)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action;
    sigemptyset(&account->signals);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (sigaction(ends[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&account->signals, ends[i]);
    pthread_sigmask(SIG_BLOCK, &account->signals, before);
}

/* The account is deleted after the check, also after a failure or a signal. */
static void
check_with_account(struct account *account)
{
    struct printed out = { 0 };
    pthread_t waiter;
    sigset_t before;
    pthread_mutex_init(&account->lock, NULL);
    block_signals(account, &before);
    bool waits = pthread_create(&waiter, NULL, delete_on_signal, account) == 0;
    pthread_mutex_lock(&account->lock);
    bool made = make_account(account);
    /* The other thread changes the target: see delete_account(). */
    const struct doctor_target copy = *account->target;
    pthread_mutex_unlock(&account->lock);
    if (made)
        doctor_check_app(account->report, &copy);
    pthread_mutex_lock(&account->lock);
    if (!delete_account(account, account->report->mem, &out))
        report_failure(account, "user delete", &out);
    pthread_mutex_unlock(&account->lock);
    if (waits) {
        pthread_cancel(waiter); /* it waits for a signal, or has nothing left to delete */
        pthread_join(waiter, NULL);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_destroy(&account->lock);
}

/* Runs the OAuth flow as an app would. */
static void
check_app(struct doctor_report *report, struct command_call *call, struct doctor_target *target)
{
    struct why why = { 0 };
    struct store_access side;
    struct domains domains;
    enum err err = definitions_load(call->mem, call->settings->domains, call->settings->domains_off,
                                    &domains, &why);
    if (!err) {
        scopes_setup(&domains);
        err = store_access_open(call->settings, &domains, true, &side, &why);
    }
    if (err) {
        doctor_problem(report, DOCTOR_FAIL, "store", "Correct the setting, or repair the store.",
                       "%s", why.text);
        return;
    }
    if (side.db != NULL && db_address_is_sqlite(call->settings->store)) {
        /* The service that answers has another file open. */
        doctor_problem(report, DOCTOR_FAIL, "store",
                       "Pass the settings of the service to this command (--config or --store).",
                       "the service at %.*s uses another store than %s", STR_ARG(target->base_url),
                       call->settings->store);
    } else {
        struct account account = { .report = report, .side = &side, .target = target };
        check_with_account(&account);
    }
    store_access_close(&side);
}

/* Exit status 0 means no failure; warnings do not change it. */
static int
doctor(struct command_call *call)
{
    const struct settings *settings = call->settings;
    struct output output = { call, command_has(call, "json") ? command_json(call) : NULL };
    struct doctor_report report = { .mem = call->mem, .show = show, .context = &output };
    struct str ca = command_option_value(call, "ca");
    /* The findings are the output; log lines of the checks would be mixed with them. */
    log_setup(settings->log_format, LOG_SILENT);
    net_start();
    struct doctor_target target = { .settings = settings };
    target.base_url = str_of(settings_base_url(call->mem, settings, settings->listen));
    target.auth_url = settings->auth_url != NULL ? str_of(settings->auth_url) : target.base_url;
    target.client = http_client_new(str_present(ca) ? str_c(call->mem, ca) : NULL);
    if (output.json != NULL) {
        json_open_object(output.json);
        json_key_array(output.json, "checks");
    }
    doctor_check_machine(&report, &target);
    if (doctor_check_address(&report, &target))
        check_app(&report, call, &target);
    http_client_free(target.client);
    int status = report.failures == 0 ? 0 : 1;
    if (output.json != NULL) {
        json_close_array(output.json);
        json_put_int(output.json, "warnings", (int64_t)report.warnings);
        json_put_int(output.json, "failures", (int64_t)report.failures);
        json_close_object(output.json);
        int printed = command_json_done(call, output.json);
        return printed != 0 ? printed : status;
    }
    console_print(call->console, "%zu failed, %zu warnings\n", report.failures, report.warnings);
    return status;
}

const struct command doctor_commands[] = {
    { "doctor", "",
      .options = { { "ca", "FILE", "PEM file with the certificates that may sign the service's" },
                   JSON_OPTION },
      .mode = COMMAND_WITHOUT_STORE, .run = doctor,
      .summary =
          "check the running service as a client sees it, its files, disk, and mail server" },
    { 0 },
};
