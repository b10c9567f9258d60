/* preferences.c - writes preferences, from the document to the stored record.
 *
 * A write is one bracket around the user header row: begin_change() locks it and reads the domain's
 * atoms, atom_merge (model/) applies each value in memory, save_all() writes the atoms, then the
 * record and the hint sets that are made from them, and releases the header row with a new
 * generation. Writes of different users share a transaction on PostgreSQL (tx_write_shared()), so
 * that the statements are few and announced: reads first, writes afterwards. */
#include "preference/preferences.h"

#include "base/arena.h"
#include "base/buf.h"
#include "crypt/random.h"
#include "value/preference_items.h"
#include "preference/undo_note.h"
#include "hint/hint.h"
#include "store/activity_store.h"
#include "store/app_store.h"
#include "credential/grant_store.h"
#include "store/tx.h"
#include "text/json_read.h"
#include "text/json_tree.h"
#include "text/json_write.h"

#define DEPTH_MAX 4
#define DOCUMENT_MAX ((size_t)64 * 1024)

/* One write, from the beginning of its transaction to the end. */
struct writing {
    struct arena *mem;
    const struct preference_write *params;
    struct preference_items items;
    struct atom_merge merge;
    struct str hint_sets; /* of all domains, as stored */
    const char *full;     /* the limit that it would exceed; NULL: none */
    int64_t row_key;      /* of the atoms; 0: not stored yet */
    bool had_record;      /* there were active atoms */
    struct record *record;
};

static bool
from_user(const struct writing *writing)
{
    return str_eq(writing->params->source, SOURCE_USER);
}

/* `before`: the domain's hint set before a write that changed these members; absent: not known.
 * With it, hints of other members are taken over. */
static void
make_record(struct db_tx *tx, struct arena *mem, const struct domain *domain,
            const struct sourced_atom *sourced, size_t count, int64_t now, struct str before,
            const bool *changed, struct record *out)
{
    struct arena *scratch = arena_new(); /* all this takes many times the length of the results */
    struct atom *atoms = ARENA_ARRAY(scratch, struct atom, count);
    for (size_t i = 0; i < count; i++) {
        atoms[i] = sourced[i].atom;
        atoms[i].app = atom_first_app(&sourced[i]); /* it may have changed since it was read */
    }
    atoms_sort_by_sequence(atoms, count);
    out->domain = domain->name;
    out->json = str_copy(mem, atom_record(scratch, domain, atoms, count, &out->atom_count));
    out->updated_at = out->atom_count == 0 ? 0 : now;
    struct app_store_names names;
    app_store_names(&names, tx);
    out->hints = str_copy(
        mem, hint_set_rewrite(scratch, domain, before, changed, atoms, count, &names.names));
    arena_free(scratch);
}

enum err
preferences_put_record(struct db_tx *tx, struct arena *mem, struct str user_id,
                       const struct domain *domain, const struct sourced_atom *atoms, size_t count,
                       int64_t now)
{
    struct record record;
    make_record(tx, mem, domain, atoms, count, now, STR_NONE, NULL, &record);
    return record_store_put(tx, mem, user_id, &record);
}

/* Members that the document names. The values may be the same as before, which only costs time. */
static const bool *
changed_members(const struct writing *writing)
{
    const struct domain *domain = writing->params->domain;
    bool *changed = ARENA_ARRAY(writing->mem, bool, domain->member_count);
    for (size_t i = 0; i < writing->items.count; i++)
        changed[writing->items.list[i].member - domain->members] = true;
    return changed;
}

/* Limits are checked only here, where atoms are added: removing and correcting must always work. */
static enum err
save_atoms(struct db_tx *tx, struct writing *writing)
{
    const struct atom_merge *merge = &writing->merge;
    struct str user_id = writing->params->user_id, domain = merge->domain->name;
    enum err err =
        atom_store_check_room(tx, writing->mem, user_id, domain, merge->atoms, merge->count);
    if (!err)
        err = atom_store_save(tx, writing->mem, user_id, domain, merge->atoms, merge->count,
                              writing->row_key);
    if (err)
        writing->full = "would exceed the limit of 6 MiB of facts about this user, or of 10,000 "
                        "sources in this domain; the user must delete some first";
    return err;
}

/* Writes the atoms and the record if they changed, and ends the change. A write that only adds held
 * values changes the atoms but not the record, whose time and ETag would reveal them.
 *
 * The record is made first: it may look up names of apps, and what is written before a lookup
 * cannot wait for the end of the transaction. */
static enum err
save_all(struct db_tx *tx, struct writing *writing)
{
    const struct preference_write *params = writing->params;
    const struct atom_merge *merge = &writing->merge;
    struct arena *mem = writing->mem;
    if (merge->record_changed)
        make_record(tx, mem, params->domain, merge->atoms, merge->count, params->now,
                    record_store_find_set(writing->hint_sets, params->domain->name),
                    changed_members(writing), writing->record);
    enum err err = merge->changed ? save_atoms(tx, writing) : ERR_NONE;
    if (err)
        return err;
    if (merge->record_changed)
        err = record_store_put_release(tx, mem, params->user_id, writing->record,
                                       writing->had_record, merge->sequence, writing->hint_sets);
    else if (merge->changed)
        err = record_store_release(tx, mem, params->user_id, merge->sequence);
    if (err)
        return err;
    if (!merge->record_changed) /* so it was not made */
        return preferences_read_within(tx, mem, &merge->view, params->domain, writing->record);
    preferences_limit(mem, &merge->view, params->domain, merge->atoms, merge->count,
                      writing->record);
    return ERR_NONE;
}

/* The first limit that is exceeded ends the write; nothing of it is stored. */
static enum err
merge_items(struct writing *writing)
{
    struct preference_outcome *outcomes = writing->params->outcomes;
    for (size_t i = 0; i < writing->items.count && writing->full == NULL; i++)
        writing->full = atom_merge_item(&writing->merge, &writing->items.list[i],
                                        outcomes == NULL ? NULL : &outcomes[i]);
    return writing->full == NULL ? ERR_NONE : ERR_INVALID;
}

/* The view of the app, whether new values wait, and how many more may wait. The view has the
 * definition of this domain only, which is all that a write needs. */
static enum err
read_mode(struct db_tx *tx, struct writing *writing)
{
    const struct preference_write *params = writing->params;
    struct atom_merge *merge = &writing->merge;
    size_t count = 0;
    struct domains *written = ARENA_NEW(writing->mem, struct domains);
    *written = (struct domains){ .list = params->domain, .count = 1 };
    enum err err = grant_store_view(tx, writing->mem, params->user_id, params->source, written,
                                    params->now, &merge->view, &merge->waits);
    merge->limited = view_limits(&merge->view, params->domain->name);
    if (!err && merge->waits)
        err = atom_store_count_waiting(tx, writing->mem, params->user_id, params->source, &count);
    merge->room = count < WAITING_PER_APP_MAX ? WAITING_PER_APP_MAX - count : 0;
    return err;
}

/* A write of an app is recorded even if it changes nothing. The user's own changes are not. */
static enum err
record_write(struct db_tx *tx, const struct writing *writing)
{
    const struct preference_write *params = writing->params;
    const struct preference_counts *counts = &writing->merge.counts;
    struct activity_event event = { .user_id = params->user_id,
                                    .app_id = params->source,
                                    .action = ACTIVITY_WRITE,
                                    .subject = params->domain->name,
                                    .facts = counts->added + counts->updated + counts->held,
                                    .now = params->now };
    return from_user(writing) ? ERR_NONE : activity_store_event(tx, writing->mem, &event);
}

/* The store reads all of this in one round trip. */
static void
prefetch(struct db_tx *tx, const struct writing *writing)
{
    const struct preference_write *params = writing->params;
    atom_store_prefetch(tx, writing->mem, params->user_id, params->domain->name);
    if (params->as_granted)
        grant_store_prefetch(tx, writing->mem, params->user_id, params->source, params->now);
    if (!from_user(writing))
        app_store_prefetch_name(tx, writing->mem, params->source);
}

static struct str
new_atom_id(struct arena *mem)
{
    return random_id(mem, "atm_");
}

/* Locks the user header row and reads the domain's atoms. The array has room for one new atom per
 * value. */
static enum err
begin_change(struct db_tx *tx, struct writing *writing)
{
    const struct preference_write *params = writing->params;
    struct atom_merge *merge = &writing->merge;
    struct sourced_atom *found = NULL;
    *merge = (struct atom_merge){ .mem = writing->mem,
                                  .domain = params->domain,
                                  .source = params->source,
                                  .now = params->now,
                                  .new_id = new_atom_id,
                                  .view = view_whole(params->user_id) };
    writing->full = NULL;
    writing->had_record = false;
    prefetch(tx, writing);
    enum err err = record_store_lock_sets(tx, writing->mem, params->user_id, &merge->sequence,
                                          &writing->hint_sets);
    if (!err)
        err = atom_store_read_row(tx, writing->mem, params->user_id, params->domain->name,
                                  params->source, &found, &merge->count, &writing->row_key);
    if (err)
        return err;
    merge->atoms =
        ARENA_ARRAY(writing->mem, struct sourced_atom, merge->count + writing->items.count + 1);
    for (size_t i = 0; i < merge->count; i++) {
        merge->atoms[i] = found[i];
        writing->had_record = writing->had_record || found[i].atom.status == ATOM_ACTIVE;
    }
    return ERR_NONE;
}

/* The given properties of an object, and the others as they are stored. */
static const struct json_value *
add_properties(struct arena *mem, const struct json_value *given, const struct json_value *stored)
{
    struct buf buf = buf_in(mem, DOCUMENT_MAX);
    struct json json = json_into(&buf);
    const struct json_value *whole = given;
    json_open_object(&json);
    for (size_t i = 0; stored != NULL && i < stored->count; i++) {
        const struct json_value *child = &stored->children[i];
        if (json_member(given, str_c(mem, child->key)) == NULL) {
            json_key_str(&json, child->key);
            json_tree_write(&json, child);
        }
    }
    for (size_t i = 0; i < given->count; i++) {
        json_key_str(&json, given->children[i].key);
        json_tree_write(&json, &given->children[i]);
    }
    json_close_object(&json);
    json_read(mem, buf_str(&buf), DEPTH_MAX, &whole, NULL);
    return whole;
}

/* An object is one value, which a write replaces. The stored object is read inside the transaction,
 * so that of two writes at once neither loses the property of the other. */
static enum err
keep_properties(struct db_tx *tx, struct writing *writing)
{
    struct arena *mem = writing->mem;
    const struct preference_write *params = writing->params;
    struct record record = { 0 };
    const struct json_value *stored = NULL;
    enum err err = preferences_read_within(tx, mem, &writing->merge.view, params->domain, &record);
    if (!err)
        err = json_read(mem, record.json, DEPTH_MAX, &stored, NULL);
    for (size_t i = 0; i < writing->items.count && !err; i++) {
        struct preference_item *item = &writing->items.list[i];
        const char *name = str_c(mem, item->member->name);
        if (item->member->type != MEMBER_OBJECT)
            continue;
        const struct json_value *whole =
            add_properties(mem, json_member(params->preferences, name), json_member(stored, name));
        if (value_read(mem, item->member, whole, &item->value) != NULL)
            err = ERR_INTERNAL; /* both were valid */
        item->value.key = preference_key(mem, item->value.key);
    }
    return err;
}

/* May run more than once: it resets everything that it changes. */
static enum err
write_all(struct db_tx *tx, void *argument)
{
    struct writing *writing = argument;
    const struct preference_write *params = writing->params;
    struct undo_state before = { 0 };
    enum err err = begin_change(tx, writing);
    if (!err && params->undo != NULL)
        err = undo_begin(tx, writing->mem, params->user_id, params->domain->name, &before);
    if (!err && params->as_granted)
        err = read_mode(tx, writing);
    if (!err && params->keeps_properties)
        err = keep_properties(tx, writing);
    if (!err)
        err = merge_items(writing);
    if (!err)
        err = save_all(tx, writing);
    if (!err)
        err = record_write(tx, writing);
    if (!err && writing->merge.changed && params->undo != NULL)
        err = undo_save(tx, writing->mem, &before, params->now, params->undo);
    return err;
}

/* Validates the whole document before the transaction: one invalid value refuses all of it. */
static bool
begin(struct writing *writing, struct preference_problems *problems)
{
    const struct preference_write *params = writing->params;
    if (params->undo != NULL)
        *params->undo = STR_NONE;
    return preference_items_read(writing->mem, params->domain, params->preferences, &writing->items,
                                 problems);
}

/* Values are parsed and checked before the transaction begins. Writes of one user share a commit
 * with others. */
enum err
preferences_write(struct db *db, struct arena *mem, const struct preference_write *params,
                  struct preference_counts *out, struct record *record,
                  struct preference_problems *problems)
{
    struct writing writing = { .mem = mem, .params = params, .record = record };
    if (!begin(&writing, problems))
        return ERR_INVALID;
    enum err err = tx_write_shared(db, params->user_id, write_all, &writing);
    *out = writing.merge.counts;
    if (err == ERR_INVALID && writing.full != NULL)
        preference_problem_add(mem, problems, STR("preferences"), writing.full);
    return err;
}

/* For callers with a transaction of their own, such as an undo. */
enum err
preferences_write_within(struct db_tx *tx, struct arena *mem, const struct preference_write *params,
                         struct preference_counts *out, struct record *record,
                         struct preference_problems *problems)
{
    struct writing writing = { .mem = mem, .params = params, .record = record };
    enum err err = begin(&writing, problems) ? write_all(tx, &writing) : ERR_INVALID;
    *out = writing.merge.counts;
    return err;
}
