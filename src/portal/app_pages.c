/* app_pages.c - the pages of a developer's own app: usage, errors, settings, secret, deletion.
 *
 * Every handler begins with developer_app_find(), so an app of another user is not found. Changes
 * that affect users (name, privacy link, redirect hosts) need no approval here: the consent page
 * asks them again when they differ. Numbers include what this process has counted and not written
 * yet. */
#include "base/arena.h"
#include "client/domain_proof.h"
#include "crypt/secret.h"
#include "job/usage.h"
#include "page/chart.h"
#include "page/pager.h"
#include "page/when.h"
#include "portal/app_form.h"
#include "portal/portal_routes.h"
#include "template/template.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/response.h"
#include "web/state.h"

/* ---- overview ---- */

#define REFUSALS_SHOWN 20
#define REFUSALS_BYTES ((size_t)9 * 1000)
#define REFUSAL_BYTES 430

enum { PAGE };

static const struct field page_fields[] = {
    [PAGE] = PAGER_FIELD,
};

/* `detail` is the newest example, without anything that looks like a secret. */
static void
put_refusals(struct call *call, struct values *values, const struct refusal *list, size_t count)
{
    struct pager pager = pager_for(call_integer(call, PAGE), REFUSALS_SHOWN, REFUSALS_BYTES);
    for (size_t i = 0; i < count; i++)
        pager_add(&pager, REFUSAL_BYTES + pager_bytes(call->mem, list[i].reason) +
                              pager_bytes(call->mem, list[i].detail));
    pager_settle(&pager);
    for (size_t i = pager.first; i < pager.last; i++) {
        struct values *item = values_item(values, "refusals");
        values_text(item, "endpoint", list[i].endpoint);
        values_text(item, "error", list[i].error);
        values_text(item, "reason", message_sentence(call, list[i].reason));
        values_text(item, "detail", list[i].detail);
        values_text(item, "times",
                    message_count(call, KEY("developer.refusals.times.one"),
                                  KEY("developer.refusals.times.other"), list[i].times));
        when_put(call, item, "last", list[i].last_at);
    }
    pager_put(call, values, &pager,
              str_format(call->mem, "/developer/apps/%.*s?page=", STR_ARG(call_param(call, 0))),
              "#refusals");
}

/* Numbers of users, not the users themselves: a developer learns nothing about a single user
 * here. */
static enum err
get_app(struct call *call)
{
    struct app app;
    struct app_usage usage;
    struct refusal *refusals = NULL;
    size_t count = 0;
    struct usage_counters *counters = call->web->settings.counters;
    enum err err = developer_app_find(call, &app);
    if (err == ERR_NONE)
        err = usage_of_app(call->db, call->mem, counters, app.id, call->now, &usage);
    if (err == ERR_NONE)
        err = refusals_of_app(call->db, call->mem, counters, app.id, &refusals, &count);
    if (err != ERR_NONE)
        return err;
    /* Issued tokens are a figure of their own, so that users and developers see the same number of
     * requests. */
    int64_t served = 0, tokens = 0, refused = 0;
    for (size_t i = 0; i < USAGE_DAYS; i++) {
        served += usage.days[i].counts[USAGE_CALL];
        tokens += usage.days[i].counts[USAGE_TOKENS];
        refused += usage.days[i].counts[USAGE_REFUSED];
    }
    struct values *values = values_new(call->mem);
    chart_put(call, values, usage.days);
    put_refusals(call, values, refusals, count);
    values_flag(values, "used", served + tokens + refused > 0);
    values_text(values, "served", message_number(call, served));
    values_text(values, "tokens", message_number(call, tokens));
    values_text(values, "refused_count", message_number(call, refused));
    values_text(values, "users", message_number(call, usage.users));
    values_text(values, "connected", message_number(call, usage.connected));
    return developer_app_page(call, 200, "developer_app", "overview", &app, values);
}

/* ---- settings ---- */

/* The stored app as if it had just been typed, for the form. */
static struct app_params
params_of(struct call *call, const struct app *app)
{
    struct str *lines = ARENA_ARRAY(call->mem, struct str, APP_REDIRECT_URIS_MAX);
    struct str rest = app->redirect_uris;
    size_t count = 0;
    while (count < APP_REDIRECT_URIS_MAX && str_cut(&rest, '\n', &lines[count]))
        count++;
    return (struct app_params){ .name = app->name,
                                .redirect_uris = lines,
                                .redirect_uri_count = count,
                                .scopes = scopes_write(call->mem, app->scopes),
                                .homepage = app->homepage,
                                .privacy_link = app->privacy_link,
                                .purpose = app->purpose,
                                .is_public = app->is_public };
}

/* Without a usable homepage there is no address for the file, and the page explains that. */
static void
put_domain(struct call *call, struct values *values, const struct app *app)
{
    const char *problem = NULL;
    struct str url =
        domain_proof_url(call->web->settings.documents, call->mem, app->homepage, &problem);
    values_text(values, "proof_url", url);
    values_text(values, "verified_host", app_verified_host(app));
    when_put(call, values, "verified", app->verified_at);
}

/* `params` is what the form shows, which differs from the app after an error. */
static enum err
show_settings(struct call *call, int status, const struct app *app, const struct app_params *params,
              const struct app_problems *problems, const struct app_refusals *refusals)
{
    struct values *values = values_new(call->mem);
    values_text(values, "logo_problem", message_sentence(call, str_of(refusals->logo)));
    values_text(values, "domain_problem", message_sentence(call, str_of(refusals->domain)));
    put_domain(call, values, app);
    developer_app_put_form(call, values, params, problems);
    values_flag(values, "refused",
                status != 200 && refusals->logo == NULL && refusals->domain == NULL);
    values_text(values, "current",
                /* For post_rotate(). */
                str_format(call->mem, "%.12s", str_c(call->mem, app->secret_hash)));
    values_flag(values, "old_valid", app->old_secret_expires_at > call->now);
    when_put(call, values, "old_expires", app->old_secret_expires_at);
    return developer_app_page(call, status, "developer_settings", "settings", app, values);
}

enum err
developer_app_show_settings(struct call *call, int status, const struct app *app,
                            const struct app_refusals *refusals)
{
    struct app_params params = params_of(call, app);
    return show_settings(call, status, app, &params, &(struct app_problems){ 0 }, refusals);
}

static enum err
get_settings(struct call *call)
{
    struct app app;
    enum err err = developer_app_find(call, &app);
    return err != ERR_NONE
               ? err
               : developer_app_show_settings(call, 200, &app, &(struct app_refusals){ 0 });
}

/* After an error, the form shows what was typed with the problems beside it. */
static enum err
post_settings(struct call *call)
{
    struct app app, changed;
    struct app_problems problems;
    enum err err = developer_app_find(call, &app);
    if (err != ERR_NONE)
        return err;
    struct app_params params = developer_app_params(call);
    err = app_change(call->db, call->mem, app.id, &params, call->now, &changed, &problems);
    if (err == ERR_INVALID)
        return show_settings(call, 400, &app, &params, &problems, &(struct app_refusals){ 0 });
    if (err == ERR_NONE)
        flash_redirect(call, developer_app_settings_path(call, &app),
                       &(struct flash){ .key = KEY("flash.app.saved") });
    return err;
}

/* ---- secret ---- */

enum { OLD, CURRENT };

static const struct field rotate_fields[] = {
    [OLD] = { "old", FIELD_LINE, FIELD_IN_FORM, .max = 20 },
    [CURRENT] = { "current", FIELD_LINE, FIELD_IN_FORM, .max = 20 },
};

/* Without a redirect, because the new secret is only in this response and cannot be shown by a
 * later one. */
static enum err
post_rotate(struct call *call)
{
    struct app app;
    const struct secret *secret = NULL;
    bool end_now = str_eq(call_text(call, OLD), STR("now"));
    enum err err = developer_app_find(call, &app);
    if (err != ERR_NONE)
        return err;
    /* A form sent twice creates one secret: it contains a part of the hash of the secret that it
     * replaces. */
    if (app.is_public || !str_eq(call_text(call, CURRENT), str_first(app.secret_hash, 12))) {
        response_redirect(call, developer_app_settings_path(call, &app));
        return ERR_NONE;
    }
    err = app_rotate_secret(call->db, call->mem, app.id, end_now, call->now, &app, &secret);
    return err == ERR_NONE ? developer_app_show_secret(call, &app, secret_reveal(secret), false)
                           : err;
}

/* For a secret that has leaked: it must end before its time. */
static enum err
post_end_old(struct call *call)
{
    struct app app;
    enum err err = developer_app_find(call, &app);
    if (err == ERR_NONE)
        err = app_end_old_secret(call->db, call->mem, app.id, call->now, &app);
    if (err == ERR_NONE)
        flash_redirect(call, developer_app_settings_path(call, &app),
                       &(struct flash){ .key = KEY("flash.app.old_secret_revoked") });
    return err;
}

/* ---- disable and delete ---- */

enum { STATUS };

static const struct field status_fields[] = {
    [STATUS] = { "status", FIELD_LINE, FIELD_IN_FORM, .required = true, .max = 20 },
};

/* Disabling revokes all tokens of the app, and enabling restores none (epoch). Sending the form
 * twice changes nothing. */
static enum err
post_status(struct call *call)
{
    struct app app;
    enum app_status status;
    enum err err = developer_app_find(call, &app);
    if (err == ERR_NONE && !app_status_read(call_text(call, STATUS), &status))
        return ERR_INVALID;
    if (err == ERR_NONE && status != app.status)
        err = app_set_status(call->db, call->mem, app.id, status, call->now, &app);
    if (err == ERR_NONE)
        flash_redirect(call, developer_app_settings_path(call, &app),
                       &(struct flash){ .key = status == APP_ACTIVE ? KEY("flash.app.enabled")
                                                                    : KEY("flash.app.disabled"),
                                        .what = app.name });
    return err;
}

/* Says how many users are connected. Only the database is read: the numbers in memory do not matter
 * here. */
static enum err
get_delete(struct call *call)
{
    struct app app;
    struct app_usage usage;
    enum err err = developer_app_find(call, &app);
    if (err == ERR_NONE)
        err = usage_of_app(call->db, call->mem, NULL, app.id, call->now, &usage);
    if (err != ERR_NONE)
        return err;
    struct values *values = values_new(call->mem);
    if (usage.connected > 0)
        values_text(values, "connected", message_number(call, usage.connected));
    return developer_app_page(call, 200, "developer_delete", "settings", &app, values);
}

/* The app's row is deleted at once; its grants and counts are deleted in steps. */
static enum err
post_delete(struct call *call)
{
    struct app app;
    enum err err = developer_app_find(call, &app);
    if (err == ERR_NONE)
        err = app_delete(call->db, call->mem, app.id, &app);
    if (err != ERR_NONE)
        return err;
    struct flash flash = { .key = KEY("flash.app.deleted"), .what = app.name };
    flash_redirect(call, "/developer", &flash);
    return ERR_NONE;
}

#define FORM .page = true, .body = BODY_FORM, .blocks = true

const struct route developer_app_routes[] = {
    { GET, "/developer/apps/{app}", get_app, CALLER_USER,
      .summary = "Shows an app's usage and errors.", .page = true, ROUTE_FIELDS(page_fields) },
    { GET, "/developer/apps/{app}/settings", get_settings, CALLER_USER,
      .summary = "Shows an app's settings.", .page = true },
    { POST, "/developer/apps/{app}/settings", post_settings, CALLER_USER,
      .summary = "Changes an app's settings.", FORM, ROUTE_FIELDS(developer_app_fields),
      .body_max = 64 * KIB },
    { POST, "/developer/apps/{app}/rotate", post_rotate, CALLER_USER,
      .summary = "Creates a new secret and shows it once.", FORM, ROUTE_FIELDS(rotate_fields),
      .body_max = 4 * KIB },
    { POST, "/developer/apps/{app}/rotate/end", post_end_old, CALLER_USER,
      .summary = "Revokes the old secret.", FORM, .body_max = 4 * KIB },
    { POST, "/developer/apps/{app}/status", post_status, CALLER_USER,
      .summary = "Disables or enables an app.", FORM, ROUTE_FIELDS(status_fields),
      .body_max = 4 * KIB },
    { GET, "/developer/apps/{app}/delete", get_delete, CALLER_USER,
      .summary = "Asks to confirm the deletion of an app.", .page = true },
    { POST, "/developer/apps/{app}/delete", post_delete, CALLER_USER, .summary = "Deletes an app.",
      FORM, .body_max = 4 * KIB },
    { 0 },
};
