/* driver.h - the interface between db.h and an engine. For db/ and the engines.
 *
 * driver.c implements db.h on top of struct db_driver; each engine provides one. An engine's store
 * struct begins with a struct db, its transaction struct with a struct db_tx. Threads are as db.h
 * describes: any thread may use a store, and a transaction belongs to the thread that runs it. An
 * engine owns what open() returns until close(). */
#ifndef DB_DRIVER_H
#define DB_DRIVER_H

#include "db/db.h"

#include <string.h>

struct arena;
struct embedded;

enum db_end {
    DB_COMMITTED,
    DB_REJECTED, /* rolled back; `err` is the result */
    DB_AGAIN,    /* rolled back after a conflict or a lost connection: the work may run again */
    DB_UNKNOWN,  /* the connection was lost during the commit, and its outcome is unknown */
};

/* A readiness check that has begun. Private to the engine. */
struct db_ping {
    uint64_t good, bad;
    int64_t give_up;
};

struct db_driver {
    const char *prefix; /* of the address: "sqlite:" */
    bool reads_block;   /* see db_reads_block() */

    /* Describes what is wrong with the address; NULL if it is valid. */
    const char *(*address_problem)(const char *address);

    size_t (*address_files)(struct arena *mem, const char *address, const char **out,
                            size_t max); /* NULL: none; see db_address_files() */

    size_t (*address_count)(const char *address); /* NULL: one; see db_address_count() */

    /* Opens the store. Does not read the schema or prepare statements. */
    enum err (*open)(const struct db_settings *settings, struct db **out, struct why *why);
    void (*close)(struct db *db);
    void (*interrupt)(struct db *db, int64_t after_ms); /* NULL: the store is not remote */

    /* A schema transaction. schema_begin() takes a lock that excludes the schema transactions of
     * other processes. schema_run() executes a script; if `number` is not NULL, it receives the
     * first cell of the result. schema_end() commits if `keep`, and rolls back otherwise. */
    enum err (*schema_begin)(struct db *db, struct why *why);
    enum err (*schema_run)(struct db *db, const char *script, int64_t *number, struct why *why);
    enum err (*schema_end)(struct db *db, bool keep, struct why *why);

    /* One statement with parameters $1…$n in a schema transaction, for db_move(). */
    enum err (*schema_query)(struct db *db, struct arena *mem, const char *text,
                             const struct db_value *values, size_t count, struct db_rows *rows,
                             struct why *why);

    /* Every column of every table: table, column, position in the primary key or 0. Ordered by
     * table, then as in the table. */
    const char *catalog;

    /* The number of other processes that use the store; NULL: its lock excludes them. */
    const char *other_processes;

    /* Prepares every statement of the program, so that an invalid one fails at startup. */
    enum err (*prepare)(struct db *db, struct why *why);

    enum err (*write)(struct db *db, db_work *work, void *argument, bool urgent);
    enum err (*write_shared)(struct db *db, struct str key, db_work *work,
                             void *argument);   /* NULL: as write() */
    struct db_tx *(*begin_read)(struct db *db); /* NULL: unavailable */
    enum err (*end_read)(struct db_tx *tx);     /* returns the first error of a statement */
    enum err (*query)(struct db_tx *tx, struct arena *mem, size_t statement,
                      const struct db_value *values, size_t count, struct db_rows *rows);

    /* See db_put_values() and db_prefetch_values(). False: does not delay or prefetch it. */
    bool (*put)(struct db_tx *tx, struct arena *mem, size_t statement,
                const struct db_value *values, size_t count); /* NULL: never */
    void (*prefetch)(struct db_tx *tx, struct arena *mem, size_t statement,
                     const struct db_value *values, size_t count); /* NULL: never */

    /* A write in steps, for a store of several databases (spread/). NULL: unavailable. end_write()
     * commits if `keep`, and frees the transaction in any case. */
    struct db_tx *(*begin_write)(struct db *db);
    enum db_end (*end_write)(struct db_tx *tx, bool keep, enum err *err);

    /* See db_database(). NULL: the store is one database. */
    size_t (*database_count)(const struct db *db);
    struct db *(*database)(struct db *db, size_t number);
    size_t (*database_of)(const struct db *db, struct str id);

    enum err (*ping)(struct db *db, struct why *why); /* see db_ping(); NULL: it has two steps */
    /* The two steps of PostgreSQL, so that a store asks all its databases at once. */
    void (*ping_begin)(struct db *db, struct db_ping *out);
    enum err (*ping_end)(struct db *db, const struct db_ping *begun, struct why *why);
    bool (*is_down)(struct db *db); /* as last seen, without asking; NULL: never */

    /* Whether the database has not answered for seconds, as last seen, so that a statement would
     * only wait. NULL: never.
     */
    bool (*is_silent)(struct db *db);

    uint64_t (*version)(struct db *db, struct str id);
    uint64_t (*commits)(struct db *db);
    void (*sync_versions)(struct db *db, struct db_sync *sync); /* NULL: always current */
    uint64_t (*sync_ticket)(struct db *db); /* NULL: sync_now() is not possible */
    bool (*sync_now)(struct db *db, uint64_t ticket, int shard);

    struct str (*describe)(const struct db *db, struct arena *mem);
    void (*write_metrics)(struct db *db, struct buf *page);

    enum err (*backup)(const char *address, const char *file,
                       void (*progress)(void *context, int percent), void *context,
                       struct why *why);
    enum err (*restore)(const char *address, const char *file,
                        enum err (*prepare)(struct db *db, void *context), void *context,
                        struct arena *mem, struct str *aside, struct why *why);
    enum err (*follow)(const struct db_follow *how, struct why *why); /* NULL: not possible */
    enum err (*followed)(const char *folder, int64_t until_ms, const char *file,
                         struct db_followed *out, struct why *why); /* NULL: not possible */
    enum err (*check)(const char *address, struct buf *report, struct why *why);
    enum err (*inspect)(const char *address, db_work *work, void *argument, struct why *why);
    enum err (*compact)(struct db *db, struct why *why); /* NULL: not needed */
};

extern const struct db_driver db_sqlite_driver;
extern const struct db_driver db_postgres_driver;
extern const struct db_driver db_spread_driver;
extern const struct db_driver db_failing_driver; /* fault injection builds only */

const struct db_driver *db_driver_of(const char *address); /* NULL: unknown prefix */
const char *db_address_rest(const char *address);          /* the address without its prefix */

/* Which database of a store this is. The same struct is used for one database after the other. */
struct db_part {
    size_t number, count;  /* number counts from 1 */
    char installation[33]; /* of the databases before it; empty: none yet */
    bool complete;         /* one of them was created together with all others before */
    bool unmarked;         /* one of them does not say so yet: db_part_complete() */
};

struct db {
    const struct db_driver *driver;
    bool is_postgres;      /* the dialect of schema scripts */
    int64_t schema_ms;     /* of a statement of a schema transaction; 0: minutes, to migrate */
    _Atomic int64_t clock; /* the server's time minus clock_ticks_ns(); 0: not known */
    _Atomic bool is_full;  /* the last write failed because the disk is full */
    struct str moved_from; /* db_move() fills it from this store; absent otherwise */
    struct db_part *part;  /* NULL: the only one */
    bool any_part;         /* see db_settings */
    bool is_spread;        /* made of several databases: prepare() updates their schemas */
};

struct db_tx {
    struct db *db;
    uint64_t commits; /* see db_tx_commits() */
    enum err broken;  /* the first error; later statements return it without running */
    bool shared;      /* see db_is_shared() */
};

/* Reads from the schema's table. */
enum err db_ping_by_query(struct db *db);

/* All statements declared with SQL(). */
size_t db_statement_count(void);
const struct sql *db_statement(size_t index);

/* Whether a statement, or its form for many callers, changes rows. */
static inline bool
sql_writes(const char *text)
{
    return strncmp(text, "SELECT", 6) != 0;
}

/* Applies the schema steps among `files` that the store does not have yet, in one transaction.
 * `files` is a table like embedded_files. ERR_NOT_FOUND if `must_exist` and the store is empty. */
enum err db_migrate(struct db *db, const struct embedded *files, bool must_exist, struct why *why);

/* The version of a row of schema_step that exists while db_move() fills the store. Its name is the
 * description of the other store. */
#define DB_MOVE_STEP "0"

/* Adds that row, for the store of db->moved_from, in a schema transaction. */
enum err db_mark_incomplete(struct db *db, struct arena *mem, struct why *why);

/* Checks in a schema transaction that the database is the one described by db->part, or records
 * that it is, if it was created in this transaction. */
enum err db_part_check(struct db *db, struct arena *mem, bool created, struct why *why);

/* Records, in a schema transaction of its own, that all databases were created. */
enum err db_part_complete(struct db *db, struct why *why);

/* Makes the rows that all of them have the same, after changes that were committed in some of them
 * only, or after some were restored from backups. In schema transactions. */
#define DB_PARTS_MAX 64
enum err db_repair(struct db *const *databases, size_t count, const bool *restored,
                   struct why *why);

/* A schema transaction in each of them; `begun` is how many have begun, also after an error. The
 * second ends those, and keeps the changes if `err` is ERR_NONE. */
enum err db_repair_begin(struct db *const *databases, size_t count, size_t *begun, struct why *why);
enum err db_repair_end(struct db *const *databases, size_t begun, enum err err, struct why *why);

/* After some were restored from backups: makes lookup rows and users agree that are in different
 * databases. Both functions return the index of a database. */
struct db_placements {
    size_t (*of_user)(struct str user_id, size_t databases);
    size_t (*of_lookup)(struct str key, size_t databases);
};
enum err db_repair_lookups(struct db *const *databases, size_t count, const bool *restored,
                           const struct db_placements *placements, struct why *why);

/* Whether the database was restored since its last repair; sets or ends that. In a schema
 * transaction of its own. Of a single database it is never true. */
enum err db_part_restored(struct db *db, bool *out, struct why *why);
enum err db_part_set_restored(struct db *db, bool restored, struct why *why);

/* Sets `why` for a missing store and returns ERR_NOT_FOUND. */
enum err db_missing(const char *address, struct why *why);

/* Collects result rows whose number is not known in advance. Grows in the arena. */
struct db_rows_builder {
    struct arena *mem;
    struct db_value *cells;
    size_t columns;
    size_t count;
    size_t capacity; /* in rows */
};

struct db_value *db_rows_add_row(struct db_rows_builder *builder); /* the cells of a new row */

#endif
