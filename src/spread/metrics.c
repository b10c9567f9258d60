/* metrics.c - the sums of the metrics of all databases, because a page may have each name only
 * once. */
#include "spread/spread.h"

#include "base/arena.h"
#include "base/buf.h"

#include <stdlib.h>

#define PAGE_MAX ((size_t)256 * 1024)

/* "name{labels} value": the end of the name. */
static size_t
value_start(struct str line)
{
    size_t at = line.len;
    while (at > 0 && line.ptr[at - 1] != ' ')
        at--;
    return at;
}

/* The same writer made every page, so that lines have the same order. */
static void
add_line(struct buf *page, struct arena *mem, struct str line, const struct str *others,
         size_t count)
{
    size_t at = value_start(line);
    if (line.len == 0 || line.ptr[0] == '#' || at == 0) {
        buf_add(page, line);
    } else {
        double sum = strtod(str_c(mem, str_from(line, at)), NULL);
        for (size_t i = 0; i < count; i++)
            sum += strtod(str_c(mem, str_from(others[i], value_start(others[i]))), NULL);
        buf_add(page, str_first(line, at));
        buf_add_format(page, "%.15g", sum);
    }
    buf_add_char(page, '\n');
}

void
spread_metrics(struct db *db, struct buf *page)
{
    const struct spread_store *store = spread_of(db);
    struct arena *mem = arena_new();
    struct str pages[SPREAD_MAX] = { STR_NONE }, lines[SPREAD_MAX];
    for (size_t i = 0; i < store->count; i++) {
        struct buf one = buf_in(mem, PAGE_MAX);
        store->of[i]->driver->write_metrics(store->of[i], &one);
        pages[i] = buf_str(&one);
    }
    while (pages[0].len > 0 && str_cut(&pages[0], '\n', &lines[0])) {
        for (size_t i = 1; i < store->count; i++)
            if (!str_cut(&pages[i], '\n', &lines[i]))
                lines[i] = STR("");
        add_line(page, mem, lines[0], lines + 1, store->count - 1);
    }
    arena_free(mem);
}
