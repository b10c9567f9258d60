#include "store/clock_store.h"

#include "db/db.h"

SQL_UNTRACKED(clock_put,
              "INSERT INTO clock_state (id, highest, set_back_at, expired_until, trusted)"
              " VALUES (1, $1, $2, $3, $4) ON CONFLICT (id) DO UPDATE SET"
              " highest = excluded.highest, set_back_at = excluded.set_back_at,"
              " expired_until = excluded.expired_until, trusted = excluded.trusted");

SQL(clock_find, "SELECT highest, set_back_at, expired_until, trusted FROM clock_state"
                " WHERE id = 1");

enum err
clock_store_put(struct db_tx *tx, struct arena *mem, struct timekeeper_state state)
{
    return db_query(tx, mem, &clock_put, NULL, db_int(state.highest), db_int(state.set_back_at),
                    db_int(state.expired_until), db_int(state.trusted));
}

enum err
clock_store_find(struct db_tx *tx, struct arena *mem, struct timekeeper_state *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &clock_find, &rows);
    *out = (struct timekeeper_state){ 0 };
    if (!err && rows.count > 0)
        *out = (struct timekeeper_state){
            .highest = db_cell_int(&rows, 0, 0),
            .set_back_at = db_cell_int(&rows, 0, 1),
            .expired_until = db_cell_int(&rows, 0, 2),
            .trusted = db_cell_int(&rows, 0, 3),
        };
    return err;
}
