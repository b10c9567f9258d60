/* db_failing.c - fault injection: "failing:" before another address. A call that
 * fault_injection_call_fails() selects fails as if the store were unavailable. Not in releases. */
#include "db/driver.h"

#ifdef PENCHANT_FAULT_INJECTION

#include "base/arena.h"
#include "base/fault_injection.h"

#include <stdlib.h>
#include <string.h>

/* Fails where a test has asked for it, and passes everything else on to `inner`. */
struct failing {
    struct db db;
    struct db *inner;
};

struct failing_tx {
    struct db_tx tx;
    struct db_tx *inner;
};

/* The caller's work, wrapped for the inner driver. */
struct wrapped {
    struct db *db;
    db_work *work;
    void *argument;
};

/* The store that the rest of the address names: its driver does all the work. */
static struct db *
inner_of(const struct db *db)
{
    return ((const struct failing *)db)->inner;
}

static const struct db_driver *
driver_of(const struct db *db)
{
    return inner_of(db)->driver;
}

static const char *
address_problem(const char *address)
{
    return db_address_problem(db_address_rest(address));
}

/* The store must report the same engine as the one inside, because flows and statements depend on
 * it. */
static enum err
failing_open(const struct db_settings *settings, struct db **out, struct why *why)
{
    struct db_settings inner = *settings;
    inner.address = db_address_rest(settings->address);
    struct failing *failing = memory_alloc(1, sizeof *failing);
    failing->db.driver = &db_failing_driver;
    enum err err = db_driver_of(inner.address)->open(&inner, &failing->inner, why);
    if (err) {
        free(failing);
        return err;
    }
    failing->db.is_postgres = failing->inner->is_postgres;
    failing->db.is_spread = failing->inner->is_spread;
    *out = &failing->db;
    return ERR_NONE;
}

static void
failing_close(struct db *db)
{
    driver_of(db)->close(inner_of(db));
    free(db);
}

static void
failing_interrupt(struct db *db, int64_t after_ms)
{
    db_interrupt(inner_of(db), after_ms);
}

static enum err
schema_begin(struct db *db, struct why *why)
{
    return driver_of(db)->schema_begin(inner_of(db), why);
}

static enum err
schema_run(struct db *db, const char *script, int64_t *number, struct why *why)
{
    return driver_of(db)->schema_run(inner_of(db), script, number, why);
}

static enum err
schema_end(struct db *db, bool keep, struct why *why)
{
    return driver_of(db)->schema_end(inner_of(db), keep, why);
}

static enum err
schema_query(struct db *db, struct arena *mem, const char *text, const struct db_value *values,
             size_t count, struct db_rows *rows, struct why *why)
{
    return driver_of(db)->schema_query(inner_of(db), mem, text, values, count, rows, why);
}

static enum err
prepare(struct db *db, struct why *why)
{
    return driver_of(db)->prepare(inner_of(db), why);
}

/* The transaction of the inner driver has the inner store, whose statements would not fail: `work`
 * gets another struct, whose calls come back here. */
static enum err
run_wrapped(struct db_tx *inner, void *argument)
{
    struct wrapped *wrapped = argument;
    struct failing_tx tx = { .tx = { .db = wrapped->db }, .inner = inner };
    enum err err = wrapped->work(&tx.tx, wrapped->argument);
    if (err)
        return err;
    return fault_injection_call_fails() ? ERR_UNAVAILABLE : ERR_NONE; /* the commit */
}

/* Fails before the transaction begins; calls within it fail by themselves (run_wrapped()). */
static enum err
failing_write(struct db *db, db_work *work, void *argument, bool urgent)
{
    struct wrapped wrapped = { db, work, argument };
    if (fault_injection_call_fails())
        return ERR_UNAVAILABLE;
    return driver_of(db)->write(inner_of(db), run_wrapped, &wrapped, urgent);
}

/* The caller treats NULL like a store that is unavailable. */
static struct db_tx *
begin_read(struct db *db)
{
    struct db_tx *inner =
        fault_injection_call_fails() ? NULL : driver_of(db)->begin_read(inner_of(db));
    if (inner == NULL)
        return NULL;
    struct failing_tx *tx = memory_alloc(1, sizeof *tx);
    *tx = (struct failing_tx){ .tx = { .db = db }, .inner = inner };
    return &tx->tx;
}

/* The inner read must end in any case, or it would keep its snapshot. */
static enum err
end_read(struct db_tx *tx)
{
    enum err err = driver_of(tx->db)->end_read(((struct failing_tx *)tx)->inner);
    if (!err)
        err = tx->broken;
    free(tx);
    return !err && fault_injection_call_fails() ? ERR_UNAVAILABLE : err;
}

/* A failed call does not run the statement at all, as if the connection had been lost before. */
static enum err
failing_query(struct db_tx *tx, struct arena *mem, size_t statement, const struct db_value *values,
              size_t count, struct db_rows *rows)
{
    if (fault_injection_call_fails())
        return ERR_UNAVAILABLE;
    struct db_tx *inner = ((struct failing_tx *)tx)->inner;
    enum err err = driver_of(tx->db)->query(inner, mem, statement, values, count, rows);
    tx->commits = inner->commits;
    return err;
}

static size_t
database_count(const struct db *db)
{
    return db_database_count(inner_of(db));
}

/* Calls in one of several databases do not fail. */
static struct db *
database(struct db *db, size_t number)
{
    return database_count(db) == 1 ? db : db_database(inner_of(db), number);
}

static size_t
database_of(const struct db *db, struct str id)
{
    return db_database_of(inner_of(db), id);
}

static enum err
ping(struct db *db, struct why *why)
{
    return fault_injection_call_fails() ? ERR_UNAVAILABLE : db_ping(inner_of(db), why);
}

static uint64_t
version(struct db *db, struct str id)
{
    return db_version(inner_of(db), id);
}

static uint64_t
commits(struct db *db)
{
    return db_commits(inner_of(db));
}

/* Fails like a database that cannot be asked. */
static void
sync_versions(struct db *db, struct db_sync *sync)
{
    if (fault_injection_call_fails())
        sync->done(sync, ERR_UNAVAILABLE);
    else
        db_sync_versions(inner_of(db), sync);
}

static uint64_t
sync_ticket(struct db *db)
{
    return db_sync_ticket(inner_of(db));
}

static bool
sync_now(struct db *db, uint64_t ticket, int shard)
{
    return !fault_injection_call_fails() && db_sync_now(inner_of(db), ticket, shard);
}

static struct str
describe(const struct db *db, struct arena *mem)
{
    return driver_of(db)->describe(inner_of(db), mem);
}

static void
write_metrics(struct db *db, struct buf *page)
{
    driver_of(db)->write_metrics(inner_of(db), page);
}

static enum err
backup(const char *address, const char *file, void (*progress)(void *context, int percent),
       void *context, struct why *why)
{
    return db_backup(db_address_rest(address), file, progress, context, why);
}

static enum err
restore(const char *address, const char *file, enum err (*run)(struct db *db, void *context),
        void *context, struct arena *mem, struct str *aside, struct why *why)
{
    return db_restore(db_address_rest(address), file, run, context, mem, aside, why);
}

static enum err
check(const char *address, struct buf *report, struct why *why)
{
    return db_check(db_address_rest(address), report, why);
}

static enum err
inspect(const char *address, db_work *work, void *argument, struct why *why)
{
    return db_inspect(db_address_rest(address), work, argument, why);
}

static enum err
compact(struct db *db, struct why *why)
{
    return db_compact(inner_of(db), why);
}

const struct db_driver db_failing_driver = {
    .prefix = "failing:",
    .reads_block = true, /* as PostgreSQL's */
    .address_problem = address_problem,
    .open = failing_open,
    .close = failing_close,
    .interrupt = failing_interrupt,
    .schema_begin = schema_begin,
    .schema_run = schema_run,
    .schema_end = schema_end,
    .schema_query = schema_query,
    .prepare = prepare,
    .write = failing_write,
    .begin_read = begin_read,
    .end_read = end_read,
    .query = failing_query,
    .database_count = database_count,
    .database = database,
    .database_of = database_of,
    .ping = ping,
    .version = version,
    .commits = commits,
    .sync_versions = sync_versions,
    .sync_ticket = sync_ticket,
    .sync_now = sync_now,
    .describe = describe,
    .write_metrics = write_metrics,
    .backup = backup,
    .restore = restore,
    .check = check,
    .inspect = inspect,
    .compact = compact,
};

#else

/* ISO C requires a declaration in a translation unit. */
typedef int db_failing_is_not_built;

#endif
