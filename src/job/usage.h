/* usage.h - writes usage counters and refusals to the database, and reads them for pages.
 *
 * Requests are counted in memory (usage_counters.h); usage_write() moves the counts to the
 * database. The read functions add what this process has not written yet to the database's values.
 * `counters` may be NULL: then only the database is read. Results are allocated from `mem`. Any
 * thread may read; only one at a time may call usage_write(). */
#ifndef JOB_USAGE_H
#define JOB_USAGE_H

#include "base/err.h"
#include "model/usage.h"

struct arena;
struct db;
struct usage_counters;

/* Writes in small transactions, in each database of the store by itself. After a failure the rest
 * of that database stays in memory for the next call. */
enum err usage_write(struct db *db, struct arena *mem, struct usage_counters *counters);

/* Last use and calls per day of one user's connection to one app. */
enum err usage_of_grant(struct db *db, struct arena *mem, struct usage_counters *counters,
                        struct str user_id, struct str app_id, int64_t now,
                        struct grant_usage *out);

/* Requests by day and outcome, and numbers of users. */
enum err usage_of_app(struct db *db, struct arena *mem, struct usage_counters *counters,
                      struct str app_id, int64_t now, struct app_usage *out);

/* Totals for each app of one developer; apps without requests are omitted. */
enum err usage_of_owner(struct db *db, struct arena *mem, struct str owner_id, int64_t now,
                        struct usage_sum **out, size_t *count);

/* Newest first. */
enum err refusals_of_app(struct db *db, struct arena *mem, struct usage_counters *counters,
                         struct str app_id, struct refusal **out, size_t *count);

#endif
