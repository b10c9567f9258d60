/* sqlite.c - opens a store, runs statements, and is the table of functions of this engine.
 *
 * The order of opening matters: the lock file, so that no other process has the store; the checks
 * of the log, before SQLite recovers it; the file itself, locked under any name; the write
 * connection in WAL mode; and last the mark that the store is open. Statements are prepared per
 * connection: all of them on the write connection at the start, which finds invalid ones, and
 * lazily on the connections of readers. */
#include "sqlite/sqlite.h"

#include "base/arena.h"
#include "base/log.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The page cache is small because the system caches the file anyway. */
static const char common_pragmas[] = "PRAGMA mmap_size = 0;" /* a full disk must not be a SIGBUS */
                                     "PRAGMA cache_size = -4096;"
                                     "PRAGMA temp_store = MEMORY;"
                                     "PRAGMA trusted_schema = OFF;";

static struct sqlite_store *
store_of(struct db *db)
{
    return (struct sqlite_store *)db;
}

/* ---- connections ---- */

enum err
sqlite_execute(sqlite3 *handle, const char *script)
{
    return sqlite3_exec(handle, script, NULL, NULL, NULL) == SQLITE_OK ? ERR_NONE : ERR_UNAVAILABLE;
}

/* Memory statistics take a process-wide lock at every allocation, and we do not use them. SQLite
 * accepts the setting only before its first use. */
static void
configure_sqlite(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* Every connection to a store is opened here, so each has the same settings. The log is checked
 * first: SQLite would drop what follows damage in it, without an error. ERR_INVALID: the file is no
 * store, or damaged. */
enum err
sqlite_connect(const char *path, int flags, sqlite3 **out, struct why *why)
{
    static pthread_once_t configured = PTHREAD_ONCE_INIT;
    pthread_once(&configured, configure_sqlite);
    sqlite3 *handle = NULL;
    int code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK && sqlite_check_log(handle, path, why)) {
        sqlite3_close_v2(handle);
        return ERR_INVALID;
    }
    if (code == SQLITE_OK) {
        sqlite3_extended_result_codes(handle, 1);
        sqlite3_busy_timeout(handle, SQLITE_BUSY_MS);
        /* Only the writer may checkpoint: SQLite 3.40 has the WAL-reset bug. */
        if (flags & SQLITE_OPEN_READONLY)
            sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        code = sqlite3_exec(handle, common_pragmas, NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) /* sqlite3_open_v2() does not read the file; this does */
        code = sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    if (code == SQLITE_OK) {
        *out = handle;
        return ERR_NONE;
    }
    why_set(why, "store: cannot open %s: %s", path,
            handle == NULL ? sqlite3_errstr(code) : sqlite3_errmsg(handle));
    sqlite3_close_v2(handle);
    return code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? ERR_INVALID : ERR_UNAVAILABLE;
}

/* Maps $1…$n to SQLite's indexes. False if one is missing or there are too many. */
static bool
find_parameters(struct sqlite_statement *statement)
{
    char name[24];
    statement->parameters = (size_t)sqlite3_bind_parameter_count(statement->handle);
    if (statement->parameters > SQLITE_PARAMETERS_MAX)
        return false;
    for (size_t i = 0; i < statement->parameters; i++) {
        snprintf(name, sizeof name, "$%zu", i + 1);
        int index = sqlite3_bind_parameter_index(statement->handle, name);
        if (index == 0)
            return false;
        statement->index[i] = (unsigned char)index;
    }
    return true;
}

/* PERSISTENT, because statements are kept as long as the connection. */
static enum err
prepare_one(struct sqlite_connection *connection, size_t number)
{
    const struct sql *sql = db_statement(number);
    struct sqlite_statement *statement = &connection->statements[number];
    int code = sqlite3_prepare_v3(connection->handle, sql->text, -1, SQLITE_PREPARE_PERSISTENT,
                                  &statement->handle, NULL);
    if (code == SQLITE_OK && find_parameters(statement))
        return ERR_NONE;
    log_error("store_prepare_failed", log_text("statement", str_of(sql->name)),
              log_text("problem", str_of(sqlite3_errmsg(connection->handle))));
    return ERR_INTERNAL;
}

/* May be called twice. */
void
sqlite_disconnect(struct sqlite_connection *connection)
{
    for (size_t i = 0; connection->statements != NULL && i < db_statement_count(); i++)
        sqlite3_finalize(connection->statements[i].handle);
    free(connection->statements);
    connection->statements = NULL;
    sqlite3_close(connection->handle);
    connection->handle = NULL;
}

/* ---- one statement ---- */

/* An error that may go away is ERR_UNAVAILABLE, which the API answers with 503. Everything else is
 * a defect or damage. */
static enum err
err_of(sqlite3 *handle, const struct sql *sql)
{
    int code = sqlite3_extended_errcode(handle);
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_INTERRUPT:
    case SQLITE_PROTOCOL:
        log_warn("store_unavailable", log_text("statement", str_of(sql->name)),
                 log_number("code", code), log_text("problem", str_of(sqlite3_errstr(code))));
        return ERR_UNAVAILABLE;
    default: /* an unexpected constraint violation, a damaged file */
        log_error("store_error", log_text("statement", str_of(sql->name)), log_number("code", code),
                  log_text("problem", str_of(sqlite3_errstr(code))));
        return ERR_INTERNAL;
    }
}

/* SQLITE_STATIC: the text is not copied. It stays valid until sqlite_query() clears the bindings.
 */
static int
bind_value(sqlite3_stmt *statement, int index, const struct db_value *value)
{
    if (value->type == DB_INT)
        return sqlite3_bind_int64(statement, index, value->number);
    if (value->type != DB_TEXT)
        return SQLITE_OK; /* a parameter is NULL until it is set */
    return value->text.len > INT_MAX ? SQLITE_TOOBIG
                                     : sqlite3_bind_text(statement, index, value->text.ptr,
                                                         (int)value->text.len, SQLITE_STATIC);
}

/* SQLITE_RANGE: the number of values is wrong, which is a defect of the caller. */
static int
bind_values(const struct sqlite_statement *statement, const struct db_value *values, size_t count)
{
    int code = count == statement->parameters ? SQLITE_OK : SQLITE_RANGE;
    for (size_t i = 0; i < count && code == SQLITE_OK; i++)
        code = bind_value(statement->handle, statement->index[i], &values[i]);
    return code;
}

/* Texts are copied: SQLite's are valid only until the next step. */
static void
add_row(sqlite3_stmt *statement, struct db_rows_builder *builder)
{
    struct db_value *cells = db_rows_add_row(builder);
    for (size_t i = 0; i < builder->columns; i++) {
        int column = (int)i;
        int type = sqlite3_column_type(statement, column);
        if (type == SQLITE_NULL) {
            cells[i] = (struct db_value){ .type = DB_NULL };
        } else if (type == SQLITE_INTEGER) {
            cells[i] = db_int(sqlite3_column_int64(statement, column));
        } else {
            const char *text = (const char *)sqlite3_column_text(statement, column);
            struct str value = { text, (size_t)sqlite3_column_bytes(statement, column) };
            cells[i] = db_text(str_copy(builder->mem, value));
        }
    }
}

/* Ids are recorded before the statement runs. A member that is rolled back leaves them in the list,
 * which only invalidates more than necessary. */
static enum err
sqlite_query(struct db_tx *tx, struct arena *mem, size_t number, const struct db_value *values,
             size_t count, struct db_rows *rows)
{
    struct sqlite_connection *connection = ((struct sqlite_tx *)tx)->connection;
    struct sqlite_reader *reader = ((struct sqlite_tx *)tx)->reader;
    const struct sql *sql = db_statement(number);
    if (reader != NULL && sqlite_pin_snapshot(reader))
        return ERR_UNAVAILABLE;
    if (connection->statements[number].handle == NULL) {
        enum err err = prepare_one(connection, number);
        if (err)
            return err;
    }
    sqlite3_stmt *statement = connection->statements[number].handle;
    if (bind_values(&connection->statements[number], values, count) != SQLITE_OK) {
        log_error("store_parameters_invalid", log_text("statement", str_of(sql->name)));
        sqlite3_clear_bindings(statement);
        return ERR_INTERNAL;
    }
    if (!sql->untracked && !sqlite3_stmt_readonly(statement))
        touched_add_values(&store_of(tx->db)->touched, values, count);
    struct db_rows_builder builder = { .mem = mem,
                                       .columns = (size_t)sqlite3_column_count(statement) };
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        add_row(statement, &builder);
    enum err err = code == SQLITE_DONE ? ERR_NONE : err_of(connection->handle, sql);
    if (code == SQLITE_FULL)
        tx->db->is_full = true;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    *rows = (struct db_rows){ builder.count, builder.columns, builder.cells };
    return err;
}

/* ---- opening and closing ---- */

/* NULL: the address is usable. The limit leaves room for the endings of files beside the store. */
static const char *
address_problem(const char *address)
{
    const char *path = db_address_rest(address);
    if (path[0] == '\0')
        return "sqlite: must be followed by a file name, as in sqlite:penchant.db";
    if (strlen(path) > PATH_MAX - 16)
        return "the file name after sqlite: is too long";
    if (path[0] == ':')
        return "must be a file; a database in memory is lost at exit";
    return NULL;
}

/* Also for a store that was opened in part. The locks are released last. */
static void
sqlite_close(struct db *db)
{
    struct sqlite_store *store = store_of(db);
    sqlite_readers_stop(store);
    if (store->writer_connection.handle != NULL) {
        sqlite_writer_stop(store);
        sqlite_disconnect(&store->writer_connection);
    }
    sqlite_reserve_close(store);
    sqlite_unlock(store);
    versions_stop(&store->versions);
    free(store->path);
    free(store);
}

/* sqlite_lock_file() is called twice: a new store has no file before SQLite creates it. */
static enum err
sqlite_open(const struct db_settings *settings, struct db **out, struct why *why)
{
    const char *path = db_address_rest(settings->address);
    if (settings->must_exist && sqlite_is_absent(path))
        return db_missing(path, why);
    struct sqlite_store *store = memory_alloc(1, sizeof *store);
    store->db.driver = &db_sqlite_driver;
    store->path = strdup(path);
    store->prepare_lazily = settings->prepare_lazily;
    store->lock_fd = store->file_fd = store->log_fd = store->reserve_fd = -1;
    versions_start(&store->versions);
    sqlite_readers_start(store);

    struct sqlite_connection *writer = &store->writer_connection;
    enum err err = sqlite_lock(store, why);
    if (!err)
        err = sqlite_lock_file(store, why);
    if (!err)
        err = sqlite_connect(store->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                             &writer->handle, why);
    if (!err) {
        writer->statements = memory_alloc(db_statement_count(), sizeof *writer->statements);
        err = sqlite_writer_start(store);
        if (err)
            why_set(why, "store: cannot write to %s: %s", store->path,
                    sqlite3_errmsg(writer->handle));
    }
    if (!err)
        err = sqlite_lock_file(store, why); /* SQLite has created it */
    if (!err)
        err = sqlite_lock_mark_open(store, why);
    if (err) {
        sqlite_close(&store->db);
        return err;
    }
    sqlite_reserve_open(store);
    *out = &store->db;
    return ERR_NONE;
}

/* Every statement is prepared at the start, so that a mistake in one is found there; commands
 * prepare only what they use. */
static enum err
prepare(struct db *db, struct why *why)
{
    for (size_t i = 0; i < db_statement_count() && !store_of(db)->prepare_lazily; i++) {
        if (prepare_one(&store_of(db)->writer_connection, i)) {
            why_set(why, "store: cannot prepare statement %s", db_statement(i)->name);
            return ERR_INTERNAL;
        }
    }
    return ERR_NONE;
}

static struct str
describe(const struct db *db, struct arena *mem)
{
    return str_format(mem, "sqlite:%s", ((const struct sqlite_store *)db)->path);
}

/* ---- the schema ---- */

/* On the write connection, before the service starts, so that no group commit is under way. */
static enum err
schema_run(struct db *db, const char *script, int64_t *number, struct why *why)
{
    sqlite3 *handle = store_of(db)->writer_connection.handle;
    if (number == NULL) {
        if (sqlite_execute(handle, script) == ERR_NONE)
            return ERR_NONE;
        why_set(why, "store: schema: %s", sqlite3_errmsg(handle));
        return ERR_UNAVAILABLE;
    }
    sqlite3_stmt *statement = NULL;
    enum err err = ERR_UNAVAILABLE;
    if (sqlite3_prepare_v2(handle, script, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        *number = sqlite3_column_int64(statement, 0);
        err = ERR_NONE;
    } else {
        why_set(why, "store: schema: %s", sqlite3_errmsg(handle));
    }
    sqlite3_finalize(statement);
    return err;
}

static enum err
schema_query(struct db *db, struct arena *mem, const char *text, const struct db_value *values,
             size_t count, struct db_rows *rows, struct why *why)
{
    sqlite3 *handle = store_of(db)->writer_connection.handle;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(handle, text, -1, &statement, NULL);
    for (size_t i = 0; i < count && code == SQLITE_OK; i++) /* $1…$n appear in order */
        code = bind_value(statement, (int)i + 1, &values[i]);
    struct db_rows_builder builder = { .mem = mem,
                                       .columns = (size_t)sqlite3_column_count(statement) };
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        add_row(statement, &builder);
        code = SQLITE_OK;
    }
    if (code != SQLITE_DONE)
        why_set(why, "store: %s", sqlite3_errmsg(handle));
    sqlite3_finalize(statement);
    *rows = (struct db_rows){ builder.count, builder.columns, builder.cells };
    return code == SQLITE_DONE ? ERR_NONE : ERR_UNAVAILABLE;
}

static enum err
schema_begin(struct db *db, struct why *why)
{
    return schema_run(db, "BEGIN IMMEDIATE", NULL, why);
}

static enum err
schema_end(struct db *db, bool keep, struct why *why)
{
    return schema_run(db, keep ? "COMMIT" : "ROLLBACK", NULL, why);
}

static void
write_metrics(struct db *db, struct buf *page)
{
    sqlite_writer_metrics(store_of(db), page);
    sqlite_readers_metrics(store_of(db), page);
    sqlite_files_metrics(store_of(db), page);
}

/* Only this process writes, so the versions are always current. */
static uint64_t
version(struct db *db, struct str id)
{
    return versions_of(&store_of(db)->versions, id);
}

static uint64_t
commits(struct db *db)
{
    return versions_commits(&store_of(db)->versions);
}

const struct db_driver db_sqlite_driver = {
    .prefix = "sqlite:",
    .reads_block = false,
    .address_problem = address_problem,
    .open = sqlite_open,
    .close = sqlite_close,
    .schema_begin = schema_begin,
    .schema_run = schema_run,
    .schema_end = schema_end,
    .schema_query = schema_query,
    .catalog = "SELECT t.name, c.name, c.pk FROM sqlite_schema t, pragma_table_info(t.name) c"
               " WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid",
    .prepare = prepare,
    .write = sqlite_write,
    .begin_read = sqlite_begin_read,
    .end_read = sqlite_end_read,
    .query = sqlite_query,
    .ping = sqlite_ping,
    .version = version,
    .commits = commits,
    .describe = describe,
    .write_metrics = write_metrics,
    .backup = sqlite_backup,
    .restore = sqlite_restore,
    .follow = sqlite_follow,
    .followed = sqlite_followed,
    .check = sqlite_check,
    .inspect = sqlite_inspect,
    .compact = sqlite_compact,
};
