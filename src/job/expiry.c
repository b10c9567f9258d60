/* expiry.c - the number of rows per step is adapted to the time that the last step took: between
 * SHORT_MS and LONG_MS, so that other transactions never wait for long. */
#include "job/expiry.h"

#include "store/tx.h"

#define SHORT_MS 5
#define LONG_MS 20

/* One step: at most `rows` rows are deleted in one transaction. */
struct expiry {
    struct arena *mem;
    expiry_delete *work;
    int64_t now, rows;
    size_t removed;
};

static enum err
run_delete(struct db_tx *tx, void *argument)
{
    struct expiry *expiry = argument;
    return expiry->work(tx, expiry->mem, expiry->now, expiry->rows, &expiry->removed);
}

/* Fewer rows than the limit mean that nothing is left for this round. */
enum err
expiry_step(struct db *db, struct arena *mem, expiry_delete *work, int64_t now, int64_t rows,
            bool *more)
{
    struct expiry expiry = { .mem = mem, .work = work, .now = now, .rows = rows };
    enum err err = tx_write(db, run_delete, &expiry);
    *more = !err && (int64_t)expiry.removed >= rows;
    return err;
}

/* Doubled or halved, between EXPIRY_ROWS and EXPIRY_ROWS_MAX. */
int64_t
expiry_next_rows(int64_t rows, int64_t ms)
{
    if (ms >= LONG_MS)
        return rows / 2 < EXPIRY_ROWS ? EXPIRY_ROWS : rows / 2;
    if (ms < SHORT_MS)
        return rows * 2 > EXPIRY_ROWS_MAX ? EXPIRY_ROWS_MAX : rows * 2;
    return rows;
}
