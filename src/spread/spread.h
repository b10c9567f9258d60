/* spread.h - a store made of several PostgreSQL databases. Private to spread/.
 *
 * Each user is in one of them, by shard (base/shard.h): database i of n has the shards from
 * 4096 i / n on. The flows and stores above db.h do not depend on this: each statement is sent to
 * the database that its parameters name (placement.h). docs/SCALE.md has the reasons, and the state
 * after a crash between two commits.
 *
 *   spread.c       addresses, opening, readiness, and maintenance
 *   watch.c        databases that are missing at the start, and repairs
 *   restored.c     repairs replicated rows, also after a database was restored
 *   clock.c        whose clock the process follows
 *   placement.c    which database a statement needs
 *   transaction.c  reads, and writes of one or several databases
 *   query.c        one statement on the databases it needs
 *   rows.c         results of several databases as one
 *   sync.c         what changed, in one database or in all
 *   metrics.c      the metrics of all databases, added up
 *
 * Any thread may call these functions, as db.h describes, unless a declaration says otherwise. The
 * store owns the stores of its databases. */
#ifndef SPREAD_SPREAD_H
#define SPREAD_SPREAD_H

#include "db/driver.h"
#include "db/versions.h"
#include "spread/placement.h"

#include <pthread.h>
#include <stdatomic.h>

#define SPREAD_MAX DB_PARTS_MAX
#define SPREAD_LATER_MAX 32 /* a user's lookup rows: two names and twenty passkeys */

struct spread_watch;

struct spread_clock {
    pthread_mutex_t lock;                      /* protects what follows */
    size_t followed;                           /* a database; SPREAD_MAX: none yet */
    bool differs[SPREAD_MAX], machine_differs; /* as logged */
};

struct spread_store {
    struct db db;
    struct db *of[SPREAD_MAX];
    size_t count;
    _Atomic bool is_open[SPREAD_MAX]; /* its schema and its part were checked; never false again */
    struct db_part part;              /* what those that are open say */
    struct spread_watch *watch;       /* NULL: a command, which needs all databases */
    char *addresses;
    struct spread_clock clock;
    struct versions versions;     /* of all: commits of different databases share one count */
    struct placement *placements; /* per statement */
    const struct sql *note;       /* records a claim; NULL: the program has no such statement */
    int64_t deadline_ms;
    bool must_exist;
    bool watched; /* a service: starts without one of its databases, and repairs what they share */
};

/* A lookup row that is deleted after the commit. */
struct spread_later {
    const struct sql *sql;
    struct db_value values[2];
    size_t database;
};

struct spread_tx {
    struct db_tx tx;
    bool writes;
    bool is_shared; /* a shared write of the database `home`; it cannot change another one */
    bool leaves;    /* … but has to */
    size_t home;    /* the database of the user whose rows are changed; SPREAD_MAX: none yet */
    struct db_tx *in[SPREAD_MAX]; /* NULL: not begun */
    struct spread_later later[SPREAD_LATER_MAX];
    size_t later_count;
};

static inline struct spread_store *
spread_of(const struct db *db)
{
    return (struct spread_store *)(uintptr_t)db;
}

/* Until this is true, nothing but watch.c may use the database: it may be another one, or have
 * another schema. */
static inline bool
spread_is_open(const struct spread_store *store, size_t database)
{
    return atomic_load(&store->is_open[database]);
}

/* Open, and not known to hang. Otherwise a request fails at once: those that wait for one database
 * must not take all workers from the users of the others. */
bool spread_answers(const struct spread_store *store, size_t database);

/* Not open, or down as last seen by its monitor, without asking. */
bool spread_is_down(const struct spread_store *store, size_t database);
size_t spread_home(const struct spread_store *store, int shard);

/* The next address, in the arena; NULL after the last one. */
const char *spread_next_address(struct arena *mem, struct str *rest);

/* Compares the part of a database and updates its schema; then prepares its statements, after which
 * it is open. */
enum err spread_check(struct spread_store *store, size_t database, bool must_exist,
                      struct why *why);
enum err spread_prepare(struct spread_store *store, size_t database, struct why *why);

/* restored.c: repairs what all databases have, and after one was restored from a backup also the
 * lookup rows in it and of its users. In schema transactions; safe while nodes serve.
 * `is_restored`: at least one was. */
enum err spread_repair(struct db *const *databases, size_t count, bool *is_restored,
                       struct why *why);
enum err spread_repair_at_start(struct spread_store *store, bool *repaired, struct why *why);

/* watch.c: a thread that opens the databases that are missing, each as soon as it answers, and
 * repairs what all have: when one of them comes back, and every ten minutes. `missing` has the
 * problems of those that are not open; unless `repaired`, the first repair is due in seconds.
 * spread_watch_problem() is safe from any thread; its sentence is public, so it names no address.
 */
void spread_watch_start(struct spread_store *store, const struct why *missing, bool repaired);
void spread_watch_interrupt(struct spread_store *store, int64_t after_ms);
void spread_watch_stop(struct spread_store *store);
void spread_watch_problem(struct spread_store *store, size_t database, struct why *out);

/* clock.c: compares the clocks, and follows one of them. Whether the clock of a database differs
 * from that one by more than a second. `why` gets the difference. */
void spread_clock_follow(struct spread_store *store);
bool spread_clock_differs(const struct spread_store *store, size_t database, struct why *why);

/* transaction.c */
enum err spread_write(struct db *db, db_work *work, void *argument, bool urgent);
enum err spread_write_shared(struct db *db, struct str key, db_work *work, void *argument);
struct db_tx *spread_begin_read(struct db *db);
enum err spread_end_read(struct db_tx *tx);

/* query.c */
enum err spread_query(struct db_tx *tx, struct arena *mem, size_t statement,
                      const struct db_value *values, size_t count, struct db_rows *rows);
bool spread_put(struct db_tx *tx, struct arena *mem, size_t statement,
                const struct db_value *values, size_t count);
void spread_prefetch(struct db_tx *tx, struct arena *mem, size_t statement,
                     const struct db_value *values, size_t count);

/* rows.c: adds the rows of another database to `all`, whose columns are the same. */
void spread_append(struct arena *mem, struct db_rows *all, const struct db_rows *more);
void spread_sum(struct arena *mem, struct db_rows *all, const struct db_rows *more);
void spread_order(struct arena *mem, struct db_rows *all, size_t column, int64_t limit);

/* sync.c */
uint64_t spread_version(struct db *db, struct str id);
uint64_t spread_commits(struct db *db);
uint64_t spread_sync_ticket(struct db *db);
bool spread_sync_now(struct db *db, uint64_t ticket, int shard);
void spread_sync(struct db *db, struct db_sync *sync);

/* metrics.c */
void spread_metrics(struct db *db, struct buf *page);

#endif
