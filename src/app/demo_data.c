#include "app/demo_data.h"

#include "base/embedded.h"
#include "flow/corrections.h"
#include "flow/preferences.h"
#include "job/expiry.h"
#include "model/app.h"
#include "model/grant.h"
#include "model/redirect_uri.h"
#include "model/usage.h"
#include "crypt/random.h"
#include "store/activity_store.h"
#include "store/grant_store.h"
#include "store/tx.h"
#include "text/json_read.h"

#define DAY ((int64_t)24 * 3600)
#define LAST_SECONDS 120 /* ago, for the activity of a day */
#define TERM (90 * DAY)

struct demo_writer {
    struct db *db;
    struct arena *mem;
    const struct domains *domains;
    struct str user_id;
    const struct demo_source *sources;
    size_t source_count;
    int64_t now;
};

static struct str
text_of(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_member(object, key);
    return value != NULL && value->type == JSON_STR ? value->text : STR("");
}

static int64_t
time_of(const struct demo_writer *demo, const struct json_value *object)
{
    const struct json_value *days = json_member(object, "days_ago");
    return demo->now - (days == NULL ? 0 : days->integer) * DAY;
}

/* NULL: the user. */
static const struct demo_source *
find_source(const struct demo_writer *demo, struct str name)
{
    for (size_t i = 0; i < demo->source_count; i++)
        if (str_eq_c(name, demo->sources[i].name))
            return &demo->sources[i];
    return NULL;
}

static struct str
source_of(const struct demo_writer *demo, const struct json_value *write)
{
    const struct demo_source *source = find_source(demo, text_of(write, "by"));
    return source == NULL ? SOURCE_USER : source->source;
}

/* An operator may have replaced a definition, so facts that no longer fit are skipped. */
static enum err
write_facts(const struct demo_writer *demo, const struct json_value *write)
{
    struct preference_counts counts;
    struct preference_problems problems = { 0 };
    struct record record;
    struct preference_write params = {
        .user_id = demo->user_id,
        .domain = domains_find(demo->domains, text_of(write, "domain")),
        .source = source_of(demo, write),
        .preferences = json_member(write, "preferences"),
        .now = time_of(demo, write),
    };
    if (params.domain == NULL)
        return ERR_NONE;
    enum err err = preferences_write(demo->db, demo->mem, &params, &counts, &record, &problems);
    return err == ERR_INVALID ? ERR_NONE : err;
}

static enum err
suppress_one(const struct demo_writer *demo, const struct json_value *wrong)
{
    struct sourced_atom *atoms = NULL;
    size_t count = 0;
    struct corrected unused;
    struct str value = str_format(demo->mem, "\"%.*s\"", STR_ARG(text_of(wrong, "value")));
    enum err err = corrections_list(demo->db, demo->mem, demo->user_id, text_of(wrong, "domain"),
                                    &atoms, &count);
    for (size_t i = 0; i < count && !err; i++) {
        struct correction params = { demo->user_id, atoms[i].atom.id, demo->domains,
                                     time_of(demo, wrong) };
        if (str_eq(atoms[i].atom.value, value))
            err = corrections_suppress(demo->db, demo->mem, &params, text_of(wrong, "reason"),
                                       &unused);
    }
    return err;
}

/* ---- connections and activity ---- */

struct demo_event {
    struct arena *mem;
    struct str user_id;
    struct grant grant;       /* id absent: none */
    struct activity activity; /* otherwise this */
};

static enum err
add_event(struct db_tx *tx, void *argument)
{
    const struct demo_event *event = argument;
    if (!str_present(event->grant.id))
        return activity_store_add(tx, event->mem, event->user_id, &event->activity, 1);
    struct activity_event connect = { .user_id = event->user_id,
                                      .app_id = event->grant.app_id,
                                      .action = ACTIVITY_CONNECT,
                                      .now = event->grant.created_at };
    enum err err = grant_store_add(tx, event->mem, &event->grant);
    return err ? err : activity_store_event(tx, event->mem, &connect);
}

/* As if the user had consented to an app then. */
static enum err
connect_app(const struct demo_writer *demo, const struct json_value *given)
{
    const struct demo_source *source = find_source(demo, text_of(given, "app"));
    scopes asked = 0;
    if (source == NULL || !scopes_read(text_of(given, "scope"), &asked, NULL))
        return ERR_NONE; /* an operator may have removed a domain */
    const struct app *app = source->app;
    struct str about = str_format(demo->mem, "%.*s\n\n", STR_ARG(app->name));
    struct str place = redirect_uri_display(demo->mem, STR("http://127.0.0.1/callback"));
    struct permissions none = { 0 };
    struct demo_event event = {
        .mem = demo->mem,
        .user_id = demo->user_id,
        .grant = { .id = random_id(demo->mem, "grt_"),
                   .user_id = demo->user_id,
                   .app_id = app->id,
                   .allowed = grant_after_consent(&none, asked, asked),
                   .requested = asked,
                   .shown = grant_add_shown(demo->mem, STR(""), about, place),
                   .withheld = STR(""),
                   .expires_at = demo->now + TERM,
                   .created_at = time_of(demo, given),
                   .updated_at = time_of(demo, given) },
    };
    return tx_write(demo->db, add_event, &event);
}

static int64_t
number_of(const struct json_value *object, const char *key, int64_t otherwise)
{
    const struct json_value *value = json_member(object, key);
    return value == NULL ? otherwise : value->integer;
}

static enum err
add_activity(const struct demo_writer *demo, const struct json_value *given)
{
    const struct demo_source *source = find_source(demo, text_of(given, "by"));
    int64_t last_at = time_of(demo, given) - LAST_SECONDS;
    struct demo_event event = {
        .mem = demo->mem,
        .user_id = demo->user_id,
        .activity = { .day = usage_day_of(last_at),
                      .app_id = source == NULL ? STR("") : source->source,
                      .action = text_of(given, "action"),
                      .refused = json_member(given, "refused") != NULL,
                      .subject = text_of(given, "subject"),
                      .times = number_of(given, "times", 1),
                      .facts = number_of(given, "facts", 0),
                      .first_at = last_at - LAST_SECONDS,
                      .last_at = last_at },
    };
    return tx_write(demo->db, add_event, &event);
}

/* Closes the days and deletes those that are too old, as housekeeping would have done. */
static enum err
close_days(const struct demo_writer *demo)
{
    bool more = true;
    enum err err = ERR_NONE;
    while (more && !err)
        err = expiry_step(demo->db, demo->mem, activity_store_close, demo->now, &more);
    for (more = true; more && !err;)
        err = expiry_step(demo->db, demo->mem, activity_store_delete_expired, demo->now, &more);
    return err;
}

static enum err
for_each(const struct demo_writer *demo, const struct json_value *list,
         enum err (*add)(const struct demo_writer *demo, const struct json_value *one))
{
    enum err err = ERR_NONE;
    for (size_t i = 0; list != NULL && i < list->count && !err; i++)
        err = add(demo, &list->children[i]);
    return err;
}

static enum err
count_facts(const struct demo_writer *demo, struct demo_counts *out)
{
    struct sourced_atom *atoms = NULL;
    size_t count = 0;
    enum err err = corrections_list(demo->db, demo->mem, demo->user_id, STR_NONE, &atoms, &count);
    *out = (struct demo_counts){ 0 };
    for (size_t i = 0; i < count; i++) {
        out->active += atoms[i].atom.status == ATOM_ACTIVE;
        out->suppressed += atoms[i].atom.status == ATOM_SUPPRESSED;
        out->held += atoms[i].atom.status == ATOM_HELD;
    }
    return err;
}

enum err
demo_data_add(struct db *db, struct arena *mem, const struct domains *domains, struct str user_id,
              const struct demo_source *sources, size_t count, int64_t now, struct demo_counts *out,
              struct why *why)
{
    struct demo_writer demo = { db, mem, domains, user_id, sources, count, now };
    const struct json_value *data = NULL;
    enum err err = json_read(mem, embedded_find("demo/ada.json"), 8, &data, why);
    if (err)
        return err;
    err = for_each(&demo, json_member(data, "writes"), write_facts);
    if (!err)
        err = for_each(&demo, json_member(data, "suppressed"), suppress_one);
    if (!err)
        err = for_each(&demo, json_member(data, "connections"), connect_app);
    if (!err)
        err = for_each(&demo, json_member(data, "activity"), add_activity);
    if (!err)
        err = close_days(&demo);
    return err ? err : count_facts(&demo, out);
}
