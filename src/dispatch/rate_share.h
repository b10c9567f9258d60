/* rate_share.h - counts the calls with an access token over all nodes that share a store.
 *
 * Once per second a thread writes how often this node was called with each token that used much of
 * its limit, and reads how often the other nodes were. Requests do not wait for it. So the limit is
 * approximate: a client that begins to use another node is limited there a second or two later. If
 * the store does not answer, each node allows the last known share. */
#ifndef DISPATCH_RATE_SHARE_H
#define DISPATCH_RATE_SHARE_H

struct db;
struct rate_share;
struct throttle;

/* Call throttle_watch_busy() first. NULL if the thread cannot be started: then each node counts for
 * itself. */
struct rate_share *rate_share_start(struct db *db, struct throttle *throttle);
void rate_share_stop(struct rate_share *share); /* NULL is allowed; before throttle_free() */

#endif
