/* expiry.h - deletes expired rows in small transactions, for housekeeping. */
#ifndef JOB_EXPIRY_H
#define JOB_EXPIRY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct db;
struct db_tx;

/* Deletes at most `limit` expired rows; *removed is their number. */
typedef enum err expiry_delete(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                               size_t *removed);

/* Runs `work` once in its own short transaction. *more: more rows may have expired. */
enum err expiry_step(struct db *db, struct arena *mem, expiry_delete *work, int64_t now,
                     bool *more);

#endif
