/* The write connection of SQLite: checkpoints, and groups with a member that cannot be rolled back
 * alone. PostgreSQL has neither; there the cases do nothing. */
#include "unit/db/rows.h"

#include "base/buf.h"
#include "base/metric.h"

#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAME_BYTES (8192 + 24)
#define CHECKPOINT_FRAMES 4000

static int64_t
metric(const char *name)
{
    struct arena *mem = arena_new();
    struct buf page = buf_in(mem, 1024 * 1024);
    int64_t value = -1;
    metric_write_page(&page);
    struct str line, rest = buf_str(&page);
    while (str_cut(&rest, '\n', &line))
        if (str_starts(line, str_format(mem, "%s ", name)))
            str_to_int(str_from(line, strlen(name) + 1), 0, INT64_MAX, &value);
    arena_free(mem);
    return value;
}

/* ---- the log ---- */

/* Holds its snapshot until reader_end(). */
struct long_reader {
    struct db *db;
    int started[2], stop[2];
    pthread_t thread;
};

static enum err
hold_snapshot(struct db_tx *tx, void *argument)
{
    struct long_reader *reader = argument;
    char byte = 0;
    int64_t seen = 0;
    enum err err = count_rows(tx, &seen);
    if (write(reader->started[1], &byte, 1) != 1 || read(reader->stop[0], &byte, 1) != 1)
        abort();
    return err;
}

static void *
run_reader(void *argument)
{
    struct long_reader *reader = argument;
    if (kit_read(reader->db, hold_snapshot, reader))
        abort();
    return NULL;
}

static void
reader_start(struct long_reader *reader, struct db *db)
{
    char byte;
    reader->db = db;
    assert_int_equal(pipe(reader->started) | pipe(reader->stop), 0);
    pthread_create(&reader->thread, NULL, run_reader, reader);
    assert_int_equal(read(reader->started[0], &byte, 1), 1);
}

static void
reader_end(struct long_reader *reader)
{
    assert_int_equal(write(reader->stop[1], "", 1), 1);
    pthread_join(reader->thread, NULL);
    for (int i = 0; i < 2; i++) {
        close(reader->started[i]);
        close(reader->stop[i]);
    }
}

static int64_t
log_frames(struct kit *kit)
{
    struct stat found = { 0 };
    stat(db_path_beside(kit->mem, kit->address, "-wal").ptr, &found);
    return found.st_size / FRAME_BYTES;
}

/* Each row fills a page, so that few commits are enough. */
#define ROWS 60
#define NAME_BYTES 7000

SQL(test_add_large, "INSERT INTO user_account (user_id, username, name, status, position, epoch,"
                    " created_at, updated_at) VALUES ($1, $1, $2, 'active', $3, 0, 1, 1)");

static enum err
add_large_rows(struct db_tx *tx, void *argument)
{
    struct arena *mem = argument;
    char *name = arena_alloc(mem, NAME_BYTES);
    enum err err = ERR_NONE;
    memset(name, 'n', NAME_BYTES);
    for (int i = 0; i < ROWS && !err; i++) {
        int64_t position = atomic_fetch_add(&next_position, 1);
        struct str id = str_format(mem, "usr_%lld", (long long)position);
        err = db_query(tx, mem, &test_add_large, NULL, db_text(id),
                       db_text((struct str){ name, NAME_BYTES }), db_int(position));
    }
    return err;
}

static void
commit_large(struct kit *kit)
{
    struct arena *mem = arena_new();
    assert_int_equal(db_write(kit->db, add_large_rows, mem), ERR_NONE);
    arena_free(mem);
}

static void
a_log_held_by_a_reader_is_not_checkpointed_at_every_commit(struct kit *kit)
{
    struct long_reader reader;
    int64_t commits = 0, checkpoints = 0;
    if (db_reads_block(kit->db))
        return;
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    reader_start(&reader, kit->db);
    for (; log_frames(kit) < 2 * CHECKPOINT_FRAMES + 300; commits++)
        commit_large(kit);
    assert_true(commits > 50);
    assert_int_equal(metric("penchant_store_checkpoints_total"), 2);
    reader_end(&reader);
    /* Without the reader, the next checkpoint restarts the log. */
    for (; checkpoints < 3 && commits < 1000; commits++) {
        commit_large(kit);
        checkpoints = metric("penchant_store_checkpoints_total");
    }
    int64_t most = log_frames(kit);
    assert_true(most < 3 * CHECKPOINT_FRAMES + 600);
    for (int i = 0; i < 5; i++)
        commit_large(kit);
    assert_true(log_frames(kit) <= most);
    assert_int_equal(count(kit->db), 1 + (commits + 5) * ROWS);
}

/* ---- a member that cannot be rolled back ---- */

SQL(test_lose_savepoint, "RELEASE member");

static enum err
add_and_lose_savepoint(struct db_tx *tx, void *argument)
{
    struct add *add = argument;
    enum err err = add_row(tx, add);
    enum err lost = db_query(tx, add->mem, &test_lose_savepoint, NULL);
    return err ? err : lost;
}

static void
a_member_that_lost_its_savepoint_is_not_committed(struct kit *kit)
{
    static const enum err results[] = { ERR_FORBIDDEN, ERR_NONE };
    if (db_reads_block(kit->db))
        return;
    for (size_t i = 0; i < KIT_COUNT(results); i++) {
        struct add add = { kit->mem, 5000 + (int64_t)i, results[i], false };
        assert_int_equal(db_write(kit->db, add_and_lose_savepoint, &add), ERR_UNAVAILABLE);
        assert_int_equal(count(kit->db), 0);
    }
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    assert_int_equal(count(kit->db), 1);
}

struct other_writer {
    struct kit *kit;
    pthread_t thread;
    struct add add;
    enum err result;
};

static void *
join_the_group(void *argument)
{
    struct other_writer *other = argument;
    struct arena *mem = arena_new();
    other->add = (struct add){ mem, 6001, ERR_FORBIDDEN, false };
    other->result = db_write(other->kit->db, add_and_lose_savepoint, &other->add);
    arena_free(mem);
    return NULL;
}

/* Runs as the leader and returns only after the other thread has queued. */
static enum err
add_when_another_waits(struct db_tx *tx, void *argument)
{
    struct other_writer *other = argument;
    struct add add = { other->kit->mem, 6000, ERR_NONE, false };
    enum err err = add_row(tx, &add);
    pthread_create(&other->thread, NULL, join_the_group, other);
    for (int i = 0; i < 10000000 && metric("penchant_store_waiting") < 1; i++)
        sched_yield();
    return err;
}

static void
a_member_that_lost_its_savepoint_rolls_back_its_group(struct kit *kit)
{
    struct other_writer other = { .kit = kit };
    if (db_reads_block(kit->db))
        return;
    assert_int_equal(db_write(kit->db, add_when_another_waits, &other), ERR_UNAVAILABLE);
    pthread_join(other.thread, NULL);
    assert_int_equal(other.result, ERR_UNAVAILABLE);
    assert_int_equal(count(kit->db), 0);
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_log_held_by_a_reader_is_not_checkpointed_at_every_commit),
        KIT_CASE(a_member_that_lost_its_savepoint_is_not_committed),
        KIT_CASE(a_member_that_lost_its_savepoint_rolls_back_its_group),
    };
    /* Defects are provoked here; their log lines would be noise. */
    return KIT_RUN("db_commit", cases, LOG_SILENT);
}
