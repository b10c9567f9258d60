#include "flow/undo.h"

#include "base/arena.h"
#include "base/buf.h"
#include "flow/preferences.h"
#include "flow/undo_note.h"
#include "store/tx.h"
#include "store/undo_store.h"
#include "text/json_read.h"
#include "text/json_write.h"

#define CLEAN_STEP 500
#define DOCUMENT_MAX ((size_t)64 * 1024)

/* What an app wrote since the action, to be merged into what came back. */
struct said {
    const struct member *member;
    struct str value;
    struct str source;
    int64_t at;
};

struct work {
    struct arena *mem;
    const struct undo_wish *wish;
    struct undone *out;

    const struct domain *domain;
    struct undo_change *changes;
    size_t change_count;
    struct undo_scene now;      /* as it is found */
    struct sourced_atom *atoms; /* as it is to be */
    size_t count;
    struct said *said;
    size_t said_count;
    size_t gone, back; /* facts that were taken away, and put back */
    bool shown;        /* anything that the record shows */
};

/* ---- what apps did meanwhile ---- */

static const struct sourced_atom *
find_now(const struct work *work, const struct undo_change *change)
{
    const struct atom *one =
        str_present(change->before.atom.id) ? &change->before.atom : &change->after.atom;
    for (size_t i = 0; i < work->now.count; i++)
        if (str_eq(work->now.atoms[i].atom.key, one->key) &&
            str_eq(work->now.atoms[i].atom.member, one->member))
            return &work->now.atoms[i];
    return NULL;
}

static bool
is_new(const struct atom_source *source, const struct sourced_atom *after)
{
    for (size_t i = 0; i < after->source_count; i++)
        if (str_eq(after->sources[i].source, source->source))
            return source->updated_at > after->sources[i].updated_at;
    return true;
}

/* In the order in which it was said. */
static void
remember(struct work *work, const struct sourced_atom *now, const struct sourced_atom *after)
{
    const struct member *member = domain_member(work->domain, now->atom.member);
    for (size_t i = 0; i < now->source_count; i++) {
        const struct atom_source *source = &now->sources[i];
        if (member == NULL || str_eq(source->source, SOURCE_USER) || !is_new(source, after))
            continue;
        size_t at = work->said_count++;
        for (; at > 0 && work->said[at - 1].at > source->updated_at; at--)
            work->said[at] = work->said[at - 1];
        work->said[at] =
            (struct said){ member, now->atom.value, source->source, source->updated_at };
    }
}

static enum err
say_again(struct db_tx *tx, struct work *work, const struct said *said)
{
    struct buf text = buf_in(work->mem, DOCUMENT_MAX);
    struct json json = json_into(&text);
    struct preference_counts counts;
    struct preference_problems problems;
    struct record record;
    struct preference_write wish = { .user_id = work->wish->user_id,
                                     .domain = work->domain,
                                     .source = said->source,
                                     .now = said->at };
    json_open_object(&json);
    json_key_str(&json, said->member->name);
    if (said->member->type == MEMBER_ARRAY)
        json_open_array(&json);
    json_ready(&json, said->value);
    if (said->member->type == MEMBER_ARRAY)
        json_close_array(&json);
    json_close_object(&json);
    enum err err = json_read(work->mem, buf_str(&text), 6, &wish.preferences, NULL);
    return err ? ERR_INTERNAL
               : preferences_write_within(tx, work->mem, &wish, &counts, &record, &problems);
}

/* ---- taking away and putting back ---- */

static void
take_away(struct work *work, const struct sourced_atom *now, const struct sourced_atom *after)
{
    size_t at = 0;
    remember(work, now, after);
    work->gone++;
    work->shown = work->shown || now->atom.status == ATOM_ACTIVE;
    while (at < work->count && !str_eq(work->atoms[at].atom.id, now->atom.id))
        at++;
    if (at < work->count)
        work->atoms[at] = work->atoms[--work->count]; /* order is found again by the sequence */
}

/* A single-valued member has one value: what an app gave it meanwhile makes room. */
static void
make_room(struct work *work, const struct atom *back)
{
    const struct member *member = domain_member(work->domain, back->member);
    if (member == NULL || member->type == MEMBER_ARRAY || back->status != ATOM_ACTIVE)
        return;
    for (size_t i = 0; i < work->now.count; i++) {
        const struct sourced_atom *now = &work->now.atoms[i];
        bool noted = now->atom.status != ATOM_ACTIVE || !str_eq(now->atom.member, back->member);
        for (size_t c = 0; c < work->change_count && !noted; c++)
            noted = find_now(work, &work->changes[c]) == now;
        if (!noted)
            take_away(work, now, &(struct sourced_atom){ 0 });
    }
}

static void
put_back(struct work *work, const struct sourced_atom *before)
{
    make_room(work, &before->atom);
    work->back++;
    work->shown = work->shown || before->atom.status == ATOM_ACTIVE;
    work->atoms[work->count++] = *before;
}

/* Somebody said meanwhile that it is wrong. */
static bool
is_buried(const struct undo_change *change, const struct sourced_atom *now)
{
    bool was = str_present(change->before.atom.id) && change->before.atom.status == ATOM_SUPPRESSED;
    bool became =
        str_present(change->after.atom.id) && change->after.atom.status == ATOM_SUPPRESSED;
    return now != NULL && now->atom.status == ATOM_SUPPRESSED && !was && !became;
}

static enum err
restore(struct db_tx *tx, struct work *work)
{
    bool *buried = ARENA_ARRAY(work->mem, bool, work->change_count);
    work->atoms = ARENA_ARRAY(work->mem, struct sourced_atom, work->now.count + work->change_count);
    work->count = work->now.count;
    for (size_t i = 0; i < work->count; i++)
        work->atoms[i] = work->now.atoms[i];
    for (size_t i = 0; i < work->change_count; i++) {
        const struct sourced_atom *now = find_now(work, &work->changes[i]);
        buried[i] = is_buried(&work->changes[i], now);
        if (now != NULL && !buried[i])
            take_away(work, now, &work->changes[i].after);
    }
    for (size_t i = 0; i < work->change_count; i++)
        if (!buried[i] && str_present(work->changes[i].before.atom.id))
            put_back(work, &work->changes[i].before);
    if (work->count > ATOMS_PER_DOMAIN_MAX && work->back > work->gone)
        return ERR_NOT_FOUND;
    return atom_store_save(tx, work->mem, work->wish->user_id, work->domain->name, work->atoms,
                           work->count);
}

/* ---- the whole of it ---- */

static enum err
find(struct db_tx *tx, struct work *work)
{
    const struct undo_wish *wish = work->wish;
    struct undo_row row;
    enum err err = undo_store_take(tx, work->mem, wish->user_id, wish->undo_id, wish->now, &row);
    if (err)
        return err;
    work->domain = domains_find(wish->domains, row.domain);
    if (work->domain == NULL)
        return ERR_NOT_FOUND;
    err = undo_read(work->mem, row.domain, row.changes, &work->changes, &work->change_count);
    if (!err)
        err = undo_look(tx, work->mem, wish->user_id, row.domain, &work->now);
    if (err || work->change_count == 0)
        return err ? err : ERR_INTERNAL;
    size_t most = 0;
    for (size_t i = 0; i < work->now.count; i++)
        most += work->now.atoms[i].source_count;
    work->said = ARENA_ARRAY(work->mem, struct said, most);
    const struct undo_change *first = &work->changes[0];
    work->out->domain = row.domain;
    work->out->member =
        str_present(first->before.atom.id) ? first->before.atom.member : first->after.atom.member;
    return ERR_NONE;
}

static enum err
put_record(struct db_tx *tx, struct work *work)
{
    struct sourced_atom *atoms = NULL;
    size_t count = 0;
    enum err err = atom_store_read(tx, work->mem, work->wish->user_id, work->domain->name, STR_NONE,
                                   &atoms, &count);
    return err ? err
               : preferences_put_record(tx, work->mem, work->wish->user_id, work->domain, atoms,
                                        count, work->wish->now);
}

static enum err
run(struct db_tx *tx, void *argument)
{
    struct work *work = argument;
    int64_t sequence = 0;
    work->said_count = work->gone = work->back = 0;
    work->shown = false;
    enum err err = atom_store_hold(tx, work->mem, work->wish->user_id, &sequence);
    if (!err)
        err = find(tx, work);
    if (!err)
        err = restore(tx, work);
    if (!err)
        err = atom_store_release(tx, work->mem, work->wish->user_id, sequence);
    for (size_t i = 0; i < work->said_count && !err; i++)
        err = say_again(tx, work, &work->said[i]);
    if (err == ERR_INVALID) /* there is no room for both */
        return ERR_NOT_FOUND;
    return err || !work->shown ? err : put_record(tx, work);
}

enum err
undo_run(struct db *db, struct arena *mem, const struct undo_wish *wish, struct undone *out)
{
    struct work work = { .mem = mem, .wish = wish, .out = out };
    *out = (struct undone){ 0 };
    if (!str_present(wish->undo_id) || str_index(wish->undo_id, '\0') < wish->undo_id.len)
        return ERR_NOT_FOUND; /* a store must not see a NUL */
    return tx_write(db, run, &work);
}

/* ---- what is too old ---- */

struct cleaning {
    struct arena *mem;
    int64_t now;
    size_t removed;
};

static enum err
clean(struct db_tx *tx, void *argument)
{
    struct cleaning *cleaning = argument;
    return undo_store_clean(tx, cleaning->mem, cleaning->now, CLEAN_STEP, &cleaning->removed);
}

enum err
undo_clean(struct db *db, struct arena *mem, int64_t now, bool *more)
{
    struct cleaning cleaning = { .mem = mem, .now = now };
    enum err err = tx_write(db, clean, &cleaning);
    *more = !err && cleaning.removed >= CLEAN_STEP;
    return err;
}
