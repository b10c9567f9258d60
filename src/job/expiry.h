/* expiry.h - one step of removing what is over, for housekeeping. */
#ifndef JOB_EXPIRY_H
#define JOB_EXPIRY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct db;
struct db_tx;

/* Removes at most `limit` rows that are over, and says how many it did. */
typedef enum err expiry_delete(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                               size_t *removed);

/* Once, in a transaction of its own that keeps nobody waiting for long. *more: there may be more.
 */
enum err expiry_step(struct db *db, struct arena *mem, expiry_delete *work, int64_t now,
                     bool *more);

#endif
