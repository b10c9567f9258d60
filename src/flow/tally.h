/* tally.h - counts of use and refusals, kept in memory until usage.h writes them.
 *
 * Counting one takes about a hundred nanoseconds and waits for nobody: a thread counts in a lane of
 * its own (threads past LANES share one), and only whoever empties a lane meets it there. All of it
 * has a fixed size. What finds no room is left out and counted as such, so that a crowd can at
 * worst be counted too low, never fill the memory or the store. Safe from any thread. */
#ifndef FLOW_TALLY_H
#define FLOW_TALLY_H

#include "model/usage.h"

struct arena;
struct buf;
struct tally;

struct tally *tally_new(void);
void tally_free(struct tally *tally); /* NULL is fine */

/* One request of the app ended so; `user` may be absent. Ids of another form are left out. */
void tally_count(struct tally *tally, struct str user, struct str app, enum usage_outcome outcome,
                 int64_t now);

/* One refusal, `times` of it. Reason and detail are cleaned here: they may be anybody's words. */
void tally_refuse(struct tally *tally, struct arena *mem, const struct refusal *refusal);

/* A lane is getting full: time to write. */
bool tally_is_filling(const struct tally *tally);

#define TALLY_ID_LENGTH 26

struct tally_entry {
    char user[TALLY_ID_LENGTH]; /* all zero: the app as a whole */
    char app[TALLY_ID_LENGTH];
    int32_t day; /* 0: a free place */
    uint32_t counts[USAGE_OUTCOMES];
    int64_t last_use;
};

/* Takes everything out, in the order of app, day and user, equal ones added up: the same order in
 * every process, so that two who write at once do not wait for each other in a circle. One thread
 * at a time takes, writes and gives the rest back; meanwhile tally_look() sees what is not written
 * yet, and `mem` has to live. */
void tally_take(struct tally *tally, struct arena *mem, struct tally_entry **entries,
                size_t *count);
void tally_set_written(struct tally *tally, size_t count); /* so many more, from the first on */
void tally_return(struct tally *tally);                    /* those that could not be written */

/* When it was last taken out and all of it written, on the steady clock; at first, when it was
 * made. So nothing in it was counted before that. */
int64_t tally_emptied_at(const struct tally *tally);
void tally_set_emptied(struct tally *tally, int64_t steady_ms);

/* What is not written yet: added to what the store says, so that a page shows what has just
 * happened. */
void tally_look(struct tally *tally, struct str user, struct str app, int64_t day,
                struct tally_entry *out);
void tally_look_refusals(struct tally *tally, struct arena *mem, struct str app,
                         struct refusal **refusals, size_t *count); /* app absent: of all */

/* All refusals in one order, to be written. They wait on until they are, so that a page that is
 * opened meanwhile does not miss them. */
void tally_list_refusals(struct tally *tally, struct arena *mem, struct refusal **refusals,
                         size_t *count);
void tally_end_refusals(struct tally *tally, const struct refusal *written, size_t count);

void tally_write_metrics(struct buf *page, void *context); /* context is the tally */

#endif
