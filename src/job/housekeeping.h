/* housekeeping.h - a thread that removes what is over, in small steps that nobody notices, that
 * writes what was counted (job/usage.h) every ten seconds, and makes old hints anew
 * (job/rebuild.h).
 *
 * Nothing depends on the removing: what is over does not work, whether its row is still there or
 * not. */
#ifndef JOB_HOUSEKEEPING_H
#define JOB_HOUSEKEEPING_H

struct db;
struct housekeeping;
struct rebuild_queue;
struct usage_counters;

struct housekeeping *housekeeping_start(struct db *db, struct usage_counters *counters,
                                        struct rebuild_queue *rebuilds);

/* Writes what was counted to the last. NULL is fine. */
void housekeeping_stop(struct housekeeping *housekeeping);

#endif
