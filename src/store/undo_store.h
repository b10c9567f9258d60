/* undo_store.h - what a person's last action changed, as a row. */
#ifndef STORE_UNDO_STORE_H
#define STORE_UNDO_STORE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db_tx;

struct undo_row {
    struct str id; /* und_… */
    struct str domain;
    struct str before; /* sheets (model/atom_list.h) of the facts that were touched: */
    struct str after;  /* … as they were, and as they became */
    int64_t ends_at;
};

/* Replaces what the person could undo until now. */
enum err undo_store_put(struct db_tx *tx, struct arena *mem, struct str user_id,
                        const struct undo_row *row);

/* Takes it away: ERR_NOT_FOUND if it is another's, another one, used, or too late. */
enum err undo_store_take(struct db_tx *tx, struct arena *mem, struct str user_id, struct str id,
                         int64_t now, struct undo_row *out);

/* Nothing can be undone any more. No error if nothing could. */
enum err undo_store_end(struct db_tx *tx, struct arena *mem, struct str user_id);

/* Removes at most so many that are too old; *removed says how many. */
enum err undo_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                                   size_t *removed);

#endif
