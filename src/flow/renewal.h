/* renewal.h - people whose hint cards are not this program's, to be made again.
 *
 * A card that another version made, or that was made from another definition, is answered from the
 * facts, about fifteen times the work of a cold read. Who answers so notes the person; housekeeping
 * makes the cards again and keeps them. A fixed number of people wait at a time: who finds no room
 * is noted the next time. Safe from any thread. */
#ifndef FLOW_RENEWAL_H
#define FLOW_RENEWAL_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db;
struct domains;
struct renewal;

struct renewal *renewal_new(const struct domains *domains); /* which outlive it */
void renewal_free(struct renewal *renewal);                 /* NULL is fine */

void renewal_note(struct renewal *renewal, struct str user_id); /* NULL is fine */

/* The cards of a few people. *more: others wait. What fails is noted by the next read. */
enum err renewal_step(struct db *db, struct arena *mem, struct renewal *renewal, bool *more);

#endif
