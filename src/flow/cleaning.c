#include "flow/cleaning.h"

#include "store/tx.h"

#define STEP_ROWS 200

struct cleaning {
    struct arena *mem;
    cleaning_work *work;
    int64_t now;
    size_t removed;
};

static enum err
clean(struct db_tx *tx, void *argument)
{
    struct cleaning *cleaning = argument;
    return cleaning->work(tx, cleaning->mem, cleaning->now, STEP_ROWS, &cleaning->removed);
}

enum err
cleaning_step(struct db *db, struct arena *mem, cleaning_work *work, int64_t now, bool *more)
{
    struct cleaning cleaning = { .mem = mem, .work = work, .now = now };
    enum err err = tx_write(db, clean, &cleaning);
    *more = !err && cleaning.removed >= STEP_ROWS;
    return err;
}
