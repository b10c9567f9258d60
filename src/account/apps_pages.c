/* apps_pages.c - connected apps: /account/apps, and /account/apps/{app} for one of them.
 *
 * No form here adds a scope or a domain: only a request of the app, with a new consent, can do
 * that. Every form names the app in its path, and the flow looks for the signed-in user's grant to
 * it, so a foreign or unknown app is ERR_NOT_FOUND. Changes apply with the app's next request. */
#include "account/account_routes.h"
#include "account/activity_view.h"
#include "base/arena.h"
#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "flow/connections.h"
#include "preference/corrections.h"
#include "job/usage.h"
#include "model/logo.h"
#include "page/account_page.h"
#include "page/chart.h"
#include "page/facts.h"
#include "page/pager.h"
#include "page/when.h"
#include "page/sensitive.h"
#include "text/form.h"
#include "template/template.h"
#include "text/time_text.h"
#include "text/utf8.h"
#include "web/call.h"
#include "web/flash.h"
#include "web/message.h"
#include "web/state.h"

#define HERE "/account/apps"
#define APPS_SHOWN 20
#define APPS_BYTES ((size_t)18 * 1000)
#define APP_BYTES 1000
#define SCOPE_BYTES 75
#define AREAS_BYTES ((size_t)16 * 1024)
#define WRITTEN_SHOWN 60
#define WRITTEN_BYTES ((size_t)11 * 1000)
#define WRITTEN_ONE_BYTES 230

enum { PAGE };
enum { UNTIL, DATE };

static const struct field page_fields[] = {
    [PAGE] = PAGER_FIELD,
};

static const struct field end_fields[] = {
    [UNTIL] = { "until", FIELD_LINE, FIELD_IN_FORM, .max = 20 },
    [DATE] = { "date", FIELD_LINE, FIELD_IN_FORM, .max = 40 },
};

enum { WRITES };

static const struct field writes_fields[] = {
    [WRITES] = { "writes", FIELD_LINE, FIELD_IN_FORM, .max = 20 },
};

/* ---- one connection ---- */

/* "Areas: Food, Music." DOMAINS_ALL includes areas that are added later, so it is not written as a
 * list. */
static struct str
domain_names(struct call *call, scopes domains)
{
    struct buf names = buf_in(call->mem, AREAS_BYTES);
    for (size_t i = 0; i < scope_count(); i++)
        if (scopes_domains(domains) >> i & 1) {
            buf_add_c(&names, names.len > 0 ? ", " : "");
            buf_add(&names, message_sentence(call, str_of(scope_row(i)->title)));
        }
    if (domains == DOMAINS_ALL)
        return message(call, KEY("apps.areas.all"));
    return names.len == 0 ? message(call, KEY("apps.areas.none"))
                          : message_one(call, KEY("apps.areas.some"), "areas", buf_str(&names));
}

/* Two lists, as on the consent page: "scopes" is what the app can see, "changes" what it can
 * change. */
static void
put_scopes(struct call *call, struct values *values, const struct permissions *allowed)
{
    for (size_t n = 0; n < scope_count(); n++) {
        size_t i = scope_on_page(n);
        scopes one = (scopes)1 << i;
        if ((allowed->scopes & one) == 0)
            continue;
        struct values *item =
            values_item(values, one == SCOPE_PREFERENCES_WRITE ? "changes" : "scopes");
        values_flag(item, "is_area", scopes_domains(one) != 0);
        values_text(item, "scope", str_of(scope_row(i)->name));
        values_text(item, "title", message_sentence(call, str_of(scope_row(i)->title)));
        values_text(item, "sentence", message_sentence(call, str_of(scope_row(i)->sentence)));
        sensitive_put(call, item, one,
                      sensitive_of_row(call, one, allowed->scopes) & allowed->sensitive_domains);
        if (one == SCOPE_AGENT_HINTS)
            values_text(item, "areas", domain_names(call, allowed->hint_domains));
        if (one == SCOPE_PREFERENCES_WRITE)
            values_text(item, "areas", domain_names(call, allowed->write_domains));
    }
}

/* Whether the app is a source of the fact, possibly one of several. */
static bool
wrote(const struct sourced_atom *fact, struct str app_id)
{
    for (size_t i = 0; i < fact->source_count; i++)
        if (str_eq(fact->sources[i].source, app_id))
            return true;
    return false;
}

/* Also facts that others have stated as well. */
static int64_t
count_written(const struct facts *facts, struct str app_id)
{
    int64_t count = 0;
    for (size_t i = 0; i < facts->count; i++)
        count += wrote(&facts->list[i], app_id);
    return count;
}

/* The first character, for the app's badge. */
static struct str
initial(struct str name)
{
    struct str rest = name;
    return utf8_next(&rest) < 0 ? STR("") : str_first(name, name.len - rest.len);
}

/* What the user needs to decide whether to keep the app: permissions, since when, until when, and
 * what it has written. */
static void
put_connection(struct call *call, struct values *values, const struct connection *connection,
               const struct facts *facts)
{
    const struct grant *grant = &connection->grant;
    int64_t written = count_written(facts, connection->app.id);
    values_text(values, "app", connection->app.name);
    values_text(values, "app_id", connection->app.id);
    values_text(values, "initial", initial(connection->app.name));
    values_text(values, "logo", logo_path(call->mem, &connection->app));
    values_text(values, "verified_host", app_verified_host(&connection->app));
    values_flag(values, "disabled", connection->app.status != APP_ACTIVE);
    put_scopes(call, values, &grant->allowed);
    when_put(call, values, "since", grant->created_at);
    values_text(
        values, "until",
        grant->expires_at == NEVER_EXPIRES
            ? message(call, KEY("apps.until.never"))
            : message_one(call, KEY("apps.until"), "date", when_date(call, grant->expires_at)));
    if (grant->reused_at != 0)
        values_text(
            values, "reused",
            message_one(call, KEY("apps.reused"), "date", when_date(call, grant->reused_at)));
    values_text(values, "wrote",
                written == 0
                    ? message(call, KEY("apps.wrote.none"))
                    : message_count(call, KEY("apps.wrote.one"), KEY("apps.wrote.other"), written));
    values_flag(values, "has_written", written > 0);
}

/* When and how often the app was used, optionally with a chart. One query per app, with what this
 * process has not written yet. */
static enum err
put_usage(struct call *call, struct values *values, const struct connection *connection,
          bool with_chart)
{
    struct grant_usage usage;
    struct usage_day days[USAGE_DAYS] = { { 0 } };
    int64_t total = 0;
    enum err err = usage_of_grant(call->db, call->mem, call->web->settings.counters,
                                  call->browser->user.id, connection->app.id, call->now, &usage);
    if (err != ERR_NONE)
        return err;
    for (size_t i = 0; i < USAGE_DAYS; i++) {
        days[i].day = usage_day_of(call->now) - USAGE_DAYS + 1 + (int64_t)i;
        days[i].counts[USAGE_CALL] = usage.days[i];
        total += usage.days[i];
    }
    when_put(call, values, "last_use", usage.last_use);
    values_flag(values, "used", total > 0);
    values_text(values, "uses",
                message_count(call, KEY("apps.uses.one"), KEY("apps.uses.other"), total));
    if (total > 0 && with_chart)
        chart_put(call, values, days);
    return ERR_NONE;
}

/* ---- list ---- */

/* The size of each entry is estimated, so that a page with many apps or long names is divided and
 * never exceeds the limit of a page. */
static enum err
get_apps(struct call *call)
{
    struct connection *list = NULL;
    size_t count = 0;
    struct facts facts = { 0 };
    struct values *values = values_new(call->mem);
    enum err err =
        connections_list(call->db, call->mem, call->browser->user.id, call->now, &list, &count);
    if (err == ERR_NONE)
        err = facts_load(call, STR_NONE, &facts);
    if (err != ERR_NONE)
        return err;
    struct pager pager = pager_for(call_integer(call, PAGE), APPS_SHOWN, APPS_BYTES);
    for (size_t i = 0; i < count; i++)
        pager_add(&pager,
                  APP_BYTES + 3 * pager_bytes(call->mem, list[i].app.name) +
                      SCOPE_BYTES * (size_t)__builtin_popcountll(list[i].grant.allowed.scopes));
    pager_settle(&pager);
    for (size_t i = pager.first; i < pager.last && !err; i++) {
        struct values *item = values_item(values, "apps");
        put_connection(call, item, &list[i], &facts);
        err = put_usage(call, item, &list[i], false);
    }
    if (err != ERR_NONE)
        return err;
    if (count > 0)
        values_text(
            values, "count",
            message_count(call, KEY("apps.count.one"), KEY("apps.count.other"), (int64_t)count));
    values_flag(values, "mcp", call->web->settings.mcp);
    pager_put(call, values, &pager, STR(HERE "?page="), "");
    return account_page(call, 200, "account_apps", "apps", values);
}

/* ---- one app ---- */

/* Newest first. After a rejected form, the first page is shown: a form does not send the number of
 * the page. */
static void
put_written(struct call *call, struct values *values, struct facts *facts, struct str app_id)
{
    struct pager pager = pager_for(call->route->method == GET ? call_integer(call, PAGE) : 1,
                                   WRITTEN_SHOWN, WRITTEN_BYTES);
    size_t number = 0;
    for (size_t i = facts->count; i > 0; i--)
        if (wrote(&facts->list[i - 1], app_id))
            pager_add(&pager, WRITTEN_ONE_BYTES + FACTS_SHORT_MAX);
    pager_settle(&pager);
    for (size_t i = facts->count; i > 0; i--)
        if (wrote(&facts->list[i - 1], app_id) && pager_shows(&pager, number++))
            facts_put(call, facts, values_item(values, "written"), &facts->list[i - 1]);
    pager_put(call, values, &pager, str_format(call->mem, HERE "/%.*s?page=", STR_ARG(app_id)),
              "#wrote");
}

/* After an error, the input is shown as typed, with the choice "date" selected, because only a date
 * can be wrong. */
static void
put_end(struct call *call, struct values *values, const struct grant *grant, struct str problem)
{
    bool never = grant->expires_at == NEVER_EXPIRES;
    struct str date = never ? STR_NONE : str_first(time_write(call->mem, grant->expires_at), 10);
    struct str typed = call->route->method == POST ? call_text(call, DATE) : STR_NONE;
    values_flag(values, "never_ends", never && problem.len == 0);
    values_flag(values, "has_end", !never || problem.len > 0);
    account_put_field(call, values, "date", problem.len > 0 ? typed : date, problem);
    values_text(values, "tomorrow", str_first(time_write(call->mem, call->now + 86400), 10));
}

/* How far the app's name is verified, as on the consent page. */
static void
put_identity(struct call *call, struct values *values, const struct app *app)
{
    if (app->kind == APP_REGISTERED)
        values_text(values, "identity", message(call, KEY("consent.self.registered")));
    if (app->kind == APP_DOCUMENT)
        values_text(values, "identity",
                    message_one(call, KEY("apps.document"), "document", app->document));
}

/* Single facts only. Sensitive facts are withheld because of the permissions, which
 * the page also shows. */
static void
put_withheld(struct call *call, struct values *values, const struct grant *grant)
{
    struct withheld_fact fact;
    int64_t count = 0;
    for (size_t at = 0; view_next(grant->withheld, &at, &fact);)
        count++;
    if (count > 0)
        values_text(
            values, "not_shared",
            message_count(call, KEY("apps.facts.count.one"), KEY("apps.facts.count.other"), count));
}

/* Facts that the app added or changed, and removals that it proposed. */
static void
put_waiting(struct call *call, struct values *values, const struct facts *facts, struct str app_id)
{
    int64_t count = 0;
    for (size_t i = 0; i < facts->count; i++) {
        const struct atom *atom = &facts->list[i].atom;
        enum atom_review review = atom_review(atom);
        count += (review == REVIEW_FACT && wrote(&facts->list[i], app_id)) ||
                 (review == REVIEW_REMOVAL && str_eq(atom->suppressed_by, app_id));
    }
    if (count > 0)
        values_text(values, "waiting",
                    message_count(call, KEY("apps.waiting.one"), KEY("apps.waiting.other"), count));
}

/* Everything about one app. `end_problem` is about the form for the end date. */
static enum err
show(struct call *call, int status, struct str end_problem)
{
    struct connection connection;
    struct facts facts;
    struct values *values = values_new(call->mem);
    enum err err = connection_find(call->db, call->mem, call->browser->user.id, call_param(call, 0),
                                   call->now, &connection);
    if (err == ERR_NONE)
        err = facts_load(call, STR_NONE, &facts);
    if (err != ERR_NONE)
        return err;
    put_connection(call, values, &connection, &facts);
    put_written(call, values, &facts, connection.app.id);
    put_end(call, values, &connection.grant, end_problem);
    put_identity(call, values, &connection.app);
    put_withheld(call, values, &connection.grant);
    values_flag(values, "sees",
                (connection.grant.allowed.scopes & ~(scopes)SCOPE_PREFERENCES_WRITE) != 0);
    values_flag(values, "writes", (connection.grant.allowed.scopes & SCOPE_PREFERENCES_WRITE) != 0);
    values_flag(values, "writes_wait", connection.grant.writes_wait);
    put_waiting(call, values, &facts, connection.app.id);
    err = put_usage(call, values, &connection, true);
    if (err == ERR_NONE)
        err = activity_view_put_app(call, values, connection.app.id);
    if (err != ERR_NONE)
        return err;
    return account_page(call, status, "account_app", "apps", values);
}

static enum err
get_app(struct call *call)
{
    return show(call, 200, STR_NONE);
}

static const char *
path_of(struct call *call, const struct connection *connection)
{
    return str_format(call->mem, HERE "/%.*s", STR_ARG(connection->app.id)).ptr;
}

/* The form sends the boxes that stay checked. Removing the last one disconnects the app. */
static enum err
post_scopes(struct call *call)
{
    /* A forged value changes nothing: connection_narrow() only removes. */
    const struct form *form = call_form(call);
    struct connection connection;
    scopes keep = 0, one;
    enum err err = form == NULL ? ERR_INVALID : ERR_NONE;
    for (size_t i = 0; !err && i < form->count; i++)
        if (str_eq_c(form->fields[i].name, "scope") &&
            scopes_read(form->fields[i].value, &one, NULL))
            keep |= one;
    if (!err)
        err = connection_narrow(call->db, call->mem, call->browser->user.id, call_param(call, 0),
                                keep, sensitive_selected(call, form), call->now, &connection);
    if (err != ERR_NONE)
        return err;
    bool ended = connection.grant.allowed.scopes == 0;
    flash_redirect(
        call, ended ? HERE : path_of(call, &connection),
        &(struct flash){ .key = ended ? KEY("flash.disconnected") : KEY("flash.narrowed"),
                         .what = connection.app.name });
    return ERR_NONE;
}

/* The end of that day, UTC. */
static bool
read_date(struct call *call, struct str date, int64_t *out)
{
    return date.len == 10 && time_read(str_format(call->mem, "%.*sT23:59:59Z", STR_ARG(date)), out);
}

/* The page is shown again with the error; the input is still in it. */
static enum err
post_end(struct call *call)
{
    struct connection connection;
    int64_t expires_at = NEVER_EXPIRES;
    if (str_eq_c(call_text(call, UNTIL), "date")) {
        if (!read_date(call, call_text(call, DATE), &expires_at))
            return show(call, 400, message(call, KEY("apps.end.invalid")));
        if (expires_at <= call->now)
            return show(call, 400, message(call, KEY("apps.end.past")));
    } else if (!str_eq_c(call_text(call, UNTIL), "revoked")) {
        return show(call, 400, message(call, KEY("apps.end.invalid")));
    }
    enum err err = connection_set_end(call->db, call->mem, call->browser->user.id,
                                      call_param(call, 0), expires_at, call->now, &connection);
    if (err != ERR_NONE)
        return err;
    flash_redirect(call, path_of(call, &connection),
                   &(struct flash){ .key = KEY("flash.end_set"), .what = connection.app.name });
    return ERR_NONE;
}

/* Any other value can only come from a forged form. */
static enum err
post_writes(struct call *call)
{
    struct connection connection;
    bool store = str_eq_c(call_text(call, WRITES), "store");
    if (!store && !str_eq_c(call_text(call, WRITES), "wait"))
        return ERR_INVALID;
    enum err err = connection_set_writes_wait(call->db, call->mem, call->browser->user.id,
                                              call_param(call, 0), !store, call->now, &connection);
    if (err != ERR_NONE)
        return err;
    flash_redirect(call, path_of(call, &connection),
                   &(struct flash){ .key = KEY("flash.narrowed"), .what = connection.app.name });
    return ERR_NONE;
}

/* Tokens end with the commit. The page that follows is the list, since the app's own page no longer
 * exists. */
static enum err
post_disconnect(struct call *call)
{
    struct connection connection;
    enum err err = connection_end(call->db, call->mem, call->browser->user.id, call_param(call, 0),
                                  call->now, &connection);
    if (err != ERR_NONE)
        return err;
    flash_redirect(
        call, HERE,
        &(struct flash){ .key = KEY("flash.disconnected"), .what = connection.app.name });
    return ERR_NONE;
}

/* Facts that the user or another app has stated as well stay. */
static enum err
post_remove_written(struct call *call)
{
    struct connection connection;
    struct app_removed result = { 0 };
    enum err err = connection_find(call->db, call->mem, call->browser->user.id, call_param(call, 0),
                                   call->now, &connection);
    struct app_removal params = {
        .user_id = call->browser->user.id,
        .app_id = call_param(call, 0),
        .domains = call->web->settings.domains,
        .now = call->now,
    };
    if (err == ERR_NONE)
        err = corrections_remove_app(call->db, call->mem, &params, &result);
    if (err != ERR_NONE)
        return err;
    flash_redirect(call, path_of(call, &connection),
                   &(struct flash){ .key = KEY("flash.app_facts_removed"),
                                    .what = connection.app.name,
                                    .count = message_number(call, result.removed) });
    return ERR_NONE;
}

const struct route account_apps_routes[] = {
    { GET, HERE, get_apps, CALLER_USER, .summary = "Lists the user's connected apps.", .page = true,
      .blocks = true, ROUTE_FIELDS(page_fields) },
    { GET, HERE "/{app}", get_app, CALLER_USER, .summary = "Shows a connected app.", .page = true,
      .blocks = true, ROUTE_FIELDS(page_fields) },
    { POST, HERE "/{app}/scopes", post_scopes, CALLER_USER,
      .summary = "Reduces an app's permissions.", .page = true, .body = BODY_FORM,
      .body_max = 16 * KIB, .blocks = true },
    { POST, HERE "/{app}/end", post_end, CALLER_USER, .summary = "Sets when an app's access ends.",
      .page = true, ROUTE_FIELDS(end_fields), .body = BODY_FORM, .body_max = 4 * KIB,
      .blocks = true },
    { POST, HERE "/{app}/writes", post_writes, CALLER_USER,
      .summary = "Sets whether an app's changes wait for confirmation.", .page = true,
      ROUTE_FIELDS(writes_fields), .body = BODY_FORM, .body_max = 4 * KIB, .blocks = true },
    { POST, HERE "/{app}/disconnect", post_disconnect, CALLER_USER,
      .summary = "Disconnects an app.", .page = true, .body = BODY_FORM, .body_max = 4 * KIB,
      .blocks = true },
    { POST, HERE "/{app}/forget", post_remove_written, CALLER_USER,
      .summary = "Deletes the facts that only this app added.", .page = true, .body = BODY_FORM,
      .body_max = 4 * KIB, .blocks = true },
    { 0 },
};
