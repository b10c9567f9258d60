/* undo_note.c - an undo note has the atoms that a change touched, before and after it, and nothing
 * else: so a user with thousands of facts has a small note. */
#include "preference/undo_note.h"

#include "crypt/random.h"
#include "model/atom_list.h"
#include "store/undo_store.h"

/* Call before the change, in its transaction. */
enum err
undo_begin(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
           struct undo_state *before)
{
    *before = (struct undo_state){ .user_id = user_id, .domain = domain };
    return atom_store_read(tx, mem, user_id, domain, STR_NONE, &before->atoms, &before->count);
}

/* Everything that an undo restores; not the id, since atoms are compared by sequence. */
static bool
is_same(const struct sourced_atom *a, const struct sourced_atom *b)
{
    bool same =
        a->atom.status == b->atom.status && a->atom.by_user == b->atom.by_user &&
        a->atom.suppressed_at == b->atom.suppressed_at &&
        a->atom.created_at == b->atom.created_at && a->atom.updated_at == b->atom.updated_at &&
        str_eq(a->atom.value, b->atom.value) && str_eq(a->atom.wording, b->atom.wording) &&
        str_eq(a->atom.reason, b->atom.reason) &&
        str_eq(a->atom.suppressed_by, b->atom.suppressed_by) && a->source_count == b->source_count;
    for (size_t i = 0; same && i < a->source_count; i++)
        same = str_eq(a->sources[i].source, b->sources[i].source) &&
               a->sources[i].created_at == b->sources[i].created_at &&
               a->sources[i].updated_at == b->sources[i].updated_at;
    return same;
}

/* Removes from both lists the atoms that are equal. Both are sorted by sequence, which never
 * changes. */
static void
leave_changes(struct undo_state *before, struct undo_state *after)
{
    struct sourced_atom *was = before->atoms, *was_end = was + before->count;
    struct sourced_atom *is = after->atoms, *is_end = is + after->count;
    before->count = after->count = 0;
    while (was < was_end || is < is_end) {
        bool only_was = is == is_end || (was < was_end && was->atom.sequence < is->atom.sequence);
        bool only_is = was == was_end || (is < is_end && is->atom.sequence < was->atom.sequence);
        bool same = !only_was && !only_is && is_same(was, is);
        if (!only_is && !same)
            before->atoms[before->count++] = *was;
        if (!only_was && !same)
            after->atoms[after->count++] = *is;
        was += !only_is;
        is += !only_was;
    }
}

/* A change that leaves the atoms as they were also ends the previous undo: it would restore a state
 * before another action. */
enum err
undo_save(struct db_tx *tx, struct arena *mem, const struct undo_state *before, int64_t now,
          struct str *id)
{
    struct undo_state was = *before, is;
    *id = STR_NONE;
    enum err err = undo_begin(tx, mem, before->user_id, before->domain, &is);
    if (err)
        return err;
    leave_changes(&was, &is);
    if (was.count + is.count == 0)
        return undo_store_end(tx, mem, before->user_id);
    struct undo_row row = { .id = random_id(mem, "und_"),
                            .domain = before->domain,
                            .before = atom_list_write(mem, was.atoms, was.count),
                            .after = atom_list_write(mem, is.atoms, is.count),
                            .expires_at = now + UNDO_SECONDS };
    if (!str_present(row.before) || !str_present(row.after))
        return ERR_INTERNAL;
    *id = row.id;
    return undo_store_put(tx, mem, before->user_id, &row);
}
