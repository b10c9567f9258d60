/* activity_counters.h - counts in memory what apps read, until activity.h writes it.
 *
 * Like usage_counters.h: each thread counts in its own shard, and the size is fixed. There is one
 * entry per user, app, action, outcome, and day, with counts per domain, so that an app cannot fill
 * the memory by varying its requests. A count that does not fit is dropped and added to
 * penchant_activity_dropped_total. Safe from any thread. */
#ifndef JOB_ACTIVITY_COUNTERS_H
#define JOB_ACTIVITY_COUNTERS_H

#include "domain/domain.h"
#include "model/activity.h"
#include "model/usage.h"

struct activity_counters;
struct arena;
struct buf;

/* `domains` must outlive the counters. */
struct activity_counters *activity_counters_new(const struct domains *domains);
void activity_counters_free(struct activity_counters *counters); /* NULL is allowed */

/* The facts that one request sent to an app. */
struct activity_count {
    struct str user_id;
    struct str app_id;
    enum activity_action action;
    bool refused;
    uint64_t domains;      /* bits by index; 0: none */
    const uint16_t *facts; /* by index of the domain; not used if refused */
    int64_t now;
};

/* Malformed ids are ignored. */
void activity_counters_add(struct activity_counters *counters, const struct activity_count *count);

/* True if a shard is filling up and should be written soon. */
bool activity_counters_nearly_full(const struct activity_counters *counters);

/* Unwritten records, sorted by user. Their texts are valid as long as the counters and `mem`. */
struct activity_batch {
    struct counted_activity {
        struct str user_id;
        struct activity record;
        bool written; /* see activity_counters_set_written() */
    } * list;
    size_t count;
};

/* Removes all counts and returns them. Only one thread at a time may drain, write, and finish.
 * Until activity_counters_finish(), activity_counters_peek() still sees them, so `mem` must stay
 * valid. */
void activity_counters_drain(struct activity_counters *counters, struct arena *mem,
                             struct activity_batch *out);

/* These records of the drained batch are in the database. */
void activity_counters_set_written(struct activity_counters *counters,
                                   struct counted_activity *const *records, size_t count);

/* The records that were not written go back, as far as they leave most of the memory free: a
 * database that cannot be written must leave space for records of the others. */
void activity_counters_finish(struct activity_counters *counters);

/* Unwritten records of one user. Pages add them to those of the database. */
void activity_counters_peek(struct activity_counters *counters, struct arena *mem,
                            struct str user_id, struct activity_batch *out);

#endif
