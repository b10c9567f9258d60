/* usage.h - how apps are used and why they were refused: written from memory now and then, and read
 * for the people concerned.
 *
 * Requests are counted in a tally (tally.h). usage_write() empties it into the store; reading does
 * not write. What is read is the store's, and what this process has not written yet on top of it.
 * `tally` may be NULL: then only the store is asked. */
#ifndef FLOW_USAGE_H
#define FLOW_USAGE_H

#include "base/err.h"
#include "model/usage.h"

struct arena;
struct db;
struct tally;

/* In small transactions. What could not be written waits for the next time. */
enum err usage_write(struct db *db, struct arena *mem, struct tally *tally);

/* Last use, and calls a day, of one person's connection to one app. */
enum err usage_of_grant(struct db *db, struct arena *mem, struct tally *tally, struct str user_id,
                        struct str app_id, int64_t now, struct grant_usage *out);

/* Requests by day and outcome, and how many people there are. */
enum err usage_of_app(struct db *db, struct arena *mem, struct tally *tally, struct str app_id,
                      int64_t now, struct app_usage *out);

/* The same in short for every app of one developer; apps that did nothing are left out. */
enum err usage_of_owner(struct db *db, struct arena *mem, struct str owner_id, int64_t now,
                        struct usage_sum **out, size_t *count);

/* Newest first. */
enum err refusals_of_app(struct db *db, struct arena *mem, struct tally *tally, struct str app_id,
                         struct refusal **out, size_t *count);

/* One small step of removing what is too old; *more if there may be more. */
enum err usage_clean(struct db *db, struct arena *mem, int64_t now, bool *more);

#endif
