#include "flow/corrections.h"

#include "base/arena.h"
#include "crypt/random.h"
#include "domain/value.h"
#include "flow/preferences.h"
#include "flow/undo_note.h"
#include "store/tx.h"
#include "store/undo_store.h"

/* One correction: the fact is found and its domain's atoms are there before `change` is called. */
struct work {
    struct arena *mem;
    const struct correction *params;
    struct str source; /* who corrects: SOURCE_USER or an app */
    const struct app_suppression *by_app;
    enum err (*change)(struct work *work);
    struct str reason;
    const struct json_value *value;
    const char **problem;
    struct corrected *out;

    int64_t sequence;
    const struct domain *domain;
    const struct member *member; /* NULL: the definition has it no longer */
    struct sourced_atom *atoms;  /* of the domain, the new one behind */
    size_t count;
    size_t at;    /* of the fact that is meant */
    bool changed; /* anything that is stored */
    bool shown;   /* anything that the record shows */
};

/* ---- finding, and writing the record again ---- */

static enum err
find(struct db_tx *tx, struct work *work)
{
    const struct correction *params = work->params;
    struct atom atom;
    struct sourced_atom *found = NULL;
    if (str_index(params->atom_id, '\0') < params->atom_id.len)
        return ERR_NOT_FOUND; /* a store must not see a NUL */
    enum err err = atom_store_hold(tx, work->mem, params->user_id, &work->sequence);
    if (!err)
        err = atom_store_find(tx, work->mem, params->user_id, params->atom_id, work->source, &atom);
    if (err)
        return err;
    work->domain = domains_find(params->domains, atom.domain);
    if (work->domain == NULL)
        return ERR_NOT_FOUND;
    work->member = domain_member(work->domain, atom.member);
    err = atom_store_read(tx, work->mem, params->user_id, work->domain->name, work->source, &found,
                          &work->count);
    if (err)
        return err;
    work->atoms = ARENA_ARRAY(work->mem, struct sourced_atom, work->count + 1);
    for (size_t i = 0; i < work->count; i++) {
        work->atoms[i] = found[i];
        if (str_eq(found[i].atom.id, atom.id))
            work->at = i;
    }
    return ERR_NONE;
}

/* The atoms, what can be undone, and what is told of them. */
static enum err
save(struct db_tx *tx, struct work *work, const struct undo_scene *before)
{
    const struct correction *params = work->params;
    if (!work->changed)
        return ERR_NONE;
    enum err err = atom_store_save(tx, work->mem, params->user_id, work->domain->name, work->atoms,
                                   work->count);
    if (!err && work->by_app == NULL)
        err = undo_keep(tx, work->mem, before, params->now, &work->out->undo);
    if (!err && work->shown)
        err = preferences_put_record(tx, work->mem, params->user_id, work->domain, work->atoms,
                                     work->count, params->now);
    return err ? err : atom_store_release(tx, work->mem, params->user_id, work->sequence);
}

static enum err
correct(struct db_tx *tx, void *argument)
{
    struct work *work = argument;
    const struct correction *params = work->params;
    struct undo_scene before;
    *work->out = (struct corrected){ 0 };
    work->changed = work->shown = false;
    enum err err = find(tx, work);
    if (!err && work->by_app == NULL)
        err = undo_look(tx, work->mem, params->user_id, work->domain->name, &before);
    if (!err) {
        work->out->atom = work->atoms[work->at].atom;
        err = work->change(work);
    }
    return err ? err : save(tx, work, &before);
}

/* ---- the steps that corrections are made of ---- */

static void
put(struct work *work, const struct atom *atom)
{
    work->changed = true;
    work->out->atom = *atom;
}

static void
drop(struct work *work, size_t at)
{
    work->changed = true;
    work->shown = work->shown || work->atoms[at].atom.status == ATOM_ACTIVE;
    work->atoms[at] = work->atoms[--work->count]; /* order is found again by the sequence */
    if (work->at == work->count)
        work->at = at;
}

static void
bury(struct work *work, struct atom *atom, struct str reason)
{
    work->shown = work->shown || atom->status == ATOM_ACTIVE;
    atom->status = ATOM_SUPPRESSED;
    atom->reason = reason;
    atom->suppressed_by = work->source;
    atom->suppressed_at = atom->updated_at = work->params->now;
    put(work, atom);
}

/* The person is one of those who say so. */
static void
make_own(struct work *work, struct sourced_atom *atom)
{
    struct atom_source source = { .source = SOURCE_USER,
                                  .created_at = work->params->now,
                                  .updated_at = work->params->now };
    atom_add_source(work->mem, atom, source);
    atom->atom.by_user = true;
}

/* What a single-valued member has, other than this fact, is over. */
static void
end_current(struct work *work)
{
    if (work->member == NULL || work->member->type == MEMBER_ARRAY)
        return;
    for (size_t i = 0; i < work->count; i++) {
        const struct atom *atom = &work->atoms[i].atom;
        if (i == work->at || atom->status != ATOM_ACTIVE ||
            !str_eq(atom->member, work->member->name))
            continue;
        work->out->ended = *atom;
        drop(work, i);
        return;
    }
}

static void
activate(struct work *work, bool own)
{
    end_current(work);
    struct sourced_atom *sourced = &work->atoms[work->at];
    struct atom *atom = &sourced->atom;
    struct value value = { atom->value, atom->key };
    /* What an app could not have made active by itself is active by the person's word; and so is
     * what no app says any more. */
    if (own || sourced->source_count == 0 || str_present(work->out->ended.id) ||
        value_suspicion(work->mem, &value) != NULL)
        make_own(work, sourced);
    atom->status = ATOM_ACTIVE;
    atom->reason = atom->suppressed_by = STR_NONE;
    atom->suppressed_at = 0;
    atom->updated_at = work->params->now;
    work->shown = true;
    put(work, atom);
}

/* ---- what the person says about a fact ---- */

static enum err
remove_it(struct work *work)
{
    drop(work, work->at);
    return ERR_NONE;
}

static enum err
suppress_it(struct work *work)
{
    struct atom *atom = &work->atoms[work->at].atom;
    if (atom->status != ATOM_SUPPRESSED)
        bury(work, atom, work->reason);
    return ERR_NONE;
}

static enum err
lift_it(struct work *work)
{
    switch (work->atoms[work->at].atom.status) {
    case ATOM_ACTIVE:
        return ERR_NONE;
    case ATOM_HELD:
        return ERR_NOT_FOUND;
    case ATOM_SUPPRESSED:
        break;
    }
    activate(work, false);
    return ERR_NONE;
}

static enum err
accept_it(struct work *work)
{
    switch (work->atoms[work->at].atom.status) {
    case ATOM_ACTIVE:
        return ERR_NONE;
    case ATOM_SUPPRESSED:
        return ERR_NOT_FOUND;
    case ATOM_HELD:
        break;
    }
    activate(work, true);
    return ERR_NONE;
}

static enum err
run(struct db *db, struct arena *mem, const struct correction *params, struct work *work)
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
    return run(db, mem, params, &(struct work){ .change = remove_it, .out = out });
}

enum err
corrections_suppress(struct db *db, struct arena *mem, const struct correction *params,
                     struct str reason, struct corrected *out)
{
    return run(db, mem, params,
               &(struct work){ .change = suppress_it, .reason = reason, .out = out });
}

enum err
corrections_lift(struct db *db, struct arena *mem, const struct correction *params,
                 struct corrected *out)
{
    return run(db, mem, params, &(struct work){ .change = lift_it, .out = out });
}

enum err
corrections_accept(struct db *db, struct arena *mem, const struct correction *params,
                   struct corrected *out)
{
    return run(db, mem, params, &(struct work){ .change = accept_it, .out = out });
}

/* ---- another value instead ---- */

static enum err
refuse(struct work *work, const char *problem)
{
    *work->problem = problem;
    return ERR_INVALID;
}

/* The atom of that value of the same member, or count. */
static size_t
find_key(const struct work *work, struct str key)
{
    size_t i = 0;
    while (i < work->count && !(str_eq(work->atoms[i].atom.key, key) &&
                                str_eq(work->atoms[i].atom.member, work->member->name)))
        i++;
    return i;
}

static enum err
add_own(struct work *work, const struct value *value)
{
    if (work->count >= ATOMS_PER_DOMAIN_MAX)
        return refuse(work, "would be one fact more than the 2,000 of a domain; remove some first");
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
    make_own(work, added);
    work->shown = true;
    put(work, &added->atom);
    return ERR_NONE;
}

/* The value that was there before the edit. An app that said it would only say it again. */
static void
give_up(struct work *work)
{
    struct atom *atom = &work->atoms[work->at].atom;
    bool said_by_app = atom->source_count > (atom->by_asker ? 1 : 0);
    work->out->ended = *atom;
    if (said_by_app && work->member->type == MEMBER_ARRAY)
        bury(work, atom, STR("not_accurate"));
    else
        drop(work, work->at);
}

static enum err
edit_it(struct work *work)
{
    const struct atom *atom = &work->atoms[work->at].atom;
    struct value value = { 0 };
    if (atom->status != ATOM_ACTIVE || work->member == NULL)
        return ERR_NOT_FOUND;
    const char *problem = value_read(work->mem, work->member, work->value, &value);
    if (problem != NULL)
        return refuse(work, problem);
    value.key = preferences_key(work->mem, value.key);
    if (!str_eq(value.key, atom->key))
        give_up(work);
    work->at = find_key(work, value.key);
    if (work->at == work->count)
        return add_own(work, &value);
    work->atoms[work->at].atom.value = value.json;
    activate(work, true);
    return ERR_NONE;
}

enum err
corrections_edit(struct db *db, struct arena *mem, const struct correction *params,
                 const struct json_value *value, struct corrected *out, const char **problem)
{
    *problem = NULL;
    return run(db, mem, params,
               &(struct work){ .change = edit_it, .value = value, .problem = problem, .out = out });
}

/* ---- what an app says about a fact ---- */

/* Only of what the app may know of, and within its reach. */
static enum err
suppress_by_app(struct work *work)
{
    const struct atom *atom = &work->atoms[work->at].atom;
    bool known = atom_visible(atom) || str_eq(atom->suppressed_by, work->source);
    if (!known || !work->by_app->may_touch(work->domain, work->by_app->context))
        return ERR_NOT_FOUND;
    return suppress_it(work);
}

enum err
corrections_suppress_by_app(struct db *db, struct arena *mem, const struct app_suppression *params,
                            struct atom *out)
{
    struct correction correction = { params->user_id, params->atom_id, params->domains,
                                     params->now };
    struct corrected corrected = { 0 };
    struct work work = { .change = suppress_by_app,
                         .source = params->app_id,
                         .by_app = params,
                         .reason = params->reason,
                         .out = &corrected };
    enum err err = run(db, mem, &correction, &work);
    *out = corrected.atom;
    return err;
}

/* ---- everything an app wrote ---- */

struct removal {
    struct arena *mem;
    const struct app_removal *params;
    struct app_removed *out;
};

/* The app is a source of this one no longer. True: the atom went with it. */
static bool
forget_source(struct removal *removal, struct sourced_atom *atom)
{
    atom_drop_source(atom, removal->params->app_id);
    bool gone = atom->atom.status != ATOM_SUPPRESSED && atom->source_count == 0;
    if (gone)
        removal->out->removed++;
    else if (atom->atom.status == ATOM_SUPPRESSED)
        removal->out->suppressed++;
    else
        removal->out->kept++;
    return gone;
}

static enum err
put_record(struct db_tx *tx, const struct removal *removal, struct str name,
           struct sourced_atom *atoms, size_t count)
{
    const struct app_removal *params = removal->params;
    const struct domain *domain = domains_find(params->domains, name);
    /* Without a definition there is nobody to write the record, so the stale one goes: should the
     * definition come back, it must not tell what was removed. */
    if (domain == NULL)
        return record_store_put(tx, removal->mem, params->user_id,
                                &(struct record){ .domain = name });
    return preferences_put_record(tx, removal->mem, params->user_id, domain, atoms, count,
                                  params->now);
}

/* Takes the app away from all atoms of one domain; those that remain move up. */
static enum err
forget_in_domain(struct db_tx *tx, struct removal *removal, struct str domain)
{
    const struct app_removal *params = removal->params;
    struct sourced_atom *atoms = NULL;
    size_t count = 0, kept = 0;
    bool changed = false, shown = false;
    enum err err =
        atom_store_read(tx, removal->mem, params->user_id, domain, params->app_id, &atoms, &count);
    for (size_t i = 0; i < count && !err; i++) {
        struct sourced_atom atom = atoms[i];
        changed = changed || atom.atom.by_asker;
        shown = shown || (atom.atom.by_asker && atom.atom.status == ATOM_ACTIVE);
        if (!atom.atom.by_asker || !forget_source(removal, &atom))
            atoms[kept++] = atom;
    }
    if (!err && changed)
        err = atom_store_save(tx, removal->mem, params->user_id, domain, atoms, kept);
    if (!err && shown)
        err = put_record(tx, removal, domain, atoms, kept);
    return err;
}

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
    enum err err = atom_store_hold(tx, removal->mem, params->user_id, &sequence);
    if (!err)
        err = atom_store_domains(tx, removal->mem, params->user_id, &domains, &count);
    for (size_t i = 0; i < count && !err; i++)
        err = forget_in_domain(tx, removal, domains[i]);
    if (err || out->removed + out->kept + out->suppressed == 0)
        return err;
    err = undo_store_end(tx, removal->mem, params->user_id); /* else it could come back */
    return err ? err : atom_store_release(tx, removal->mem, params->user_id, sequence);
}

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

/* ---- everything there is ---- */

struct listing {
    struct arena *mem;
    struct str user_id;
    struct str domain;
    struct sourced_atom **out;
    size_t *count;
};

static enum err
list(struct db_tx *tx, void *argument)
{
    struct listing *listing = argument;
    return atom_store_list_sourced(tx, listing->mem, listing->user_id, listing->domain,
                                   listing->out, listing->count);
}

enum err
corrections_list(struct db *db, struct arena *mem, struct str user_id, struct str domain,
                 struct sourced_atom **out, size_t *count)
{
    struct listing listing = { mem, user_id, domain, out, count };
    return tx_read(db, list, &listing);
}
