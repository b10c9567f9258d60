#include "job/expiry.h"

#include "store/tx.h"

#define STEP_ROWS 200

struct expiry {
    struct arena *mem;
    expiry_delete *work;
    int64_t now;
    size_t removed;
};

static enum err
run_delete(struct db_tx *tx, void *argument)
{
    struct expiry *expiry = argument;
    return expiry->work(tx, expiry->mem, expiry->now, STEP_ROWS, &expiry->removed);
}

/* Fewer rows than the limit mean that nothing is left for this round. */
enum err
expiry_step(struct db *db, struct arena *mem, expiry_delete *work, int64_t now, bool *more)
{
    struct expiry expiry = { .mem = mem, .work = work, .now = now };
    enum err err = tx_write(db, run_delete, &expiry);
    *more = !err && expiry.removed >= STEP_ROWS;
    return err;
}
