/* doctor: makes a temporary account and app, lets doctor/ use them, and prints what it finds. */
#include "app/commands.h"

#include "command/store_access.h"
#include "base/arena.h"
#include "base/buf.h"
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

/* The temporary account with which the OAuth flow is checked. */
struct account {
    struct doctor_report *report;
    const struct store_access *side;
    struct doctor_target *target;
};

/* Runs one command. A failure is reported. */
static bool
step(const struct account *account, const struct str *words, size_t count, struct str input,
     const struct json_value **out)
{
    struct arena *mem = account->report->mem;
    struct console_capture capture = console_capture(mem, NULL);
    int status = store_access_run_words(account->side, mem, words, count, input, &capture.console);
    if (status == 0 && json_read(mem, str_copy(mem, buf_str(&capture.out)), 8, out, NULL) == 0)
        return true;
    struct str problem = buf_str(&capture.err);
    doctor_problem(account->report, DOCTOR_FAIL, "test account",
                   "Read the log of the service; `penchant check` verifies the store.",
                   "`penchant %.*s %.*s` failed: %.*s", STR_ARG(words[0]), STR_ARG(words[1]),
                   STR_ARG(str_first(problem, str_index(problem, '\n'))));
    return false;
}

#define STEP(account, input, out, ...)                 \
    step(account, (const struct str[]){ __VA_ARGS__ }, \
         sizeof((const struct str[]){ __VA_ARGS__ }) / sizeof(struct str), input, out)

/* A random username, so that a check never touches an account of a person, and two checks at once
 * do not collide. */
static bool
make_account(const struct account *account)
{
    struct arena *mem = account->report->mem;
    struct doctor_target *target = account->target;
    const struct json_value *out = NULL;
    struct str username = str_format(mem, "doctor-%08x", random_below(UINT32_MAX));
    struct str password = random_groups(mem);
    if (!STEP(account, password, &out, STR("user"), STR("add"), username, STR("--json")))
        return false;
    /* Set before the app is made, so that delete_account() deletes the account if that fails. */
    target->username = username;
    target->password = password;
    if (!STEP(account, STR_NONE, &out, STR("app"), STR("add"),
              str_format(mem, "--owner=%s", username.ptr), STR("--name=Installation check"),
              STR("--redirect-uri=" DOCTOR_REDIRECT_URI), STR("--scope=" DOCTOR_SCOPES),
              STR("--json")))
        return false;
    target->client_id = json_text(out, "client_id");
    target->client_secret = json_text(out, "client_secret");
    return true;
}

/* Deletes the account, which deletes its app and tokens. */
static void
delete_account(const struct account *account)
{
    const struct json_value *out = NULL;
    if (str_present(account->target->username))
        STEP(account, STR_NONE, &out, STR("user"), STR("delete"), account->target->username,
             STR("--json"));
}

/* Runs the OAuth flow as an app would. The account is deleted afterwards, also after a failure. */
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
        struct account account = { report, &side, target };
        if (make_account(&account))
            doctor_check_app(report, target);
        delete_account(&account);
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
