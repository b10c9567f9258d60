/* undo.h - taking back the last thing that the person did about what is known of them.
 *
 * Afterwards everything is as it was: who said it and when, its place, its status, and the reason
 * of what is suppressed. What apps did between the action and its undo is not lost: what they wrote
 * is merged into what came back, as if they wrote it now, and what they suppressed stays gone. */
#ifndef FLOW_UNDO_H
#define FLOW_UNDO_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db;
struct domains;

struct undo_params {
    struct str user_id;
    struct str undo_id; /* as the action gave it */
    const struct domains *domains;
    int64_t now;
};

/* Where something came back or went. */
struct undone {
    struct str domain;
    struct str member;
};

/* Once, by the person who did it, until the next action, for UNDO_SECONDS. ERR_NOT_FOUND otherwise,
 * and when the domain has been filled meanwhile: nothing is changed then. */
enum err undo_run(struct db *db, struct arena *mem, const struct undo_params *params,
                  struct undone *out);

#endif
