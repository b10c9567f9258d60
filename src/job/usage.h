/* usage.h - how apps are used and why they were refused: written from memory now and then, and read
 * for the people concerned.
 *
 * Requests are counted in a tally (tally.h). usage_write() empties it into the store; reading does
 * not write. What is read is the store's, and what this process has not written yet on top of it.
 * `tally` may be NULL: then only the store is asked. */
#ifndef JOB_USAGE_H
#define JOB_USAGE_H

#include "base/err.h"
#include "model/usage.h"

struct arena;
struct db;
struct usage_counters;

/* In small transactions. What could not be written waits for the next time. */
enum err usage_write(struct db *db, struct arena *mem, struct usage_counters *counters);

/* Last use, and calls a day, of one person's connection to one app. */
enum err usage_of_grant(struct db *db, struct arena *mem, struct usage_counters *counters,
                        struct str user_id, struct str app_id, int64_t now,
                        struct grant_usage *out);

/* Requests by day and outcome, and how many people there are. */
enum err usage_of_app(struct db *db, struct arena *mem, struct usage_counters *counters,
                      struct str app_id, int64_t now, struct app_usage *out);

/* The same in short for every app of one developer; apps that did nothing are left out. */
enum err usage_of_owner(struct db *db, struct arena *mem, struct str owner_id, int64_t now,
                        struct usage_sum **out, size_t *count);

/* Newest first. */
enum err refusals_of_app(struct db *db, struct arena *mem, struct usage_counters *counters,
                         struct str app_id, struct refusal **out, size_t *count);

#endif
