#include "command/restore_codes.h"

#include "base/arena.h"
#include "base/buf.h"
#include "credential/recovery_store.h"
#include "db/db.h"

#include <unistd.h>

#define REPORT_MAX (64 * 1024)
#define PAGE 500

bool
restore_codes_known(const char *address)
{
    struct arena *mem = arena_new();
    struct buf report = buf_in(mem, REPORT_MAX);
    struct why why = { 0 };
    bool known = db_address_is_sqlite(address) &&
                 access(db_path_beside(mem, address, "").ptr, F_OK) == 0 &&
                 db_check(address, &report, &why) == ERR_NONE && report.len == 0;
    arena_free(mem);
    return known;
}

/* ---- comparing ---- */

/* A page of the codes of a store, and the last code before the next page. The next page is read
 * into the other arena, because that code is in this one. */
struct page {
    struct arena *mem, *other;
    struct recovery_code *codes, last;
    size_t count, at;
    bool is_last;
};

static void
start_page(struct page *page)
{
    *page = (struct page){ .mem = arena_new(), .other = arena_new(), .last = { STR(""), STR("") } };
}

static void
free_page(struct page *page)
{
    arena_free(page->mem);
    arena_free(page->other);
}

static enum err
read_page(struct db_tx *tx, struct page *page)
{
    struct arena *mem = page->other;
    arena_reset(mem);
    enum err err =
        recovery_store_list_codes(tx, mem, &page->last, PAGE, &page->codes, &page->count);
    page->other = page->mem;
    page->mem = mem;
    page->at = 0;
    page->is_last = page->count < PAGE;
    if (page->count > 0)
        page->last = page->codes[page->count - 1];
    return err;
}

static int
order(const struct recovery_code *a, const struct recovery_code *b)
{
    int users = str_order(a->user_id, b->user_id);
    return users != 0 ? users : str_order(a->hash, b->hash);
}

/* Codes are asked for in their order, so that both stores are read once. */
static enum err
find_code(struct db_tx *tx, struct page *page, const struct recovery_code *code, bool *found)
{
    for (;;) {
        while (page->at < page->count && order(&page->codes[page->at], code) < 0)
            page->at++;
        if (page->at < page->count || page->is_last)
            break;
        enum err err = read_page(tx, page);
        if (err)
            return err;
    }
    *found = page->at < page->count && order(&page->codes[page->at], code) == 0;
    return ERR_NONE;
}

struct comparison {
    struct db *copy;
    struct page in_copy, in_old;
    struct arena *mem;    /* of a write */
    size_t used;          /* the first codes of the page of the copy are to be deleted */
    size_t kept, deleted; /* codes of the pages before */
    enum err copy_err;
};

static enum err
delete_used(struct db_tx *tx, void *argument)
{
    struct comparison *comparison = argument;
    enum err err = ERR_NONE;
    for (size_t i = 0; i < comparison->used && !err; i++) {
        const struct recovery_code *code = &comparison->in_copy.codes[i];
        err = recovery_store_take_code(tx, comparison->mem, code->user_id, code->hash);
    }
    return err;
}

/* The work of db_inspect() on the old store. */
static enum err
compare(struct db_tx *old, void *argument)
{
    struct comparison *comparison = argument;
    struct page *page = &comparison->in_copy;
    enum err err = ERR_NONE;
    while (!err && !page->is_last) {
        struct db_tx *tx = db_begin_read(comparison->copy);
        comparison->copy_err = err = db_end_read(tx, read_page(tx, page));
        comparison->used = 0;
        for (size_t i = 0; i < page->count && !err; i++) {
            bool found = false;
            err = find_code(old, &comparison->in_old, &page->codes[i], &found);
            if (!found)
                page->codes[comparison->used++] = page->codes[i];
        }
        arena_reset(comparison->mem);
        if (!err && comparison->used > 0)
            comparison->copy_err = err = db_write(comparison->copy, delete_used, comparison);
        comparison->kept += page->count - comparison->used;
        comparison->deleted += comparison->used;
    }
    return err;
}

static enum err
delete_all(struct db_tx *tx, void *mem)
{
    return recovery_store_end_all_codes(tx, mem);
}

enum err
restore_codes(struct db *copy, const char *address, bool *all)
{
    struct comparison comparison = { .copy = copy, .mem = arena_new() };
    struct why why = { 0 };
    start_page(&comparison.in_copy);
    start_page(&comparison.in_old);
    bool unknown = address == NULL || db_inspect(address, compare, &comparison, &why) != ERR_NONE;
    enum err err = comparison.copy_err;
    if (!err && unknown)
        err = db_write(copy, delete_all, comparison.mem);
    *all = unknown || (comparison.deleted > 0 && comparison.kept == 0);
    free_page(&comparison.in_copy);
    free_page(&comparison.in_old);
    arena_free(comparison.mem);
    return err;
}
