/* move.c - copies a whole store to another one.
 *
 * The tables, their columns, and their primary keys come from the catalog of the database, so a new
 * table needs no change here. Rows are copied in the order of the source's primary key, in
 * transactions of PAGE_ROWS rows. The number of rows in a table of the target is therefore the
 * place at which an interrupted move continues. At the end both stores are read again and compared,
 * table by table, by their number of rows and a checksum of all rows in any order: the two engines
 * may sort texts differently. */
#include "db/driver.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/embedded.h"
#include "db/row_sum.h"

#include <string.h>

#define COLUMNS_MAX 64
#define TABLES_MAX 256
#define PAGE_ROWS 200  /* a transaction of the target */
#define INSERT_ROWS 20 /* a statement */
#define STATEMENT_MAX (256 * 1024)
#define DEADLINE_MS 600000

/* A table as both stores have it. Its rows are read in the order of the primary key. */
struct table {
    const char *name;
    const char *columns[COLUMNS_MAX];
    size_t column_count;
    size_t key[COLUMNS_MAX]; /* columns of the primary key, in its order */
    size_t key_count;
};

struct catalog {
    struct table *tables;
    size_t count;
};

/* Two tables with the same totals are treated as equal. */
struct totals {
    int64_t rows;
    uint64_t sum;
};

/* `from` is only read. `page` holds one page of rows at a time, so tables of any size can be
 * copied. */
struct move {
    struct db *from, *to;
    struct arena *mem;  /* as long as the move */
    struct arena *page; /* until the next page */
    struct catalog catalog;
    int64_t total, done;
    void (*progress)(void *context, int percent);
    void *context;
    struct why *why;
};

/* ---- statements ---- */

static enum err
query(struct db *db, struct arena *mem, const char *text, const struct db_value *values,
      size_t count, struct db_rows *rows, struct why *why)
{
    struct db_rows unwanted;
    return db->driver->schema_query(db, mem, text, values, count, rows == NULL ? &unwanted : rows,
                                    why);
}

static enum err
query_number(struct db *db, const char *text, int64_t *number, struct why *why)
{
    return db->driver->schema_run(db, text, number, why);
}

static void
add_names(struct buf *out, const struct table *table, const size_t *which, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_add_format(out, "%s%s", i == 0 ? "" : ", ",
                       table->columns[which == NULL ? i : which[i]]);
}

static void
add_parameters(struct buf *out, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_add_format(out, "%s$%zu", i == 0 ? "(" : ", ", first + i);
    buf_add_char(out, ')');
}

/* ---- the catalog ---- */

/* Tables that describe a store, not its users. */
static bool
is_own_table(struct str name)
{
    return str_eq(name, STR("schema_step")) || /* written when a store is created */
           str_eq(name, STR("store_part")) || str_eq(name, STR("store_change")) ||
           str_eq(name, STR("lost_writes")); /* of one server */
}

/* The rows are ordered by table and column. `position` is that of the column in the primary key, or
 * 0. */
static enum err
add_column(struct move *move, struct catalog *out, const struct db_rows *rows, size_t row)
{
    struct str name = db_cell_text(rows, row, 0);
    struct table *last = out->count == 0 ? NULL : &out->tables[out->count - 1];
    if (last == NULL || !str_eq_c(name, last->name)) {
        if (out->count == TABLES_MAX)
            return ERR_TOO_LARGE;
        last = &out->tables[out->count++];
        last->name = str_c(move->mem, name);
    }
    int64_t position = db_cell_int(rows, row, 2);
    if (last->column_count == COLUMNS_MAX || position > COLUMNS_MAX)
        return ERR_TOO_LARGE;
    if (position > 0) {
        last->key[position - 1] = last->column_count;
        last->key_count++;
    }
    last->columns[last->column_count++] = str_c(move->mem, db_cell_text(rows, row, 1));
    return ERR_NONE;
}

/* Reads the tables from the database itself, so that a new table needs no change here. */
static enum err
read_catalog(struct move *move, struct db *db, struct catalog *out)
{
    struct db_rows rows = { 0 };
    out->tables = ARENA_ARRAY(move->mem, struct table, TABLES_MAX);
    enum err err = query(db, move->page, db->driver->catalog, NULL, 0, &rows, move->why);
    for (size_t i = 0; i < rows.count && !err; i++)
        if (!is_own_table(db_cell_text(&rows, i, 0)))
            err = add_column(move, out, &rows, i);
    for (size_t i = 0; i < out->count && !err; i++)
        if (out->tables[i].key_count == 0) /* its rows have no order */
            err = ERR_INTERNAL;
    if (err)
        why_set(move->why, "move: the tables of the store cannot be listed");
    return err;
}

/* In the same order, too, because rows are copied by position. */
static bool
same_table(const struct table *a, const struct table *b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->column_count == b->column_count &&
                a->key_count == b->key_count;
    for (size_t i = 0; same && i < a->column_count; i++)
        same = strcmp(a->columns[i], b->columns[i]) == 0;
    for (size_t i = 0; same && i < a->key_count; i++)
        same = a->key[i] == b->key[i];
    return same;
}

/* Both have all schema steps of this version, so they differ only if a step does. */
static enum err
read_catalogs(struct move *move)
{
    struct catalog other = { 0 };
    enum err err = read_catalog(move, move->from, &move->catalog);
    if (!err)
        err = read_catalog(move, move->to, &other);
    bool same = move->catalog.count == other.count;
    for (size_t i = 0; same && i < other.count; i++)
        same = same_table(&move->catalog.tables[i], &other.tables[i]);
    if (!err && !same) {
        why_set(move->why, "move: the two stores have different tables; delete the store that "
                           "--to names and try again");
        err = ERR_INVALID;
    }
    return err;
}

/* ---- pages of rows ---- */

/* The rows after the row `last`, or, if that is NULL, after the first `offset` rows. */
static enum err
read_page(struct move *move, struct db *db, const struct table *table, int64_t offset,
          const struct db_value *last, struct db_rows *rows)
{
    struct buf text = buf_in(move->page, STATEMENT_MAX);
    struct db_value values[COLUMNS_MAX];
    size_t count = 0;
    buf_add_format(&text, "SELECT ");
    add_names(&text, table, NULL, table->column_count);
    buf_add_format(&text, " FROM %s", table->name);
    if (last != NULL) {
        buf_add_format(&text, " WHERE (");
        add_names(&text, table, table->key, table->key_count);
        buf_add_format(&text, ") > ");
        add_parameters(&text, 1, table->key_count);
        for (; count < table->key_count; count++)
            values[count] = last[table->key[count]];
    }
    buf_add_format(&text, " ORDER BY ");
    add_names(&text, table, table->key, table->key_count);
    buf_add_format(&text, " LIMIT %d", PAGE_ROWS);
    if (last == NULL && offset > 0)
        buf_add_format(&text, " OFFSET %lld", (long long)offset);
    return query(db, move->page, str_c(move->page, buf_str(&text)), values, count, rows, move->why);
}

/* Calls `take` with each page of the table. The last row of a page is copied, because the page's
 * memory is reused. */
static enum err
each_page(struct move *move, struct db *db, const struct table *table, int64_t offset,
          enum err (*take)(struct move *move, const struct table *table, const struct db_rows *rows,
                           void *context),
          void *context)
{
    struct arena *key = arena_new();
    struct db_value last[COLUMNS_MAX];
    struct db_rows rows = { .count = PAGE_ROWS };
    enum err err = ERR_NONE;
    for (bool first = true; !err && rows.count == PAGE_ROWS; first = false) {
        arena_reset(move->page);
        err = read_page(move, db, table, offset, first ? NULL : last, &rows);
        if (!err && rows.count > 0)
            err = take(move, table, &rows, context);
        arena_reset(key);
        for (size_t i = 0; !err && rows.count > 0 && i < table->key_count; i++) {
            size_t column = table->key[i];
            last[column] = rows.cells[(rows.count - 1) * rows.columns + column];
            if (last[column].type == DB_TEXT)
                last[column].text = str_copy(key, last[column].text);
        }
    }
    arena_free(key);
    return err;
}

/* ---- copying ---- */

/* One statement for a page of rows: a statement per row would take most of the time. */
static enum err
insert_rows(struct move *move, const struct table *table, const struct db_value *cells,
            size_t count)
{
    struct buf text = buf_in(move->page, STATEMENT_MAX);
    size_t columns = table->column_count;
    buf_add_format(&text, "INSERT INTO %s (", table->name);
    add_names(&text, table, NULL, columns);
    buf_add_format(&text, ") VALUES ");
    for (size_t i = 0; i < count; i++) {
        buf_add_format(&text, "%s", i == 0 ? "" : ", ");
        add_parameters(&text, i * columns + 1, columns);
    }
    return query(move->to, move->page, str_c(move->page, buf_str(&text)), cells, count * columns,
                 NULL, move->why);
}

/* One transaction: after kill -9 the target has the whole page or nothing of it. */
static enum err
copy_page(struct move *move, const struct table *table, const struct db_rows *rows, void *context)
{
    enum err err = ERR_NONE;
    (void)context;
    for (size_t i = 0; i < rows->count && !err; i += INSERT_ROWS) {
        size_t left = rows->count - i;
        err = insert_rows(move, table, rows->cells + i * rows->columns,
                          left < INSERT_ROWS ? left : INSERT_ROWS);
    }
    if (!err)
        err = move->to->driver->schema_run(move->to, "COMMIT; BEGIN", NULL, move->why);
    move->done += (int64_t)rows->count;
    if (!err && move->progress != NULL && move->total > 0) /* verifying is the other half */
        move->progress(move->context, (int)(50 * move->done / move->total));
    return err;
}

static enum err
count_rows(struct move *move, struct db *db, const struct table *table, int64_t *count)
{
    const char *text = str_format(move->page, "SELECT COUNT(*) FROM %s", table->name).ptr;
    return query_number(db, text, count, move->why);
}

/* Continues after an interruption: the rows that are in the target already are counted and skipped,
 * since both stores have the same order. */
static enum err
copy_tables(struct move *move, struct db_moved *moved)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < move->catalog.count && !err; i++) {
        const struct table *table = &move->catalog.tables[i];
        int64_t found = 0;
        err = count_rows(move, move->to, table, &found);
        move->done += found;
        moved->found += found;
        if (!err)
            err = each_page(move, move->from, table, found, copy_page, NULL);
    }
    return err;
}

/* ---- verifying ---- */

/* The type of each cell is part of the sum, so that NULL, an empty text, and 0 differ. Sums are
 * added, so the order of the rows does not matter: engines sort texts differently. */
static enum err
sum_page(struct move *move, const struct table *table, const struct db_rows *rows, void *context)
{
    struct totals *totals = context;
    (void)move;
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
    enum err err = each_page(move, move->from, table, 0, sum_page, from);
    if (!err)
        err = each_page(move, move->to, table, 0, sum_page, &to);
    if (!err && (from->rows != to.rows || from->sum != to.sum)) {
        why_set(move->why,
                "move: table %s differs between the two stores (%lld and %lld rows); one of them "
                "was changed during the move; delete the store that --to names and try again",
                table->name, (long long)from->rows, (long long)to.rows);
        err = ERR_INVALID;
    }
    return err;
}

/* Verifying is the second half of the progress. */
static enum err
verify_tables(struct move *move, struct db_moved *moved)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < move->catalog.count && !err; i++) {
        struct totals totals = { 0 };
        err = verify_table(move, &move->catalog.tables[i], &totals);
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
    enum err err = query_number(db, db->driver->other_processes, &others, why);
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
    enum err err =
        query(move->to, move->mem, "SELECT name FROM schema_step WHERE version = " DB_MOVE_STEP,
              NULL, 0, &rows, move->why);
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
    for (size_t i = 0; i < move->catalog.count && !err; i++) {
        int64_t count = 0;
        err = count_rows(move, move->to, &move->catalog.tables[i], &count);
        if (!err && count > 0) {
            why_set(move->why, "move: the store that --to names is not empty; use a new file or an "
                               "empty database");
            err = ERR_TAKEN;
        }
    }
    struct db_value values[] = { db_text(move->to->moved_from), db_int(clock_now()) };
    if (!err)
        err = query(move->to, move->page,
                    "INSERT INTO schema_step (version, name, applied_at)"
                    " VALUES (" DB_MOVE_STEP ", $1, $2)",
                    values, 2, NULL, move->why);
    return err ? err : move->to->driver->schema_run(move->to, "COMMIT; BEGIN", NULL, move->why);
}

/* Only for the progress. */
static enum err
count_total(struct move *move)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < move->catalog.count && !err; i++) {
        int64_t count = 0;
        err = count_rows(move, move->from, &move->catalog.tables[i], &count);
        move->total += count;
    }
    return err;
}

/* The last statement makes the target a usable store: until then, the step DB_MOVE_STEP marks it as
 * incomplete. */
static enum err
run(struct move *move, struct db_moved *moved)
{
    enum err err = read_catalogs(move);
    if (!err)
        err = claim_target(move);
    if (!err)
        err = count_total(move);
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
