/* rebuild.h - queues users with stale hint sets, and rebuilds these hint sets.
 *
 * A hint set is stale if another version of the program or of its domain's definition built it.
 * Hints are then built from the atoms, which costs about fifteen times a cold read; the reader
 * queues the user, and housekeeping rebuilds the hint sets. The queue has a fixed size: a user that
 * does not fit is queued by a later read. Safe from any thread. */
#ifndef JOB_REBUILD_H
#define JOB_REBUILD_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db;
struct domains;
struct rebuild_queue;

struct rebuild_queue *rebuild_queue_new(const struct domains *domains); /* must outlive the queue */
void rebuild_queue_free(struct rebuild_queue *rebuilds);                /* NULL is allowed */

void rebuild_queue_add(struct rebuild_queue *rebuilds, struct str user_id); /* NULL is allowed */

/* Rebuilds the hint sets of a few users. *more: the queue is not empty. A user whose rebuild fails
 * is queued again by the next read. */
enum err rebuild_step(struct db *db, struct arena *mem, struct rebuild_queue *rebuilds, bool *more);

#endif
