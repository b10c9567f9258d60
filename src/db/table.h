/* table.h - the tables of a store, as the catalog of its database describes them, and their rows in
 * pages. For db_move().
 *
 * A new table needs no change here. Call in a schema transaction of the store (driver.h), from the
 * thread that began it. Results are allocated from the arena of the call. On an error, `why` says
 * what failed. */
#ifndef DB_TABLE_H
#define DB_TABLE_H

#include "db/db.h"

struct arena;

#define TABLE_COLUMNS_MAX 64

struct table {
    const char *name;
    const char *columns[TABLE_COLUMNS_MAX];
    size_t column_count;
    size_t key[TABLE_COLUMNS_MAX]; /* columns of the primary key, in its order */
    size_t key_count;
};

struct tables {
    struct table *list; /* ordered by name */
    size_t count;
};

/* All tables except those that describe the store itself. ERR_INTERNAL: one has no primary key, so
 * that its rows have no order. */
enum err tables_read(struct db *db, struct arena *mem, struct tables *out, struct why *why);

/* With their columns in the same order. */
bool tables_equal(const struct tables *a, const struct tables *b);

enum err table_count(struct db *db, struct arena *mem, const struct table *table, int64_t *count,
                     struct why *why);

typedef enum err table_take(void *context, const struct table *table, const struct db_rows *rows);

/* Calls take() with each page of rows, in the order of the primary key, without the first `offset`
 * rows. Each page is allocated from `page`, which is reset before the next one, so that tables of
 * any size can be read; take() may allocate from it, too. */
enum err table_each_page(struct db *db, struct arena *page, const struct table *table,
                         int64_t offset, table_take *take, void *context, struct why *why);

/* Rows with all columns of the table. */
enum err table_insert(struct db *db, struct arena *mem, const struct table *table,
                      const struct db_rows *rows, struct why *why);

#endif
