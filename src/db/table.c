/* table.c - statements for any table, made of the names in the catalog. A page begins after the key
 * of the last row before it, so that reading a table takes one pass over the index of its key. */
#include "db/table.h"

#include "base/arena.h"
#include "base/buf.h"
#include "db/driver.h"

#include <string.h>

#define TABLES_MAX 256
#define PAGE_ROWS 200
#define INSERT_ROWS 20 /* a statement: one per row would take most of the time */
#define STATEMENT_MAX (256 * 1024)

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
add_column(struct arena *mem, struct tables *out, const struct db_rows *rows, size_t row)
{
    struct str name = db_cell_text(rows, row, 0);
    struct table *last = out->count == 0 ? NULL : &out->list[out->count - 1];
    if (last == NULL || !str_eq_c(name, last->name)) {
        if (out->count == TABLES_MAX)
            return ERR_TOO_LARGE;
        last = &out->list[out->count++];
        last->name = str_c(mem, name);
    }
    int64_t position = db_cell_int(rows, row, 2);
    if (last->column_count == TABLE_COLUMNS_MAX || position > TABLE_COLUMNS_MAX)
        return ERR_TOO_LARGE;
    if (position > 0) {
        last->key[position - 1] = last->column_count;
        last->key_count++;
    }
    last->columns[last->column_count++] = str_c(mem, db_cell_text(rows, row, 1));
    return ERR_NONE;
}

enum err
tables_read(struct db *db, struct arena *mem, struct tables *out, struct why *why)
{
    struct db_rows rows = { 0 };
    *out = (struct tables){ .list = ARENA_ARRAY(mem, struct table, TABLES_MAX) };
    enum err err = db->driver->schema_query(db, mem, db->driver->catalog, NULL, 0, &rows, why);
    for (size_t i = 0; i < rows.count && !err; i++)
        if (!is_own_table(db_cell_text(&rows, i, 0)))
            err = add_column(mem, out, &rows, i);
    for (size_t i = 0; i < out->count && !err; i++)
        if (out->list[i].key_count == 0)
            err = ERR_INTERNAL;
    if (err)
        why_set(why, "move: the tables of the store cannot be listed");
    return err;
}

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

bool
tables_equal(const struct tables *a, const struct tables *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = same_table(&a->list[i], &b->list[i]);
    return same;
}

/* ---- rows ---- */

enum err
table_count(struct db *db, struct arena *mem, const struct table *table, int64_t *count,
            struct why *why)
{
    const char *text = str_format(mem, "SELECT COUNT(*) FROM %s", table->name).ptr;
    return db->driver->schema_run(db, text, count, why);
}

/* All columns if `which` is NULL. */
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

/* The rows after the row `last`, or, if that is NULL, after the first `offset` rows. */
static enum err
read_page(struct db *db, struct arena *page, const struct table *table, int64_t offset,
          const struct db_value *last, struct db_rows *rows, struct why *why)
{
    struct buf text = buf_in(page, STATEMENT_MAX);
    struct db_value values[TABLE_COLUMNS_MAX];
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
    return db->driver->schema_query(db, page, str_c(page, buf_str(&text)), values, count, rows,
                                    why);
}

/* The key of the last row of a page is copied, because the page's memory is reused. */
enum err
table_each_page(struct db *db, struct arena *page, const struct table *table, int64_t offset,
                table_take *take, void *context, struct why *why)
{
    struct arena *key = arena_new();
    struct db_value last[TABLE_COLUMNS_MAX];
    struct db_rows rows = { .count = PAGE_ROWS };
    enum err err = ERR_NONE;
    for (bool first = true; !err && rows.count == PAGE_ROWS; first = false) {
        arena_reset(page);
        err = read_page(db, page, table, offset, first ? NULL : last, &rows, why);
        if (!err && rows.count > 0)
            err = take(context, table, &rows);
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

enum err
table_insert(struct db *db, struct arena *mem, const struct table *table,
             const struct db_rows *rows, struct why *why)
{
    enum err err = ERR_NONE;
    size_t columns = table->column_count;
    for (size_t first = 0; first < rows->count && !err; first += INSERT_ROWS) {
        struct buf text = buf_in(mem, STATEMENT_MAX);
        struct db_rows unwanted;
        size_t left = rows->count - first, count = left < INSERT_ROWS ? left : INSERT_ROWS;
        buf_add_format(&text, "INSERT INTO %s (", table->name);
        add_names(&text, table, NULL, columns);
        buf_add_format(&text, ") VALUES ");
        for (size_t i = 0; i < count; i++) {
            buf_add_format(&text, "%s", i == 0 ? "" : ", ");
            add_parameters(&text, i * columns + 1, columns);
        }
        err = db->driver->schema_query(db, mem, str_c(mem, buf_str(&text)),
                                       rows->cells + first * columns, count * columns, &unwanted,
                                       why);
    }
    return err;
}
