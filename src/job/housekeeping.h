/* housekeeping.h - the background thread: deletes expired rows in small steps (expiry.h), writes
 * usage counters (usage.h) and activity (activity.h) every ten seconds, closes days of activity,
 * and rebuilds stale hint sets (rebuild.h).
 *
 * Correctness does not depend on the deletion: every query checks expiry itself. */
#ifndef JOB_HOUSEKEEPING_H
#define JOB_HOUSEKEEPING_H

struct activity_counters;
struct db;
struct housekeeping;
struct rebuild_queue;
struct usage_counters;

struct housekeeping *housekeeping_start(struct db *db, struct usage_counters *counters,
                                        struct activity_counters *activity,
                                        struct rebuild_queue *rebuilds);

/* Writes the remaining usage counters and activity, then stops the thread. NULL is allowed. */
void housekeeping_stop(struct housekeeping *housekeeping);

#endif
