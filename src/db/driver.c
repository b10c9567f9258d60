/* driver.c - the functions of db.h, each passed on to the driver of the store's engine. */
#include "db/driver.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/embedded.h"
#include "base/fault_injection.h"
#include "base/metric.h"

#include <string.h>

/* The linker collects every SQL() in one section and defines symbols for its start and end. */
extern const struct sql __start_penchant_sql[];
extern const struct sql __stop_penchant_sql[];

/* At least one statement, so that the section exists in programs that link no store module. */
SQL(db_ping_statement, "SELECT COALESCE(MAX(version), 0) FROM schema_step");

/* For engines without a cheaper way. */
enum err
db_ping_by_query(struct db *db)
{
    struct arena *mem = arena_new();
    struct db_tx *tx = db_begin_read(db);
    enum err err = db_end_read(tx, db_query(tx, mem, &db_ping_statement, NULL));
    arena_free(mem);
    return err;
}

/* The first one whose prefix matches. */
static const struct db_driver *const drivers[] = {
    &db_sqlite_driver,
    &db_spread_driver, /* before PostgreSQL's, which has the same prefix */
    &db_postgres_driver,
#ifdef PENCHANT_FAULT_INJECTION
    &db_failing_driver,
#endif
};

size_t
db_statement_count(void)
{
    return (size_t)(__stop_penchant_sql - __start_penchant_sql);
}

const struct sql *
db_statement(size_t index)
{
    return &__start_penchant_sql[index];
}

/* An address with spaces is a list of databases. NULL: no engine has this prefix. */
const struct db_driver *
db_driver_of(const char *address)
{
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
        if (strncmp(address, drivers[i]->prefix, strlen(drivers[i]->prefix)) == 0 &&
            (drivers[i] != &db_spread_driver || strchr(address, ' ') != NULL))
            return drivers[i];
    return NULL;
}

/* The address is valid: db_address_problem() was called before. */
const char *
db_address_rest(const char *address)
{
    return address + strlen(db_driver_of(address)->prefix);
}

/* NULL: the address is usable. */
const char *
db_address_problem(const char *address)
{
    const struct db_driver *driver = db_driver_of(address);
    if (driver == NULL)
        return "must be sqlite:FILE or postgresql://…";
    return driver->address_problem(address);
}

/* The address without the prefix of the fault injection driver. */
static const char *
plain_address(const char *address)
{
    const struct db_driver *driver = db_driver_of(address);
    bool plain = driver == NULL || driver == &db_sqlite_driver || driver == &db_postgres_driver ||
                 driver == &db_spread_driver;
    return plain ? address : db_address_rest(address);
}

bool
db_address_is_sqlite(const char *address)
{
    return db_driver_of(plain_address(address)) == &db_sqlite_driver;
}

size_t
db_address_files(struct arena *mem, const char *address, const char **out, size_t max)
{
    const char *plain = plain_address(address);
    const struct db_driver *driver = db_driver_of(plain);
    return driver->address_files == NULL ? 0 : driver->address_files(mem, plain, out, max);
}

size_t
db_address_count(const char *address)
{
    const struct db_driver *driver = db_driver_of(plain_address(address));
    return driver->address_count == NULL ? 1 : driver->address_count(plain_address(address));
}

struct str
db_path_beside(struct arena *mem, const char *address, const char *ending)
{
    return str_format(mem, "%s%s", db_address_rest(plain_address(address)), ending);
}

static void
write_metrics(struct buf *page, void *context)
{
    struct db *db = context;
    db->driver->write_metrics(db, page);
}

/* The schema is updated before statements are prepared, which need its tables. If anything fails,
 * the store is closed, and *out stays as it was. */
enum err
db_open(const struct db_settings *settings, struct db **out, struct why *why)
{
    const char *problem = db_address_problem(settings->address);
    if (problem != NULL) {
        why_set(why, "store: %s", problem);
        return ERR_INVALID;
    }
    struct db *db = NULL;
    struct db_settings chosen = *settings;
    chosen.prepare_lazily = settings->prepare_lazily || fault_injection_prepares_lazily();
    enum err err = db_driver_of(settings->address)->open(&chosen, &db, why);
    if (err)
        return err;
    db->any_part = settings->any_part;
    if (!db->is_spread) /* its databases have a schema each */
        err = db_migrate(db, embedded_files, settings->must_exist, why);
    if (!err)
        err = db->driver->prepare(db, why);
    if (err) {
        db->driver->close(db);
        return err;
    }
    metric_register(write_metrics, db);
    *out = db;
    return ERR_NONE;
}

void
db_close(struct db *db)
{
    if (db == NULL)
        return;
    metric_unregister(db);
    db->driver->close(db);
}

void
db_interrupt(struct db *db, int64_t after_ms)
{
    if (db->driver->interrupt != NULL)
        db->driver->interrupt(db, after_ms);
}

struct str
db_describe(const struct db *db, struct arena *mem)
{
    return db->driver->describe(db, mem);
}

bool
db_reads_block(const struct db *db)
{
    return db->driver->reads_block;
}

enum err
db_write(struct db *db, db_work *work, void *argument)
{
    return db->driver->write(db, work, argument, false);
}

enum err
db_write_shared(struct db *db, struct str key, db_work *work, void *argument)
{
    if (db->driver->write_shared == NULL)
        return db_write(db, work, argument);
    return db->driver->write_shared(db, key, work, argument);
}

bool
db_is_shared(const struct db_tx *tx)
{
    return tx->shared;
}

enum err
db_write_urgent(struct db *db, db_work *work, void *argument)
{
    return db->driver->write(db, work, argument, true);
}

bool
db_is_full(const struct db *db)
{
    return db->is_full;
}

size_t
db_database_count(const struct db *db)
{
    return db->driver->database_count == NULL ? 1 : db->driver->database_count(db);
}

struct db *
db_database(struct db *db, size_t number)
{
    return db->driver->database == NULL ? db : db->driver->database(db, number);
}

size_t
db_database_of(const struct db *db, struct str id)
{
    return db->driver->database_of == NULL ? 0 : db->driver->database_of(db, id);
}

/* Stands in for the read of a store that is unavailable: every statement fails. */
static struct db_tx unavailable = { .broken = ERR_UNAVAILABLE };

/* Never NULL, so that callers need no branch: the stand-in fails in its statements and at its end.
 */
struct db_tx *
db_begin_read(struct db *db)
{
    struct db_tx *tx = db->driver->begin_read(db);
    return tx == NULL ? &unavailable : tx;
}

/* An error of the caller is more precise than "the store failed", and comes first. */
enum err
db_end_read(struct db_tx *tx, enum err result)
{
    enum err broken = tx == &unavailable ? tx->broken : tx->db->driver->end_read(tx);
    return result ? result : broken;
}

uint64_t
db_version(struct db *db, struct str id)
{
    return db->driver->version(db, id);
}

uint64_t
db_commits(struct db *db)
{
    return db->driver->commits(db);
}

/* Where versions never lag, as on SQLite, `done` is called before this function returns. */
void
db_sync_versions(struct db *db, struct db_sync *sync)
{
    if (db_versions_lag(db))
        db->driver->sync_versions(db, sync);
    else
        sync->done(sync, ERR_NONE);
}

uint64_t
db_sync_ticket(struct db *db)
{
    return db->driver->sync_ticket == NULL ? 0 : db->driver->sync_ticket(db);
}

bool
db_sync_now(struct db *db, uint64_t ticket, int shard)
{
    return db->driver->sync_now != NULL && db->driver->sync_now(db, ticket, shard);
}

bool
db_versions_lag(const struct db *db)
{
    return db->driver->sync_versions != NULL;
}

uint64_t
db_tx_commits(const struct db_tx *tx)
{
    return tx->commits;
}

/* *rows is set even if the statement does not run, so that a caller that reads cells before looking
 * at the error gets absent texts and zeros. The first error stays: no later statement may run on
 * half a result. */
enum err
db_query_values(struct db_tx *tx, struct arena *mem, const struct sql *sql,
                const struct db_value *values, size_t count, struct db_rows *rows)
{
    struct db_rows unwanted;
    if (rows == NULL)
        rows = &unwanted;
    *rows = (struct db_rows){ 0 };
    if (tx->broken)
        return tx->broken;
    size_t statement = (size_t)(sql - __start_penchant_sql);
    enum err err = tx->db->driver->query(tx, mem, statement, values, count, rows);
    /* A result that is larger than a request may use must not end the process. */
    if (!err && arena_excess(mem))
        err = ERR_TOO_LARGE;
    if (err)
        tx->broken = err;
    return err;
}

/* `none` is the error if no row was found or changed. */
enum err
db_query_row_values(struct db_tx *tx, struct arena *mem, const struct sql *sql,
                    const struct db_value *values, size_t count, struct db_rows *rows,
                    enum err none)
{
    struct db_rows unwanted;
    if (rows == NULL)
        rows = &unwanted;
    enum err err = db_query_values(tx, mem, sql, values, count, rows);
    return !err && rows->count == 0 ? none : err;
}

/* Without put() of the driver, as on SQLite, the statement runs now, and its result is known. */
enum err
db_put_values(struct db_tx *tx, struct arena *mem, const struct sql *sql,
              const struct db_value *values, size_t count)
{
    size_t statement = (size_t)(sql - __start_penchant_sql);
    if (!tx->broken && tx->db->driver->put != NULL &&
        tx->db->driver->put(tx, mem, statement, values, count))
        return ERR_NONE;
    return db_query_row_values(tx, mem, sql, values, count, NULL, ERR_NOT_FOUND);
}

void
db_prefetch_values(struct db_tx *tx, struct arena *mem, const struct sql *sql,
                   const struct db_value *values, size_t count)
{
    if (!tx->broken && tx->db->driver->prefetch != NULL)
        tx->db->driver->prefetch(tx, mem, (size_t)(sql - __start_penchant_sql), values, count);
}

/* A row or column that does not exist is NULL, so that callers need not check the count for
 * optional values. */
static const struct db_value *
cell(const struct db_rows *rows, size_t row, size_t column)
{
    static const struct db_value none = { .type = DB_NULL };
    if (row >= rows->count || column >= rows->columns)
        return &none;
    return &rows->cells[row * rows->columns + column];
}

struct str
db_cell_text(const struct db_rows *rows, size_t row, size_t column)
{
    const struct db_value *value = cell(rows, row, column);
    return value->type == DB_TEXT ? value->text : STR_NONE;
}

int64_t
db_cell_int(const struct db_rows *rows, size_t row, size_t column)
{
    const struct db_value *value = cell(rows, row, column);
    return value->type == DB_INT ? value->number : 0;
}

/* Old cells stay in the arena when the array grows, so a row that was returned before must not be
 * kept. */
struct db_value *
db_rows_add_row(struct db_rows_builder *builder)
{
    if (builder->count == builder->capacity) {
        size_t capacity = builder->capacity == 0 ? 4 : builder->capacity * 2;
        struct db_value *grown =
            ARENA_ARRAY(builder->mem, struct db_value, capacity * builder->columns);
        if (builder->count > 0)
            memcpy(grown, builder->cells, builder->count * builder->columns * sizeof *grown);
        builder->cells = grown;
        builder->capacity = capacity;
    }
    return &builder->cells[builder->count++ * builder->columns];
}

enum err
db_ping(struct db *db, struct why *why)
{
    struct db_ping begun = { 0 };
    if (db->driver->ping != NULL)
        return db->driver->ping(db, why);
    db->driver->ping_begin(db, &begun);
    return db->driver->ping_end(db, &begun, why);
}

enum err
db_backup(const char *address, const char *file, void (*progress)(void *context, int percent),
          void *context, struct why *why)
{
    return db_driver_of(address)->backup(address, file, progress, context, why);
}

enum err
db_restore(const char *address, const char *file, enum err (*prepare)(struct db *db, void *context),
           void *context, struct arena *mem, struct str *aside, struct why *why)
{
    *aside = STR_NONE;
    return db_driver_of(address)->restore(address, file, prepare, context, mem, aside, why);
}

/* Only the SQLite engine has this function. */
enum err
db_follow(const struct db_follow *how, struct why *why)
{
    const struct db_driver *driver = db_driver_of(how->address);
    if (driver->follow != NULL)
        return driver->follow(how, why);
    why_set(why, "backup: --follow is for SQLite; on PostgreSQL use its own log archiving or "
                 "replication");
    return ERR_INVALID;
}

/* Only the SQLite engine has this function. */
enum err
db_followed(const char *address, const char *folder, int64_t until_ms, const char *file,
            struct db_followed *out, struct why *why)
{
    const struct db_driver *driver = db_driver_of(address);
    *out = (struct db_followed){ 0 };
    if (driver->followed != NULL)
        return driver->followed(folder, until_ms, file, out, why);
    why_set(why, "restore: %s is a folder; only a SQLite store can be restored from one", folder);
    return ERR_INVALID;
}

enum err
db_compact(struct db *db, struct why *why)
{
    return db->driver->compact == NULL ? ERR_NONE : db->driver->compact(db, why);
}

enum err
db_check(const char *address, struct buf *report, struct why *why)
{
    return db_driver_of(address)->check(address, report, why);
}

enum err
db_inspect(const char *address, db_work *work, void *argument, struct why *why)
{
    return db_driver_of(address)->inspect(address, work, argument, why);
}
