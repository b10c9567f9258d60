/* db.h - one store, two engines, one contract.
 *
 * A store is named by an address: "sqlite:FILE" or "postgresql://…". All SQL is written once, in
 * one dialect: parameters $1…$n, columns TEXT and BIGINT, ON CONFLICT, RETURNING; no now(), no
 * ordering by text. A statement is declared with SQL() at file scope in store/; every statement
 * declared anywhere in the program is prepared when a store is opened, so that a wrong one stops
 * the start and cannot wait for night.
 *
 * Work is handed in as a function. db_write() runs it in one transaction and returns only when what
 * it did is on disk; db_read() runs it on the committed state, on SQLite all of it on that of one
 * moment, its first statement's, and one db_read() inside another on the same. The function may be
 * run again after a conflict between transactions, so it must set what it hands out each time, and
 * must not touch anything but the store and its argument. Whatever it returns other than ERR_NONE
 * undoes the transaction; to refuse and still keep a change (a failed sign-in that counts), return
 * ERR_NONE and carry the refusal in the argument.
 *
 * ERR_UNAVAILABLE means nothing was changed, or that nobody can know (the connection broke during
 * the commit): whole or not at all in either case. ERR_INTERNAL means a defect. After any error a
 * transaction is over. Safe from any thread; a transaction belongs to the thread that runs it. */
#ifndef DB_DB_H
#define DB_DB_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct buf;
struct db;
struct db_tx;

struct sql {
    _Alignas(32) const char *name; /* unique in the program; the linker lines rows up */
    const char *text;
    bool untracked; /* changes only rows that no stamp stands for: see db_stamp() */
};

#define SQL_ROW(variable, statement, ...)                                                     \
    static const struct sql variable                                                          \
        __attribute__((section("penchant_sql"), used, aligned(32))) = { #variable, statement, \
                                                                        __VA_ARGS__ }
#define SQL(variable, statement) SQL_ROW(variable, statement, .untracked = false)

/* For what is only counted, or is new so that nobody can have remembered anything of it: it changes
 * nobody's access and no answer of the API. */
#define SQL_UNTRACKED(variable, statement) SQL_ROW(variable, statement, .untracked = true)

struct db_value {
    enum { DB_NULL, DB_TEXT, DB_INT } type;
    struct str text;
    int64_t number;
};

static inline struct db_value
db_text(struct str text) /* an absent one is NULL */
{
    return (struct db_value){ .type = text.ptr == NULL ? DB_NULL : DB_TEXT, .text = text };
}

static inline struct db_value
db_int(int64_t number)
{
    return (struct db_value){ .type = DB_INT, .number = number };
}

/* What a statement gave back, copied into the arena: cells[row * columns + column]. */
struct db_rows {
    size_t count;
    size_t columns;
    const struct db_value *cells;
};

/* `rows` may be NULL where none are wanted. */
enum err db_query_values(struct db_tx *tx, struct arena *mem, const struct sql *sql,
                         const struct db_value *values, size_t count, struct db_rows *rows);

#define db_query(tx, mem, sql, rows, ...)                                                      \
    db_query_values(                                                                           \
        (tx), (mem), (sql), (const struct db_value[]){ { 0 }, __VA_ARGS__ } + 1,               \
        sizeof((const struct db_value[]){ { 0 }, __VA_ARGS__ }) / sizeof(struct db_value) - 1, \
        (rows))

struct str db_cell_text(const struct db_rows *rows, size_t row, size_t column); /* NULL is absent */
int64_t db_cell_int(const struct db_rows *rows, size_t row, size_t column);     /* NULL is 0 */

typedef enum err db_work(struct db_tx *tx, void *argument);

enum err db_write(struct db *db, db_work *work, void *argument);
enum err db_read(struct db *db, db_work *work, void *argument);

/* ---- what may be remembered between requests ---- */

/* Both only rise. The stamp of an id rises when a commit has changed rows that a statement named by
 * it: usr_…, app_…, fam_…, grt_…, or the digest of a token. The number of commits rises first. So
 * if that number is still the one that a read was sure to see, what was read is what there is for
 * as long as the stamps taken before that look stay the same; a write has not been answered before
 * they rise. 0: other processes write to this store, too, and nothing can be known. */
uint64_t db_version(struct db *db, struct str id);
uint64_t db_commits(struct db *db);
uint64_t db_tx_commits(const struct db_tx *tx); /* that a db_read() has been sure to see */

/* ---- opening and care: for app/ ---- */

struct db_settings {
    const char *address;
    size_t connections; /* PostgreSQL's pool */
    bool must_exist;    /* where there is no store none is made: ERR_NOT_FOUND */
};

/* The address itself, without touching anything: NULL if it is one, else what is wrong with it. */
const char *db_address_problem(const char *address);
bool db_address_is_sqlite(const char *address);

/* Takes exclusive use of a SQLite file, brings the schema up to date, prepares every statement.
 * ERR_TAKEN: another process has the file. */
enum err db_open(const struct db_settings *settings, struct db **out, struct why *why);
void db_close(struct db *db); /* after every thread that used it is done */

/* What is shown in a log or to a person: the address without a password. */
struct str db_describe(const struct db *db, struct arena *mem);

/* Whether a read may wait for a network, so that it belongs on a worker. */
bool db_reads_block(const struct db *db);

enum err db_ping(struct db *db);

/* A consistent copy into a new file, while a service may run on the store: SQLite's own format, or
 * on PostgreSQL what pg_dump writes. Shows how far it is through `progress` (may be NULL). */
enum err db_backup(const char *address, const char *file,
                   void (*progress)(void *context, int percent), void *context, struct why *why);

/* Looks through the whole store for damage. `report` gets a line for each thing found. ERR_NONE and
 * an empty report: sound. May run beside a service. */
enum err db_check(const char *address, struct buf *report, struct why *why);

/* Leaves nothing in the store's files of what was deleted, and gives the room back. Writers wait
 * meanwhile. On PostgreSQL there is nothing to do: it does so itself. */
enum err db_compact(struct db *db, struct why *why);

/* For a SQLite address: a path beside the store's file, with that ending. */
struct str db_path_beside(struct arena *mem, const char *address, const char *ending);

/* The schema step that an open store is at. */
int64_t db_schema_version(const struct db *db);

#endif
