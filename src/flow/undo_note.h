/* undo_note.h - what a person's action changes, noted while it happens, so that undo.h can take it
 * back. For flows that change facts in a person's name: look before, keep afterwards, both inside
 * the transaction of the change. */
#ifndef FLOW_UNDO_NOTE_H
#define FLOW_UNDO_NOTE_H

#include "base/err.h"
#include "store/atom_store.h"

struct arena;
struct db_tx;

#define UNDO_SECONDS 600 /* an action can be undone for so long */

/* All facts of one domain at one moment. */
struct undo_scene {
    struct str user_id;
    struct str domain;
    struct sourced_atom *atoms; /* in the order of their sequence */
    size_t count;
};

enum err undo_look(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                   struct undo_scene *before);

/* Notes how the domain differs from what it was, in the place of what was noted before. *id names
 * the note; absent if nothing differs. */
enum err undo_keep(struct db_tx *tx, struct arena *mem, const struct undo_scene *before,
                   int64_t now, struct str *id);

#endif
