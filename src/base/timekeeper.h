/* timekeeper.h - protects expiry against a wall clock that jumps.
 *
 * If the clock is set back, credentials that had expired would become valid again. timekeeper_now()
 * notices it, and timekeeper_rejects() then answers for the highest time seen before.
 *
 * If the clock jumps ahead, requests follow it, but deleting rows cannot be undone:
 * timekeeper_deletion_time() follows only after an hour.
 *
 * Steps of up to five minutes are ignored. The state belongs to the process; housekeeping stores
 * it, so that it survives a restart. Safe from any thread. */
#ifndef BASE_TIMEKEEPER_H
#define BASE_TIMEKEEPER_H

#include <stdbool.h>
#include <stdint.h>

struct timekeeper_state {
    int64_t highest;       /* wall-clock time seen since it was last set back */
    int64_t set_back_at;   /* the time after the last step back; 0: never set back */
    int64_t expired_until; /* the highest time before any step back */
    int64_t trusted;       /* for deletion */
};

/* clock_now(), for everything that decides on expiry. */
int64_t timekeeper_now(void);

/* The creation time to store with a credential: `now`, but a second later in the very second to
 * which the clock was set back, to distinguish it from credentials that were created in that second
 * before. */
int64_t timekeeper_created_at(int64_t now);

/* True if a credential with these times is expired or not valid yet, although `now` is before
 * `expires_at`: it was expired before the clock was set back, or created before that in what is now
 * the future. For short-lived credentials, which clients can renew. */
bool timekeeper_rejects(int64_t created_at, int64_t expires_at, int64_t now);

/* Rows that expired by this time may be deleted. Only by one thread. */
int64_t timekeeper_deletion_time(void);

struct timekeeper_state timekeeper_save(void);
void timekeeper_load(struct timekeeper_state state); /* of the previous process; before requests */

#endif
