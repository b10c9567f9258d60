/* transfer.c - one read transaction collects everything; the document is written afterwards, domain
 * by domain.
 *
 * The view decides between two documents. Without an app, it is the user's own: every atom with its
 * sources, whatever its status, names of passkeys, and the activity. With an app, only active atoms
 * that the view shows, in the form of the API. Atoms of domains without a definition cannot be
 * written, and are counted in left_out. */
#include "transfer/transfer.h"

#include "base/arena.h"
#include "base/buf.h"
#include "model/activity.h"
#include "store/activity_store.h"
#include "store/atom_store.h"
#include "credential/passkey_store.h"
#include "store/tx.h"
#include "text/json_write.h"

#define LEFT_OUT_NAMES_MAX 8 /* in one sentence */
#define LEFT_OUT_BYTES_MAX 4096

/* Everything that a document contains, read in one transaction. */
struct exporting {
    struct arena *mem;
    const struct export_params *params;
    struct sourced_atom *atoms; /* without sources in an app's export */
    size_t count;
    struct passkey *passkeys; /* none in an app's export */
    size_t passkey_count;
    struct activity_log activity; /* none in an app's export */
};

/* The atoms of an app are filtered by its view: withheld facts are not in its export. */
static enum err
gather(struct db_tx *tx, struct exporting *exporting)
{
    const struct export_params *params = exporting->params;
    struct atom *seen = NULL;
    struct str user_id = params->view.user_id;
    enum err err = ERR_NONE;
    if (!str_present(params->view.app_id)) {
        err = passkey_store_list(tx, exporting->mem, user_id, &exporting->passkeys,
                                 &exporting->passkey_count);
        if (!err)
            err = activity_store_log(tx, exporting->mem, user_id, &exporting->activity);
        return err ? err
                   : atom_store_read(tx, exporting->mem, user_id, STR_NONE, STR_NONE,
                                     &exporting->atoms, &exporting->count);
    }
    err = atom_store_list(tx, exporting->mem, user_id, STR_NONE, params->view.app_id, &seen,
                          &exporting->count);
    exporting->count = view_filter(&params->view, seen, exporting->count);
    exporting->atoms = ARENA_ARRAY(exporting->mem, struct sourced_atom, exporting->count);
    for (size_t i = 0; i < exporting->count && !err; i++)
        exporting->atoms[i].atom = seen[i];
    return err;
}

/* Only in the user's own export: apps do not learn which other apps stated a fact. */
static void
write_sources(struct json *out, const struct sourced_atom *atom)
{
    json_key_array(out, "sources");
    for (size_t i = 0; i < atom->source_count; i++) {
        json_open_object(out);
        json_put_str(out, "source", atom->sources[i].source);
        json_put_time(out, "created_at", atom->sources[i].created_at);
        json_put_time(out, "updated_at", atom->sources[i].updated_at);
        json_close_object(out);
    }
    json_close_array(out);
}

/* The user's own export contains everything that an import restores. */
static void
write_own_atom(struct json *out, const struct sourced_atom *sourced)
{
    const struct atom *atom = &sourced->atom;
    json_open_object(out);
    json_put_str(out, "atom_id", atom->id);
    json_put_str(out, "member", atom->member);
    json_key(out, "value");
    json_raw(out, atom->value);
    if (str_present(atom->wording)) {
        json_key(out, "as_written");
        json_raw(out, atom->wording);
    }
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

/* Made from the exported atoms, so that an app's record has no withheld facts either. Belongs to
 * `mem`. */
static struct str
record_of(struct arena *mem, const struct exporting *exporting, const struct domain *domain)
{
    size_t count = 0;
    int64_t active;
    for (size_t i = 0; i < exporting->count; i++)
        count += str_eq(exporting->atoms[i].atom.domain, domain->name) ? 1 : 0;
    struct atom *atoms = ARENA_ARRAY(mem, struct atom, count);
    count = 0;
    for (size_t i = 0; i < exporting->count; i++)
        if (str_eq(exporting->atoms[i].atom.domain, domain->name))
            atoms[count++] = exporting->atoms[i].atom;
    return atom_record(mem, domain, atoms, count, &active);
}

/* An app gets the active atoms that its view shows; the user gets all, with their sources and
 * status. */
static void
write_domain(struct json *out, const struct exporting *exporting, const struct domain *domain)
{
    bool for_app = str_present(exporting->params->view.app_id);
    json_key_str(out, domain->name);
    json_open_object(out);
    json_key(out, "preferences");
    /* The record of a domain is copied into the document; keeping all of them would double the
     * memory. */
    struct arena *scratch = arena_new();
    json_raw(out, record_of(scratch, exporting, domain));
    arena_free(scratch);
    json_key_array(out, "atoms");
    for (size_t i = 0; i < exporting->count; i++) {
        const struct atom *atom = &exporting->atoms[i].atom;
        if (!str_eq(atom->domain, domain->name))
            continue;
        if (for_app && atom->status != ATOM_ACTIVE)
            continue;
        if (for_app)
            atom_write(out, atom);
        else
            write_own_atom(out, &exporting->atoms[i]);
        if (exporting->params->facts != NULL)
            exporting->params->facts[domain - exporting->params->domains->list]++;
    }
    json_close_array(out);
    json_close_object(out);
}

/* Names the first eight domains; the others are one number. */
static void
count_left_out(const struct exporting *exporting, struct left_out *out)
{
    struct {
        struct str name;
        size_t facts;
    } seen[LEFT_OUT_NAMES_MAX + 1] = { 0 }; /* the last is for all others */
    struct buf names = buf_in(exporting->mem, LEFT_OUT_BYTES_MAX);
    *out = (struct left_out){ 0 };
    for (size_t i = 0; i < exporting->count; i++) {
        struct str name = exporting->atoms[i].atom.domain;
        size_t at = 0;
        if (domains_find(exporting->params->domains, name) != NULL)
            continue;
        while (at < LEFT_OUT_NAMES_MAX && seen[at].facts > 0 && !str_eq(seen[at].name, name))
            at++;
        seen[at].name = at < LEFT_OUT_NAMES_MAX ? name : STR("others");
        seen[at].facts++;
        out->facts++;
    }
    for (size_t i = 0; i <= LEFT_OUT_NAMES_MAX && seen[i].facts > 0; i++)
        buf_add_format(&names, "%s%.*s (%zu)", i == 0 ? "" : ", ", STR_ARG(seen[i].name),
                       seen[i].facts);
    if (out->facts > 0)
        out->domains = buf_str(&names);
}

/* Their names only: an import cannot restore them. */
static void
write_passkeys(struct json *out, const struct exporting *exporting)
{
    json_key_array(out, "passkeys");
    for (size_t i = 0; i < exporting->passkey_count; i++) {
        json_open_object(out);
        json_put_str(out, "name", exporting->passkeys[i].name);
        json_put_time(out, "created_at", exporting->passkeys[i].created_at);
        json_close_object(out);
    }
    json_close_array(out);
}

/* Reads everything in one transaction, then writes without it, since writing can take long.
 * ERR_TOO_LARGE: the document does not fit into `out`. */
enum err
transfer_export(struct db *db, struct arena *mem, const struct export_params *params,
                struct buf *out)
{
    struct exporting exporting = { .mem = mem, .params = params };
    struct db_tx *tx = tx_begin_read(db);
    enum err err = tx_end_read(tx, gather(tx, &exporting));
    if (err)
        return err;
    if (params->left_out != NULL)
        count_left_out(&exporting, params->left_out);
    struct json json = json_into(out);
    json_open_object(&json);
    json_put_str(&json, "format", STR("penchant-export"));
    json_put_int(&json, "version", 1);
    json_put_time(&json, "exported_at", params->now);
    json_key_object(&json, "user");
    json_put_str(&json, "sub", params->view.user_id);
    if (str_present(params->username))
        json_put_str(&json, "username", params->username);
    if (exporting.passkey_count > 0)
        write_passkeys(&json, &exporting);
    json_close_object(&json);
    json_key_object(&json, "domains");
    for (size_t i = 0; i < params->domains->count; i++)
        write_domain(&json, &exporting, &params->domains->list[i]);
    json_close_object(&json);
    if (!str_present(params->view.app_id)) {
        activity_sort(mem, exporting.activity.records, exporting.activity.record_count);
        json_key(&json, "activity");
        activity_write_log(&json, mem, &exporting.activity);
    }
    json_close_object(&json);
    return out->overflow ? ERR_TOO_LARGE : ERR_NONE;
}
