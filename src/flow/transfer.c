#include "flow/transfer.h"

#include "base/arena.h"
#include "base/buf.h"
#include "crypt/random.h"
#include "flow/preferences.h"
#include "model/value.h"
#include "store/atom_store.h"
#include "store/tx.h"
#include "text/json_read.h"
#include "text/json_write.h"
#include "text/time_text.h"

#define DEPTH_MAX 10
#define SOURCES_MAX 100

/* ---- out ---- */

struct exporting {
    struct arena *mem;
    const struct export_wish *wish;
    struct sourced_atom *atoms; /* an app is not told the sources */
    size_t count;
};

static enum err
gather(struct db_tx *tx, void *argument)
{
    struct exporting *exporting = argument;
    const struct export_wish *wish = exporting->wish;
    struct atom *seen = NULL;
    if (!str_present(wish->app_id))
        return atom_store_list_sourced(tx, exporting->mem, wish->user_id, STR_NONE,
                                       &exporting->atoms, &exporting->count);
    enum err err = atom_store_list(tx, exporting->mem, wish->user_id, STR_NONE, wish->app_id, &seen,
                                   &exporting->count);
    exporting->atoms = ARENA_ARRAY(exporting->mem, struct sourced_atom, exporting->count);
    for (size_t i = 0; i < exporting->count && !err; i++)
        exporting->atoms[i].atom = seen[i];
    return err;
}

static void
write_sources(struct json *out, const struct sourced_atom *atom)
{
    json_key(out, "sources");
    json_open_array(out);
    for (size_t i = 0; i < atom->source_count; i++) {
        json_open_object(out);
        json_put_str(out, "source", atom->sources[i].source);
        json_put_time(out, "created_at", atom->sources[i].created_at);
        json_put_time(out, "updated_at", atom->sources[i].updated_at);
        json_close_object(out);
    }
    json_close_array(out);
}

/* The person's own: everything there is to bring back. */
static void
write_own_atom(struct json *out, const struct sourced_atom *sourced)
{
    const struct atom *atom = &sourced->atom;
    json_open_object(out);
    json_put_str(out, "atom_id", atom->id);
    json_put_str(out, "member", atom->member);
    json_key(out, "value");
    json_ready(out, atom->value);
    json_put_str(out, "status", str_of(atom_status_name(atom->status)));
    if (atom->status == ATOM_SUPPRESSED) {
        json_put_str(out, "reason", atom->reason);
        json_put_str(out, "suppressed_by", atom->suppressed_by);
        json_put_time(out, "suppressed_at", atom->suppressed_at);
    }
    json_put_bool(out, "by_user", atom->by_user);
    json_put_time(out, "created_at", atom->created_at);
    json_put_time(out, "updated_at", atom->updated_at);
    write_sources(out, sourced);
    json_close_object(out);
}

static struct str
record_of(const struct exporting *exporting, const struct domain *domain)
{
    struct atom *atoms = ARENA_ARRAY(exporting->mem, struct atom, exporting->count);
    size_t count = 0;
    int64_t active;
    for (size_t i = 0; i < exporting->count; i++)
        if (str_eq(exporting->atoms[i].atom.domain, domain->name))
            atoms[count++] = exporting->atoms[i].atom;
    return atom_record(exporting->mem, domain, atoms, count, &active);
}

static void
write_domain(struct json *out, const struct exporting *exporting, const struct domain *domain)
{
    bool for_app = str_present(exporting->wish->app_id);
    json_key_str(out, domain->name);
    json_open_object(out);
    json_key(out, "preferences");
    json_ready(out, record_of(exporting, domain));
    json_key(out, "atoms");
    json_open_array(out);
    for (size_t i = 0; i < exporting->count; i++) {
        const struct atom *atom = &exporting->atoms[i].atom;
        if (!str_eq(atom->domain, domain->name))
            continue;
        if (!for_app)
            write_own_atom(out, &exporting->atoms[i]);
        else if (atom->status == ATOM_ACTIVE)
            atom_write(out, atom);
    }
    json_close_array(out);
    json_close_object(out);
}

enum err
transfer_export(struct db *db, struct arena *mem, const struct export_wish *wish, struct buf *out)
{
    struct exporting exporting = { .mem = mem, .wish = wish };
    enum err err = tx_read(db, gather, &exporting);
    if (err)
        return err;
    struct json json = json_into(out);
    json_open_object(&json);
    json_put_str(&json, "format", STR("penchant-export"));
    json_put_int(&json, "version", 1);
    json_put_time(&json, "exported_at", wish->now);
    json_key(&json, "user");
    json_open_object(&json);
    json_put_str(&json, "sub", wish->user_id);
    json_close_object(&json);
    json_key(&json, "domains");
    json_open_object(&json);
    for (size_t i = 0; i < wish->domains->count; i++)
        write_domain(&json, &exporting, &wish->domains->list[i]);
    json_close_object(&json);
    json_close_object(&json);
    return out->overflow ? ERR_TOO_LARGE : ERR_NONE;
}

/* ---- in: what the document says ---- */

struct incoming {
    const struct domain *domain;
    struct atom atom;
    struct atom_source *sources;
    size_t source_count;
};

struct importing {
    struct arena *mem;
    struct str user_id;
    int64_t now;
    struct incoming *list;
    size_t count;
    struct import_counts *counts;
    bool full;
};

static struct str
text_of(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_member(object, key);
    return value != NULL && value->type == JSON_STR ? value->text : STR_NONE;
}

static bool
time_of(const struct json_value *object, const char *key, int64_t *out)
{
    return time_read(text_of(object, key), out);
}

/* "user", or the id of an app that may or may not be known here. */
static bool
source_fine(struct str source)
{
    if (source.len == 0 || source.len > 64)
        return false;
    for (size_t i = 0; i < source.len; i++)
        if (source.ptr[i] <= ' ' || (unsigned char)source.ptr[i] >= 0x7f)
            return false;
    return true;
}

static const char *
read_sources(struct arena *mem, const struct json_value *given, struct incoming *out)
{
    const struct json_value *list = json_member(given, "sources");
    if (list == NULL || list->type != JSON_ARRAY || list->count == 0 || list->count > SOURCES_MAX)
        return "needs a list of sources";
    out->sources = ARENA_ARRAY(mem, struct atom_source, list->count);
    for (size_t i = 0; i < list->count; i++) {
        struct atom_source *source = &out->sources[out->source_count++];
        const struct json_value *one = &list->children[i];
        source->source = text_of(one, "source");
        if (!source_fine(source->source) || !time_of(one, "created_at", &source->created_at) ||
            !time_of(one, "updated_at", &source->updated_at))
            return "has a source without name or times";
        for (size_t k = 0; k < i; k++)
            if (str_eq(out->sources[k].source, source->source))
                return "names a source twice";
    }
    return NULL;
}

/* NULL, or what is wrong, as the end of a sentence. */
static const char *
read_atom(struct arena *mem, const struct domain *domain, const struct json_value *given,
          struct incoming *out)
{
    struct value value;
    const struct member *member = domain_member(domain, text_of(given, "member"));
    const struct json_value *by_user = json_member(given, "by_user");
    struct atom *atom = &out->atom;
    *out = (struct incoming){ .domain = domain };
    if (member == NULL)
        return "names no member of its domain";
    const char *problem = value_read(mem, member, json_member(given, "value"), &value);
    if (problem != NULL)
        return str_format(mem, "has a value that %s", problem).ptr;
    *atom = (struct atom){ .domain = domain->name,
                           .member = member->name,
                           .key = preferences_key(mem, value.key),
                           .value = value.json,
                           .by_user = by_user != NULL && by_user->type == JSON_BOOL &&
                                      by_user->integer != 0 };
    if (!atom_status_read(text_of(given, "status"), &atom->status))
        return "has no status";
    if (!time_of(given, "created_at", &atom->created_at) ||
        !time_of(given, "updated_at", &atom->updated_at))
        return "lacks a time";
    if (atom->status == ATOM_SUPPRESSED) {
        atom->reason = text_of(given, "reason");
        atom->suppressed_by = text_of(given, "suppressed_by");
        if (!atom_reason_fine(atom->reason) || !source_fine(atom->suppressed_by) ||
            !time_of(given, "suppressed_at", &atom->suppressed_at))
            return "is suppressed without reason, source or time";
    }
    problem = read_sources(mem, given, out);
    atom->source_count = (int64_t)out->source_count;
    return problem;
}

static enum err
read_domain(struct importing *importing, const struct domains *domains,
            const struct json_value *given, struct why *why)
{
    const struct domain *domain = domains_find(domains, given->key);
    const struct json_value *atoms = json_member(given, "atoms");
    if (domain == NULL || atoms == NULL || atoms->type != JSON_ARRAY) {
        why_set(why, "domains.%.*s is not a domain of this service, or has no atoms",
                STR_ARG(str_first(given->key, 64)));
        return ERR_INVALID;
    }
    for (size_t i = 0; i < atoms->count; i++) {
        const char *problem = read_atom(importing->mem, domain, &atoms->children[i],
                                        &importing->list[importing->count]);
        if (problem != NULL) {
            why_set(why, "domains.%.*s.atoms[%zu] %s", STR_ARG(domain->name), i, problem);
            return ERR_INVALID;
        }
        importing->count++;
    }
    return ERR_NONE;
}

static enum err
read_document(struct importing *importing, const struct domains *domains, struct str document,
              struct why *why)
{
    const struct json_value *root = NULL;
    if (document.len > TRANSFER_MAX) {
        why_set(why, "the document is larger than 8 MiB");
        return ERR_INVALID;
    }
    enum err err = json_read(importing->mem, document, DEPTH_MAX, &root, why);
    if (err)
        return ERR_INVALID;
    const struct json_value *version = json_member(root, "version");
    const struct json_value *given = json_member(root, "domains");
    if (!str_eq(text_of(root, "format"), STR("penchant-export")) || version == NULL ||
        version->type != JSON_INT || version->integer != 1 || given == NULL ||
        given->type != JSON_OBJECT) {
        why_set(why, "the document is not a penchant-export of version 1");
        return ERR_INVALID;
    }
    size_t most = 0;
    for (size_t i = 0; i < given->count; i++) {
        const struct json_value *atoms = json_member(&given->children[i], "atoms");
        most += atoms == NULL ? 0 : atoms->count;
    }
    importing->list = ARENA_ARRAY(importing->mem, struct incoming, most + 1);
    for (size_t i = 0; i < given->count && !err; i++)
        err = read_domain(importing, domains, &given->children[i], why);
    return err;
}

/* ---- in: what is kept of it ---- */

struct landing {
    struct atom *atoms; /* of one domain */
    size_t count;
    int64_t sequence;
};

static bool
is_there(const struct landing *landing, const struct incoming *incoming,
         const struct member *member)
{
    for (size_t i = 0; i < landing->count; i++) {
        const struct atom *atom = &landing->atoms[i];
        if (!str_eq(atom->member, incoming->atom.member))
            continue;
        if (str_eq(atom->key, incoming->atom.key))
            return true;
        if (member->type != MEMBER_ARRAY && atom->status == ATOM_ACTIVE &&
            incoming->atom.status == ATOM_ACTIVE)
            return true; /* it has a value already, which wins */
    }
    return false;
}

static enum err
land_atom(struct db_tx *tx, struct importing *importing, struct landing *landing,
          struct incoming *incoming)
{
    bool is_new;
    struct atom *atom = &incoming->atom;
    if (is_there(landing, incoming, domain_member(incoming->domain, atom->member))) {
        importing->counts->kept++;
        return ERR_NONE;
    }
    if (landing->count >= ATOMS_PER_DOMAIN_MAX) {
        importing->full = true;
        return ERR_INVALID;
    }
    atom->id = random_id(importing->mem, "atm_");
    atom->sequence = ++landing->sequence;
    enum err err = atom_store_add(tx, importing->mem, importing->user_id, atom);
    for (size_t i = 0; i < incoming->source_count && !err; i++) {
        incoming->sources[i].atom_id = atom->id;
        err = source_store_add(tx, importing->mem, importing->user_id, &incoming->sources[i],
                               &is_new);
    }
    landing->atoms[landing->count++] = *atom;
    importing->counts->added++;
    return err;
}

static enum err
land_domain(struct db_tx *tx, struct importing *importing, const struct domain *domain,
            int64_t *sequence)
{
    struct atom *found = NULL;
    struct landing landing = { .sequence = *sequence };
    enum err err = atom_store_list(tx, importing->mem, importing->user_id, domain->name, STR_NONE,
                                   &found, &landing.count);
    if (err)
        return err;
    landing.atoms = ARENA_ARRAY(importing->mem, struct atom, landing.count + importing->count + 1);
    for (size_t i = 0; i < landing.count; i++)
        landing.atoms[i] = found[i];
    for (size_t i = 0; i < importing->count && !err; i++)
        if (importing->list[i].domain == domain)
            err = land_atom(tx, importing, &landing, &importing->list[i]);
    if (err || landing.sequence == *sequence)
        return err;
    *sequence = landing.sequence;
    return preferences_put_record(tx, importing->mem, importing->user_id, domain, landing.atoms,
                                  landing.count, importing->now);
}

static enum err
land(struct db_tx *tx, void *argument)
{
    struct importing *importing = argument;
    const struct domain *done[DOMAINS_MAX];
    size_t done_count = 0;
    int64_t before = 0;
    *importing->counts = (struct import_counts){ 0 };
    importing->full = false;
    enum err err = atom_store_hold(tx, importing->mem, importing->user_id, &before);
    int64_t sequence = before;
    for (size_t i = 0; i < importing->count && !err; i++) {
        bool again = false;
        for (size_t d = 0; d < done_count; d++)
            again = again || done[d] == importing->list[i].domain;
        if (again)
            continue;
        done[done_count++] = importing->list[i].domain;
        err = land_domain(tx, importing, importing->list[i].domain, &sequence);
    }
    if (err || sequence == before)
        return err;
    return atom_store_release(tx, importing->mem, importing->user_id, sequence);
}

enum err
transfer_import(struct db *db, struct arena *mem, struct str user_id, const struct domains *domains,
                struct str document, int64_t now, struct import_counts *out, struct why *why)
{
    struct importing importing = { .mem = mem, .user_id = user_id, .now = now, .counts = out };
    enum err err = read_document(&importing, domains, document, why);
    if (err)
        return err;
    err = tx_write(db, land, &importing);
    if (err == ERR_INVALID && importing.full)
        why_set(why, "it would be more than 2,000 facts in one domain");
    return err;
}
