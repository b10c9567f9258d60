/* activity_pages.c - the page that shows the requests of apps: /account/activity.
 *
 * All records of the user are loaded, at most ACTIVITY_SHOWN_MAX, and filtered and divided into
 * pages here. The filters therefore offer every app with a record, also one that was disconnected
 * long ago. The constants with _BYTES estimate the size of the HTML, so that a page stays below the
 * limit for pages (docs/DECISIONS.md). */
#include "account/account_routes.h"
#include "account/activity_view.h"
#include "base/arena.h"
#include "base/buf.h"
#include "dispatch/browser_session.h"
#include "job/activity.h"
#include "page/account_page.h"
#include "page/pager.h"
#include "page/when.h"
#include "template/template.h"
#include "text/url.h"
#include "web/call.h"
#include "web/error.h"
#include "web/message.h"
#include "web/state.h"

#define HERE "/account/activity"
#define DAY_SECONDS 86400
#define LINES_SHOWN 60
#define LINES_BYTES ((size_t)24 * 1000)
#define LINE_BYTES 550
#define CHOICES_MAX 100 /* apps to choose from */
/* Two filters of at most 100 characters each, of which a byte takes three in a URL. */
#define URL_MAX ((size_t)4096)
#define DOWNLOAD_MAX ((size_t)64 * 1024 * 1024)

enum { APP, AREA, PAGE };

static const struct field activity_fields[] = {
    [APP] = { "app", FIELD_LINE, FIELD_IN_QUERY, .max = 100 },
    [AREA] = { "area", FIELD_LINE, FIELD_IN_QUERY, .max = 100 },
    [PAGE] = PAGER_FIELD,
};

/* ---- filters ---- */

/* An absent or empty filter matches everything. The subject of a sign-in is a device, so a filter
 * by area leaves it out. */
static bool
matches(const struct call *call, const struct activity *record)
{
    struct str app = call_text(call, APP), area = call_text(call, AREA);
    return (app.len == 0 || str_eq(app, record->app_id)) &&
           (area.len == 0 || str_eq(area, record->subject));
}

/* One entry of a filter's list; the one in the query is selected. */
static void
put_choice(struct call *call, struct values *values, const char *list, size_t field,
           struct str value, struct str name)
{
    struct values *item = values_item(values, list);
    values_text(item, "value", value);
    values_text(item, "name", name);
    values_flag(item, "chosen", str_eq(call_text(call, field), value));
}

/* The apps of all records, each once. */
static void
put_apps(struct call *call, struct values *values, const struct activity *records, size_t count)
{
    const struct activity *seen[CHOICES_MAX];
    size_t seen_count = 0;
    for (size_t i = 0; i < count && seen_count < CHOICES_MAX; i++) {
        size_t at = 0;
        while (at < seen_count && !str_eq(seen[at]->app_id, records[i].app_id))
            at++;
        if (at < seen_count || records[i].app_id.len == 0)
            continue;
        seen[seen_count++] = &records[i];
        put_choice(call, values, "apps", APP, records[i].app_id,
                   records[i].app_name.len > 0 ? records[i].app_name : records[i].app_id);
    }
}

static void
put_areas(struct call *call, struct values *values)
{
    const struct domains *domains = call->web->settings.domains;
    for (size_t i = 0; i < domains->count; i++)
        put_choice(call, values, "areas", AREA, domains->list[i].name,
                   message_sentence(call, domains->list[i].title));
}

/* The address of a page of the same list, up to its number: the filters stay. */
static struct str
page_url(struct call *call)
{
    static const char *const names[] = { "app=", "area=" };
    struct buf out = buf_in(call->mem, URL_MAX);
    buf_add_c(&out, HERE "?");
    for (size_t field = APP; field <= AREA; field++) {
        if (call_text(call, field).len == 0)
            continue;
        buf_add_c(&out, names[field]);
        url_encode(&out, call_text(call, field));
        buf_add_c(&out, "&");
    }
    buf_add_c(&out, "page=");
    return buf_str(&out);
}

/* ---- the page ---- */

/* Days are in UTC, like the records. */
static struct str
day_title(struct call *call, int64_t day)
{
    int64_t today = call->now / DAY_SECONDS;
    if (day == today)
        return message(call, KEY("activity.today"));
    return day == today - 1 ? message(call, KEY("activity.yesterday"))
                            : when_date(call, day * DAY_SECONDS);
}

/* Records are sorted by day, so a new day begins where it differs from the line before. The first
 * line of a page repeats the title of its day. */
static void
put_lines(struct call *call, struct values *values, const struct activity *const *shown,
          const struct pager *pager)
{
    struct values *day = NULL;
    for (size_t i = pager->first; i < pager->last; i++) {
        if (day == NULL || shown[i]->day != shown[i - 1]->day) {
            day = values_item(values, "days");
            values_text(day, "title", day_title(call, shown[i]->day));
            values_text(day, "id", activity_date(call->mem, shown[i]->day));
        }
        activity_view_put(call, values_item(day, "lines"), shown[i]);
    }
}

/* The records are filtered here and not in the store, because those in memory must be filtered,
 * too; there are at most ACTIVITY_SHOWN_MAX. */
static enum err
get_activity(struct call *call)
{
    struct activity *records = NULL;
    size_t count = 0, shown_count = 0;
    struct values *values = values_new(call->mem);
    enum err err = activity_view_load(call, &records, &count);
    if (err != ERR_NONE)
        return err;
    const struct activity **shown = ARENA_ARRAY(call->mem, const struct activity *, count + 1);
    struct pager pager = pager_for(call_integer(call, PAGE), LINES_SHOWN, LINES_BYTES);
    for (size_t i = 0; i < count; i++)
        if (matches(call, &records[i])) {
            shown[shown_count++] = &records[i];
            pager_add(&pager, LINE_BYTES + 2 * pager_bytes(call->mem, records[i].app_name));
        }
    pager_settle(&pager);
    put_lines(call, values, shown, &pager);
    put_apps(call, values, records, count);
    put_areas(call, values);
    values_flag(values, "any", count > 0);
    values_flag(values, "none", shown_count == 0);
    values_flag(values, "filtered", shown_count < count);
    /* The page says that there may be more; the download has all. */
    values_flag(values, "full", count >= ACTIVITY_SHOWN_MAX);
    pager_put(call, values, &pager, page_url(call), "");
    return account_page(call, 200, "account_activity", "activity", values);
}

/* The file of one user is built in memory. The limit bounds it. */
static enum err
download(struct call *call, bool as_table)
{
    struct buf out = buf_in(call->mem, DOWNLOAD_MAX);
    enum err err = activity_export(call->db, call->mem, call->browser->user.id, as_table, &out);
    if (err == ERR_TOO_LARGE) {
        error_send(call, 413,
                   STR("Your activity is larger than 64 MiB, the limit for one file. An "
                       "administrator can export it with penchant export."));
        return ERR_NONE;
    }
    if (err != ERR_NONE)
        return err;
    account_send_file(call, "penchant-activity", as_table ? FILE_CSV : FILE_JSON, buf_str(&out));
    return ERR_NONE;
}

static enum err
get_download(struct call *call)
{
    return download(call, false);
}

static enum err
get_table(struct call *call)
{
    return download(call, true);
}

const struct route account_activity_routes[] = {
    { GET, HERE, get_activity, CALLER_USER, .summary = "Shows what apps did with the user's data.",
      .page = true, .blocks = true, ROUTE_FIELDS(activity_fields) },
    { GET, HERE "/download", get_download, CALLER_USER,
      .summary = "Downloads the user's activity as a file.", .page = true, .blocks = true },
    { GET, HERE "/table", get_table, CALLER_USER,
      .summary = "Downloads the user's activity as a table.", .page = true, .blocks = true },
    { 0 },
};
