/* A write is answered after the versions of what it changed have risen: a revocation that was
 * answered earlier could still be followed by a cached response. PostgreSQL has no versions; there
 * the cases do nothing. */
#include "sqlite/sqlite.h"
#include "unit/db/rows.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#define MEMBERS 4

/* Replaces that of versions.c: the same, but slow, so that a member that is woken too early finds
 * its old version. */
void
versions_raise(struct versions *versions, struct touched *touched)
{
    nanosleep(&(struct timespec){ 0, 50 * 1000 * 1000 }, NULL);
    uint64_t commit = atomic_fetch_add(&versions->commits, 1) + 1;
    if (touched->all)
        atomic_store(&versions->of_all, commit);
    for (size_t i = 0; i < touched->count; i++)
        atomic_store(&versions->of[touched->slots[i]], commit);
    touched->count = 0;
    touched->all = false;
}

struct writer {
    struct db *db;
    pthread_t thread;
    int64_t position;
    enum err result;
    uint64_t commits[2], version[2]; /* before and after */
};

static void *
write_one(void *argument)
{
    struct writer *writer = argument;
    struct arena *mem = arena_new();
    struct add add = { mem, writer->position, ERR_NONE, false };
    struct str id = str_format(mem, "usr_%lld", (long long)writer->position);
    writer->commits[0] = db_commits(writer->db);
    writer->version[0] = db_version(writer->db, id);
    writer->result = db_write(writer->db, add_row, &add);
    writer->commits[1] = db_commits(writer->db);
    writer->version[1] = db_version(writer->db, id);
    arena_free(mem);
    return NULL;
}

/* Runs as the leader and returns after the others have queued, so that they are of its group. */
static enum err
lead_others(struct db_tx *tx, void *argument)
{
    struct writer *writers = argument;
    struct sqlite_store *store = (struct sqlite_store *)writers->db;
    (void)tx;
    for (int i = 0; i < MEMBERS; i++)
        pthread_create(&writers[i].thread, NULL, write_one, &writers[i]);
    for (size_t waiting = 0; waiting < MEMBERS;) {
        sched_yield();
        pthread_mutex_lock(&store->writer.lock);
        waiting = store->writer.waiting;
        pthread_mutex_unlock(&store->writer.lock);
    }
    return ERR_NONE;
}

static void
a_write_returns_after_the_versions_have_risen(struct kit *kit)
{
    struct writer writers[MEMBERS];
    if (db_reads_block(kit->db))
        return;
    for (int i = 0; i < MEMBERS; i++)
        writers[i] = (struct writer){ .db = kit->db, .position = 100 + i };
    assert_int_equal(db_write(kit->db, lead_others, writers), ERR_NONE);
    for (int i = 0; i < MEMBERS; i++) {
        pthread_join(writers[i].thread, NULL);
        assert_int_equal(writers[i].result, ERR_NONE);
        assert_true(writers[i].commits[1] > writers[i].commits[0]);
        assert_true(writers[i].version[1] > writers[i].version[0]);
    }
    assert_int_equal(count(kit->db), MEMBERS);
    uint64_t commits = db_commits(kit->db);
    assert_int_equal(add_one(kit->db, kit->mem, ERR_NONE), ERR_NONE);
    assert_true(db_commits(kit->db) > commits);
}

int
main(void)
{
    static const struct kit_case cases[] = {
        KIT_CASE(a_write_returns_after_the_versions_have_risen),
    };
    return KIT_RUN("db_versions", cases, LOG_WARN);
}
