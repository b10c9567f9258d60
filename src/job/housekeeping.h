/* housekeeping.h - the background thread: deletes expired rows in small steps (expiry.h), writes
 * usage counters every ten seconds (usage.h), and rebuilds stale hint sets (rebuild.h).
 *
 * Correctness does not depend on the deletion: every query checks expiry itself. */
#ifndef JOB_HOUSEKEEPING_H
#define JOB_HOUSEKEEPING_H

struct db;
struct housekeeping;
struct rebuild_queue;
struct usage_counters;

struct housekeeping *housekeeping_start(struct db *db, struct usage_counters *counters,
                                        struct rebuild_queue *rebuilds);

/* Writes the remaining usage counters, then stops the thread. NULL is allowed. */
void housekeeping_stop(struct housekeeping *housekeeping);

#endif
