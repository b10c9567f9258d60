/* undo.c - restores the atoms of a domain as they were before the user's last change, and then
 * repeats what apps did since.
 *
 * The undo row has the touched atoms before and after the change. Atoms are matched by member and
 * key, not by id, because an app may have written a deleted value again under a new id. restore()
 * decides for each atom of now whether it stays; what an app wrote since the change is collected
 * and written again with its time, as an ordinary write of that app. */
#include "preference/undo.h"

#include "base/arena.h"
#include "base/buf.h"
#include "preference/preferences.h"
#include "model/atom_list.h"
#include "store/atom_store.h"
#include "store/record_store.h"
#include "store/tx.h"
#include "store/undo_store.h"
#include "text/json_read.h"
#include "text/json_write.h"

#define DOCUMENT_MAX ((size_t)64 * 1024)

/* A write of an app since the change, to be repeated after the undo. */
struct app_write {
    const struct member *member;
    struct str value;
    struct str source;
    int64_t at;
};

/* In any order. */
struct facts {
    struct sourced_atom *list;
    size_t count;
};

/* A change is undone atom by atom, so that later changes of other atoms stay. */
struct undo_work {
    struct arena *mem;
    const struct undo_params *params;
    struct undone *out;

    const struct domain *domain;
    struct facts before, after; /* only atoms that the change touched */
    struct facts now;           /* all atoms of the domain */
    struct facts restored;      /* all atoms after the undo */
    struct app_write *writes;
    size_t write_count;
    bool record_changed; /* the record must be rebuilt */
};

/* The atom with the same member and value; NULL: none. */
static const struct sourced_atom *
find_same(const struct facts *facts, const struct atom *atom)
{
    for (size_t i = 0; i < facts->count; i++)
        if (str_eq(facts->list[i].atom.key, atom->key) &&
            str_eq(facts->list[i].atom.member, atom->member))
            return &facts->list[i];
    return NULL;
}

/* ---- writes of apps since the change ---- */

/* Whether the app stated the atom, or stated it again, after the change. */
static bool
is_new(const struct atom_source *source, const struct sourced_atom *after)
{
    for (size_t i = 0; after != NULL && i < after->source_count; i++)
        if (str_eq(after->sources[i].source, source->source))
            return source->updated_at > after->sources[i].updated_at;
    return true;
}

/* Adds what apps wrote to this atom since the change, sorted by time, since the last write to a
 * single-valued member wins. */
static void
collect_writes(struct undo_work *work, const struct sourced_atom *now,
               const struct sourced_atom *after)
{
    const struct member *member = domain_member(work->domain, now->atom.member);
    for (size_t i = 0; i < now->source_count; i++) {
        const struct atom_source *source = &now->sources[i];
        if (member == NULL || str_eq(source->source, SOURCE_USER) || !is_new(source, after))
            continue;
        size_t at = work->write_count++;
        for (; at > 0 && work->writes[at - 1].at > source->updated_at; at--)
            work->writes[at] = work->writes[at - 1];
        work->writes[at] =
            (struct app_write){ member, now->atom.value, source->source, source->updated_at };
    }
}

/* Values of apps that were written after the change are written once more, with the rules that
 * apply to writes of apps. */
static enum err
write_again(struct db_tx *tx, struct undo_work *work, const struct app_write *repeat)
{
    struct buf text = buf_in(work->mem, DOCUMENT_MAX);
    struct json json = json_into(&text);
    struct preference_counts counts;
    struct preference_problems problems;
    struct record record;
    struct preference_write params = { .user_id = work->params->user_id,
                                       .domain = work->domain,
                                       .source = repeat->source,
                                       .now = repeat->at };
    json_open_object(&json);
    json_key_str(&json, repeat->member->name);
    if (repeat->member->type == MEMBER_ARRAY)
        json_open_array(&json);
    json_raw(&json, repeat->value);
    if (repeat->member->type == MEMBER_ARRAY)
        json_close_array(&json);
    json_close_object(&json);
    enum err err = json_read(work->mem, buf_str(&text), 6, &params.preferences, NULL);
    return err ? ERR_INTERNAL
               : preferences_write_within(tx, work->mem, &params, &counts, &record, &problems);
}

/* An app suppressed the atom after the change. */
static bool
suppressed_since(const struct undo_work *work, const struct atom *atom)
{
    const struct sourced_atom *now = find_same(&work->now, atom);
    const struct sourced_atom *before = find_same(&work->before, atom);
    const struct sourced_atom *after = find_same(&work->after, atom);
    return now != NULL && now->atom.status == ATOM_SUPPRESSED &&
           (before == NULL || before->atom.status != ATOM_SUPPRESSED) &&
           (after == NULL || after->atom.status != ATOM_SUPPRESSED);
}

/* ---- restoring ---- */

/* True: an app's later value of a single-valued member whose old value is restored. */
static bool
is_replaced(const struct undo_work *work, const struct atom *now)
{
    const struct member *member = domain_member(work->domain, now->member);
    if (member == NULL || member->type == MEMBER_ARRAY || now->status != ATOM_ACTIVE)
        return false;
    for (size_t i = 0; i < work->before.count; i++) {
        const struct atom *back = &work->before.list[i].atom;
        if (back->status == ATOM_ACTIVE && str_eq(back->member, now->member) &&
            !suppressed_since(work, back))
            return true;
    }
    return false;
}

static void
keep(struct undo_work *work, const struct sourced_atom *fact)
{
    work->restored.list[work->restored.count++] = *fact;
}

/* Untouched atoms stay, unless a single-valued member gets its old value back. Touched atoms are
 * replaced by their state before, unless an app suppressed them since. */
static void
restore(struct undo_work *work)
{
    work->restored = (struct facts){ .list = ARENA_ARRAY(work->mem, struct sourced_atom,
                                                         work->now.count + work->before.count) };
    for (size_t i = 0; i < work->now.count; i++) {
        const struct sourced_atom *now = &work->now.list[i];
        const struct sourced_atom *after = find_same(&work->after, &now->atom);
        bool touched = after != NULL || find_same(&work->before, &now->atom) != NULL;
        bool stays = touched ? suppressed_since(work, &now->atom) : !is_replaced(work, &now->atom);
        if (stays) {
            keep(work, now);
            continue;
        }
        collect_writes(work, now, after);
        work->record_changed = work->record_changed || now->atom.status == ATOM_ACTIVE;
    }
    for (size_t i = 0; i < work->before.count; i++) {
        const struct sourced_atom *before = &work->before.list[i];
        if (suppressed_since(work, &before->atom))
            continue;
        keep(work, before);
        work->record_changed = work->record_changed || before->atom.status == ATOM_ACTIVE;
    }
}

/* ---- transaction ---- */

/* Taking the row deletes it: an error rolls that back, so that the undo can be tried again. */
static enum err
find(struct db_tx *tx, struct undo_work *work)
{
    const struct undo_params *params = work->params;
    struct undo_row row;
    enum err err =
        undo_store_take(tx, work->mem, params->user_id, params->undo_id, params->now, &row);
    if (err)
        return err;
    work->domain = domains_find(params->domains, row.domain);
    if (work->domain == NULL)
        return ERR_NOT_FOUND;
    struct facts *before = &work->before, *after = &work->after, *now = &work->now;
    bool readable =
        atom_list_read(work->mem, row.domain, row.before, STR_NONE, &before->list,
                       &before->count) &&
        atom_list_read(work->mem, row.domain, row.after, STR_NONE, &after->list, &after->count);
    if (!readable || before->count + after->count == 0)
        return ERR_INTERNAL;
    *work->out = (struct undone){ row.domain, before->count > 0 ? before->list[0].atom.member
                                                                : after->list[0].atom.member };
    return atom_store_read(tx, work->mem, params->user_id, row.domain, STR_NONE, &now->list,
                           &now->count);
}

/* The writes of apps may have changed the atoms again, so they are read. */
static enum err
put_record(struct db_tx *tx, struct undo_work *work)
{
    struct sourced_atom *atoms = NULL;
    size_t count = 0;
    enum err err = atom_store_read(tx, work->mem, work->params->user_id, work->domain->name,
                                   STR_NONE, &atoms, &count);
    return err ? err
               : preferences_put_record(tx, work->mem, work->params->user_id, work->domain, atoms,
                                        count, work->params->now);
}

/* Saves the restored atoms, then repeats the writes of apps. These begin with the sequence number
 * of the header row, so that it is stored first. */
static enum err
save(struct db_tx *tx, struct undo_work *work, int64_t sequence)
{
    const struct undo_params *params = work->params;
    if (work->restored.count > ATOMS_PER_DOMAIN_MAX && work->restored.count > work->now.count)
        return ERR_INVALID;
    enum err err = atom_store_save(tx, work->mem, params->user_id, work->domain->name,
                                   work->restored.list, work->restored.count, 0);
    if (!err)
        err = record_store_release(tx, work->mem, params->user_id, sequence);
    for (size_t i = 0; i < work->write_count && !err; i++)
        err = write_again(tx, work, &work->writes[i]);
    return err || !work->record_changed ? err : put_record(tx, work);
}

/* May run more than once, so everything it counts is reset. */
static enum err
run(struct db_tx *tx, void *argument)
{
    struct undo_work *work = argument;
    int64_t sequence = 0;
    size_t most = 0;
    work->write_count = 0;
    work->record_changed = false;
    enum err err = record_store_lock(tx, work->mem, work->params->user_id, &sequence);
    if (!err)
        err = find(tx, work);
    if (err)
        return err;
    for (size_t i = 0; i < work->now.count; i++)
        most += work->now.list[i].source_count;
    work->writes = ARENA_ARRAY(work->mem, struct app_write, most);
    restore(work);
    err = save(tx, work, sequence);
    return err == ERR_INVALID ? ERR_NOT_FOUND : err; /* too many atoms for the domain */
}

/* Ids come from a link of the page; an unknown or expired one is ERR_NOT_FOUND. */
enum err
undo_run(struct db *db, struct arena *mem, const struct undo_params *params, struct undone *out)
{
    struct undo_work work = { .mem = mem, .params = params, .out = out };
    *out = (struct undone){ 0 };
    if (!str_present(params->undo_id) || str_index(params->undo_id, '\0') < params->undo_id.len)
        return ERR_NOT_FOUND; /* a store must not see a NUL */
    return tx_write(db, run, &work);
}
