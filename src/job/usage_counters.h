/* usage_counters.h - counts requests and refusals in memory until usage.h writes them.
 *
 * Counting takes about 100 ns without contention: each thread counts in its own shard (threads past
 * COUNT_SHARDS share one), and only usage_counters_drain() locks the shards of others. The size is
 * fixed: a count that does not fit is dropped and added to penchant_usage_dropped_total, so load
 * can make counts too low but cannot fill memory or the database. Safe from any thread. */
#ifndef JOB_USAGE_COUNTERS_H
#define JOB_USAGE_COUNTERS_H

#include "model/usage.h"

struct arena;
struct buf;
struct usage_counters;

struct usage_counters *usage_counters_new(void);
void usage_counters_free(struct usage_counters *counters); /* NULL is allowed */

/* Counts one request of the app; `user` may be absent. Malformed ids are ignored. */
void usage_counters_add(struct usage_counters *counters, struct str user, struct str app,
                        enum usage_outcome outcome, int64_t now);

/* Counts a refusal `times` times. Its texts may contain client input; they are cleaned here with
 * refusal_clean(). */
void usage_counters_add_refusal(struct usage_counters *counters, struct arena *mem,
                                const struct refusal *refusal);

/* Counts one call of a tool. These counts stay in memory, for the users who called last, and cover
 * the last 24 hours of this process. */
void usage_counters_add_tool(struct usage_counters *counters, struct str user, struct str app,
                             enum usage_tool tool, int64_t now);
void usage_counters_tools(struct usage_counters *counters, struct str user, struct str app,
                          int64_t now, int64_t out[USAGE_TOOLS]);

/* True if a shard is filling up and should be written soon. */
bool usage_counters_nearly_full(const struct usage_counters *counters);

struct usage_counter {
    char user[USAGE_ID_LENGTH]; /* all zero: the app as a whole */
    char app[USAGE_ID_LENGTH];
    int32_t day; /* 0: free slot */
    uint32_t counts[USAGE_OUTCOMES];
    int64_t last_use;
};

/* Entries for one of the databases among which the store divides users. */
struct usage_range {
    const struct usage_counter *entries;
    size_t count;
};

/* Removes all counts and returns them merged, divided by database, and each sorted by app, day, and
 * user: the same order in every process, so that concurrent writers do not deadlock. `out` has a
 * range for each of `databases`; database_of() is called for each entry. Only one thread at a time
 * may drain, write, and restore. Until usage_counters_restore(), usage_counters_peek() still sees
 * the unwritten entries, so `mem` must stay valid. */
#define USAGE_DATABASES_MAX 64
typedef size_t usage_database_of(void *context, const struct usage_counter *entry);
void usage_counters_drain(struct usage_counters *counters, struct arena *mem, size_t databases,
                          usage_database_of *database_of, void *context, struct usage_range *out);
void usage_counters_set_written(struct usage_counters *counters, size_t database,
                                size_t count); /* `count` more entries of a range, in order */

/* Puts unwritten entries back. Users then take at most a quarter of the memory, so that a database
 * that cannot be written leaves space for counts of the others. */
void usage_counters_restore(struct usage_counters *counters);

/* The part of app_usage to which this process adds (store/usage_store.h); random. */
uint32_t usage_counters_part(const struct usage_counters *counters);

/* Time of the last complete drain and write for a database (initially of usage_counters_new()), on
 * the steady clock. Nothing in memory for it is older. */
int64_t usage_counters_drained_at(const struct usage_counters *counters, size_t database);
void usage_counters_set_drained(struct usage_counters *counters, size_t database,
                                int64_t steady_ms);

/* Counts that are not written yet. Pages add them to the database's values. */
void usage_counters_peek(struct usage_counters *counters, struct str user, struct str app,
                         int64_t day, struct usage_counter *out);
void usage_counters_peek_refusals(struct usage_counters *counters, struct arena *mem,
                                  struct str app, struct refusal **refusals,
                                  size_t *count); /* app absent: of all apps */

/* All refusals, sorted, for writing. They stay in memory until usage_counters_remove_refusals(), so
 * that a page read in between still shows them. */
void usage_counters_list_refusals(struct usage_counters *counters, struct arena *mem,
                                  struct refusal **refusals, size_t *count);
void usage_counters_remove_refusals(struct usage_counters *counters, const struct refusal *written,
                                    size_t count);

#endif
