/* throttle.h - how often somebody may do something.
 *
 * Counts in memory, in a table of fixed size: what does not fit pushes out the oldest, so a crowd
 * can at worst be forgotten, never fill the memory. A window begins with the first count and is
 * over after its length. Safe from any thread.
 *
 * For failures: ask throttle_wait() before the attempt and again when it has come out well, and
 * count it when it has not. Then many attempts at once get no more than the limit of answers
 * between them, and those who are right are never in each other's way. */
#ifndef DISPATCH_THROTTLE_H
#define DISPATCH_THROTTLE_H

#include "base/str.h"

struct arena;
struct throttle;

/* A limit of 0 lets everything pass. */
struct throttle *throttle_new(struct arena *mem, int64_t limit, int64_t window_ms);
void throttle_free(struct throttle *throttle);

/* 0: it may go on; otherwise the seconds after which it may be tried again. */
int64_t throttle_wait(struct throttle *throttle, struct str caller);

/* Counts one. What it returns is throttle_wait() before that; at the limit nothing is counted. */
int64_t throttle_take(struct throttle *throttle, struct str caller);

/* The same for an attempt that counts against two, where it came from and whom it was about: the
 * longer wait of both. Each is counted as if it was alone. */
int64_t throttle_wait_both(struct throttle *throttle, struct str one, struct str other);
int64_t throttle_take_both(struct throttle *throttle, struct str one, struct str other);

#endif
