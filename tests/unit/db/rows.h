/* rows.h - rows that a test of the store adds and counts. */
#ifndef UNIT_DB_ROWS_H
#define UNIT_DB_ROWS_H

#include "unit/store_kit.h"

#include "base/arena.h"
#include "base/log.h"
#include "db/db.h"

#include <stdatomic.h>

SQL(test_add, "INSERT INTO user_account (user_id, username, status, position, epoch,"
              " created_at, updated_at) VALUES ($1, $2, 'active', $3, 0, $4, $4)"
              " ON CONFLICT DO NOTHING RETURNING user_id");
SQL(test_count, "SELECT COUNT(*), MAX(position), SUM(epoch) FROM user_account");

static _Atomic int64_t next_position = 1;

struct add {
    struct arena *mem;
    int64_t position;
    enum err then; /* returned by the work after the row was added */
    bool added;
};

static enum err
add_row(struct db_tx *tx, void *argument)
{
    struct add *add = argument;
    struct db_rows rows;
    struct str id = str_format(add->mem, "usr_%lld", (long long)add->position);
    struct str name = str_format(add->mem, "user%lld", (long long)add->position);
    enum err err = db_query(tx, add->mem, &test_add, &rows, db_text(id), db_text(name),
                            db_int(add->position), db_int(1));
    if (err)
        return err;
    add->added = rows.count == 1;
    return add->then;
}

static enum err
count_rows(struct db_tx *tx, void *argument)
{
    struct db_rows rows;
    struct arena *mem = arena_new();
    enum err err = db_query(tx, mem, &test_count, &rows);
    *(int64_t *)argument = db_cell_int(&rows, 0, 0);
    arena_free(mem);
    return err;
}

static int64_t
count(struct db *db)
{
    int64_t number = -1;
    assert_int_equal(kit_read(db, count_rows, &number), ERR_NONE);
    return number;
}

static enum err
add_one(struct db *db, struct arena *mem, enum err then)
{
    struct add add = { mem, atomic_fetch_add(&next_position, 1), then, false };
    return db_write(db, add_row, &add);
}

#endif
