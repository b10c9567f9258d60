/* transfer_import.c - writes the facts of an import document into a user's data. */
#include "flow/transfer_internal.h"

#include "base/arena.h"
#include "crypt/random.h"
#include "flow/preferences.h"
#include "flow/transfer.h"
#include "store/tx.h"
#include "store/undo_store.h"

/* Rolls back the transaction of a preview. No step of an import returns this error. */
#define PREVIEWED ERR_TAKEN

struct importing {
    struct arena *mem;
    struct str user_id;
    int64_t now;
    struct document parsed;
    int64_t sequence;
    struct import_counts *counts;
    bool full;
    bool preview_only;
};

/* A domain's existing atoms, then the imported ones. */
struct merged {
    struct sourced_atom *atoms;
    size_t count;
};

static bool
exists(const struct merged *merged, const struct domain *domain, const struct atom *imported)
{
    const struct member *member = domain_member(domain, imported->member);
    for (size_t i = 0; i < merged->count; i++) {
        const struct atom *atom = &merged->atoms[i].atom;
        if (!str_eq(atom->member, imported->member))
            continue;
        if (str_eq(atom->key, imported->key))
            return true;
        if (member->type != MEMBER_ARRAY && atom->status == ATOM_ACTIVE &&
            imported->status == ATOM_ACTIVE)
            return true; /* the current value wins */
    }
    return false;
}

static enum err
add_atom(struct importing *importing, struct merged *merged, const struct sourced_atom *imported)
{
    if (merged->count >= ATOMS_PER_DOMAIN_MAX) {
        importing->full = true;
        return ERR_INVALID;
    }
    struct sourced_atom *added = &merged->atoms[merged->count++];
    *added = (struct sourced_atom){ .atom = imported->atom };
    added->atom.id = random_id(importing->mem, "atm_");
    added->atom.sequence = ++importing->sequence;
    for (size_t i = 0; i < imported->source_count; i++)
        atom_add_source(importing->mem, added, imported->sources[i]);
    return ERR_NONE;
}

static enum err
save_domain(struct db_tx *tx, struct importing *importing, const struct domain *domain,
            const struct merged *merged)
{
    enum err err = atom_store_save(tx, importing->mem, importing->user_id, domain->name,
                                   merged->atoms, merged->count);
    importing->full = err == ERR_INVALID;
    if (err)
        return err;
    return preferences_put_record(tx, importing->mem, importing->user_id, domain, merged->atoms,
                                  merged->count, importing->now);
}

static enum err
merge_domain(struct db_tx *tx, struct importing *importing, const struct document_domain *part)
{
    struct sourced_atom *found = NULL;
    struct merged merged = { 0 };
    int64_t before = importing->sequence;
    struct import_counts *counts = importing->counts;
    struct import_domain *counters = &counts->domains[counts->domain_count++];
    *counters = (struct import_domain){ .domain = part->domain };
    enum err err = atom_store_read(tx, importing->mem, importing->user_id, part->domain->name,
                                   STR_NONE, &found, &merged.count);
    if (err)
        return err;
    merged.atoms = ARENA_ARRAY(importing->mem, struct sourced_atom, merged.count + part->count);
    for (size_t i = 0; i < merged.count; i++)
        merged.atoms[i] = found[i];
    for (size_t i = 0; i < part->count && !err; i++) {
        bool found_already = exists(&merged, part->domain, &part->atoms[i].atom);
        counters->kept += found_already;
        counters->added += !found_already;
        if (!found_already)
            err = add_atom(importing, &merged, &part->atoms[i]);
    }
    counts->added += counters->added;
    counts->kept += counters->kept;
    if (err || importing->sequence == before)
        return err;
    return save_domain(tx, importing, part->domain, &merged);
}

static enum err
merge_document(struct db_tx *tx, void *argument)
{
    struct importing *importing = argument;
    *importing->counts = (struct import_counts){ 0 };
    importing->full = false;
    enum err err = atom_store_hold(tx, importing->mem, importing->user_id, &importing->sequence);
    for (size_t i = 0; i < importing->parsed.count && !err; i++)
        err = merge_domain(tx, importing, &importing->parsed.list[i]);
    if (err)
        return err;
    if (importing->preview_only)
        return PREVIEWED;
    if (importing->counts->added == 0)
        return ERR_NONE;
    err = undo_store_end(tx, importing->mem, importing->user_id); /* the last change is this one */
    if (err)
        return err;
    return atom_store_release(tx, importing->mem, importing->user_id, importing->sequence);
}

static enum err
run_import(struct db *db, struct importing *importing, const struct domains *domains,
           struct str document, struct why *why)
{
    enum err err = transfer_read(importing->mem, domains, document, &importing->parsed, why);
    if (err)
        return err;
    err = tx_write(db, merge_document, importing);
    if (err == ERR_INVALID && importing->full)
        why_set(why, "it would lead to more than 2,000 facts in one domain");
    return err;
}

enum err
transfer_import(struct db *db, struct arena *mem, struct str user_id, const struct domains *domains,
                struct str document, int64_t now, struct import_counts *out, struct why *why)
{
    struct importing importing = { .mem = mem, .user_id = user_id, .now = now, .counts = out };
    return run_import(db, &importing, domains, document, why);
}

enum err
transfer_preview(struct db *db, struct arena *mem, struct str user_id,
                 const struct domains *domains, struct str document, int64_t now,
                 struct import_counts *out, struct why *why)
{
    struct importing importing = {
        .mem = mem, .user_id = user_id, .now = now, .counts = out, .preview_only = true
    };
    enum err err = run_import(db, &importing, domains, document, why);
    return err == PREVIEWED ? ERR_NONE : err;
}
