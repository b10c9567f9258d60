/* corrections.c - one frame for every correction of one atom, and the corrections by the user.
 *
 * correct() locks the user header row, reads the atoms of the domain into memory, calls `change`,
 * and saves the atoms, the undo record, and the domain's record. `change` works on the array only
 * and sets `changed` and `record_changed`. Held and suppressed atoms are not in the record, so that
 * a correction of them alone leaves the record and its time as they are. proposals.c has the
 * corrections by apps. */
#include "preference/corrections.h"

#include "base/arena.h"
#include "crypt/random.h"
#include "value/value.h"
#include "preference/corrections_internal.h"
#include "preference/preferences.h"
#include "preference/undo_note.h"
#include "store/tx.h"
#include "store/undo_store.h"

/* ---- finding and saving ---- */

/* Copies the atoms into an array with room for one more, which an edit may add. */
enum err
corrections_read_atoms(struct db_tx *tx, struct correction_work *work)
{
    struct sourced_atom *found = NULL;
    enum err err = atom_store_read(tx, work->mem, work->params->user_id, work->domain->name,
                                   work->source, &found, &work->count);
    work->atoms = ARENA_ARRAY(work->mem, struct sourced_atom, work->count + 1);
    for (size_t i = 0; i < work->count; i++)
        work->atoms[i] = found[i];
    return err;
}

void
corrections_find_id(struct correction_work *work, struct str id)
{
    work->at = 0;
    while (work->at < work->count && !str_eq(work->atoms[work->at].atom.id, id))
        work->at++;
}

/* The atom's id leads to its domain. The atoms are read again for that domain alone, in the order
 * in which they are saved. */
static enum err
find(struct db_tx *tx, struct correction_work *work)
{
    const struct correction *params = work->params;
    struct atom atom;
    if (str_index(params->atom_id, '\0') < params->atom_id.len)
        return ERR_NOT_FOUND; /* a store must not see a NUL */
    enum err err = record_store_lock(tx, work->mem, params->user_id, &work->sequence);
    if (!err)
        err = atom_store_find(tx, work->mem, params->user_id, params->atom_id, work->source, &atom);
    if (err)
        return err;
    work->domain = domains_find(params->domains, atom.domain);
    if (work->domain == NULL)
        return ERR_NOT_FOUND;
    work->member = domain_member(work->domain, atom.member);
    err = corrections_read_atoms(tx, work);
    corrections_find_id(work, atom.id);
    return err;
}

/* Order: undo_save() compares with the saved atoms, and the record is made from them; the release
 * changes the generation at the end. */
enum err
corrections_save(struct db_tx *tx, struct correction_work *work, const struct undo_state *before)
{
    const struct correction *params = work->params;
    if (!work->changed)
        return ERR_NONE;
    enum err err = atom_store_save(tx, work->mem, params->user_id, work->domain->name, work->atoms,
                                   work->count, 0);
    if (!err && before != NULL)
        err = undo_save(tx, work->mem, before, params->now, &work->out->undo);
    if (!err && work->record_changed)
        err = preferences_put_record(tx, work->mem, params->user_id, work->domain, work->atoms,
                                     work->count, params->now);
    return err ? err : record_store_release(tx, work->mem, params->user_id, work->sequence);
}

/* Corrections by apps have no undo: it belongs to the user's own changes. */
static enum err
correct(struct db_tx *tx, void *argument)
{
    struct correction_work *work = argument;
    const struct correction *params = work->params;
    struct undo_state before;
    bool by_user = work->by_app == NULL;
    work->tx = tx;
    *work->out = (struct corrected){ 0 };
    work->changed = work->record_changed = false;
    enum err err = find(tx, work);
    if (!err && by_user)
        err = undo_begin(tx, work->mem, params->user_id, work->domain->name, &before);
    if (!err) {
        work->out->atom = work->atoms[work->at].atom;
        err = work->change(work);
    }
    return err ? err : corrections_save(tx, work, by_user ? &before : NULL);
}

/* ---- steps of corrections ---- */

void
corrections_mark_changed(struct correction_work *work, const struct atom *atom)
{
    work->changed = true;
    work->out->atom = *atom;
}

/* If the corrected atom is the last one, it moves to the place of the deleted one. */
void
corrections_delete_atom(struct correction_work *work, size_t at)
{
    work->changed = true;
    work->record_changed = work->record_changed || work->atoms[at].atom.status == ATOM_ACTIVE;
    work->atoms[at] = work->atoms[--work->count]; /* writers sort by sequence again */
    if (work->at == work->count)
        work->at = at;
}

/* A suppressed atom keeps its value: a later write of an app finds it and is refused. */
static void
suppress(struct correction_work *work, struct atom *atom, struct str reason)
{
    work->record_changed = work->record_changed || atom->status == ATOM_ACTIVE;
    atom->status = ATOM_SUPPRESSED;
    atom->reason = reason;
    atom->suppressed_by = work->source;
    atom->suppressed_at = atom->updated_at = work->params->now;
    corrections_mark_changed(work, atom);
}

/* Makes the user one of the atom's sources. */
static void
add_user_source(struct correction_work *work, struct sourced_atom *atom)
{
    struct atom_source source = { .source = SOURCE_USER,
                                  .created_at = work->params->now,
                                  .updated_at = work->params->now };
    atom_add_source(work->mem, atom, source);
    atom->atom.by_user = true;
}

/* Deletes the current value of a single-valued member unless it is this atom. */
static void
delete_current(struct correction_work *work)
{
    if (work->member == NULL || work->member->type == MEMBER_ARRAY)
        return;
    for (size_t i = 0; i < work->count; i++) {
        const struct atom *atom = &work->atoms[i].atom;
        if (i == work->at || atom->status != ATOM_ACTIVE ||
            !str_eq(atom->member, work->member->name))
            continue;
        work->out->ended = *atom;
        corrections_delete_atom(work, i);
        return;
    }
}

/* `own`: the user states the fact from now on. */
static void
activate(struct correction_work *work, bool own)
{
    delete_current(work);
    struct sourced_atom *sourced = &work->atoms[work->at];
    struct atom *atom = &sourced->atom;
    struct value value = { atom->value, atom->key, atom->wording };
    /* The user becomes a source if no source is left, or if an app could not have made the atom
     * active by itself. */
    if (own || sourced->source_count == 0 || str_present(work->out->ended.id) ||
        work->member == NULL || value_needs_user(work->mem, work->domain, work->member, &value))
        add_user_source(work, sourced);
    atom->status = ATOM_ACTIVE;
    corrections_clear(atom);
    atom->updated_at = work->params->now;
    work->record_changed = true;
    corrections_mark_changed(work, atom);
}

void
corrections_clear(struct atom *atom)
{
    atom->reason = atom->suppressed_by = STR_NONE;
    atom->suppressed_at = 0;
}

/* ---- corrections by the user ---- */

static enum err
remove_atom(struct correction_work *work)
{
    corrections_delete_atom(work, work->at);
    return ERR_NONE;
}

/* Marking a fact as wrong twice changes nothing. */
enum err
corrections_suppress_atom(struct correction_work *work)
{
    struct atom *atom = &work->atoms[work->at].atom;
    if (atom->status != ATOM_SUPPRESSED)
        suppress(work, atom, work->reason);
    return ERR_NONE;
}

/* The user marks a fact as right again. A fact that waits was never marked as wrong:
 * ERR_NOT_FOUND. */
enum err
corrections_restore_atom(struct correction_work *work)
{
    const struct atom *atom = &work->atoms[work->at].atom;
    switch (atom->status) {
    case ATOM_ACTIVE:
        return ERR_NONE;
    case ATOM_HELD:
        return ERR_NOT_FOUND;
    case ATOM_SUPPRESSED:
        break;
    }
    activate(work, !str_eq(atom->suppressed_by,
                           SOURCE_USER)); /* the user's decision replaces that of an app */
    return ERR_NONE;
}

void
corrections_accept_atom(struct correction_work *work)
{
    activate(work, true);
}

/* The transaction finds the atom, applies work->change, and writes the record and the hint sets if
 * they changed. */
enum err
corrections_run(struct db *db, struct arena *mem, const struct correction *params,
                struct correction_work *work)
{
    work->mem = mem;
    work->params = params;
    if (!str_present(work->source))
        work->source = SOURCE_USER;
    return tx_write(db, correct, work);
}

enum err
corrections_remove(struct db *db, struct arena *mem, const struct correction *params,
                   struct corrected *out)
{
    return corrections_run(db, mem, params,
                           &(struct correction_work){ .change = remove_atom, .out = out });
}

enum err
corrections_suppress(struct db *db, struct arena *mem, const struct correction *params,
                     struct str reason, struct corrected *out)
{
    return corrections_run(db, mem, params,
                           &(struct correction_work){
                               .change = corrections_suppress_atom, .reason = reason, .out = out });
}

enum err
corrections_restore(struct db *db, struct arena *mem, const struct correction *params,
                    struct corrected *out)
{
    return corrections_run(
        db, mem, params,
        &(struct correction_work){ .change = corrections_restore_atom, .out = out });
}

/* ---- editing ---- */

static enum err
refuse(struct correction_work *work, const char *problem)
{
    *work->problem = problem;
    return ERR_INVALID;
}

/* Index of the member's atom with this key; count: none. */
static size_t
find_key(const struct correction_work *work, struct str key)
{
    size_t i = 0;
    while (i < work->count && !(str_eq(work->atoms[i].atom.key, key) &&
                                str_eq(work->atoms[i].atom.member, work->member->name)))
        i++;
    return i;
}

/* Only this correction can exceed the limit of atoms, since the others add none. */
static enum err
add_value(struct correction_work *work, const struct value *value)
{
    if (work->count >= ATOMS_PER_DOMAIN_MAX)
        return refuse(work, "would exceed the limit of 2,000 facts in a domain; delete some first");
    struct sourced_atom *added = &work->atoms[work->at = work->count++];
    *added = (struct sourced_atom){ .atom = {
                                        .id = random_id(work->mem, "atm_"),
                                        .domain = work->domain->name,
                                        .member = work->member->name,
                                        .key = value->key,
                                        .value = value->json,
                                        .status = ATOM_ACTIVE,
                                        .sequence = ++work->sequence,
                                        .created_at = work->params->now,
                                        .updated_at = work->params->now,
                                    } };
    add_user_source(work, added);
    work->record_changed = true;
    corrections_mark_changed(work, &added->atom);
    return ERR_NONE;
}

/* Removes the value that an edit replaces. An app that wrote it to a list would write it again, so
 * it is suppressed there. */
static void
remove_old_value(struct correction_work *work)
{
    struct atom *atom = &work->atoms[work->at].atom;
    bool from_app = atom->source_count > (atom->by_caller ? 1 : 0);
    work->out->ended = *atom;
    if (from_app && work->member->type == MEMBER_ARRAY)
        suppress(work, atom, STR("not_accurate"));
    else
        corrections_delete_atom(work, work->at);
}

/* The new value may equal another atom of the member, held or suppressed: that one becomes active
 * instead of a second atom with the same key. */
static enum err
edit_atom(struct correction_work *work)
{
    const struct atom *atom = &work->atoms[work->at].atom;
    struct value value = { 0 };
    if (atom->status != ATOM_ACTIVE || work->member == NULL)
        return ERR_NOT_FOUND;
    const char *problem = value_read(work->mem, work->member, work->value, &value);
    if (problem != NULL)
        return refuse(work, problem);
    value.key = preference_key(work->mem, value.key);
    if (!str_eq(value.key, atom->key))
        remove_old_value(work);
    work->at = find_key(work, value.key);
    if (work->at == work->count)
        return add_value(work, &value);
    work->atoms[work->at].atom.value = value.json;
    activate(work, true);
    return ERR_NONE;
}

/* The new value is stated by the user and replaces the old one, whatever its source. */
enum err
corrections_edit(struct db *db, struct arena *mem, const struct correction *params,
                 const struct json_value *value, struct corrected *out, const char **problem)
{
    *problem = NULL;
    return corrections_run(
        db, mem, params,
        &(struct correction_work){
            .change = edit_atom, .value = value, .problem = problem, .out = out });
}

/* ---- removing an app ---- */

struct removal {
    struct arena *mem;
    const struct app_removal *params;
    struct app_removed *out;
};

/* Removes the app from the sources. True: the atom has to be deleted. */
static bool
remove_source(struct removal *removal, struct sourced_atom *atom)
{
    atom_drop_source(atom, removal->params->app_id);
    bool unsourced = atom->atom.status != ATOM_SUPPRESSED && atom->source_count == 0;
    if (unsourced)
        removal->out->removed++;
    else if (atom->atom.status == ATOM_SUPPRESSED)
        removal->out->suppressed++;
    else
        removal->out->kept++;
    return unsourced;
}

/* Only if an active atom changed: otherwise the record is the same. */
static enum err
put_record(struct db_tx *tx, const struct removal *removal, struct str name,
           struct sourced_atom *atoms, size_t count)
{
    const struct app_removal *params = removal->params;
    const struct domain *domain = domains_find(params->domains, name);
    /* Without a definition the record cannot be rebuilt. It is emptied, because it would show
     * removed atoms if the definition came back. */
    if (domain == NULL)
        return record_store_put(tx, removal->mem, params->user_id,
                                &(struct record){ .domain = name });
    return preferences_put_record(tx, removal->mem, params->user_id, domain, atoms, count,
                                  params->now);
}

/* Removes the app from the sources of one domain's atoms, and withdraws what it proposed. An atom
 * that others state stays; a suppressed one stays as well, or another app could write it again. */
static enum err
remove_from_domain(struct db_tx *tx, struct removal *removal, struct str domain)
{
    const struct app_removal *params = removal->params;
    struct sourced_atom *atoms = NULL;
    size_t count = 0, kept = 0;
    bool changed = false, record_changed = false;
    enum err err =
        atom_store_read(tx, removal->mem, params->user_id, domain, params->app_id, &atoms, &count);
    for (size_t i = 0; i < count && !err; i++) {
        struct sourced_atom atom = atoms[i];
        if (atom_review(&atom.atom) == REVIEW_REMOVAL &&
            str_eq(atom.atom.suppressed_by, params->app_id)) {
            corrections_clear(&atom.atom);
            removal->out->withdrawn++;
            changed = true;
        }
        changed = changed || atom.atom.by_caller;
        record_changed = record_changed || (atom.atom.by_caller && atom.atom.status == ATOM_ACTIVE);
        if (!atom.atom.by_caller || !remove_source(removal, &atom))
            atoms[kept++] = atom;
    }
    if (!err && changed)
        err = atom_store_save(tx, removal->mem, params->user_id, domain, atoms, kept, 0);
    if (!err && record_changed)
        err = put_record(tx, removal, domain, atoms, kept);
    return err;
}

/* Also visits domains without a definition, whose atoms are still stored. */
static enum err
remove_app(struct db_tx *tx, void *argument)
{
    struct removal *removal = argument;
    const struct app_removal *params = removal->params;
    struct app_removed *out = removal->out;
    struct str *domains = NULL;
    int64_t sequence = 0;
    size_t count = 0;
    *out = (struct app_removed){ 0 };
    enum err err = record_store_lock(tx, removal->mem, params->user_id, &sequence);
    if (!err)
        err = atom_store_domains(tx, removal->mem, params->user_id, &domains, &count);
    for (size_t i = 0; i < count && !err; i++)
        err = remove_from_domain(tx, removal, domains[i]);
    if (err || out->removed + out->kept + out->suppressed + out->withdrawn == 0)
        return err;
    err = undo_store_end(tx, removal->mem, params->user_id); /* an undo could restore its atoms */
    return err ? err : record_store_release(tx, removal->mem, params->user_id, sequence);
}

/* In one transaction over all domains. "user" is no app. */
enum err
corrections_remove_app(struct db *db, struct arena *mem, const struct app_removal *params,
                       struct app_removed *out)
{
    struct removal removal = { .mem = mem, .params = params, .out = out };
    bool is_app = str_index(params->app_id, '\0') == params->app_id.len &&
                  !str_eq(params->app_id, SOURCE_USER);
    *out = (struct app_removed){ 0 };
    return is_app ? tx_write(db, remove_app, &removal) : ERR_NOT_FOUND;
}

/* ---- listing ---- */

enum err
corrections_list(struct db *db, struct arena *mem, struct str user_id, struct str domain,
                 struct sourced_atom **out, size_t *count)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, atom_store_read(tx, mem, user_id, domain, STR_NONE, out, count));
}
