/* transfer_import.c - writes the facts of an import document into a user's data. */
#include "flow/transfer_internal.h"

#include "base/arena.h"
#include "crypt/random.h"
#include "flow/preferences.h"
#include "flow/transfer.h"
#include "store/tx.h"
#include "store/undo_store.h"

/* What undoes an import that was only to be looked at: no step of it says this by itself. */
#define LOOKED ERR_TAKEN

struct importing {
    struct arena *mem;
    struct str user_id;
    int64_t now;
    struct arrivals arrivals;
    int64_t sequence;
    struct import_counts *counts;
    bool full;
    bool only_look;
};

/* A domain's atoms: those that are there, then those that came. */
struct landing {
    struct sourced_atom *atoms;
    size_t count;
};

static bool
is_there(const struct landing *landing, const struct domain *domain, const struct atom *coming)
{
    const struct member *member = domain_member(domain, coming->member);
    for (size_t i = 0; i < landing->count; i++) {
        const struct atom *atom = &landing->atoms[i].atom;
        if (!str_eq(atom->member, coming->member))
            continue;
        if (str_eq(atom->key, coming->key))
            return true;
        if (member->type != MEMBER_ARRAY && atom->status == ATOM_ACTIVE &&
            coming->status == ATOM_ACTIVE)
            return true; /* it has a value already, which wins */
    }
    return false;
}

static enum err
land_atom(struct importing *importing, struct landing *landing, const struct sourced_atom *coming)
{
    if (landing->count >= ATOMS_PER_DOMAIN_MAX) {
        importing->full = true;
        return ERR_INVALID;
    }
    struct sourced_atom *landed = &landing->atoms[landing->count++];
    *landed = (struct sourced_atom){ .atom = coming->atom };
    landed->atom.id = random_id(importing->mem, "atm_");
    landed->atom.sequence = ++importing->sequence;
    for (size_t i = 0; i < coming->source_count; i++)
        atom_add_source(importing->mem, landed, coming->sources[i]);
    return ERR_NONE;
}

/* The atoms, and what is told of them. */
static enum err
save_domain(struct db_tx *tx, struct importing *importing, const struct domain *domain,
            const struct landing *landing)
{
    enum err err = atom_store_save(tx, importing->mem, importing->user_id, domain->name,
                                   landing->atoms, landing->count);
    importing->full = err == ERR_INVALID;
    if (err)
        return err;
    return preferences_put_record(tx, importing->mem, importing->user_id, domain, landing->atoms,
                                  landing->count, importing->now);
}

static enum err
land_domain(struct db_tx *tx, struct importing *importing, const struct arrival *arrival)
{
    struct sourced_atom *found = NULL;
    struct landing landing = { 0 };
    int64_t before = importing->sequence;
    struct import_counts *counts = importing->counts;
    struct import_domain *counters = &counts->domains[counts->domain_count++];
    *counters = (struct import_domain){ .domain = arrival->domain };
    enum err err = atom_store_read(tx, importing->mem, importing->user_id, arrival->domain->name,
                                   STR_NONE, &found, &landing.count);
    if (err)
        return err;
    landing.atoms =
        ARENA_ARRAY(importing->mem, struct sourced_atom, landing.count + arrival->count);
    for (size_t i = 0; i < landing.count; i++)
        landing.atoms[i] = found[i];
    for (size_t i = 0; i < arrival->count && !err; i++) {
        bool there = is_there(&landing, arrival->domain, &arrival->atoms[i].atom);
        counters->kept += there;
        counters->added += !there;
        if (!there)
            err = land_atom(importing, &landing, &arrival->atoms[i]);
    }
    counts->added += counters->added;
    counts->kept += counters->kept;
    if (err || importing->sequence == before)
        return err;
    return save_domain(tx, importing, arrival->domain, &landing);
}

static enum err
land(struct db_tx *tx, void *argument)
{
    struct importing *importing = argument;
    *importing->counts = (struct import_counts){ 0 };
    importing->full = false;
    enum err err = atom_store_hold(tx, importing->mem, importing->user_id, &importing->sequence);
    for (size_t i = 0; i < importing->arrivals.count && !err; i++)
        err = land_domain(tx, importing, &importing->arrivals.list[i]);
    if (err)
        return err;
    if (importing->only_look)
        return LOOKED;
    if (importing->counts->added == 0)
        return ERR_NONE;
    err = undo_store_end(tx, importing->mem, importing->user_id); /* this is the last action now */
    if (err)
        return err;
    return atom_store_release(tx, importing->mem, importing->user_id, importing->sequence);
}

static enum err
bring_in(struct db *db, struct importing *importing, const struct domains *domains,
         struct str document, struct why *why)
{
    enum err err = transfer_read(importing->mem, domains, document, &importing->arrivals, why);
    if (err)
        return err;
    err = tx_write(db, land, importing);
    if (err == ERR_INVALID && importing->full)
        why_set(why, "it would be more than 2,000 facts in one domain");
    return err;
}

enum err
transfer_import(struct db *db, struct arena *mem, struct str user_id, const struct domains *domains,
                struct str document, int64_t now, struct import_counts *out, struct why *why)
{
    struct importing importing = { .mem = mem, .user_id = user_id, .now = now, .counts = out };
    return bring_in(db, &importing, domains, document, why);
}

enum err
transfer_preview(struct db *db, struct arena *mem, struct str user_id,
                 const struct domains *domains, struct str document, int64_t now,
                 struct import_counts *out, struct why *why)
{
    struct importing importing = {
        .mem = mem, .user_id = user_id, .now = now, .counts = out, .only_look = true
    };
    enum err err = bring_in(db, &importing, domains, document, why);
    return err == LOOKED ? ERR_NONE : err;
}
