/* portal_pages.c - a developer's apps: the list, and the form that registers one.
 *
 * The new secret is shown in the response to the form itself: after a redirect it would have to be
 * stored until the next request. So that a form sent twice registers one app, the app's id is
 * derived from a random value in the form and the session's key. */
#include "crypt/digest.h"
#include "crypt/random.h"
#include "crypt/secret.h"
#include "dispatch/browser_session.h"
#include "job/usage.h"
#include "model/logo.h"
#include "page/account_page.h"
#include "page/pager.h"
#include "page/when.h"
#include "portal/app_form.h"
#include "portal/portal_routes.h"
#include "template/template.h"
#include "web/call.h"
#include "web/message.h"
#include "web/response.h"

#define APPS_SHOWN 20
#define APPS_BYTES ((size_t)14 * 1000)
#define APP_BYTES 620

enum { PAGE };

static const struct field list_fields[] = {
    [PAGE] = PAGER_FIELD,
};

/* ---- list ---- */

/* One line of the list of apps. */
static void
put_app(struct call *call, struct values *values, const struct app *app,
        const struct usage_sum *sum)
{
    struct values *item = values_item(values, "apps");
    values_text(item, "client_id", app->id);
    values_text(item, "app", app->name);
    values_text(item, "logo", logo_path(call->mem, app));
    values_flag(item, "public", app->is_public);
    values_flag(item, "disabled", app->status == APP_DISABLED);
    values_text(item, "calls",
                message_count(call, KEY("developer.list.calls.one"),
                              KEY("developer.list.calls.other"), sum->calls));
    if (sum->refused > 0)
        values_text(item, "refused",
                    message_count(call, KEY("developer.list.refused.one"),
                                  KEY("developer.list.refused.other"), sum->refused));
    when_put(call, item, "since", app->created_at);
}

/* A user has few apps, so all are loaded and divided into pages here. */
static enum err
get_developer(struct call *call)
{
    struct str owner = call->browser->user.id;
    struct values *values = values_new(call->mem);
    struct app *apps = NULL;
    struct usage_sum *sums = NULL;
    size_t count = 0, sum_count = 0;
    enum err err = app_list(call->db, call->mem, owner, 0, APPS_PER_OWNER_MAX, &apps, &count);
    if (err == ERR_NONE)
        err = usage_of_owner(call->db, call->mem, owner, call->now, &sums, &sum_count);
    if (err != ERR_NONE)
        return err;
    struct pager pager = pager_for(call_integer(call, PAGE), APPS_SHOWN, APPS_BYTES);
    for (size_t i = 0; i < count; i++)
        pager_add(&pager, APP_BYTES + pager_bytes(call->mem, apps[i].name));
    pager_settle(&pager);
    for (size_t i = pager.first; i < pager.last; i++) {
        struct usage_sum none = { 0 };
        const struct usage_sum *sum = &none;
        for (size_t s = 0; s < sum_count; s++)
            if (str_eq(sums[s].app_id, apps[i].id))
                sum = &sums[s];
        put_app(call, values, &apps[i], sum);
    }
    pager_put(call, values, &pager, STR("/developer?page="), "");
    values_flag(values, "has_apps", count > 0);
    values_flag(values, "full", count >= APPS_PER_OWNER_MAX);
    return account_page(call, 200, "developer", "developer", values);
}

/* ---- registration ---- */

/* `once` makes a form that is sent twice create one app. */
static enum err
show_form(struct call *call, int status, const struct app_params *params,
          const struct app_problems *problems, struct str once)
{
    struct values *values = values_new(call->mem);
    developer_app_put_form(call, values, params, problems);
    values_text(values, "once", once);
    values_flag(values, "refused", status != 200);
    values_flag(values, "may_choose_kind", true);
    return account_page(call, status, "developer_new", "developer", values);
}

static enum err
get_new(struct call *call)
{
    struct app_params params = { .scopes = STR("agent_hints") };
    return show_form(call, 200, &params, &(struct app_problems){ 0 }, random_id(call->mem, "new_"));
}

/* The session's key is secret, so that no one can choose the id of an app. Absent: the form has no
 * such value, and app_register() makes an id. */
static struct str
id_of_form(struct call *call)
{
    struct str once = call_text(call, APP_ONCE), key = call->browser->key;
    if (!str_present(once))
        return STR_NONE;
    struct str digest = digest_text(
        call->mem, str_format(call->mem, "new app %.*s %.*s", STR_ARG(key), STR_ARG(once)));
    return str_format(call->mem, "app_%.22s", digest.ptr);
}

/* After an error, the same random value is sent back, so that the corrected form is still the same
 * registration. */
static enum err
post_new(struct call *call)
{
    struct app_params params = developer_app_params(call);
    struct app_problems problems;
    struct app app;
    const struct secret *secret = NULL;
    params.id = id_of_form(call);
    params.owner = call->browser->user.id;
    enum err err = app_register(call->db, call->mem, &params, call->now, &app, &secret, &problems);
    if (err == ERR_INVALID)
        return show_form(call, 400, &params, &problems, call_text(call, APP_ONCE));
    /* The form was sent before, so the secret has been shown; or the app is public and has none. */
    if (err == ERR_TAKEN || (err == ERR_NONE && secret == NULL)) {
        response_redirect(call,
                          str_format(call->mem, "/developer/apps/%.*s", STR_ARG(params.id)).ptr);
        return ERR_NONE;
    }
    return err == ERR_NONE ? developer_app_show_secret(call, &app, secret_reveal(secret), true)
                           : err;
}

const struct route developer_routes[] = {
    { GET, "/developer", get_developer, CALLER_USER, .summary = "Lists the developer's apps.",
      .page = true, ROUTE_FIELDS(list_fields) },
    { GET, "/developer/apps/new", get_new, CALLER_USER,
      .summary = "Shows the form that registers an app.", .page = true },
    { POST, "/developer/apps/new", post_new, CALLER_USER,
      .summary = "Registers an app and shows its secret once.", .page = true,
      ROUTE_FIELDS(developer_app_fields), .body = BODY_FORM, .body_max = 64 * KIB, .creates = true,
      .blocks = true },
    { 0 },
};
