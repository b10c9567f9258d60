/* demo_data.c - reads demo/ada.json, whose times are days before the start. */
#include "app/demo_data.h"

#include "base/embedded.h"
#include "base/shard.h"
#include "preference/corrections.h"
#include "preference/preferences.h"
#include "job/usage.h"
#include "job/usage_counters.h"
#include "model/grant.h"
#include "crypt/random.h"
#include "store/activity_store.h"
#include "credential/grant_store.h"
#include "store/tx.h"
#include "text/json_read.h"

#define DAY ((int64_t)24 * 3600)
#define AGO_SECONDS 120 /* the newest activity */

/* What every part of the sample data needs. All of it belongs to the caller. */
struct demo_writer {
    struct db *db;
    struct arena *mem;
    const struct domains *domains;
    struct str user_id;
    const struct demo_source *sources;
    size_t source_count;
    int64_t now;
    struct usage_counters *usage;
};

/* For rows that no flow can write with a time in the past. */
struct demo_row {
    struct arena *mem;
    struct grant grant; /* without an id: the record is added */
    struct activity record;
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

/* The id of the app that `by` names; otherwise SOURCE_USER. */
static struct str
source_of(const struct demo_writer *demo, const struct json_value *write)
{
    for (size_t i = 0; i < demo->source_count; i++)
        if (str_eq_c(text_of(write, "by"), demo->sources[i].name))
            return demo->sources[i].source;
    return SOURCE_USER;
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

/* Values in demo/ada.json are texts, which are stored with quotation marks. */
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

/* A grant if the row has one, otherwise a record of activity. */
static enum err
put_row(struct db_tx *tx, void *argument)
{
    const struct demo_row *row = argument;
    return str_present(row->grant.id)
               ? grant_store_add(tx, row->mem, &row->grant)
               : activity_store_add(tx, row->mem, row->grant.user_id, &row->record, 1);
}

/* As if the user had consented then. Skipped if an operator removed one of the domains. */
static enum err
connect_app(const struct demo_writer *demo, const struct json_value *given)
{
    struct str about = str_format(demo->mem, "%.*s\n\n", STR_ARG(text_of(given, "by")));
    scopes asked = 0;
    if (!scopes_read(text_of(given, "scope"), &asked, NULL))
        return ERR_NONE;
    struct demo_row row = {
        demo->mem,
        .grant = { .id = random_id_in(demo->mem, "grt_", shard_of(demo->user_id)),
                   .user_id = demo->user_id,
                   .app_id = source_of(demo, given),
                   .allowed = grant_after_consent(&(struct permissions){ 0 }, asked, asked),
                   .requested = asked,
                   .shown =
                       grant_add_shown(demo->mem, STR(""), about, STR("an app on this device")),
                   .expires_at = demo->now + 90 * DAY,
                   .created_at = time_of(demo, given),
                   .updated_at = time_of(demo, given) },
    };
    return tx_write(demo->db, put_row, &row);
}

/* A refused request has no facts and does not count as a use. */
static enum err
add_activity(const struct demo_writer *demo, const struct json_value *given)
{
    struct str app_id = source_of(demo, given);
    int64_t last_at = time_of(demo, given) - AGO_SECONDS;
    struct demo_row row = {
        demo->mem,
        .grant.user_id = demo->user_id,
        .record = { .day = usage_day_of(last_at),
                    .app_id = str_eq(app_id, SOURCE_USER) ? STR("") : app_id,
                    .action = text_of(given, "action"),
                    .refused = json_member(given, "refused")->integer != 0,
                    .subject = text_of(given, "subject"),
                    .times = json_member(given, "times")->integer,
                    .facts = json_member(given, "facts")->integer,
                    .first_at = last_at,
                    .last_at = last_at },
    };
    /* The pages of the user and of the developer count these calls. */
    bool calls = str_eq_c(row.record.action, "read") || str_eq_c(row.record.action, "hints");
    for (int64_t i = 0; calls && !row.record.refused && i < row.record.times; i++)
        usage_counters_add(demo->usage, demo->user_id, app_id, USAGE_CALL, last_at);
    return tx_write(demo->db, put_row, &row);
}

/* Stops at the first error. A list that is missing in the file has no items. */
static enum err
for_each(const struct demo_writer *demo, const struct json_value *list,
         enum err (*add)(const struct demo_writer *demo, const struct json_value *one))
{
    enum err err = ERR_NONE;
    for (size_t i = 0; list != NULL && i < list->count && !err; i++)
        err = add(demo, &list->children[i]);
    return err;
}

/* For the lines that the demo prints. */
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

/* Everything is written by the flows that requests use, so that the demo shows nothing that cannot
 * happen. */
enum err
demo_data_add(struct db *db, struct arena *mem, const struct domains *domains, struct str user_id,
              const struct demo_source *sources, size_t count, int64_t now, struct demo_counts *out,
              struct why *why)
{
    struct usage_counters *usage = usage_counters_new();
    struct demo_writer demo = { db, mem, domains, user_id, sources, count, now, usage };
    const struct json_value *data = NULL;
    enum err err = json_read(mem, embedded_find("demo/ada.json"), 8, &data, why);
    if (!err)
        err = for_each(&demo, json_member(data, "writes"), write_facts);
    if (!err)
        err = for_each(&demo, json_member(data, "suppressed"), suppress_one);
    if (!err)
        err = for_each(&demo, json_member(data, "connections"), connect_app);
    if (!err)
        err = for_each(&demo, json_member(data, "activity"), add_activity);
    if (!err)
        err = usage_write(db, mem, usage);
    usage_counters_free(usage);
    return err ? err : count_facts(&demo, out);
}
