/* expiry.h - deletes expired rows in small transactions, for housekeeping. `mem` is scratch memory.
 * Any thread may call them; the service has one that does. */
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

#define EXPIRY_ROWS 200      /* of the first step */
#define EXPIRY_ROWS_MAX 3200 /* of a step, however many rows have expired */

/* Runs `work` once in its own short transaction, for at most `rows` rows. *more: more rows may have
 * expired. */
enum err expiry_step(struct db *db, struct arena *mem, expiry_delete *work, int64_t now,
                     int64_t rows, bool *more);

/* How many rows the next step deletes, after one with `rows` took `ms`. Steps grow while rows are
 * left and a step is short, because a transaction costs the same for one row and for a thousand;
 * they shrink when one takes so long that requests would wait for it. */
int64_t expiry_next_rows(int64_t rows, int64_t ms);

#endif
