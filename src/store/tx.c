/* tx.c - passes transactions and versions through to db/, so that only store/ includes db.h: the
 * modules above cannot contain SQL. */
#include "store/tx.h"

#include "base/arena.h"
#include "db/db.h"

enum err
tx_write(struct db *db, tx_work *work, void *argument)
{
    return db_write(db, work, argument);
}

enum err
tx_write_shared(struct db *db, struct str key, tx_work *work, void *argument)
{
    return db_write_shared(db, key, work, argument);
}

enum err
tx_write_urgent(struct db *db, tx_work *work, void *argument)
{
    return db_write_urgent(db, work, argument);
}

struct db_tx *
tx_begin_read(struct db *db)
{
    return db_begin_read(db);
}

enum err
tx_end_read(struct db_tx *tx, enum err result)
{
    return db_end_read(tx, result);
}

size_t
store_database_count(struct db *db)
{
    return db_database_count(db);
}

struct db *
store_database(struct db *db, size_t number)
{
    return db_database(db, number);
}

size_t
store_database_of(struct db *db, struct str id)
{
    return db_database_of(db, id);
}

uint64_t
store_version(struct db *db, struct str id)
{
    return db_version(db, id);
}

uint64_t
store_commits(struct db *db)
{
    return db_commits(db);
}

uint64_t
tx_commits(const struct db_tx *tx)
{
    return db_tx_commits(tx);
}

struct synced {
    struct db_sync sync; /* first: see synced_done() */
    void (*done)(void *argument, enum err err);
    void *argument;
};

static void
synced_done(struct db_sync *sync, enum err err)
{
    const struct synced *synced = (const struct synced *)sync;
    synced->done(synced->argument, err);
}

/* The struct is in the request's arena: db.h wants it to stay valid until done() was called. */
void
store_sync_versions(struct db *db, struct arena *mem, uint64_t ticket, int shard,
                    void (*done)(void *argument, enum err err), void *argument)
{
    struct synced *synced = ARENA_NEW(mem, struct synced);
    *synced = (struct synced){ { .done = synced_done, .ticket = ticket, .shard = shard },
                               done,
                               argument };
    db_sync_versions(db, &synced->sync);
}

uint64_t
store_sync_ticket(struct db *db)
{
    return db_sync_ticket(db);
}

bool
store_sync_now(struct db *db, uint64_t ticket, int shard)
{
    return db_sync_now(db, ticket, shard);
}

bool
store_versions_lag(const struct db *db)
{
    return db_versions_lag(db);
}

enum err
store_ping(struct db *db, struct why *why)
{
    return db_ping(db, why);
}

bool
store_reads_block(const struct db *db)
{
    return db_reads_block(db);
}
