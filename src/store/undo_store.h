/* undo_store.h - reads and writes the user's last change, so that it can be undone. Results are
 * allocated from `mem`. Call from the thread that runs the transaction. */
#ifndef STORE_UNDO_STORE_H
#define STORE_UNDO_STORE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db_tx;

struct undo_row {
    struct str id; /* und_… */
    struct str domain;
    struct str before; /* atom list (model/atom_list.h) of the changed atoms, before the change */
    struct str after;  /* the same after the change */
    int64_t expires_at;
};

/* Replaces the user's previous row. */
enum err undo_store_put(struct db_tx *tx, struct arena *mem, struct str user_id,
                        const struct undo_row *row);

/* Reads and deletes the row. ERR_NOT_FOUND if it does not exist, belongs to another user, or has
 * expired. */
enum err undo_store_take(struct db_tx *tx, struct arena *mem, struct str user_id, struct str id,
                         int64_t now, struct undo_row *out);

/* Deletes the user's row. No error if none exists. */
enum err undo_store_end(struct db_tx *tx, struct arena *mem, struct str user_id);

/* Deletes at most `limit` expired rows and sets `removed` to their number. */
enum err undo_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                                   size_t *removed);

#endif
