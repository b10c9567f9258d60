#include "flow/preferences.h"

#include "base/arena.h"
#include "crypt/digest.h"
#include "crypt/random.h"
#include "domain/value.h"
#include "flow/undo_note.h"
#include "hint/hint.h"
#include "store/activity_store.h"
#include "store/app_store.h"
#include "store/grant_store.h"
#include "store/tx.h"
#include "text/json_read.h"

#define KEY_MAX_BYTES 400    /* longer keys are hashed: an index entry is limited in size */
#define SPLIT_ITEMS_MAX 1000 /* items that lists within single texts may add to a write */
#define DAY ((int64_t)24 * 3600)

/* One valid value of the request. */
struct item {
    const struct member *member;
    struct value value;
};

struct merge {
    struct arena *mem;
    const struct preference_write *params;
    struct item *items;
    size_t item_count, item_capacity, item_limit;
    struct sourced_atom *atoms; /* of the domain, oldest first; new ones are appended */
    size_t count;
    int64_t sequence;
    struct str hint_sets; /* of all domains, as stored */
    bool changed;         /* the atoms must be saved */
    bool record_changed;  /* the record must be rebuilt; held atoms do not even change its time */
    const char *full;     /* the limit that it would exceed; NULL: none */
    int64_t row_key;      /* of the atoms; 0: not stored yet */
    bool had_record;      /* there were active atoms */
    struct view view;     /* what the writer sees */
    bool limited;         /* it does not see everything in the domain */
    bool waits;           /* new values are held */
    size_t room;          /* then: how many more may wait */
    struct preference_counts *counts;
    struct record *record;
};

/* ---- validating ---- */

static void
add_problem(struct arena *mem, struct preference_problems *problems, struct str at,
            const char *problem)
{
    if (problems->count < PREFERENCE_PROBLEMS_MAX)
        problems->list[problems->count++] =
            (struct preference_problem){ str_copy(mem, at), str_of(problem) };
}

struct str
preferences_key(struct arena *mem, struct str key)
{
    return key.len <= KEY_MAX_BYTES ? key : str_format(mem, "#%s", digest_text(mem, key).ptr);
}

/* Nearly all writes have few items, so room for the most that is allowed is not reserved. */
static void
reserve_items(struct merge *merge, size_t count)
{
    if (count <= merge->item_capacity)
        return;
    size_t capacity = count > 2 * merge->item_capacity ? count : 2 * merge->item_capacity;
    struct item *items = ARENA_ARRAY(merge->mem, struct item, capacity);
    for (size_t i = 0; i < merge->item_count; i++)
        items[i] = merge->items[i];
    merge->items = items;
    merge->item_capacity = capacity;
}

static void
check_item(struct merge *merge, const struct member *member, const struct json_value *given,
           struct str at, struct preference_problems *problems)
{
    struct value *values = NULL;
    size_t count = 0;
    const char *problem = value_read_list(merge->mem, member, given, &values, &count);
    if (problem == NULL && merge->item_count + count > merge->item_limit)
        problem = "has too many values; send them in several writes";
    if (problem != NULL) {
        add_problem(merge->mem, problems, at, problem);
        return;
    }
    reserve_items(merge, merge->item_count + count);
    for (size_t i = 0; i < count; i++) {
        struct item *item = &merge->items[merge->item_count++];
        *item = (struct item){ member, values[i] };
        item->value.key = preferences_key(merge->mem, item->value.key);
    }
}

static void
check_member(struct merge *merge, const struct json_value *given,
             struct preference_problems *problems)
{
    struct arena *mem = merge->mem;
    const struct member *member = domain_member(merge->params->domain, given->key);
    struct str at = str_format(mem, "preferences.%.*s", STR_ARG(str_first(given->key, 64)));
    if (member == NULL) {
        add_problem(mem, problems, at, "is not a member of this domain; see its schema");
    } else if (member->type != MEMBER_ARRAY) {
        check_item(merge, member, given, at, problems);
    } else if (given->type != JSON_ARRAY) {
        add_problem(mem, problems, at, "must be an array of strings");
    } else if (given->count > ITEMS_PER_WRITE_MAX) {
        add_problem(mem, problems, at, "has more than 100 items; send them in several writes");
    } else {
        for (size_t i = 0; i < given->count; i++)
            check_item(merge, member, &given->children[i],
                       str_format(mem, "%.*s[%zu]", STR_ARG(at), i), problems);
    }
}

static enum err
check_items(struct merge *merge, struct preference_problems *problems)
{
    const struct json_value *given = merge->params->preferences;
    if (given == NULL || given->type != JSON_OBJECT) {
        add_problem(merge->mem, problems, STR("preferences"),
                    "must be an object with members of the domain");
        return ERR_INVALID;
    }
    size_t most = 0;
    for (size_t i = 0; i < given->count; i++)
        most += given->children[i].type == JSON_ARRAY ? given->children[i].count : 1;
    merge->item_limit = most + SPLIT_ITEMS_MAX;
    reserve_items(merge, most);
    for (size_t i = 0; i < given->count; i++)
        check_member(merge, &given->children[i], problems);
    return problems->count == 0 ? ERR_NONE : ERR_INVALID;
}

/* ---- merging ---- */

static struct sourced_atom *
find_atom(struct merge *merge, const struct item *item)
{
    for (size_t i = 0; i < merge->count; i++)
        if (str_eq(merge->atoms[i].atom.key, item->value.key) &&
            str_eq(merge->atoms[i].atom.member, item->member->name))
            return &merge->atoms[i];
    return NULL;
}

/* The current value of a single-valued member; NULL: none. */
static struct sourced_atom *
find_current(struct merge *merge, const struct member *member)
{
    for (size_t i = 0; member->type != MEMBER_ARRAY && i < merge->count; i++)
        if (merge->atoms[i].atom.status == ATOM_ACTIVE &&
            str_eq(merge->atoms[i].atom.member, member->name))
            return &merge->atoms[i];
    return NULL;
}

static bool
from_user(const struct merge *merge)
{
    return str_eq(merge->params->source, SOURCE_USER);
}

/* Adds the writer to the atom's sources. */
static void
add_source(struct merge *merge, struct sourced_atom *atom)
{
    struct atom_source source = { .source = merge->params->source,
                                  .created_at = merge->params->now,
                                  .updated_at = merge->params->now };
    atom_add_source(merge->mem, atom, source);
    atom->atom.by_caller = merge->changed = true;
}

/* One more value of the app waits. False: too many do. */
static bool
may_wait(struct merge *merge)
{
    if (!merge->waits || merge->room-- > 0)
        return true;
    merge->full = "would exceed the limit of 100 changes by this app that wait for the user's "
                  "confirmation; the user must decide on some first";
    return false;
}

/* Whether an app's value waits for the user, also because the app has stated enough critical facts:
 * they come before everything else and would leave no room for what the user stated. */
static bool
exceeds_authority(struct merge *merge, const struct item *item)
{
    int critical = 0;
    for (size_t i = 0; item->member->safety == SAFETY_CRITICAL && i < merge->count; i++) {
        const struct atom *atom = &merge->atoms[i].atom;
        const struct member *member = domain_member(merge->params->domain, atom->member);
        critical += atom->by_caller && !atom->by_user && atom->status == ATOM_ACTIVE &&
                    member != NULL && member->safety == SAFETY_CRITICAL;
    }
    return critical >= CRITICAL_PER_APP_MAX ||
           value_needs_user(merge->mem, item->member, &item->value);
}

static bool
is_withheld(const struct merge *merge, const struct item *item)
{
    return merge->limited && view_withholds(&merge->view, merge->params->domain->name,
                                            item->member->name, item->value.key);
}

/* An app does not replace what the user stated, nor what it does not see. */
static bool
may_replace(const struct merge *merge, const struct sourced_atom *current)
{
    return from_user(merge) || current == NULL ||
           (!current->atom.by_user && view_shows(&merge->view, &current->atom));
}

static enum err
add_atom(struct merge *merge, const struct item *item)
{
    const struct preference_write *params = merge->params;
    struct sourced_atom *current = find_current(merge, item->member);
    bool withheld = is_withheld(merge, item);
    bool held = merge->waits || withheld || !may_replace(merge, current) ||
                (!from_user(merge) && exceeds_authority(merge, item));
    if (merge->count >= ATOMS_PER_DOMAIN_MAX && (current == NULL || held)) {
        merge->full = "would exceed the limit of 2,000 facts in this domain, including suppressed "
                      "ones; the user must delete some first";
        return ERR_INVALID;
    }
    if (!may_wait(merge))
        return ERR_INVALID;
    if (current != NULL && !held)
        *current = merge->atoms[--merge->count]; /* make_record() sorts by sequence again */
    struct sourced_atom *added = &merge->atoms[merge->count++];
    *added = (struct sourced_atom){ .atom = {
                                        .id = random_id(merge->mem, "atm_"),
                                        .domain = params->domain->name,
                                        .member = item->member->name,
                                        .key = item->value.key,
                                        .value = item->value.json,
                                        .wording = item->value.wording,
                                        .status = held ? ATOM_HELD : ATOM_ACTIVE,
                                        .by_user = from_user(merge),
                                        .sequence = ++merge->sequence,
                                        .created_at = params->now,
                                        .updated_at = params->now,
                                    } };
    add_source(merge, added);
    merge->record_changed = merge->record_changed || !held;
    if (held)
        merge->counts->held += !withheld; /* else counted by merge_item() */
    else if (current != NULL)
        merge->counts->updated++;
    else
        merge->counts->added++;
    return ERR_NONE;
}

/* Makes a held, suppressed, or app-written atom the user's own active one. */
static void
confirm_atom(struct merge *merge, const struct item *item, struct sourced_atom *atom)
{
    struct sourced_atom *current = find_current(merge, item->member);
    if (current != NULL && current != atom) {
        *current = merge->atoms[--merge->count];
        atom = find_atom(merge, item);
    }
    atom->atom.status = ATOM_ACTIVE;
    atom->atom.by_user = true;
    atom->atom.reason = atom->atom.suppressed_by = STR_NONE;
    atom->atom.suppressed_at = 0;
    atom->atom.updated_at = merge->params->now;
    merge->record_changed = true;
    merge->counts->updated++;
    add_source(merge, atom);
}

static void
repeat_atom(struct merge *merge, struct sourced_atom *atom)
{
    bool same_day = atom->atom.updated_at / DAY == merge->params->now / DAY;
    if ((atom->atom.by_caller && same_day) || merge->waits) {
        merge->counts->unchanged++;
        return;
    }
    if (!same_day)
        atom->atom.updated_at = merge->params->now;
    merge->record_changed = true;
    merge->counts->updated++;
    add_source(merge, atom);
}

/* Another app that writes a held atom becomes a source and so can see its status. */
static enum err
repeat_held(struct merge *merge, struct sourced_atom *atom)
{
    merge->counts->held++;
    if (atom->atom.by_caller)
        return ERR_NONE;
    if (!may_wait(merge))
        return ERR_INVALID;
    add_source(merge, atom);
    return ERR_NONE;
}

static enum err
merge_item(struct merge *merge, const struct item *item)
{
    struct sourced_atom *atom = find_atom(merge, item);
    if (is_withheld(merge, item)) {
        /* The same result whether or not the fact exists, and in whatever state. */
        merge->counts->held++;
        return atom == NULL ? add_atom(merge, item) : ERR_NONE;
    }
    if (atom == NULL)
        return add_atom(merge, item);
    if (from_user(merge) && (atom_review(&atom->atom) != REVIEW_NONE ||
                             atom->atom.status != ATOM_ACTIVE || !atom->atom.by_user))
        confirm_atom(merge, item, atom);
    else if (atom->atom.status == ATOM_HELD)
        return repeat_held(merge, atom);
    else if (atom->atom.status == ATOM_ACTIVE)
        repeat_atom(merge, atom);
    else
        merge->counts->suppressed++; /* stays suppressed in every spelling */
    return ERR_NONE;
}

/* An id that is the same for every write of this value, and not that of an atom. */
static struct str
withheld_id(struct merge *merge, const struct item *item)
{
    struct str text = str_format(merge->mem, "%.*s\t%.*s\t%.*s\t%.*s",
                                 STR_ARG(merge->params->user_id), STR_ARG(merge->params->source),
                                 STR_ARG(item->member->name), STR_ARG(item->value.key));
    char digest[DIGEST_SHORT_LENGTH];
    digest_short(text, digest);
    return str_format(merge->mem, "atm_%.*s", DIGEST_SHORT_LENGTH, digest);
}

static struct preference_outcome
outcome_of(struct merge *merge, const struct item *item, bool known)
{
    if (is_withheld(merge, item))
        return (struct preference_outcome){ OUTCOME_WAITING, withheld_id(merge, item) };
    const struct atom *atom = &find_atom(merge, item)->atom;
    struct preference_outcome outcome = { OUTCOME_STORED, atom->id };
    if (atom->status == ATOM_HELD)
        outcome.status = OUTCOME_WAITING;
    else if (atom->status == ATOM_SUPPRESSED)
        outcome.status = OUTCOME_REFUSED;
    else if (known)
        outcome.status = OUTCOME_KNOWN;
    return outcome;
}

/* `before`: the domain's hint set before a write that changed these members; absent: not known. */
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

static const bool *
changed_members(const struct merge *merge)
{
    const struct domain *domain = merge->params->domain;
    bool *changed = ARENA_ARRAY(merge->mem, bool, domain->member_count);
    for (size_t i = 0; i < merge->item_count; i++)
        changed[merge->items[i].member - domain->members] = true;
    return changed;
}

/* Writes the atoms and the record if they changed, and ends the change. */
static enum err
save_all(struct db_tx *tx, struct merge *merge)
{
    const struct preference_write *params = merge->params;
    enum err err = ERR_NONE;
    if (merge->changed)
        err = atom_store_check_room(tx, merge->mem, params->user_id, params->domain->name,
                                    merge->atoms, merge->count);
    if (merge->changed && !err)
        err = atom_store_save(tx, merge->mem, params->user_id, params->domain->name, merge->atoms,
                              merge->count, merge->row_key);
    if (err) {
        merge->full = "would exceed the limit of 6 MiB of facts about this user, or of 10,000 "
                      "sources in this domain; the user must delete some first";
        return err;
    }
    if (merge->record_changed) {
        make_record(tx, merge->mem, params->domain, merge->atoms, merge->count, params->now,
                    record_store_find_set(merge->hint_sets, params->domain->name),
                    changed_members(merge), merge->record);
        err = record_store_put_release(tx, merge->mem, params->user_id, merge->record,
                                       merge->had_record, merge->sequence, merge->hint_sets);
    } else if (merge->changed) {
        err = atom_store_release(tx, merge->mem, params->user_id, merge->sequence);
    }
    if (err || (merge->record_changed && !merge->limited))
        return err;
    return preferences_read_within(tx, merge->mem, &merge->view, params->domain, merge->record);
}

static enum err
merge_items(struct db_tx *tx, struct merge *merge)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < merge->item_count && !err; i++) {
        bool known = merge->params->outcomes != NULL && find_atom(merge, &merge->items[i]) != NULL;
        err = merge_item(merge, &merge->items[i]);
        if (!err && merge->params->outcomes != NULL)
            merge->params->outcomes[i] = outcome_of(merge, &merge->items[i], known);
    }
    return err ? err : save_all(tx, merge);
}

/* What the app sees, whether new values wait, and how many more may. */
static enum err
read_mode(struct db_tx *tx, struct merge *merge)
{
    const struct preference_write *params = merge->params;
    size_t count = 0;
    struct domains *written = ARENA_NEW(merge->mem, struct domains);
    *written = (struct domains){ .list = params->domain, .count = 1 };
    enum err err = grant_store_view(tx, merge->mem, params->user_id, params->source, written,
                                    params->now, &merge->view, &merge->waits);
    merge->limited = view_limits(&merge->view, params->domain->name);
    if (!err && merge->waits)
        err = atom_store_count_waiting(tx, merge->mem, params->user_id, params->source, &count);
    merge->room = count < WAITING_PER_APP_MAX ? WAITING_PER_APP_MAX - count : 0;
    return err;
}

/* What an app writes is recorded even if it changes nothing. */
static enum err
record_write(struct db_tx *tx, const struct merge *merge)
{
    const struct preference_write *params = merge->params;
    const struct preference_counts *counts = merge->counts;
    struct activity_event event = { .user_id = params->user_id,
                                    .app_id = params->source,
                                    .action = ACTIVITY_WRITE,
                                    .subject = params->domain->name,
                                    .facts = counts->added + counts->updated + counts->held,
                                    .now = params->now };
    return from_user(merge) ? ERR_NONE : activity_store_event(tx, merge->mem, &event);
}

static enum err
merge_all(struct db_tx *tx, void *argument)
{
    struct merge *merge = argument;
    const struct preference_write *params = merge->params;
    struct sourced_atom *found = NULL;
    struct undo_state before = { 0 };
    *merge->counts = (struct preference_counts){ 0 };
    merge->changed = merge->record_changed = merge->limited = false;
    merge->full = NULL;
    merge->view = view_whole(params->user_id);
    atom_store_prefetch(tx, merge->mem, params->user_id, params->domain->name);
    if (params->as_granted)
        grant_store_prefetch(tx, merge->mem, params->user_id, params->source, params->now);
    if (!from_user(merge))
        app_store_prefetch_name(tx, merge->mem, params->source);
    enum err err =
        atom_store_hold_sets(tx, merge->mem, params->user_id, &merge->sequence, &merge->hint_sets);
    if (!err)
        err = atom_store_read_row(tx, merge->mem, params->user_id, params->domain->name,
                                  params->source, &found, &merge->count, &merge->row_key);
    if (!err && params->undo != NULL)
        err = undo_begin(tx, merge->mem, params->user_id, params->domain->name, &before);
    if (!err && params->as_granted)
        err = read_mode(tx, merge);
    if (err)
        return err;
    merge->atoms =
        ARENA_ARRAY(merge->mem, struct sourced_atom, merge->count + merge->item_count + 1);
    merge->had_record = false;
    for (size_t i = 0; i < merge->count; i++) {
        merge->atoms[i] = found[i];
        merge->had_record = merge->had_record || found[i].atom.status == ATOM_ACTIVE;
    }
    err = merge_items(tx, merge);
    if (!err)
        err = record_write(tx, merge);
    if (!err && merge->changed && params->undo != NULL)
        err = undo_save(tx, merge->mem, &before, params->now, params->undo);
    return err;
}

static enum err
begin(struct merge *merge, struct preference_problems *problems)
{
    problems->count = 0;
    if (merge->params->undo != NULL)
        *merge->params->undo = STR_NONE;
    return check_items(merge, problems);
}

enum err
preferences_write(struct db *db, struct arena *mem, const struct preference_write *params,
                  struct preference_counts *out, struct record *record,
                  struct preference_problems *problems)
{
    struct merge merge = { .mem = mem, .params = params, .counts = out, .record = record };
    enum err err = begin(&merge, problems);
    if (err)
        return err;
    err = tx_write_shared(db, params->user_id, merge_all, &merge);
    if (err == ERR_INVALID && merge.full != NULL)
        add_problem(mem, problems, STR("preferences"), merge.full);
    return err;
}

enum err
preferences_write_within(struct db_tx *tx, struct arena *mem, const struct preference_write *params,
                         struct preference_counts *out, struct record *record,
                         struct preference_problems *problems)
{
    struct merge merge = { .mem = mem, .params = params, .counts = out, .record = record };
    enum err err = begin(&merge, problems);
    return err ? err : merge_all(tx, &merge);
}
