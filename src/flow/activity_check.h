/* activity_check.h - verifies the activity of all users, for `penchant check`. Call from the thread
 * that runs the transaction. */
#ifndef FLOW_ACTIVITY_CHECK_H
#define FLOW_ACTIVITY_CHECK_H

#include "base/err.h"

struct db_tx;

/* Adds a line to `report`, a struct buf, for each user whose records do not match the hashes of
 * their days (model/activity.h). Reads one user at a time. */
enum err activity_check(struct db_tx *tx, void *report);

#endif
