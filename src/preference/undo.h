/* undo.h - undoes a user's last change to their atoms.
 *
 * Restores sources, times, order, status, and suppression reasons. Changes that apps made in the
 * meantime are not lost: their writes are repeated on the restored atoms with their times, and
 * atoms that they suppressed stay suppressed. Results are allocated from `mem`. Any thread may call
 * it. */
#ifndef PREFERENCE_UNDO_H
#define PREFERENCE_UNDO_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db;
struct domains;

struct undo_params {
    struct str user_id;
    struct str undo_id; /* as returned by the change */
    const struct domains *domains;
    int64_t now;
};

/* The member that the undo changed. */
struct undone {
    struct str domain;
    struct str member;
};

/* Works once, for the user who made the change, within UNDO_SECONDS, and until their next change.
 * ERR_NOT_FOUND otherwise, and if the domain has no space left for the restored atoms; then nothing
 * changes. */
enum err undo_run(struct db *db, struct arena *mem, const struct undo_params *params,
                  struct undone *out);

#endif
