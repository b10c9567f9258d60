/* db_failing.c - fault injection: "failing:" before another address. A call that
 * fault_injection_call_fails() selects fails as if the store were unavailable. Not in releases. */
#include "db/driver.h"

#ifdef PENCHANT_FAULT_INJECTION

#include "base/arena.h"
#include "base/fault_injection.h"

#include <stdlib.h>

/* The driver of one store: a copy of its engine's, in which some functions may fail first. */
struct failing {
    struct db_driver driver;
    const struct db_driver *inner;
};

/* The work of a write, after which the commit may fail. */
struct wrapped {
    db_work *work;
    void *argument;
};

/* The engine's functions, which do all the work. */
static const struct db_driver *
inner_of(const struct db *db)
{
    return ((const struct failing *)db->driver)->inner;
}

static const char *
address_problem(const char *address)
{
    return db_address_problem(db_address_rest(address));
}

static void
failing_close(struct db *db)
{
    const struct db_driver *mine = db->driver;
    inner_of(db)->close(db);
    free((struct failing *)mine);
}

static enum err
run_wrapped(struct db_tx *tx, void *argument)
{
    struct wrapped *wrapped = argument;
    enum err err = wrapped->work(tx, wrapped->argument);
    if (err)
        return err;
    return fault_injection_call_fails() ? ERR_UNAVAILABLE : ERR_NONE; /* the commit */
}

static enum err
failing_write(struct db *db, db_work *work, void *argument, bool urgent)
{
    struct wrapped wrapped = { work, argument };
    if (fault_injection_call_fails())
        return ERR_UNAVAILABLE;
    return inner_of(db)->write(db, run_wrapped, &wrapped, urgent);
}

static struct db_tx *
begin_read(struct db *db)
{
    return fault_injection_call_fails() ? NULL : inner_of(db)->begin_read(db);
}

/* The engine's read must end in any case, or it would keep its snapshot. */
static enum err
end_read(struct db_tx *tx)
{
    enum err err = inner_of(tx->db)->end_read(tx);
    return !err && fault_injection_call_fails() ? ERR_UNAVAILABLE : err;
}

/* A failed call does not run the statement at all, as if the connection had been lost before. */
static enum err
failing_query(struct db_tx *tx, struct arena *mem, size_t statement, const struct db_value *values,
              size_t count, struct db_rows *rows)
{
    if (fault_injection_call_fails())
        return ERR_UNAVAILABLE;
    return inner_of(tx->db)->query(tx, mem, statement, values, count, rows);
}

static enum err
ping(struct db *db, struct why *why)
{
    return fault_injection_call_fails() ? ERR_UNAVAILABLE : inner_of(db)->ping(db, why);
}

static void
sync_versions(struct db *db, struct db_sync *sync)
{
    if (fault_injection_call_fails())
        sync->done(sync, ERR_UNAVAILABLE);
    else if (inner_of(db)->sync_versions == NULL)
        sync->done(sync, ERR_NONE);
    else
        inner_of(db)->sync_versions(db, sync);
}

static bool
sync_now(struct db *db, uint64_t ticket, int shard)
{
    return inner_of(db)->sync_now != NULL && !fault_injection_call_fails() &&
           inner_of(db)->sync_now(db, ticket, shard);
}

/* Without what runs statements in other ways than query(), because it would not fail. */
static enum err
failing_open(const struct db_settings *settings, struct db **out, struct why *why)
{
    struct db_settings inner = *settings;
    inner.address = db_address_rest(settings->address);
    const struct db_driver *driver = db_driver_of(inner.address);
    enum err err = driver->open(&inner, out, why);
    if (err)
        return err;
    struct failing *failing = memory_alloc(1, sizeof *failing);
    *failing = (struct failing){ .driver = *driver, .inner = driver };
    failing->driver.reads_block = true; /* as PostgreSQL's */
    failing->driver.close = failing_close;
    failing->driver.write = failing_write;
    failing->driver.write_shared = NULL;
    failing->driver.begin_read = begin_read;
    failing->driver.end_read = end_read;
    failing->driver.query = failing_query;
    failing->driver.put = NULL;
    failing->driver.prefetch = NULL;
    failing->driver.ping = ping;
    failing->driver.is_down = NULL;
    failing->driver.is_silent = NULL;
    failing->driver.sync_versions = sync_versions;
    failing->driver.sync_now = sync_now;
    (*out)->driver = &failing->driver;
    return ERR_NONE;
}

/* driver.c gives all other functions the address behind the prefix. */
const struct db_driver db_failing_driver = {
    .prefix = "failing:",
    .address_problem = address_problem,
    .open = failing_open,
};

#else

/* ISO C requires a declaration in a translation unit. */
typedef int db_failing_is_not_built;

#endif
