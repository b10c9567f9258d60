/* transfer_import.c - writes the facts of an import document into a user's data.
 *
 * The document is parsed before the transaction. For each domain, the user's atoms are read, those
 * of the document that are new are appended, and the whole list is saved with its record and hint
 * set, like any other write. A preview runs the same code in a read transaction and stops before
 * saving, so that it shows exactly what the import will do. All domains are one transaction: an
 * error changes nothing. The function of a transaction may run again, so it resets its counters. */
#include "transfer/transfer_internal.h"

#include "base/arena.h"
#include "crypt/random.h"
#include "preference/preferences.h"
#include "transfer/transfer.h"
#include "store/tx.h"
#include "store/undo_store.h"

/* A document that was checked, while it is merged with what the user has. */
struct importing {
    struct arena *mem;
    struct str user_id;
    int64_t now;
    struct document parsed;
    int64_t sequence;
    struct import_counts *counts;
    const struct import_choice *choice; /* NULL: all facts */
    const char *full;                   /* which limit it would exceed; NULL: none */
    bool preview_only;
};

/* A domain's atoms: those of the user, then those of the document. `marks` has a hash of each. */
struct merged {
    struct sourced_atom *atoms;
    uint64_t *marks;
    size_t count;
};

/* FNV-1a of member and key, with a byte between them that UTF-8 never contains. Only saves
 * comparisons: equal marks are compared in full. */
static uint64_t
mark_of(const struct atom *atom)
{
    const struct str parts[] = { atom->member, atom->key };
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t p = 0; p < 2; p++)
        for (size_t i = 0; i <= parts[p].len; i++)
            hash = (hash ^ (i < parts[p].len ? (unsigned char)parts[p].ptr[i] : 0xffu)) *
                   0x100000001b3u;
    return hash;
}

/* Also if the atom is suppressed or waits: importing must not bring back what the user removed. */
static bool
exists(const struct merged *merged, const struct domain *domain, const struct atom *imported)
{
    bool single = domain_member(domain, imported->member)->type != MEMBER_ARRAY;
    uint64_t mark = mark_of(imported);
    for (size_t i = 0; i < merged->count; i++) {
        const struct atom *atom = &merged->atoms[i].atom;
        if (merged->marks[i] == mark && str_eq(atom->member, imported->member) &&
            str_eq(atom->key, imported->key))
            return true;
        if (single && atom->status == ATOM_ACTIVE && imported->status == ATOM_ACTIVE &&
            str_eq(atom->member, imported->member))
            return true; /* the existing value wins */
    }
    return false;
}

/* Ids are new, because those of the document may exist in another account. Facts keep the order of
 * the document by their sequence numbers. */
static void
add_atom(struct importing *importing, struct merged *merged, const struct sourced_atom *imported)
{
    struct sourced_atom *added = &merged->atoms[merged->count];
    *added = *imported;
    added->atom.id = random_id(importing->mem, "atm_");
    added->atom.sequence = ++importing->sequence;
    merged->marks[merged->count++] = mark_of(&added->atom);
}

/* Adds the atoms that the user does not have yet. */
static void
add_atoms(struct importing *importing, const struct document_domain *part, struct merged *merged,
          struct import_domain *counters)
{
    size_t *positions = ARENA_ARRAY(importing->mem, size_t, part->count);
    *counters = (struct import_domain){ .domain = part->domain,
                                        .atoms = merged->atoms + merged->count,
                                        .positions = positions };
    for (size_t i = 0; i < merged->count; i++)
        merged->marks[i] = mark_of(&merged->atoms[i].atom);
    for (size_t i = 0; i < part->count; i++) {
        if (exists(merged, part->domain, &part->atoms[i].atom)) {
            counters->kept++;
            continue;
        }
        add_atom(importing, merged, &part->atoms[i]);
        positions[counters->added++] = i;
    }
    importing->counts->added += counters->added;
    importing->counts->kept += counters->kept;
}

/* Saves the atoms, the record, and the hint set. importing->full is the sentence for the limit that
 * is checked next; NULL: both are kept. */
static enum err
save_domain(struct db_tx *tx, struct arena *mem, struct importing *importing,
            const struct domain *domain, const struct merged *merged)
{
    importing->full = "it would lead to more than 2,000 facts in one domain";
    if (merged->count > ATOMS_PER_DOMAIN_MAX)
        return ERR_INVALID;
    importing->full = "it would lead to more than 10,000 sources in one domain, or 6 MiB in all";
    enum err err = atom_store_check_room(tx, mem, importing->user_id, domain->name, merged->atoms,
                                         merged->count);
    if (err)
        return err;
    importing->full = NULL;
    if (importing->preview_only)
        return ERR_NONE;
    err =
        atom_store_save(tx, mem, importing->user_id, domain->name, merged->atoms, merged->count, 0);
    if (err)
        return err;
    return preferences_put_record(tx, mem, importing->user_id, domain, merged->atoms, merged->count,
                                  importing->now);
}

/* Reads all atoms of the domain, because atoms of a domain are stored as one text. */
static enum err
merge_domain(struct db_tx *tx, struct importing *importing, const struct document_domain *part)
{
    struct sourced_atom *found = NULL;
    struct merged merged = { 0 };
    struct import_domain *counters = &importing->counts->domains[importing->counts->domain_count++];
    enum err err = atom_store_read(tx, importing->mem, importing->user_id, part->domain->name,
                                   STR_NONE, &found, &merged.count);
    if (err)
        return err;
    size_t most = merged.count + part->count;
    merged.atoms = ARENA_ARRAY(importing->mem, struct sourced_atom, most);
    merged.marks = ARENA_ARRAY(importing->mem, uint64_t, most);
    for (size_t i = 0; i < merged.count; i++)
        merged.atoms[i] = found[i];
    add_atoms(importing, part, &merged, counters);
    if (counters->added == 0)
        return ERR_NONE;
    struct arena *scratch = arena_new(); /* the texts of one domain at a time */
    err = save_domain(tx, scratch, importing, part->domain, &merged);
    arena_free(scratch);
    return err;
}

/* May run more than once, so the counts start at 0 in each run. */
static enum err
merge_domains(struct db_tx *tx, void *argument)
{
    struct importing *importing = argument;
    enum err err = ERR_NONE;
    *importing->counts = (struct import_counts){ 0 };
    importing->full = NULL;
    for (size_t i = 0; i < importing->parsed.count && !err; i++)
        err = merge_domain(tx, importing, &importing->parsed.list[i]);
    return err;
}

/* record_store_lock() locks the user's data and reads the last sequence number;
 * record_store_release() stores it and changes the generation. */
static enum err
merge_document(struct db_tx *tx, void *argument)
{
    struct importing *importing = argument;
    enum err err = record_store_lock(tx, importing->mem, importing->user_id, &importing->sequence);
    if (!err)
        err = merge_domains(tx, importing);
    if (err || importing->counts->added == 0)
        return err;
    err = undo_store_end(tx, importing->mem, importing->user_id); /* the last change is this one */
    if (err)
        return err;
    return record_store_release(tx, importing->mem, importing->user_id, importing->sequence);
}

/* See import_choice. Quadratic, but the choice is at most one form. */
static bool
is_chosen(struct arena *mem, const struct import_choice *choice, const struct domain *domain,
          size_t position)
{
    struct str name = str_format(mem, "%.*s.%zu", STR_ARG(domain->name), position);
    for (size_t i = 0; i < choice->count; i++)
        if (str_eq(choice->names[i], name))
            return true;
    return false;
}

/* Before merging, so that positions are those of the preview. */
static void
keep_chosen(struct importing *importing)
{
    for (size_t d = 0; d < importing->parsed.count; d++) {
        struct document_domain *part = &importing->parsed.list[d];
        size_t kept = 0;
        for (size_t i = 0; i < part->count; i++)
            if (is_chosen(importing->mem, importing->choice, part->domain, i))
                part->atoms[kept++] = part->atoms[i];
        part->count = kept;
    }
}

/* A preview merges like the import, but in a read transaction: nothing it changes is kept, and its
 * counts are those of the import. */
static enum err
run_import(struct db *db, struct importing *importing, const struct domains *domains,
           struct str document, struct why *why)
{
    enum err err = transfer_read(importing->mem, domains, document, &importing->parsed, why);
    if (err)
        return err;
    if (importing->choice != NULL)
        keep_chosen(importing);
    if (importing->preview_only) {
        struct db_tx *tx = tx_begin_read(db);
        err = tx_end_read(tx, merge_domains(tx, importing));
    } else {
        err = tx_write(db, merge_document, importing);
    }
    if (err == ERR_INVALID && importing->full != NULL)
        why_set(why, "%s", importing->full);
    return err;
}

enum err
transfer_import(struct db *db, struct arena *mem, struct str user_id, const struct domains *domains,
                struct str document, int64_t now, struct import_counts *out, struct why *why)
{
    struct importing importing = { .mem = mem, .user_id = user_id, .now = now, .counts = out };
    return run_import(db, &importing, domains, document, why);
}

/* Only the facts whose boxes are checked. */
enum err
transfer_import_chosen(struct db *db, struct arena *mem, struct str user_id,
                       const struct domains *domains, struct str document,
                       const struct import_choice *choice, int64_t now, struct import_counts *out,
                       struct why *why)
{
    struct importing importing = {
        .mem = mem, .user_id = user_id, .now = now, .counts = out, .choice = choice
    };
    return run_import(db, &importing, domains, document, why);
}

/* Changes nothing; *out says what an import would do. */
enum err
transfer_preview(struct db *db, struct arena *mem, struct str user_id,
                 const struct domains *domains, struct str document, int64_t now,
                 struct import_counts *out, struct why *why)
{
    struct importing importing = {
        .mem = mem, .user_id = user_id, .now = now, .counts = out, .preview_only = true
    };
    return run_import(db, &importing, domains, document, why);
}
