/* throttle.h - limits how often a caller may do something within a time window.
 *
 * Counts in memory in a table of fixed size, and with throttle_share() in the store as well. A new
 * caller replaces the entry with the fewest counts; an entry at the limit stays until its window
 * ends, and a caller for whom no entry is free waits as if it were at the limit. A window begins
 * with the first count. Safe from any thread.
 *
 * To limit failures: call throttle_wait() before the attempt and again after a success, and
 * throttle_take() after a failure. Concurrent attempts then get at most `limit` results together,
 * and successful ones are not counted. Where a success has an effect at once, call throttle_take()
 * before the attempt and throttle_return() after a success. */
#ifndef DISPATCH_THROTTLE_H
#define DISPATCH_THROTTLE_H

#include "base/str.h"

struct arena;
struct db;
struct throttle;

/* limit 0: no limit. */
struct throttle *throttle_new(struct arena *mem, int64_t limit, int64_t window_ms);
void throttle_free(struct throttle *throttle);

/* Counts over all nodes that share the store. Every function then waits for the store; without an
 * answer, what this node has counted decides. */
void throttle_share(struct throttle *throttle, struct db *db);

/* The same where successes are frequent: only throttle_take() waits for the store. A node learns
 * from the next failure of a caller that other nodes have counted up to the limit. `kind` separates
 * the callers from those of other limits. */
void throttle_share_failures(struct throttle *throttle, struct db *db, const char *kind);

/* For rate_share.h: callers that used much of their limit in the last window, and what other nodes
 * counted for them. A caller's limit on this node is then its share of the calls to all nodes, or
 * what the others leave of the limit if that is more. */
#define THROTTLE_BUSY_MAX 256 /* more are counted by each node for itself */
struct throttle_busy {
    uint64_t caller; /* in this process */
    int64_t key;     /* the same in all processes */
    int64_t calls;   /* in the last window, refused ones as well */
    int64_t others;  /* calls of other nodes */
};
void throttle_watch_busy(struct throttle *throttle, struct arena *mem);
size_t throttle_list_busy(struct throttle *throttle, struct throttle_busy *out, size_t max);
void throttle_set_others(struct throttle *throttle, const struct throttle_busy *list, size_t count);

/* 0: allowed; otherwise the seconds until the next attempt is allowed. */
int64_t throttle_wait(struct throttle *throttle, struct str caller);

/* Counts one attempt and returns what throttle_wait() returned before it. At the limit nothing is
 * counted. */
int64_t throttle_take(struct throttle *throttle, struct str caller);

/* The same with a limit of the caller's own (0: none), and how much of it is left. */
struct throttle_state {
    int64_t limit; /* 0: none; then the others are 0 too */
    int64_t remaining;
    int64_t reset; /* seconds until the window ends */
};
int64_t throttle_take_limited(struct throttle *throttle, struct str caller, int64_t limit,
                              struct throttle_state *state);

int64_t throttle_limit(const struct throttle *throttle);

/* Counts one attempt against a limit that all callers share: `times` the limit of one. Its caller,
 * for throttle_return(), is the empty string. */
int64_t throttle_take_shared(struct throttle *throttle, int64_t times);

/* Takes one count back. */
void throttle_return(struct throttle *throttle, struct str caller);

/* The same for an attempt that counts against two keys, such as address and account. Each key is
 * counted separately; returns the longer wait. `other` may be absent. */
int64_t throttle_wait_both(struct throttle *throttle, struct str one, struct str other);
int64_t throttle_take_both(struct throttle *throttle, struct str one, struct str other);

#endif
