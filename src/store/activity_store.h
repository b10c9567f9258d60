/* activity_store.h - reads and writes users' activity (model/activity.h).
 *
 * Writes add to existing counts, so that several processes can write at the same time. A writer
 * that adds to a day or closes it locks its row first. Activity of a day that is closed already
 * counts for the next open day; activity of a deleted user is dropped. Results are allocated from
 * `mem`. Call from the thread that runs the transaction. */
#ifndef STORE_ACTIVITY_STORE_H
#define STORE_ACTIVITY_STORE_H

#include "base/err.h"
#include "model/activity.h"

struct arena;
struct db_tx;

/* Adds records of one user; each has its day, and no app name. Lock order: call it after locking
 * the user, and for several users in the order of their ids. */
enum err activity_store_add(struct db_tx *tx, struct arena *mem, struct str user_id,
                            const struct activity *records, size_t count);

/* The same for one event at `now`, in a transaction that does it. */
struct activity_event {
    struct str user_id;
    struct str app_id; /* absent: none */
    enum activity_action action;
    struct str subject; /* absent: none */
    int64_t facts;
    int64_t now;
};
enum err activity_store_event(struct db_tx *tx, struct arena *mem,
                              const struct activity_event *event);

/* At most `limit` records, newest day first. */
enum err activity_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t limit,
                             struct activity **out, size_t *count);

/* Everything about one user. The records are not sorted. */
enum err activity_store_log(struct db_tx *tx, struct arena *mem, struct str user_id,
                            struct activity_log *out);

/* Closes at most `limit` days that have ended, or deletes as many that are too old; sets *done to
 * their number. Also expiry_delete functions (job/expiry.h). */
enum err activity_store_close(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                              size_t *done);
enum err activity_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now,
                                       int64_t limit, size_t *done);

enum err activity_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id);

#endif
