/* At which moment a read sees the store, on both engines as in db_test.c. */
#include "unit/db/rows.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *
add_beside(void *argument)
{
    struct arena *mem = arena_new();
    if (add_one(argument, mem, ERR_NONE))
        abort();
    arena_free(mem);
    return NULL;
}

static void
somebody_adds(struct db *db)
{
    pthread_t writer;
    pthread_create(&writer, NULL, add_beside, db);
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
look_while_somebody_writes(struct db_tx *tx, void *argument)
{
    struct snapshot *snapshot = argument;
    enum err err = count_rows(tx, &snapshot->before);
    snapshot->commits = db_tx_commits(tx);
    somebody_adds(snapshot->kit->db);
    return err ? err : db_read(snapshot->kit->db, count_inside, snapshot);
}

/* On PostgreSQL each statement sees what is committed. */
static void
a_read_sees_one_moment_on_sqlite(struct kit *kit)
{
    bool sqlite = !db_reads_block(kit->db);
    for (int64_t i = 0; i < 3; i++) {
        struct snapshot snapshot = { .kit = kit };
        assert_int_equal(db_read(kit->db, look_while_somebody_writes, &snapshot), ERR_NONE);
        assert_int_equal(snapshot.before, i);
        assert_int_equal(snapshot.after, sqlite ? i : i + 1);
        assert_int_equal(snapshot.commits, snapshot.inner_commits);
        assert_int_equal(snapshot.commits < db_commits(kit->db), sqlite);
    }
}

static enum err
look_after_somebody_wrote(struct db_tx *tx, void *argument)
{
    struct snapshot *snapshot = argument;
    somebody_adds(snapshot->kit->db);
    snapshot->commits = db_commits(snapshot->kit->db);
    enum err err = count_rows(tx, &snapshot->after);
    snapshot->inner_commits = db_tx_commits(tx);
    return err;
}

/* So what was found in memory before it can be kept together with what it finds. */
static void
a_read_sees_the_moment_of_its_first_statement_and_not_of_its_beginning(struct kit *kit)
{
    for (int64_t i = 0; i < 3; i++) {
        struct snapshot snapshot = { .kit = kit };
        assert_int_equal(count(kit->db), i);
        assert_int_equal(db_read(kit->db, look_after_somebody_wrote, &snapshot), ERR_NONE);
        assert_int_equal(snapshot.after, i + 1);
        assert_int_equal(snapshot.inner_commits, snapshot.commits);
    }
}

static void
what_others_wrote_is_seen_as_soon_as_it_was_answered(struct kit *kit)
{
    for (int64_t i = 0; i < 100; i++) {
        assert_int_equal(count(kit->db), i);
        assert_int_equal(count(kit->db), i);
        somebody_adds(kit->db);
    }
}

/* A thread that has read, and does nothing until it is told to end. */
struct idler {
    struct db *db;
    int said[2], told[2];
    pthread_t thread;
};

static void *
read_and_idle(void *argument)
{
    struct idler *idler = argument;
    char byte = 0;
    int64_t seen = 0;
    if (db_read(idler->db, count_rows, &seen) || write(idler->said[1], &byte, 1) != 1 ||
        read(idler->told[0], &byte, 1) != 1)
        abort();
    return NULL;
}

static void
idler_start(struct idler *idler, struct db *db)
{
    char byte;
    idler->db = db;
    assert_int_equal(pipe(idler->said) | pipe(idler->told), 0);
    pthread_create(&idler->thread, NULL, read_and_idle, idler);
    assert_int_equal(read(idler->said[0], &byte, 1), 1);
}

static void
idler_end(struct idler *idler)
{
    assert_int_equal(write(idler->told[1], "", 1), 1);
    pthread_join(idler->thread, NULL);
    for (int i = 0; i < 2; i++) {
        close(idler->said[i]);
        close(idler->told[i]);
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
who_has_read_and_idles_keeps_no_log_from_being_emptied(struct kit *kit)
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

/* Several times as much is written as a log may have before it is begun anew. */
static void
nor_does_one_who_goes_on_reading(struct kit *kit)
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
        KIT_CASE(a_read_sees_one_moment_on_sqlite),
        KIT_CASE(a_read_sees_the_moment_of_its_first_statement_and_not_of_its_beginning),
        KIT_CASE(what_others_wrote_is_seen_as_soon_as_it_was_answered),
        KIT_CASE(who_has_read_and_idles_keeps_no_log_from_being_emptied),
        KIT_CASE(nor_does_one_who_goes_on_reading),
    };
    return KIT_RUN("db_read", cases, LOG_WARN);
}
