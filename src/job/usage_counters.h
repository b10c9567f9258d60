/* usage_counters.h - counts of use and refusals, kept in memory until usage.h writes them.
 *
 * Counting one takes about a hundred nanoseconds and waits for nobody: a thread counts in a lane of
 * its own (threads past LANES share one), and only whoever empties a lane meets it there. All of it
 * has a fixed size. What finds no room is left out and counted as such, so that a crowd can at
 * worst be counted too low, never fill the memory or the store. Safe from any thread. */
#ifndef JOB_USAGE_COUNTERS_H
#define JOB_USAGE_COUNTERS_H

#include "model/usage.h"

struct arena;
struct buf;
struct usage_counters;

struct usage_counters *usage_counters_new(void);
void usage_counters_free(struct usage_counters *counters); /* NULL is fine */

/* One request of the app ended so; `user` may be absent. Ids of another form are left out. */
void usage_counters_add(struct usage_counters *counters, struct str user, struct str app,
                        enum usage_outcome outcome, int64_t now);

/* One refusal, `times` of it. Reason and detail are cleaned here: they may be anybody's words. */
void usage_counters_add_refusal(struct usage_counters *counters, struct arena *mem,
                                const struct refusal *refusal);

/* A lane is getting full: time to write. */
bool usage_counters_nearly_full(const struct usage_counters *counters);

struct usage_counter {
    char user[USAGE_ID_LENGTH]; /* all zero: the app as a whole */
    char app[USAGE_ID_LENGTH];
    int32_t day; /* 0: a free place */
    uint32_t counts[USAGE_OUTCOMES];
    int64_t last_use;
};

/* Takes everything out, in the order of app, day and user, equal ones added up: the same order in
 * every process, so that two who write at once do not wait for each other in a circle. One thread
 * at a time takes, writes and gives the rest back; meanwhile tally_look() sees what is not written
 * yet, and `mem` has to live. */
void usage_counters_drain(struct usage_counters *counters, struct arena *mem,
                          struct usage_counter **entries, size_t *count);
void usage_counters_set_written(struct usage_counters *counters,
                                size_t count);                /* so many more, from the first on */
void usage_counters_restore(struct usage_counters *counters); /* those that could not be written */

/* When it was last taken out and all of it written, on the steady clock; at first, when it was
 * made. So nothing in it was counted before that. */
int64_t usage_counters_drained_at(const struct usage_counters *counters);
void usage_counters_set_drained(struct usage_counters *counters, int64_t steady_ms);

/* What is not written yet: added to what the store says, so that a page shows what has just
 * happened. */
void usage_counters_peek(struct usage_counters *counters, struct str user, struct str app,
                         int64_t day, struct usage_counter *out);
void usage_counters_peek_refusals(struct usage_counters *counters, struct arena *mem,
                                  struct str app, struct refusal **refusals,
                                  size_t *count); /* app absent: of all */

/* All refusals in one order, to be written. They wait on until they are, so that a page that is
 * opened meanwhile does not miss them. */
void usage_counters_list_refusals(struct usage_counters *counters, struct arena *mem,
                                  struct refusal **refusals, size_t *count);
void usage_counters_remove_refusals(struct usage_counters *counters, const struct refusal *written,
                                    size_t count);

void usage_counters_write_metrics(struct buf *page, void *context); /* context is the tally */

#endif
