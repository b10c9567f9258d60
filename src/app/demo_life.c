#include "app/demo_life.h"

#include "base/embedded.h"
#include "flow/corrections.h"
#include "flow/preferences.h"
#include "text/json_read.h"

#define DAY ((int64_t)24 * 3600)

struct life {
    struct db *db;
    struct arena *mem;
    const struct domains *domains;
    struct str user_id;
    const struct demo_speaker *speakers;
    size_t speaker_count;
    int64_t now;
};

static struct str
text_of(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_member(object, key);
    return value != NULL && value->type == JSON_STR ? value->text : STR("");
}

static int64_t
time_of(const struct life *life, const struct json_value *object)
{
    const struct json_value *days = json_member(object, "days_ago");
    return life->now - (days == NULL ? 0 : days->integer) * DAY;
}

static struct str
source_of(const struct life *life, const struct json_value *write)
{
    for (size_t i = 0; i < life->speaker_count; i++)
        if (str_eq_c(text_of(write, "by"), life->speakers[i].name))
            return life->speakers[i].source;
    return SOURCE_USER;
}

/* An operator may have replaced a definition by one that knows other members; then this is left
 * out: a demo of what there is, is better than none. */
static enum err
write_some(const struct life *life, const struct json_value *write)
{
    struct preference_counts counts;
    struct preference_problems problems = { 0 };
    struct record record;
    struct preference_write params = {
        .user_id = life->user_id,
        .domain = domains_find(life->domains, text_of(write, "domain")),
        .source = source_of(life, write),
        .preferences = json_member(write, "preferences"),
        .now = time_of(life, write),
    };
    if (params.domain == NULL)
        return ERR_NONE;
    enum err err = preferences_write(life->db, life->mem, &params, &counts, &record, &problems);
    return err == ERR_INVALID ? ERR_NONE : err;
}

static enum err
suppress_one(const struct life *life, const struct json_value *wrong)
{
    struct sourced_atom *atoms = NULL;
    size_t count = 0;
    struct corrected unused;
    struct str value = str_format(life->mem, "\"%.*s\"", STR_ARG(text_of(wrong, "value")));
    enum err err = corrections_list(life->db, life->mem, life->user_id, text_of(wrong, "domain"),
                                    &atoms, &count);
    for (size_t i = 0; i < count && !err; i++) {
        struct correction params = { life->user_id, atoms[i].atom.id, life->domains,
                                     time_of(life, wrong) };
        if (str_eq(atoms[i].atom.value, value))
            err = corrections_suppress(life->db, life->mem, &params, text_of(wrong, "reason"),
                                       &unused);
    }
    return err;
}

static enum err
count_facts(const struct life *life, struct demo_counts *out)
{
    struct sourced_atom *atoms = NULL;
    size_t count = 0;
    enum err err = corrections_list(life->db, life->mem, life->user_id, STR_NONE, &atoms, &count);
    *out = (struct demo_counts){ 0 };
    for (size_t i = 0; i < count; i++) {
        out->active += atoms[i].atom.status == ATOM_ACTIVE;
        out->suppressed += atoms[i].atom.status == ATOM_SUPPRESSED;
        out->held += atoms[i].atom.status == ATOM_HELD;
    }
    return err;
}

enum err
demo_data(struct db *db, struct arena *mem, const struct domains *domains, struct str user_id,
          const struct demo_speaker *speakers, size_t count, int64_t now, struct demo_counts *out,
          struct why *why)
{
    struct life life = { db, mem, domains, user_id, speakers, count, now };
    const struct json_value *words = NULL;
    enum err err = json_read(mem, embedded_find("demo/ada.json"), 8, &words, why);
    if (err)
        return err;
    const struct json_value *writes = json_member(words, "writes");
    const struct json_value *wrong = json_member(words, "suppressed");
    for (size_t i = 0; writes != NULL && i < writes->count && !err; i++)
        err = write_some(&life, &writes->children[i]);
    for (size_t i = 0; wrong != NULL && i < wrong->count && !err; i++)
        err = suppress_one(&life, &wrong->children[i]);
    return err ? err : count_facts(&life, out);
}
