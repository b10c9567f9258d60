/* driver.h - what an engine must be able to do. Private to db/.
 *
 * db.c speaks to the engine through this table and to nothing else. An engine's own struct begins
 * with a struct db, its transaction with a struct db_tx. */
#ifndef DB_DRIVER_H
#define DB_DRIVER_H

#include "db/db.h"

struct arena;

struct db_driver {
    const char *prefix; /* of the address: "sqlite:" */
    bool reads_block;

    /* What is wrong with the address behind the prefix; NULL: nothing. */
    const char *(*address_problem)(const char *address);

    /* Opens the store; neither schema nor statements are touched. */
    enum err (*open)(const struct db_settings *settings, struct db **out, struct why *why);
    void (*close)(struct db *db);

    /* The schema, alone on the store: begin takes whatever lock keeps other processes from doing
     * the same; run executes a script and, if `number` is given, stores the first cell of its
     * result. */
    enum err (*schema_begin)(struct db *db, struct why *why);
    enum err (*schema_run)(struct db *db, const char *script, int64_t *number, struct why *why);
    enum err (*schema_end)(struct db *db, bool keep, struct why *why);

    /* Every statement of the program, so that a wrong one is found now. */
    enum err (*prepare)(struct db *db, struct why *why);

    enum err (*write)(struct db *db, db_work *work, void *argument);
    enum err (*read)(struct db *db, db_work *work, void *argument);
    enum err (*query)(struct db_tx *tx, struct arena *mem, size_t statement,
                      const struct db_value *values, size_t count, struct db_rows *rows);

    /* See db.h; NULL: nothing can be known. */
    uint64_t (*version)(struct db *db, struct str id);
    uint64_t (*commits)(struct db *db);

    struct str (*describe)(const struct db *db, struct arena *mem);
    void (*write_metrics)(struct db *db, struct buf *page);

    enum err (*backup)(const char *address, const char *file,
                       void (*progress)(void *context, int percent), void *context,
                       struct why *why);
    enum err (*check)(const char *address, struct buf *report, struct why *why);
    enum err (*compact)(struct db *db, struct why *why); /* NULL: it does so itself */
};

extern const struct db_driver db_sqlite_driver;
extern const struct db_driver db_postgres_driver;
extern const struct db_driver db_failing_driver; /* rehearsal builds only */

const struct db_driver *db_driver_of(const char *address); /* NULL: no such engine */
const char *db_address_rest(const char *address);          /* what stands behind the prefix */

struct db {
    const struct db_driver *driver;
    bool is_postgres; /* what the schema's script is written for */
};

struct db_tx {
    struct db *db;
    uint64_t commits; /* see db_tx_commits() */
    enum err broken;  /* the first error: whatever is asked afterwards fails the same way */
};

/* The statements of the program, as the linker gathered them. */
size_t db_statement_count(void);
const struct sql *db_statement(size_t index);

/* Applies what is missing of schema/, in one transaction. ERR_NOT_FOUND: `must_exist`, and there is
 * no store. */
enum err db_migrate(struct db *db, bool must_exist, struct why *why);

/* Says that there is no store where one must be. */
enum err db_not_there(const char *where, struct why *why);

/* Gathers rows whose number is not known beforehand. */
struct db_gather {
    struct arena *mem;
    struct db_value *cells;
    size_t columns;
    size_t count;
    size_t room;
};

struct db_value *db_gather_row(struct db_gather *gather); /* the cells of one more row */

#endif
