/* The snapshot that a read sees, on both engines. */
#include "unit/db/rows.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *
run_add(void *argument)
{
    struct arena *mem = arena_new();
    if (add_one(argument, mem, ERR_NONE))
        abort();
    arena_free(mem);
    return NULL;
}

static void
add_in_other_thread(struct db *db)
{
    pthread_t writer;
    pthread_create(&writer, NULL, run_add, db);
    pthread_join(writer, NULL);
}

struct snapshot {
    struct kit *kit;
    int64_t before, after;
    uint64_t commits, inner_commits;
};

static enum err
count_inside(struct db_tx *tx, void *argument)
{
    struct snapshot *snapshot = argument;
    enum err err = count_rows(tx, &snapshot->after);
    snapshot->inner_commits = db_tx_commits(tx);
    return err;
}

static enum err
count_during_a_write(struct db_tx *tx, void *argument)
{
    struct snapshot *snapshot = argument;
    enum err err = count_rows(tx, &snapshot->before);
    snapshot->commits = db_tx_commits(tx);
    add_in_other_thread(snapshot->kit->db);
    return err ? err : kit_read(snapshot->kit->db, count_inside, snapshot);
}

/* On PostgreSQL each statement has its own snapshot. */
static void
a_read_sees_one_snapshot_on_sqlite(struct kit *kit)
{
    bool sqlite = !db_reads_block(kit->db);
    for (int64_t i = 0; i < 3; i++) {
        struct snapshot snapshot = { .kit = kit };
        assert_int_equal(kit_read(kit->db, count_during_a_write, &snapshot), ERR_NONE);
        assert_int_equal(snapshot.before, i);
        assert_int_equal(snapshot.after, sqlite ? i : i + 1);
        assert_int_equal(snapshot.commits, snapshot.inner_commits);
        assert_int_equal(snapshot.commits < db_commits(kit->db), sqlite);
    }
}

static enum err
count_after_a_write(struct db_tx *tx, void *argument)
{
    struct snapshot *snapshot = argument;
    add_in_other_thread(snapshot->kit->db);
    snapshot->commits = db_commits(snapshot->kit->db);
    enum err err = count_rows(tx, &snapshot->after);
    snapshot->inner_commits = db_tx_commits(tx);
    return err;
}

/* So versions taken before the read can be cached together with its rows. */
static void
a_read_sees_the_snapshot_of_its_first_statement(struct kit *kit)
{
    for (int64_t i = 0; i < 3; i++) {
        struct snapshot snapshot = { .kit = kit };
        assert_int_equal(count(kit->db), i);
        assert_int_equal(kit_read(kit->db, count_after_a_write, &snapshot), ERR_NONE);
        assert_int_equal(snapshot.after, i + 1);
        assert_int_equal(snapshot.inner_commits, snapshot.commits);
    }
}

static void
a_commit_is_visible_to_other_threads_when_db_write_returns(struct kit *kit)
{
    for (int64_t i = 0; i < 100; i++) {
        assert_int_equal(count(kit->db), i);
        assert_int_equal(count(kit->db), i);
        add_in_other_thread(kit->db);
    }
}

/* A thread that has read, and idles until idler_end(). */
struct idler {
    struct db *db;
    int started[2], stop[2];
    pthread_t thread;
};

static void *
read_and_idle(void *argument)
{
    struct idler *idler = argument;
    char byte = 0;
    int64_t seen = 0;
    if (kit_read(idler->db, count_rows, &seen) || write(idler->started[1], &byte, 1) != 1 ||
        read(idler->stop[0], &byte, 1) != 1)
        abort();
    return NULL;
}

static void
idler_start(struct idler *idler, struct db *db)
{
    char byte;
    idler->db = db;
    assert_int_equal(pipe(idler->started) | pipe(idler->stop), 0);
    pthread_create(&idler->thread, NULL, read_and_idle, idler);
    assert_int_equal(read(idler->started[0], &byte, 1), 1);
}

static void
idler_end(struct idler *idler)
{
    assert_int_equal(write(idler->stop[1], "", 1), 1);
    pthread_join(idler->thread, NULL);
    for (int i = 0; i < 2; i++) {
        close(idler->started[i]);
        close(idler->stop[i]);
    }
}

static int64_t
log_bytes(struct kit *kit)
{
    struct stat found = { 0 };
    stat(db_path_beside(kit->mem, kit->address, "-wal").ptr, &found);
    return found.st_size;
}

static void
an_idle_reader_does_not_keep_the_log_from_being_truncated(struct kit *kit)
{
    struct idler idler;
    struct why why = { 0 };
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    idler_start(&idler, kit->db);
    assert_int_equal(count(kit->db), 1);
    assert_int_equal(db_compact(kit->db, &why), ERR_NONE);
    if (!db_reads_block(kit->db))
        assert_int_equal(log_bytes(kit), 0);
    assert_int_equal(count(kit->db), 1);
    idler_end(&idler);
}

/* Writes several times the size at which the log restarts. */
static void
a_busy_reader_does_not_keep_the_log_from_restarting(struct kit *kit)
{
    enum { WRITES = 1500, LOG_MAX = 40 * 1024 * 1024 };
    struct idler idler;
    if (db_reads_block(kit->db))
        return;
    idler_start(&idler, kit->db);
    for (int i = 0; i < WRITES; i++) {
        assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
        assert_int_equal(count(kit->db), i + 1);
    }
    assert_true(log_bytes(kit) < LOG_MAX);
    idler_end(&idler);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_read_sees_one_snapshot_on_sqlite),
        KIT_CASE(a_read_sees_the_snapshot_of_its_first_statement),
        KIT_CASE(a_commit_is_visible_to_other_threads_when_db_write_returns),
        KIT_CASE(an_idle_reader_does_not_keep_the_log_from_being_truncated),
        KIT_CASE(a_busy_reader_does_not_keep_the_log_from_restarting),
    };
    return KIT_RUN("db_read", cases, LOG_WARN);
}
