#include "spread/spread.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

void
spread_append(struct arena *mem, struct db_rows *all, const struct db_rows *more)
{
    if (more->count == 0 || all->count == 0) {
        *all = all->count == 0 ? *more : *all;
        return;
    }
    size_t before = all->count * all->columns, added = more->count * all->columns;
    struct db_value *cells = ARENA_ARRAY(mem, struct db_value, before + added);
    memcpy(cells, all->cells, before * sizeof *cells);
    memcpy(cells + before, more->cells, added * sizeof *cells);
    all->cells = cells;
    all->count += more->count;
}

void
spread_sum(struct arena *mem, struct db_rows *all, const struct db_rows *more)
{
    if (all->count == 0 || more->count == 0) {
        spread_append(mem, all, more);
        return;
    }
    struct db_value *cells = ARENA_ARRAY(mem, struct db_value, all->columns);
    cells[0] = db_int(db_cell_int(all, 0, 0) + db_cell_int(more, 0, 0));
    for (size_t i = 1; i < all->columns; i++) {
        int64_t a = db_cell_int(all, 0, i), b = db_cell_int(more, 0, i);
        cells[i] = db_int(a == 0 || (b != 0 && b < a) ? b : a);
    }
    *all = (struct db_rows){ .count = 1, .columns = all->columns, .cells = cells };
}

struct numbered {
    int64_t number;
    const struct db_value *cells;
};

static int
compare(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* Each database has returned at most `limit` rows, its first in this order, so the first `limit` of
 * all are among them. */
void
spread_order(struct arena *mem, struct db_rows *all, size_t column, int64_t limit)
{
    struct numbered *rows = ARENA_ARRAY(mem, struct numbered, all->count);
    struct db_value *cells = ARENA_ARRAY(mem, struct db_value, all->count * all->columns);
    for (size_t i = 0; i < all->count; i++)
        rows[i] = (struct numbered){ db_cell_int(all, i, column), &all->cells[i * all->columns] };
    if (all->count > 1)
        qsort(rows, all->count, sizeof *rows, compare);
    for (size_t i = 0; i < all->count; i++)
        memcpy(&cells[i * all->columns], rows[i].cells, all->columns * sizeof *cells);
    all->cells = cells;
    if ((int64_t)all->count > limit)
        all->count = (size_t)limit;
}
