/* usage_store.h - counts of use and refusals, as rows.
 *
 * Everything is added to what is there, so that several processes can write at once. What an app
 * did for a person belongs to what the person allows it, and goes with it. What was counted for an
 * app that is gone, or for a person who left meanwhile, is not written. */
#ifndef STORE_USAGE_STORE_H
#define STORE_USAGE_STORE_H

#include "base/err.h"
#include "model/usage.h"

struct arena;
struct db_tx;

/* Where an app's day keeps its people; no more than whoever holds it in a transaction may know. */
struct usage_slot {
    bool exists; /* no: the app is gone */
    int64_t number;
};

/* Adds to the app's day, which is begun if it must be, with a number made of `chance`. Holds it
 * until the transaction ends; so this comes first, also when there is nothing to add. */
enum err usage_store_add_app(struct db_tx *tx, struct arena *mem, struct str app_id,
                             const struct usage_day *day, uint32_t chance, struct usage_slot *out);

/* Who left something in the last USAGE_END_KNOWN_SECONDS: read after the day is held. These few are
 * written only if they are connected with the app now; all others could not have left. `all`: the
 * counts may be older than that, so everybody is looked at. */
struct usage_ended {
    const int64_t *people;
    size_t count;
    bool all;
};

enum err usage_store_list_ended(struct db_tx *tx, struct arena *mem, struct usage_ended *out);

struct user_usage {
    struct str user_id;
    int64_t calls;
    int64_t last_use;
};

/* People of one app's day, nobody twice. In the order of their ids they cost least. */
enum err usage_store_add_users(struct db_tx *tx, struct arena *mem, struct str app_id, int64_t slot,
                               const struct user_usage *people, size_t count,
                               const struct usage_ended *ended);

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

/* One connection ends, or all of a person: before the grants themselves are removed. */
enum err usage_store_end_grant(struct db_tx *tx, struct arena *mem, struct str user_id,
                               struct str app_id, int64_t now);
enum err usage_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t now);
enum err usage_store_end_app(struct db_tx *tx, struct arena *mem, struct str app_id);

/* Removes at most so many rows of what is too old; *removed says how many. */
enum err usage_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                                    size_t *removed);

#endif
