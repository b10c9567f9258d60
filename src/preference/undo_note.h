/* undo_note.h - records what a user's change does, so that undo.h can revert it.
 *
 * For flows that change atoms for a user: call undo_begin() before the change and undo_save() after
 * it, both inside the transaction of the change. Results are allocated from `mem`. Call from the
 * thread that runs the transaction. */
#ifndef PREFERENCE_UNDO_NOTE_H
#define PREFERENCE_UNDO_NOTE_H

#include "base/err.h"
#include "store/atom_store.h"

struct arena;
struct db_tx;

#define UNDO_SECONDS 600 /* how long a change can be undone */

/* All atoms of one domain before a change. */
struct undo_state {
    struct str user_id;
    struct str domain;
    struct sourced_atom *atoms; /* in the order of their sequence */
    size_t count;
};

enum err undo_begin(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                    struct undo_state *before);

/* Stores the difference between `before` and now, replacing the user's previous record. *id is for
 * undo_run(); absent if nothing changed. */
enum err undo_save(struct db_tx *tx, struct arena *mem, const struct undo_state *before,
                   int64_t now, struct str *id);

#endif
