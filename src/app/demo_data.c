#include "app/demo_data.h"

#include "base/embedded.h"
#include "flow/corrections.h"
#include "flow/preferences.h"
#include "text/json_read.h"

#define DAY ((int64_t)24 * 3600)

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
    const struct json_value *writes = json_member(data, "writes");
    const struct json_value *wrong = json_member(data, "suppressed");
    for (size_t i = 0; writes != NULL && i < writes->count && !err; i++)
        err = write_facts(&demo, &writes->children[i]);
    for (size_t i = 0; wrong != NULL && i < wrong->count && !err; i++)
        err = suppress_one(&demo, &wrong->children[i]);
    return err ? err : count_facts(&demo, out);
}
