/* move.c - copies a whole store to another one.
 *
 * Rows are copied in the order of the source's primary key, in transactions of one page. The number
 * of rows in a table of the target is therefore the place at which an interrupted move continues.
 * At the end both stores are read again and compared, table by table, by their number of rows and a
 * checksum of all rows in any order: the two engines may sort texts differently. */
#include "db/driver.h"

#include "base/arena.h"
#include "base/embedded.h"
#include "db/row_sum.h"
#include "db/table.h"

#include <string.h>

#define DEADLINE_MS 600000

/* Two tables with the same totals are treated as equal. */
struct totals {
    int64_t rows;
    uint64_t sum;
};

/* `from` is only read. */
struct move {
    struct db *from, *to;
    struct arena *mem;    /* as long as the move */
    struct arena *page;   /* until the next page */
    struct tables tables; /* of both */
    int64_t total, done;
    void (*progress)(void *context, int percent);
    void *context;
    struct why *why;
};

/* Both have all schema steps of this version, so they differ only if a step does. Rows are copied
 * by position, so the columns must have the same order, too. */
static enum err
read_tables(struct move *move)
{
    struct tables other = { 0 };
    enum err err = tables_read(move->from, move->mem, &move->tables, move->why);
    if (!err)
        err = tables_read(move->to, move->mem, &other, move->why);
    if (!err && !tables_equal(&move->tables, &other)) {
        why_set(move->why, "move: the two stores have different tables; delete the store that "
                           "--to names and try again");
        err = ERR_INVALID;
    }
    return err;
}

static enum err
count_rows(struct move *move, struct db *db, int64_t *total)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < move->tables.count && !err; i++) {
        int64_t count = 0;
        err = table_count(db, move->page, &move->tables.list[i], &count, move->why);
        *total += count;
    }
    return err;
}

/* ---- copying ---- */

/* One transaction: after kill -9 the target has the whole page or nothing of it. */
static enum err
copy_page(void *context, const struct table *table, const struct db_rows *rows)
{
    struct move *move = context;
    enum err err = table_insert(move->to, move->page, table, rows, move->why);
    if (!err)
        err = move->to->driver->schema_run(move->to, "COMMIT; BEGIN", NULL, move->why);
    move->done += (int64_t)rows->count;
    if (!err && move->progress != NULL && move->total > 0) /* verifying is the other half */
        move->progress(move->context, (int)(50 * move->done / move->total));
    return err;
}

/* Continues after an interruption: the rows that are in the target already are counted and skipped,
 * since both stores have the same order. */
static enum err
copy_tables(struct move *move, struct db_moved *moved)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < move->tables.count && !err; i++) {
        const struct table *table = &move->tables.list[i];
        int64_t found = 0;
        err = table_count(move->to, move->page, table, &found, move->why);
        move->done += found;
        moved->found += found;
        if (!err)
            err = table_each_page(move->from, move->page, table, found, copy_page, move, move->why);
    }
    return err;
}

/* ---- verifying ---- */

/* The type of each cell is part of the sum, so that NULL, an empty text, and 0 differ. Sums are
 * added, so the order of the rows does not matter: engines sort texts differently. */
static enum err
sum_page(void *context, const struct table *table, const struct db_rows *rows)
{
    struct totals *totals = context;
    (void)table;
    for (size_t row = 0; row < rows->count; row++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < rows->columns; i++) {
            const struct db_value *cell = &rows->cells[row * rows->columns + i];
            char type = (char)cell->type;
            sum = row_sum_mix(sum, (struct str){ &type, 1 });
            if (cell->type == DB_TEXT)
                sum = row_sum_mix(sum, cell->text);
            else if (cell->type == DB_INT)
                sum = row_sum_mix(sum,
                                  (struct str){ (const char *)&cell->number, sizeof cell->number });
        }
        totals->sum += sum; /* in any order */
    }
    totals->rows += (int64_t)rows->count;
    return ERR_NONE;
}

/* Reads every row of both stores again. Only this shows that the move is complete, and that nothing
 * was written meanwhile. */
static enum err
verify_table(struct move *move, const struct table *table, struct totals *from)
{
    struct totals to = { 0 };
    enum err err = table_each_page(move->from, move->page, table, 0, sum_page, from, move->why);
    if (!err)
        err = table_each_page(move->to, move->page, table, 0, sum_page, &to, move->why);
    if (!err && (from->rows != to.rows || from->sum != to.sum)) {
        why_set(move->why,
                "move: table %s differs between the two stores (%lld and %lld rows); one of them "
                "was changed during the move; delete the store that --to names and try again",
                table->name, (long long)from->rows, (long long)to.rows);
        err = ERR_INVALID;
    }
    return err;
}

static enum err
verify_tables(struct move *move, struct db_moved *moved)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < move->tables.count && !err; i++) {
        struct totals totals = { 0 };
        err = verify_table(move, &move->tables.list[i], &totals);
        moved->tables++;
        moved->rows += totals.rows;
        if (!err && move->progress != NULL && move->total > 0)
            move->progress(move->context, 50 + (int)(50 * moved->rows / move->total));
    }
    return err;
}

/* ---- opening, and the mark of an incomplete store ---- */

/* Refuses a store that other processes use. SQLite's lock has done that already. */
static enum err
refuse_others(struct db *db, const char *option, struct why *why)
{
    int64_t others = 0;
    if (db->driver->other_processes == NULL)
        return ERR_NONE;
    enum err err = db->driver->schema_run(db, db->driver->other_processes, &others, why);
    if (err || others == 0)
        return err;
    why_set(why, "move: the database that %s names is in use; stop the service and try again",
            option);
    return ERR_TAKEN;
}

/* Rolls back what was not committed. */
static void
close_store(struct db *db)
{
    struct why unwanted = { 0 };
    if (db == NULL)
        return;
    db->driver->schema_end(db, false, &unwanted);
    db->driver->close(db);
}

/* The schema transaction stays open until close_store(): on PostgreSQL its lock keeps a service
 * from starting. No statement is prepared, so that there is no other connection. */
static enum err
open_store(const char *address, const char *option, struct str moved_from, struct db **out,
           struct why *why)
{
    bool is_target = str_present(moved_from);
    struct db_settings settings = {
        .address = address, .connections = 1, .deadline_ms = DEADLINE_MS, .must_exist = !is_target
    };
    struct db *db = NULL;
    const char *problem = db_address_problem(address);
    if (problem != NULL) {
        why_set(why, "move: %s: %s", option, problem);
        return ERR_INVALID;
    }
    if (db_driver_of(address)->schema_begin == NULL) {
        why_set(why,
                is_target ? "move: %s: move copies to one database; name an empty one alone, "
                            "and then spread the users as docs/SCALE.md says"
                          : "move: %s: the store has several databases, and move copies one; "
                            "use penchant backup and restore, one database at a time",
                option);
        return ERR_INVALID;
    }
    enum err err = db_driver_of(address)->open(&settings, &db, why);
    if (err)
        return err;
    db->moved_from = moved_from;
    err = db_migrate(db, embedded_files, !is_target, why);
    if (!err)
        err = db->driver->schema_begin(db, why);
    if (err) {
        db->driver->close(db);
        return err;
    }
    *out = db;
    return refuse_others(db, option, why);
}

/* The target has the mark of this move, or is empty, created before the move. */
static enum err
claim_target(struct move *move)
{
    struct db_rows rows = { 0 };
    int64_t count = 0;
    enum err err = move->to->driver->schema_query(
        move->to, move->mem, "SELECT name FROM schema_step WHERE version = " DB_MOVE_STEP, NULL, 0,
        &rows, move->why);
    if (err)
        return err;
    if (rows.count > 0 && str_eq(db_cell_text(&rows, 0, 0), move->to->moved_from))
        return ERR_NONE;
    if (rows.count > 0) {
        why_set(move->why,
                "move: the store that --to names contains a part of %.*s; use that as --from, or "
                "delete the store",
                STR_ARG(db_cell_text(&rows, 0, 0)));
        return ERR_TAKEN;
    }
    err = count_rows(move, move->to, &count);
    if (!err && count > 0) {
        why_set(move->why, "move: the store that --to names is not empty; use a new file or an "
                           "empty database");
        err = ERR_TAKEN;
    }
    if (!err)
        err = db_mark_incomplete(move->to, move->page, move->why);
    return err ? err : move->to->driver->schema_run(move->to, "COMMIT; BEGIN", NULL, move->why);
}

/* The last statement makes the target a usable store: until then, the step DB_MOVE_STEP marks it as
 * incomplete. */
static enum err
run(struct move *move, struct db_moved *moved)
{
    enum err err = read_tables(move);
    if (!err)
        err = claim_target(move);
    if (!err)
        err = count_rows(move, move->from, &move->total); /* for the progress */
    if (!err)
        err = copy_tables(move, moved);
    if (!err)
        err = verify_tables(move, moved);
    if (!err)
        err = move->to->driver->schema_run(
            move->to, "DELETE FROM schema_step WHERE version = " DB_MOVE_STEP "; COMMIT; BEGIN",
            NULL, move->why);
    return err;
}

enum err
db_move(const char *from, const char *to, void (*progress)(void *context, int percent),
        void *context, struct db_moved *moved, struct why *why)
{
    struct move move = { .progress = progress, .context = context, .why = why };
    *moved = (struct db_moved){ 0 };
    move.mem = arena_new();
    move.page = arena_new();
    enum err err = open_store(from, "--from", STR_NONE, &move.from, why);
    if (!err)
        err =
            open_store(to, "--to", move.from->driver->describe(move.from, move.mem), &move.to, why);
    if (!err)
        err = run(&move, moved);
    close_store(move.to);
    close_store(move.from);
    arena_free(move.page);
    arena_free(move.mem);
    return err;
}
