/* The page caches of SQLite's read connections. On PostgreSQL the cases do nothing. */
#include "unit/store_kit.h"

#include "base/buf.h"
#include "base/metric.h"
#include "base/workers.h"

#include <pthread.h>

#define KIB 1024
#define ROWS 1000
#define NAME_BYTES 7000 /* fills a page */
#define WORKERS 8

SQL(test_add_large, "INSERT INTO user_account (user_id, username, name, status, position, epoch,"
                    " created_at, updated_at) VALUES ($1, $1, $2, 'active', $3, 0, 1, 1)");
SQL(test_sum_names, "SELECT SUM(LENGTH(name)) FROM user_account");

static enum err
add_large_rows(struct db_tx *tx, void *argument)
{
    struct arena *mem = argument;
    char *name = arena_alloc(mem, NAME_BYTES);
    enum err err = ERR_NONE;
    memset(name, 'n', NAME_BYTES);
    for (int i = 0; i < ROWS && !err; i++)
        err = db_query(tx, mem, &test_add_large, NULL, db_text(str_format(mem, "usr_%d", i)),
                       db_text((struct str){ name, NAME_BYTES }), db_int(i));
    return err;
}

static enum err
read_every_page(struct db_tx *tx, void *argument)
{
    struct arena *mem = arena_new();
    struct db_rows rows;
    enum err err = db_query(tx, mem, &test_sum_names, &rows);
    *(int64_t *)argument = db_cell_int(&rows, 0, 0);
    arena_free(mem);
    return err;
}

static void
read_all(struct db *db)
{
    int64_t bytes = 0;
    if (kit_read(db, read_every_page, &bytes) || bytes != ROWS * NAME_BYTES)
        abort();
}

/* The barrier keeps a worker from taking two jobs. */
struct crew {
    struct db *db;
    pthread_barrier_t all_here;
};

static void
read_as_worker(void *argument)
{
    struct crew *crew = argument;
    pthread_barrier_wait(&crew->all_here);
    read_all(crew->db);
}

static int64_t
reader_bytes(void)
{
    static const char name[] = "\npenchant_store_reader_bytes ";
    struct arena *mem = arena_new();
    struct buf page = buf_in(mem, 1024 * KIB);
    metric_write_page(&page);
    const char *text = str_c(mem, buf_str(&page));
    const char *found = strstr(text, name);
    long long bytes = found == NULL ? -1 : strtoll(found + strlen(name), NULL, 10);
    arena_free(mem);
    return bytes;
}

static void
a_worker_has_a_small_page_cache_and_other_threads_a_large_one(struct kit *kit)
{
    struct crew crew = { .db = kit->db };
    if (db_reads_block(kit->db))
        return;
    assert_int_equal(db_write(kit->db, add_large_rows, kit->mem), ERR_NONE);
    struct workers *workers = workers_start("workers", WORKERS, WORKERS, 0);
    pthread_barrier_init(&crew.all_here, NULL, WORKERS);
    for (int i = 0; i < WORKERS; i++)
        assert_true(workers_submit(workers, read_as_worker, &crew));
    workers_stop(workers); /* their connections become spare */
    pthread_barrier_destroy(&crew.all_here);
    int64_t of_workers = reader_bytes();
    assert_in_range(of_workers, WORKERS * 128 * KIB, WORKERS * 512 * KIB);
    /* Reuses a spare connection on a thread that is not a worker. */
    read_all(kit->db);
    assert_in_range(reader_bytes() - of_workers, 3 * 1024 * KIB, 5 * 1024 * KIB);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_worker_has_a_small_page_cache_and_other_threads_a_large_one),
    };
    return KIT_RUN("db_memory", cases, LOG_WARN);
}
