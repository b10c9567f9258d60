/* usage_store.h - reads and writes usage counters.
 *
 * Writes add to the existing counts, so that several processes can write at the same time. Counts
 * per user are deleted with the user's grant. Counts of a deleted app, or of a user who has
 * disconnected the app, are not written. Results are allocated from `mem`. Call from the thread
 * that runs the transaction. */
#ifndef STORE_USAGE_STORE_H
#define STORE_USAGE_STORE_H

#include "base/err.h"
#include "model/usage.h"

struct arena;
struct db_tx;

/* The key of an app's day in user_usage. */
struct usage_slot {
    bool exists; /* false: the app was deleted */
    int64_t number;
};

/* Processes with different parts below USAGE_PARTS do not wait for each other. */
#define USAGE_PARTS 64

/* Adds to the counts of the app's day. Call it first, even with nothing to add. */
enum err usage_store_add_app(struct db_tx *tx, struct arena *mem, struct str app_id,
                             const struct usage_day *day, uint32_t part, struct usage_slot *out);

/* Users who disconnected an app in the last USAGE_END_KNOWN_SECONDS. Counts of these users are
 * written only if they have a grant for the app; the others still have theirs. `all`: the counts
 * may be older, so the grant of every user is checked. */
struct usage_revoked {
    const int64_t *user_keys; /* sorted */
    size_t count;
    bool all;
};

enum err usage_store_list_revoked(struct db_tx *tx, struct arena *mem, struct usage_revoked *out);

struct user_usage {
    struct str user_id;
    int64_t calls;
    int64_t last_use;
};

/* Adds the counts of one app's day, each user once. Fastest in the order of user ids. */
enum err usage_store_add_users(struct db_tx *tx, struct arena *mem, struct str app_id, int64_t slot,
                               const struct user_usage *users, size_t count,
                               const struct usage_revoked *revoked);

/* The USAGE_DAYS days up to `today`. */
enum err usage_store_find_grant(struct db_tx *tx, struct arena *mem, struct str user_id,
                                struct str app_id, int64_t today, struct grant_usage *out);
enum err usage_store_find_app(struct db_tx *tx, struct arena *mem, struct str app_id, int64_t today,
                              int64_t now, struct app_usage *out);

/* One sum for each app of the owner that was used in these days. */
enum err usage_store_sum_owner(struct db_tx *tx, struct arena *mem, struct str owner_id,
                               int64_t today, struct usage_sum **out, size_t *count);

/* Deletes the counts of a grant, or of all grants of a user. Call before deleting the grants. */
enum err usage_store_end_grant(struct db_tx *tx, struct arena *mem, struct str user_id,
                               struct str app_id, int64_t now);
enum err usage_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t now);

/* The same for a user who is deleted: the id is not kept either. */
enum err usage_store_forget_user(struct db_tx *tx, struct arena *mem, struct str user_id,
                                 int64_t now);

/* Deletes at most `limit` counts of the app and sets `removed` to their number; if it is less,
 * nothing is left. */
enum err usage_store_end_app(struct db_tx *tx, struct arena *mem, struct str app_id, int64_t limit,
                             size_t *removed);

/* Deletes at most `limit` old rows and sets `removed` to their number. */
enum err usage_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                                    size_t *removed);

#endif
