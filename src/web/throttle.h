/* throttle.h - how often somebody may do something.
 *
 * Counts in memory, in a table of fixed size: what does not fit pushes out the oldest, so a crowd
 * can at worst be forgotten, never fill the memory. A window begins with the first count and is
 * over after its length. Counting first and giving back afterwards keeps many at once from passing
 * a limit together. Safe from any thread. */
#ifndef WEB_THROTTLE_H
#define WEB_THROTTLE_H

#include "base/str.h"

struct arena;
struct throttle;

/* A limit of 0 lets everything pass. */
struct throttle *throttle_new(struct arena *mem, int64_t limit, int64_t window_ms);
void throttle_free(struct throttle *throttle);

/* Counts one. 0: it may go on; otherwise the seconds after which it may be tried again. */
int64_t throttle_take(struct throttle *throttle, struct str who);

/* It was no failure after all. */
void throttle_give_back(struct throttle *throttle, struct str who);

#endif
