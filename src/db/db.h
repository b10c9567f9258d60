/* db.h - transactions and prepared statements on SQLite and PostgreSQL.
 *
 * The address of a store is "sqlite:FILE" or "postgresql://…", or several of the latter separated
 * by spaces, over which users are spread (spread/spread.h). All SQL is written once, in a
 * dialect that both engines accept: parameters $1…$n, columns TEXT and BIGINT, ON CONFLICT,
 * RETURNING; no now(), no ordering by text. A statement is declared with SQL() at file scope in
 * store/. db_open() prepares every statement of the program, so that a wrong one fails at startup,
 * not in production (see also db_settings.prepare_lazily).
 *
 * A write is a callback. db_write() runs it in one transaction and returns after the commit is on
 * disk. The callback may run again after a conflict, so it must set its results each time and must
 * not change anything but the store and its argument. Any return value other than ERR_NONE rolls
 * the transaction back. To reject a request and still commit (a failed sign-in is counted), return
 * ERR_NONE and report the rejection in the argument.
 *
 * A read is a pair of calls. Statements between db_begin_read() and db_end_read() see committed
 * data; on SQLite, all of them, and those of reads nested inside, see one snapshot, that of the
 * first statement. A read without a statement takes no lock. Reads nest, and each one ends on the
 * thread that began it. db_begin_read() does not fail: if the store is unavailable, the statements
 * and db_end_read() do.
 *
 * ERR_UNAVAILABLE: nothing was changed. ERR_UNCONFIRMED: the connection was lost during the commit,
 * and the outcome could not be found out; the transaction was applied completely or not at all.
 * ERR_INTERNAL: a defect.
 * ERR_TOO_LARGE: the arena of the result exceeds its limit.
 * After an error every further statement of the transaction fails. Functions are safe from any
 * thread; a transaction belongs to the thread that runs it. */
#ifndef DB_DB_H
#define DB_DB_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct buf;
struct db;
struct db_tx;
struct versions;

struct sql {
    _Alignas(32) const char *name; /* unique in the program */
    const char *text;
    bool untracked; /* changes no row that db_version() covers */
    const char *types, *many;
    bool shared; /* also outside db_write_shared() */
};

#define SQL_ROW(variable, statement, ...)                                                     \
    static const struct sql variable                                                          \
        __attribute__((section("penchant_sql"), used, aligned(32))) = { #variable, statement, \
                                                                        __VA_ARGS__ }
#define SQL(variable, statement) SQL_ROW(variable, statement, .untracked = false)

/* Adds the statement's form for many callers at once, for PostgreSQL: see db_write_shared().
 * `types` has a letter per parameter: i for BIGINT, t for TEXT. The form reads the parameters from
 * the table m, which has a row per caller in the order of $1, with the columns p1…pn and the
 * caller's number n. If it returns rows, their first column is m.n, and the others are those of the
 * statement. For each caller it must do exactly what the statement does. */
#define SQL_MANY(variable, statement, parameter_types, form) \
    SQL_ROW(variable, statement, .types = parameter_types, .many = form)
/* The same for a statement that only reads and that many requests run outside a transaction. */
#define SQL_SHARED_READ(variable, statement, parameter_types, form) \
    SQL_ROW(variable, statement, .types = parameter_types, .many = form, .shared = true)
#define SQL_UNTRACKED_MANY(variable, statement, parameter_types, form) \
    SQL_ROW(variable, statement, .untracked = true, .types = parameter_types, .many = form)

/* For statements that change usage counts, refresh tokens, and codes, or add rows that cannot be
 * cached yet. They must not change the access of a token or a response of the API. */
#define SQL_UNTRACKED(variable, statement) SQL_ROW(variable, statement, .untracked = true)

struct db_value {
    enum { DB_NULL, DB_TEXT, DB_INT } type;
    struct str text;
    int64_t number;
};

static inline struct db_value
db_text(struct str text) /* absent text is NULL */
{
    return (struct db_value){ .type = text.ptr == NULL ? DB_NULL : DB_TEXT, .text = text };
}

static inline struct db_value
db_int(int64_t number)
{
    return (struct db_value){ .type = DB_INT, .number = number };
}

/* The result of a statement, allocated in the arena: cells[row * columns + column]. */
struct db_rows {
    size_t count;
    size_t columns;
    const struct db_value *cells;
};

/* `rows` may be NULL if the result is not needed. */
enum err db_query_values(struct db_tx *tx, struct arena *mem, const struct sql *sql,
                         const struct db_value *values, size_t count, struct db_rows *rows);

#define DB_VALUES(...)                                   \
    (const struct db_value[]){ { 0 }, __VA_ARGS__ } + 1, \
        sizeof((const struct db_value[]){ { 0 }, __VA_ARGS__ }) / sizeof(struct db_value) - 1
#define db_query(tx, mem, sql, rows, ...) \
    db_query_values((tx), (mem), (sql), DB_VALUES(__VA_ARGS__), (rows))

/* The same, but returns `none` if the result has no row. */
enum err db_query_row_values(struct db_tx *tx, struct arena *mem, const struct sql *sql,
                             const struct db_value *values, size_t count, struct db_rows *rows,
                             enum err none);
#define db_query_row(tx, mem, sql, rows, none, ...) \
    db_query_row_values((tx), (mem), (sql), DB_VALUES(__VA_ARGS__), (rows), (none))

/* Runs a statement that returns a row for each row it changes, and must change exactly one:
 * ERR_NOT_FOUND if it changed none. It may run later, until the next db_query() of the transaction
 * or its commit; then the work may run again if no row was changed. Texts among the values must
 * stay valid until the transaction ends. */
enum err db_put_values(struct db_tx *tx, struct arena *mem, const struct sql *sql,
                       const struct db_value *values, size_t count);

/* The transaction will soon run this SELECT with the same values, so that its result may be fetched
 * together with that of the next db_query(), after it. The work must not change what it reads
 * before. Texts among the values must stay valid as for db_put(). */
void db_prefetch_values(struct db_tx *tx, struct arena *mem, const struct sql *sql,
                        const struct db_value *values, size_t count);

#define db_put(tx, mem, sql, ...) db_put_values((tx), (mem), (sql), DB_VALUES(__VA_ARGS__))
#define db_prefetch(tx, mem, sql, ...) \
    db_prefetch_values((tx), (mem), (sql), DB_VALUES(__VA_ARGS__))

struct str db_cell_text(const struct db_rows *rows, size_t row, size_t column); /* NULL is absent */
int64_t db_cell_int(const struct db_rows *rows, size_t row, size_t column);     /* NULL is 0 */

typedef enum err db_work(struct db_tx *tx, void *argument);

enum err db_write(struct db *db, db_work *work, void *argument);

/* As db_write(), for work that many requests do at the same time. On PostgreSQL such writes share
 * transactions: equal statements that they run at the same time become one (SQL_MANY). Then they
 * are not isolated from each other by row locks. Writes with the same key never share a
 * transaction, so the key must name everything that the work reads and then changes. The work must
 * not wait for another thread between two statements. */
enum err db_write_shared(struct db *db, struct str key, db_work *work, void *argument);

/* Whether the transaction is shared, so that db_put() runs the statement's form for many callers.
 */
bool db_is_shared(const struct db_tx *tx);

/* For transactions that take access away: may use the space that SQLite's store reserves for a full
 * disk, on which db_write() fails. */
enum err db_write_urgent(struct db *db, db_work *work, void *argument);
bool db_is_full(const struct db *db); /* the last write failed because the disk is full */

struct db_tx *db_begin_read(struct db *db);

/* Returns `result`, or the first error of a statement if `result` is ERR_NONE. */
enum err db_end_read(struct db_tx *tx, enum err result);

/* ---- several databases ---- */

/* Background work is done in each database of a store by itself, so that one that is down does not
 * delay the work for users of the others, and no transaction commits in several. db_database() is
 * one of them, as a store in which every statement runs; NULL: it is down. db_database_of() is the
 * number of that with the user's rows. A store of one database is its own. */
size_t db_database_count(const struct db *db);
struct db *db_database(struct db *db, size_t number);
size_t db_database_of(const struct db *db, struct str id);

/* ---- versions of cached data ---- */

/* Both only increase. The version of an id is the number of the commit that last changed rows with
 * a statement that had the id as a parameter: usr_…, app_…, doc_…, dyn_…, fam_…, grt_…, or
 * the hash of a token.
 * The number of commits increases first. Commits of this process on SQLite are counted before
 * db_write() returns; commits on PostgreSQL by db_sync_versions().
 *
 * A result that was read when db_tx_commits() was n is current as long as no id that it depends on
 * has a version above n. On PostgreSQL that must be checked after db_sync_versions().
 *
 * 0: nothing may be cached, because other processes may write without this one noticing. */
uint64_t db_version(struct db *db, struct str id);
uint64_t db_commits(struct db *db);
uint64_t db_tx_commits(const struct db_tx *tx); /* the commits that a read sees at least */

/* The number of the last query for what other processes changed: take it when a request arrives. */
uint64_t db_sync_ticket(struct db *db);

/* Brings the versions up to date with what other processes committed. All callers that are waiting
 * share one query to the database, so it may be used for every request.
 *
 * Calls done() once, on any thread, and perhaps before this function returns. ERR_NONE: the
 * versions include every commit that was acknowledged before the ticket. Otherwise the query failed
 * or missed its deadline, and nothing cached may be used. The caller owns the struct, which must
 * stay valid until done() is called. */
#define DB_ANY_SHARD (-1)
struct db_sync {
    void (*done)(struct db_sync *sync, enum err err);
    uint64_t ticket;
    int shard;            /* only this shard's changes matter; DB_ANY_SHARD: those of all */
    struct db_sync *next; /* private */
};
void db_sync_versions(struct db *db, struct db_sync *sync);

/* The same without waiting. It asks the database itself if the database is known to answer within a
 * fraction of a millisecond. False: call db_sync_versions(). */
bool db_sync_now(struct db *db, uint64_t ticket, int shard);

/* False: versions are always current, as on SQLite. */
bool db_versions_lag(const struct db *db);

/* ---- opening and maintenance: for app/ ---- */

struct db_settings {
    const char *address;
    size_t connections;  /* PostgreSQL's pool */
    int64_t deadline_ms; /* of a statement on PostgreSQL; 0: the default, two seconds */
    bool watched;        /* db_ping() is used: check readiness and follow the database's clock */
    bool must_exist;     /* do not create a store: ERR_NOT_FOUND */
    bool prepare_lazily; /* no statement is prepared before it runs */
    bool any_part;       /* also one of several databases: for maintenance */
    struct versions *versions; /* private: shared by several databases; NULL: its own */
};

/* Describes what is wrong with the address; NULL if it is valid. Does not open anything. */
const char *db_address_problem(const char *address);
bool db_address_is_sqlite(const char *address);
size_t db_address_count(const char *address); /* databases that it names */

/* The files and folders that a remote database's client library reads: certificates and passwords.
 * Returns their number, at most `max`; 0 for SQLite. Allocated in the arena. */
size_t db_address_files(struct arena *mem, const char *address, const char **out, size_t max);

/* Locks a SQLite file for this process, applies missing schema steps, prepares every statement.
 * ERR_TAKEN if another process has locked the file. */
enum err db_open(const struct db_settings *settings, struct db **out, struct why *why);
void db_close(struct db *db); /* no other thread may use it */

/* After `after_ms` milliseconds, every wait for a remote database ends with ERR_UNAVAILABLE, so
 * that the process can exit. The outcome of a commit under way is then unknown. */
void db_interrupt(struct db *db, int64_t after_ms);

/* The address without its password, for logs and messages. */
struct str db_describe(const struct db *db, struct arena *mem);

/* True if reads wait for a network and must run on a worker thread. */
bool db_reads_block(const struct db *db);

/* ERR_NONE if the store can serve requests; otherwise `why` is a sentence for the operator. Answers
 * within a second, even if the database hangs. */
enum err db_ping(struct db *db, struct why *why);

/* Writes a consistent copy to a new file, in SQLite's format or as pg_dump writes it. A service may
 * use the store meanwhile. `progress` may be NULL. Of several databases each gets a file of its
 * own, FILE.1of2 and so on, from one time after the other. */
enum err db_backup(const char *address, const char *file,
                   void (*progress)(void *context, int percent), void *context, struct why *why);

/* Puts a backup in place of the store, which no process may use (ERR_TAKEN). `prepare` changes the
 * opened copy before it takes that place. SQLite: the old store is kept beside it, as *aside;
 * PostgreSQL: the database must be empty, and *aside is absent. */
enum err db_restore(const char *address, const char *file,
                    enum err (*prepare)(struct db *db, void *context), void *context,
                    struct arena *mem, struct str *aside, struct why *why);

/* Copies a SQLite store to a folder, and then every transaction soon after its commit, until wait()
 * returns false. A service may use the store meanwhile. ERR_NOT_FOUND: the store or the folder does
 * not exist. ERR_TAKEN: another process writes to the folder, or the store was replaced.
 * ERR_INVALID: not SQLite. */
struct db_follow {
    const char *address;
    const char *folder;
    int keep;                                /* copies of the store */
    int64_t copy_every_s;                    /* seconds after which a new one is made */
    bool (*wait)(void *context, int64_t ms); /* false: stop */
    void (*report)(void *context, const char *name, bool continued); /* the store is protected */
    void *context;
};
enum err db_follow(const struct db_follow *how, struct why *why);

/* Makes a backup file for this address out of such a folder, as the store was at `until_ms`
 * (milliseconds since 1970). ERR_NOT_FOUND: there is nothing up to that time; then first_ms is the
 * earliest time, or 0.
 */
struct db_followed {
    int64_t time_ms;      /* every commit that was answered before is included */
    int64_t first_ms;     /* the earliest time of the folder that could be restored */
    int64_t unread_bytes; /* at the end: incomplete or damaged */
};
enum err db_followed(const char *address, const char *folder, int64_t until_ms, const char *file,
                     struct db_followed *out, struct why *why);

/* Copies every row of one store to another, which is empty or contains an interrupted move from the
 * same store, and compares both. No process may use either (ERR_TAKEN); the first one is not
 * changed. Until the copy is complete, db_open() refuses the second one. */
struct db_moved {
    size_t tables;
    int64_t rows;
    int64_t found; /* of them, rows that an interrupted move had copied */
};
enum err db_move(const char *from, const char *to, void (*progress)(void *context, int percent),
                 void *context, struct db_moved *moved, struct why *why);

/* Checks the whole store for damage and adds one line per problem to `report`. The store is intact
 * if the result is ERR_NONE and the report is empty. A service may use the store meanwhile. */
enum err db_check(const char *address, struct buf *report, struct why *why);

/* Runs `work`, which only reads, in one snapshot on a connection of its own. A service may use the
 * store meanwhile. */
enum err db_inspect(const char *address, db_work *work, void *argument, struct why *why);

/* Removes deleted data from the store's files and returns free space to the file system. Writers
 * wait meanwhile. Does nothing on PostgreSQL, which vacuums by itself. */
enum err db_compact(struct db *db, struct why *why);

/* For a SQLite address: the path of the store's file with `ending` appended. */
struct str db_path_beside(struct arena *mem, const char *address, const char *ending);

/* The last schema step of an open store. */
int64_t db_schema_version(const struct db *db);

#endif
