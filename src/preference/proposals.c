/* proposals.c - implements the part of corrections.h in which apps propose changes and users decide
 * on them. */
#include "base/arena.h"
#include "value/statement.h"
#include "value/value.h"
#include "preference/corrections.h"
#include "preference/corrections_internal.h"
#include "store/activity_store.h"
#include "credential/grant_store.h"
#include "store/record_store.h"
#include "store/tx.h"
#include "store/undo_store.h"
#include "text/json_read.h"

/* Whether a fact is relevant to safety: by its member, or as a statement that names an allergy or a
 * condition. */
static bool
is_safety(struct arena *mem, const struct domain *domain, const struct atom *atom)
{
    const struct member *member = domain_member(domain, atom->member);
    const struct json_value *value = NULL;
    if (member == NULL || member->safety != SAFETY_NONE)
        return member != NULL;
    return statement_holds(member) && json_read(mem, atom->value, 2, &value, NULL) == ERR_NONE &&
           value->type == JSON_STR && statement_concern(domain, value->text) != CONCERN_NONE;
}

/* ---- apps ---- */

/* An app must not remove a fact relevant to safety that the user stated, since a prompt injected
 * into the app could make it do so. If changes of the app wait, so do removals, except of what the
 * app alone stated. */
static bool
must_propose(struct correction_work *work, const struct atom *atom, bool writes_wait)
{
    bool safety = is_safety(work->mem, work->domain, atom);
    bool own = atom->by_caller && atom->source_count == 1;
    return atom->status == ATOM_ACTIVE &&
           ((safety && (atom->by_user || work->by_app->guards_safety)) || (writes_wait && !own));
}

/* The limit keeps an app from filling the user's list. The atom stays active until the user
 * decides. */
static enum err
propose(struct correction_work *work)
{
    struct atom *atom = &work->atoms[work->at].atom;
    size_t waiting = 0;
    enum err err = atom_store_count_waiting(work->tx, work->mem, work->params->user_id,
                                            work->source, &waiting);
    if (err || waiting >= WAITING_PER_APP_MAX)
        return err ? err : ERR_TOO_LARGE;
    atom->reason = work->reason;
    atom->suppressed_by = work->source;
    atom->suppressed_at = work->params->now;
    corrections_mark_changed(work, atom);
    return ERR_NONE;
}

/* The atom must be visible to the app and in its allowed domains; otherwise it does not exist for
 * the app. The call is recorded even if it changes nothing. */
static enum err
suppress_by_app(struct correction_work *work)
{
    const struct atom *atom = &work->atoms[work->at].atom;
    bool known = atom_visible(atom) || str_eq(atom->suppressed_by, work->source);
    bool writes_wait = false;
    struct view view;
    if (!known || !work->by_app->may_touch(work->domain, work->by_app->context))
        return ERR_NOT_FOUND;
    enum err err = grant_store_view(work->tx, work->mem, work->params->user_id, work->source,
                                    work->params->domains, work->params->now, &view, &writes_wait);
    if (err || !view_shows(&view, atom))
        return err ? err : ERR_NOT_FOUND;
    struct activity_event event = { .user_id = work->params->user_id,
                                    .app_id = work->source,
                                    .action = ACTIVITY_SUPPRESS,
                                    .subject = work->domain->name,
                                    .facts = 1,
                                    .now = work->params->now };
    err = activity_store_event(work->tx, work->mem, &event);
    if (err || !must_propose(work, atom, writes_wait))
        return err ? err : corrections_suppress_atom(work);
    return atom_review(atom) == REVIEW_REMOVAL ? ERR_NONE : propose(work);
}

/* Only what the app itself proposed or wrote. A held fact that other apps wrote, too, stays for
 * them. */
static enum err
withdraw(struct correction_work *work)
{
    struct sourced_atom *sourced = &work->atoms[work->at];
    struct atom *atom = &sourced->atom;
    enum atom_review review = atom_review(atom);
    if (review == REVIEW_REMOVAL && str_eq(atom->suppressed_by, work->source)) {
        corrections_clear(atom);
        corrections_mark_changed(work, atom);
        return ERR_NONE;
    }
    if (review != REVIEW_FACT || !atom->by_caller)
        return ERR_NOT_FOUND;
    atom_drop_source(sourced, work->source);
    corrections_mark_changed(work, atom);
    if (sourced->source_count == 0)
        corrections_delete_atom(work, work->at);
    return ERR_NONE;
}

/* An app proposes, and the user decides: the work notes that it runs for an app (by_app). */
static enum err
run_by_app(struct db *db, struct arena *mem, const struct app_suppression *params,
           enum err (*change)(struct correction_work *work), struct atom *out)
{
    struct correction correction = { params->user_id, params->atom_id, params->domains,
                                     params->now };
    struct corrected corrected = { 0 };
    struct correction_work work = { .change = change,
                                    .source = params->app_id,
                                    .by_app = params,
                                    .reason = params->reason,
                                    .out = &corrected };
    enum err err = corrections_run(db, mem, &correction, &work);
    *out = corrected.atom;
    return err;
}

enum err
corrections_suppress_by_app(struct db *db, struct arena *mem, const struct app_suppression *params,
                            struct atom *out)
{
    return run_by_app(db, mem, params, suppress_by_app, out);
}

enum err
corrections_withdraw(struct db *db, struct arena *mem, const struct app_suppression *params)
{
    struct atom unused;
    return run_by_app(db, mem, params, withdraw, &unused);
}

/* ---- users ---- */

/* The user agrees that the atom is wrong. Without this the pages would list it again as removed
 * against the user's statement (REVIEW_REMOVED). */
static void
end_user_statement(struct correction_work *work, struct sourced_atom *sourced)
{
    atom_drop_source(sourced, SOURCE_USER);
    sourced->atom.by_user = false;
    corrections_mark_changed(work, &sourced->atom);
}

/* Not confirmed: the atom is as it was before the proposal. Confirmed: it is marked as wrong. */
static enum err
decide_removal(struct correction_work *work)
{
    struct sourced_atom *sourced = &work->atoms[work->at];
    struct atom *atom = &sourced->atom;
    if (!work->confirm) {
        corrections_clear(atom);
        corrections_mark_changed(work, atom);
        return ERR_NONE;
    }
    atom->status = ATOM_SUPPRESSED;
    atom->suppressed_at = atom->updated_at = work->params->now;
    work->record_changed = true;
    end_user_statement(work, sourced);
    return ERR_NONE;
}

/* What the decision means depends on what waits: a new fact, a proposed removal, or a removal that
 * has happened already. */
static enum err
decide(struct correction_work *work)
{
    struct sourced_atom *sourced = &work->atoms[work->at];
    work->out->decided = atom_review(&sourced->atom);
    switch (work->out->decided) {
    case REVIEW_FACT:
        if (!work->confirm)
            return corrections_suppress_atom(work);
        corrections_accept_atom(work);
        return ERR_NONE;
    case REVIEW_REMOVAL:
        return decide_removal(work);
    case REVIEW_REMOVED:
        if (!work->confirm)
            return corrections_restore_atom(work);
        end_user_statement(work, sourced);
        return ERR_NONE;
    case REVIEW_NONE:
        break;
    }
    return ERR_NONE;
}

/* The decision about one atom. */
enum err
corrections_decide(struct db *db, struct arena *mem, const struct correction *params, bool confirm,
                   struct corrected *out)
{
    return corrections_run(
        db, mem, params,
        &(struct correction_work){
            .change = decide, .reason = STR("not_accurate"), .confirm = confirm, .out = out });
}

struct all {
    struct correction_work work;
    size_t *count;
};

/* Whether the answer to all applies to this atom. "Accept all" leaves out what is dangerous: the
 * list may be longer than what the user reads. "Decline all" leaves nothing out. */
static bool
applies(const struct correction_work *work, const struct atom *atom)
{
    struct value value = { atom->value, atom->key, atom->wording };
    switch (atom_review(atom)) {
    case REVIEW_FACT:
        return !work->confirm || value_suspicion(work->mem, &value) == NULL;
    case REVIEW_REMOVAL:
        return !work->confirm || !is_safety(work->mem, work->domain, atom);
    case REVIEW_REMOVED:
    case REVIEW_NONE:
        break;
    }
    return false;
}

/* Deciding on one atom can delete another one or move atoms in the array, so that they are
 * collected by id first. */
static enum err
decide_domain(struct db_tx *tx, struct all *all)
{
    struct correction_work *work = &all->work;
    struct corrected unused;
    size_t waiting = 0;
    work->changed = work->record_changed = false;
    work->out = &unused;
    enum err err = corrections_read_atoms(tx, work);
    struct str *ids = ARENA_ARRAY(work->mem, struct str, work->count);
    for (size_t i = 0; i < work->count && !err; i++)
        if (applies(work, &work->atoms[i].atom))
            ids[waiting++] = work->atoms[i].atom.id;
    for (size_t i = 0; i < waiting && !err; i++) {
        unused = (struct corrected){ 0 };
        corrections_find_id(work, ids[i]);
        if (work->at == work->count)
            continue; /* replaced by the one before it */
        work->member = domain_member(work->domain, work->atoms[work->at].atom.member);
        err = decide(work);
        (*all->count)++;
    }
    return err ? err : corrections_save(tx, work, NULL);
}

/* Many decisions are no single change, so that there is no undo, and the pending one is discarded.
 */
static enum err
decide_all(struct db_tx *tx, void *argument)
{
    struct all *all = argument;
    struct correction_work *work = &all->work;
    const struct domains *domains = work->params->domains;
    struct str user_id = work->params->user_id;
    *all->count = 0;
    enum err err = record_store_lock(tx, work->mem, user_id, &work->sequence);
    for (size_t i = 0; i < domains->count && !err; i++) {
        work->domain = &domains->list[i];
        err = decide_domain(tx, all);
    }
    return err ? err : undo_store_end(tx, work->mem, user_id);
}

/* All atoms of the user that wait, in one transaction, so that the page shows either all or none of
 * them decided. */
enum err
corrections_decide_all(struct db *db, struct arena *mem, struct str user_id,
                       const struct domains *domains, bool confirm, int64_t now, size_t *count)
{
    struct correction params = { .user_id = user_id, .domains = domains, .now = now };
    struct all all = { .work = { .mem = mem,
                                 .params = &params,
                                 .source = SOURCE_USER,
                                 .reason = STR("not_accurate"),
                                 .confirm = confirm },
                       .count = count };
    return tx_write(db, decide_all, &all);
}
