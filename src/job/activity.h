/* activity.h - writes counted activity to the database, closes days, and reads for pages.
 *
 * `counters` may be NULL: then only the database is read. Results are allocated from `mem`. Any
 * thread may read; only one at a time may call activity_write(). */
#ifndef JOB_ACTIVITY_H
#define JOB_ACTIVITY_H

#include "base/err.h"
#include "model/activity.h"

struct activity_counters;
struct arena;
struct buf;
struct db;

#define ACTIVITY_SHOWN_MAX 5000 /* records on pages; the user's export has all */

/* Writes in small transactions, in each database of the store by itself. After a failure the rest
 * of that database stays in memory for the next call. */
enum err activity_write(struct db *db, struct arena *mem, struct activity_counters *counters);

/* The user's newest records, stored or not, newest first. */
enum err activity_of_user(struct db *db, struct arena *mem, struct activity_counters *counters,
                          struct str user_id, struct activity **out, size_t *count);

/* Everything that is stored, as JSON or as a table (CSV). ERR_TOO_LARGE: it exceeds the limit of
 * `out`. */
enum err activity_export(struct db *db, struct arena *mem, struct str user_id, bool as_table,
                         struct buf *out);

#endif
