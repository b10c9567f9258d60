/* rebuild.h - people whose hint cards are not this program's, to be made again.
 *
 * A card that another version made, or that was made from another definition, is answered from the
 * facts, about fifteen times the work of a cold read. Who answers so notes the person; housekeeping
 * makes the cards again and keeps them. A fixed number of people wait at a time: who finds no room
 * is noted the next time. Safe from any thread. */
#ifndef JOB_REBUILD_H
#define JOB_REBUILD_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db;
struct domains;
struct rebuild_queue;

struct rebuild_queue *rebuild_queue_new(const struct domains *domains); /* which outlive it */
void rebuild_queue_free(struct rebuild_queue *rebuilds);                /* NULL is fine */

void rebuild_queue_add(struct rebuild_queue *rebuilds, struct str user_id); /* NULL is fine */

/* The cards of a few people. *more: others wait. What fails is noted by the next read. */
enum err rebuild_step(struct db *db, struct arena *mem, struct rebuild_queue *rebuilds, bool *more);

#endif
