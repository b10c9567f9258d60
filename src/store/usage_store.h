/* usage_store.h - counts of use and refusals, as rows.
 *
 * Everything is added to what is there, so that several processes can write at once. What was
 * counted for a person or an app that is gone is not written. */
#ifndef STORE_USAGE_STORE_H
#define STORE_USAGE_STORE_H

#include "base/err.h"
#include "model/usage.h"

struct arena;
struct db_tx;

enum err usage_store_add_person(struct db_tx *tx, struct arena *mem, struct str user_id,
                                struct str app_id, int64_t day, int64_t calls, int64_t last_use);
enum err usage_store_add_app(struct db_tx *tx, struct arena *mem, struct str app_id,
                             const struct usage_day *day);
enum err usage_store_add_refusal(struct db_tx *tx, struct arena *mem,
                                 const struct refusal *refusal);

/* Of an app's refusals only the newest are kept. */
enum err usage_store_trim_refusals(struct db_tx *tx, struct arena *mem, struct str app_id);

/* The USAGE_DAYS days up to `today`. */
enum err usage_store_find_grant(struct db_tx *tx, struct arena *mem, struct str user_id,
                                struct str app_id, int64_t today, struct grant_usage *out);
enum err usage_store_find_app(struct db_tx *tx, struct arena *mem, struct str app_id, int64_t today,
                              int64_t now, struct app_usage *out);

/* Of every app of that owner which did anything in these days. */
enum err usage_store_sum_owner(struct db_tx *tx, struct arena *mem, struct str owner_id,
                               int64_t today, struct usage_sum **out, size_t *count);

/* Newest first. */
enum err usage_store_list_refusals(struct db_tx *tx, struct arena *mem, struct str app_id,
                                   struct refusal **out, size_t *count);

enum err usage_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id);
enum err usage_store_end_app(struct db_tx *tx, struct arena *mem, struct str app_id);

/* Removes at most so many rows of what is too old; *removed says how many. */
enum err usage_store_clean(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                           size_t *removed);

#endif
