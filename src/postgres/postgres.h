/* postgres.h - declarations shared by the files of the PostgreSQL engine. Private to postgres/.
 *
 *   postgres.c     opening, and the schema
 *   transaction.c  transactions and statements
 *   group.c        writes that share transactions; group_round.c runs their statements
 *   locked.c       keys of such writes whose rows another program has locked
 *   read.c         reads that share statements
 *   batch.c        one statement for many of them
 *   wire.c         one statement on one connection, with a deadline
 *   connect.c      hosts and new connections
 *   prepare.c      the settings and the prepared statements of a connection
 *   resolve.c      addresses of host names
 *   begin.c        the beginning of a transaction that writes
 *   commit.c       commits whose confirmation was lost
 *   pool.c         the connection pool, and metrics
 *   monitor.c      readiness, the server's clock, and old rows of the change log
 *   change_query.c     queries what changed since the last answer
 *   sync.c         runs that query once for all requests that wait
 *
 * Any thread may call these functions, as db.h describes, unless a declaration says otherwise. The
 * store owns its connections and frees them when it is closed. */
#ifndef POSTGRES_POSTGRES_H
#define POSTGRES_POSTGRES_H

#include "base/metric.h"
#include "db/driver.h"
#include "db/versions.h"
#include "pq/pq.h"

#include <pthread.h>
#include <semaphore.h>

#define POSTGRES_DEADLINE_MS 2000 /* default of db_settings.deadline_ms */
#define POSTGRES_HOSTS_MAX 16
#define POSTGRES_START_MS 5000 /* for the first connections */

#define POSTGRES_IDLE_IN_TRANSACTION_MS \
    30000 /* a node that hangs must not keep its locks forever */

/* Statements use indexes whatever the planner's statistics say: a plan that was made for a small
 * table is kept while it grows. And they change rows in the order of their parameters, so that
 * transactions do not wait for each other in a circle. */
#define POSTGRES_OFF(setting, local) ", set_config('" setting "', 'off', " local ")"
#define POSTGRES_PLANNER(local)              \
    POSTGRES_OFF("enable_seqscan", local)    \
    POSTGRES_OFF("enable_bitmapscan", local) \
    POSTGRES_OFF("enable_hashjoin", local)   \
    POSTGRES_OFF("enable_mergejoin", local)  \
    POSTGRES_OFF("jit", local)               \
    ", set_config('plan_cache_mode', 'force_generic_plan', " local ")"

struct postgres_connection {
    PGconn *handle;
    struct postgres_store *store;
    struct postgres_host *host;
    int64_t deadline_ms;   /* of each statement */
    uint64_t generation;   /* of the pool when it was opened */
    char incarnation[100]; /* of the server; empty: not known */
    uint64_t confirmed;    /* the number of the store's incarnation that it equals */
    char xid[24];          /* of the current transaction */
    bool pooled;           /* a pooler may run each transaction on another server connection, so
                              that nothing is prepared or set for later ones */
    bool *prepared;        /* statements; NULL: not set up, see prepare.c */
    bool lost;             /* closed, or hung, or connected to a server that became read-only */
    bool late;             /* lost because a statement missed its deadline */
    bool blocked;          /* a statement of the group waited too long for a lock */
    bool commits;          /* its statement may be a COMMIT, which must not be cancelled */
    bool elsewhere;        /* lost because versions are synchronized with another server */
    struct postgres_connection *next; /* in the idle list */
};

struct postgres_lookup;

/* A server that the address names. */
struct postgres_host {
    char *name, *address, *port; /* NULL: libpq's default */
    _Atomic int64_t
        failed_at; /* clock_ticks_ns() of the last failure; 0: none since it was reached */
    _Atomic int64_t reached_at;     /* … of the last connection that was made; 0: none */
    _Atomic bool is_old_primary;    /* it was refused for its timeline, which was logged */
    struct postgres_lookup *lookup; /* of its addresses; NULL: none runs. Under the store's lock */
    struct postgres_canceller *canceller;
};

struct postgres_waiter;
struct postgres_group;
struct postgres_reads;
struct postgres_member;

struct postgres_store {
    struct db db;
    PQconninfoOption *options; /* of the address */
    char *address;
    struct postgres_host hosts[POSTGRES_HOSTS_MAX];
    size_t host_count;
    bool wants_writable;   /* a server that became read-only is left */
    bool watched;          /* has a monitor after it is opened */
    _Atomic bool compared; /* the timelines of all hosts, by the first connection */
    size_t looks;          /* at other hosts, by the monitor */
    bool prepare_lazily;   /* see db_settings */
    struct postgres_monitor *monitor;
    struct postgres_syncer *syncer;
    struct postgres_group *group;
    struct postgres_reads *reads;
    struct versions *versions; /* its own, or shared with other databases */
    struct versions own_versions;
    _Atomic bool schema_is_newer; /* another node updated it: this node must not write anymore */
    _Atomic bool commits_hang;    /* no write begins: see monitor.c */
    int64_t schema_known;         /* the last step that this program has */
    int64_t deadline_ms;
    int stop_fd; /* a timer: readable when db_interrupt() ends all waits */
    struct postgres_connection *schema_connection; /* of schema transactions, until prepare() */

    pthread_mutex_t lock;
    struct postgres_connection *idle;
    struct postgres_waiter *waiters, **waiters_end; /* first come, first served */
    size_t connections;                             /* idle and in use */
    size_t connections_max;
    size_t connecting; /* of them, being opened */
    bool failing;      /* the last attempt to open one failed */
    size_t waiting;
    int64_t borrow_ms;     /* how long a transaction waits for a connection */
    sem_t writes;          /* how many more transactions that are not shared may have one */
    uint64_t generation;   /* changes when a connection is lost: older ones are not reused */
    int64_t connect_after; /* clock_ticks_ns(): no attempt before it */
    char incarnation[100]; /* of the server that versions are synchronized with; empty: of none */
    _Atomic uint64_t incarnations; /* its number; 0: not synchronized yet */
    _Atomic uint64_t timeline;     /* the highest that was used; 0: none is known */

    _Atomic uint64_t transactions;
    _Atomic uint64_t groups; /* that shared a transaction */
    _Atomic uint64_t reads_shared;
    _Atomic uint64_t retries;
    _Atomic uint64_t failed;
    _Atomic uint64_t late;
    _Atomic int64_t late_at; /* clock_ticks_ns() of the last one; 0: none */
    _Atomic uint64_t reconnects;
    _Atomic uint64_t syncs;
    _Atomic uint64_t synced; /* requests that they answered */
    _Atomic uint64_t drops;  /* of everything cached */
    struct histogram transaction_latency;
};

/* wire.c: libpq without blocking. No function waits longer than the deadline, or for an old primary
 * after another server was found, and db_interrupt() ends every wait. The server cancels a slow
 * statement by itself shortly before the deadline (statement_timeout). A connection that misses the
 * deadline nevertheless is lost, and the server is asked to cancel the statement (pq/cancel.c). */

/* Waits until the socket is ready for `events` (see poll(2)). False: not before `until`. */
bool postgres_wait(const struct postgres_store *store, PGconn *handle, short events, int64_t until);

/* The next result of a pipeline or a query; NULL after the last one. Without an answer in time, an
 * error result without a SQLSTATE. The caller frees it. */
PGresult *postgres_next_result(struct postgres_connection *connection, int64_t until);

/* The next result of a pipeline, and the NULL after it. A read-only server is left. */
PGresult *postgres_take(struct postgres_connection *connection, int64_t until);

/* The last result of what was sent, or the first error. The caller frees it. */
PGresult *postgres_collect(struct postgres_connection *connection);

/* Sends a statement: by its name if it is prepared, by its text to a pooler. */
struct postgres_statement {
    const char *name, *text;
};
bool postgres_send(struct postgres_connection *connection,
                   const struct postgres_statement *statement, const char *const *values,
                   const int *lengths, const int *formats, size_t count);

/* The result of a script. The caller frees it. */
PGresult *postgres_run(struct postgres_connection *connection, const char *script);

/* Marks the connection as lost, and tries its host after the others. */
void postgres_mark_lost(struct postgres_connection *connection, const char *event);

/* Marks a connection as lost that leads to another server than the one that versions are
 * synchronized with. Either of the two can be the primary, so its host is tried as before. */
void postgres_discard(struct postgres_connection *connection);
bool postgres_command(struct postgres_connection *connection, const char *text);
int64_t postgres_until(int64_t ms); /* clock_ticks_ns() in so many milliseconds */

/* begin.c: begins a transaction that writes, and remembers its id. False: nothing has begun,
 * because the connection was lost or discarded, or the schema is newer than this program
 * (`schema_is_newer`). The second form, for groups, sends and takes it as a part of a pipeline, and
 * limits how long its statements wait for locks; after false, the caller rolls back. */
bool postgres_begin_prepare(struct postgres_connection *connection); /* once, if not pooled */
bool postgres_begin(struct postgres_connection *connection);
bool postgres_begin_send(struct postgres_connection *connection);
bool postgres_begin_take(struct postgres_connection *connection, int64_t until);

/* Ends writing on this node, and logs it once. monitor.c takes it back. */
void postgres_schema_is_newer(struct postgres_store *store, int64_t step);

/* commit.c: what became of a commit whose confirmation was lost. Takes at most store-deadline. */
enum postgres_status {
    POSTGRES_COMMITTED,
    POSTGRES_ROLLED_BACK,
    POSTGRES_IN_PROGRESS, /* the server answers, but does not complete it */
    POSTGRES_UNKNOWN,
};
enum postgres_status postgres_commit_status(const struct postgres_connection *lost);

/* Changes whenever the server may have lost transactions or reuses their ids: it was restarted,
 * recovered from a crash, or another server was promoted. NULL: the server does not say. */
#define POSTGRES_INCARNATION                                          \
    " (CASE WHEN pg_is_in_recovery() THEN NULL"                       \
    " ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END" \
    " || ' ' || EXTRACT(EPOCH FROM pg_postmaster_start_time())"       \
    " || ' ' || EXTRACT(EPOCH FROM pg_stat_get_bgwriter_stat_reset_time()))"

/* transaction.c */
enum outcome {
    DONE,
    REJECTED,    /* the work returned an error: rolled back, and the error is the result */
    CONFLICT,    /* with another transaction: try again */
    LOST_BEFORE, /* the connection was lost before the commit: nothing changed, try again */
    LOST,        /* the connection was lost during the commit: find out */
    UNKNOWN,     /* … and it cannot be found out */
    LEFT_OUT,    /* did not run: its key must not join a group now, see locked.c */
};

struct postgres_tx {
    struct db_tx tx;
    struct postgres_connection *connection;
    int64_t began;
    struct touched *touched; /* NULL: a read, of which each statement may run again */
    bool conflict;
    struct postgres_member *member; /* not NULL: shares a transaction, see group.c */
};

enum err postgres_query(struct db_tx *tx, struct arena *mem, size_t number,
                        const struct db_value *values, size_t count, struct db_rows *rows);
void postgres_writes_start(struct postgres_store *store);

/* Whether a transaction that writes may begin. */
bool postgres_may_write(const struct postgres_store *store);
enum err postgres_write(struct db *db, db_work *work, void *argument, bool urgent);

/* The same for a write that began then (clock_ticks_ns()), and has waited or failed since. */
enum err postgres_write_since(struct db *db, db_work *work, void *argument, int64_t began);
struct db_tx *postgres_begin_write(struct db *db);
enum db_end postgres_end_write(struct db_tx *tx, bool keep, enum err *err);
struct db_tx *postgres_begin_read(struct db *db);
enum err postgres_end_read(struct db_tx *tx);
enum outcome postgres_commit(struct postgres_tx *tx, enum err *err);
enum outcome postgres_find_out(struct postgres_connection *lost);

/* Whether a transaction that began then may run again: after a hang the caller has waited enough.
 */
bool postgres_is_in_time(int64_t began, const struct postgres_store *store);

/* group.c */
void postgres_group_start(struct postgres_store *store);
void postgres_group_stop(struct postgres_store *store);
enum err postgres_write_shared(struct db *db, struct str key, db_work *work, void *argument);
enum err postgres_group_query(struct postgres_member *member, struct arena *mem,
                              const struct sql *sql, const struct db_value *values, size_t count,
                              struct db_rows *rows);
bool postgres_group_put(struct db_tx *tx, struct arena *mem, size_t number,
                        const struct db_value *values, size_t count);
void postgres_group_prefetch(struct db_tx *tx, struct arena *mem, size_t number,
                             const struct db_value *values, size_t count);

/* batch.c: runs requests of several callers in one round trip, and as one statement those that have
 * one in common (SQL_MANY). */
#define POSTGRES_GROUP_MAX 64
struct postgres_request {
    const struct sql *sql;
    const struct db_value *values;
    size_t count;
    struct arena *mem;             /* for the result */
    struct db_rows rows;           /* the result */
    bool must_change;              /* exactly one row; it needs no result */
    bool done;                     /* the result is there */
    struct postgres_request *next; /* for group_round.c */
};
struct postgres_batch;

/* Appends requests, each of another caller, to a list, which begins as NULL. They run after those
 * added before. */
void postgres_batch_add(struct arena *mem, struct postgres_batch **list,
                        struct postgres_request **requests, size_t count);

/* Runs a list, in a transaction that it begins if `begin`. False: an error, or a row was not
 * changed; the transaction must be rolled back. */
bool postgres_batch_run(struct postgres_connection *connection, struct arena *mem,
                        struct postgres_batch *list, bool begin, struct touched *touched);

/* The statement's form for many callers, and the name under which it is prepared. */
struct str postgres_many_text(struct arena *mem, const struct sql *sql);
struct str postgres_many_name(struct arena *mem, const struct sql *sql);

/* read.c: runs a read together with others that wait, if its statement has a form for many callers.
 * POSTGRES_ALONE: the caller runs it, and then calls postgres_read_ended(). POSTGRES_SHARED: the
 * request has its result. POSTGRES_FAILED: the caller may run it, too. `began` is when the read
 * began (clock_ticks_ns()). */
enum postgres_turn { POSTGRES_ALONE, POSTGRES_SHARED, POSTGRES_FAILED };
void postgres_reads_start(struct postgres_store *store);
void postgres_reads_stop(struct postgres_store *store);
enum postgres_turn postgres_read_together(struct postgres_store *store,
                                          struct postgres_request *request, int64_t began);
void postgres_read_ended(struct postgres_store *store);

/* connect.c */
bool postgres_read_hosts(struct postgres_store *store);
void postgres_free_hosts(struct postgres_store *store);

/* A connection outside the pool, without prepared statements. Tries the hosts in the order of the
 * address, those that failed last after the others, and does not wait for one while another thread
 * has reached another. NULL if none accepts writes in `within_ms`, or only an old primary does. */
struct postgres_connection *postgres_connect(struct postgres_store *store, int64_t within_ms,
                                             struct why *why);
void postgres_disconnect(struct postgres_connection *connection); /* NULL is allowed */

/* Connects to the next of the hosts that accepted no writes before, and closes the connection. If
 * it was promoted, the process now uses it. Only the monitor calls this. */
void postgres_look_at_other_host(struct postgres_store *store, int64_t within_ms);

/* prepare.c */

/* Finds out whether the connection leads to a pooler, such as PgBouncer, and to which incarnation
 * of the server. False: no answer. */
bool postgres_find_pooler(struct postgres_connection *connection);

/* Makes a new connection of postgres_connect() ready for statements of the program. */
enum err postgres_set_up(struct postgres_connection *connection, struct why *why);

/* Prepares every statement, so that an invalid one fails now. */
enum err postgres_prepare_all(struct postgres_connection *connection, int64_t within_ms,
                              struct why *why);

/* The result of a statement, which is prepared before if necessary. The caller frees it. */
PGresult *postgres_execute(struct postgres_connection *connection, struct arena *mem,
                           const struct sql *sql, const char *const *values, size_t count);

/* For pipelines. If the connection must prepare the statement, or its form for many callers, send
 * that before the statement, and take the result before that of the statement. The caller frees
 * it. */
bool postgres_must_prepare(const struct postgres_connection *connection, const struct sql *sql,
                           bool many);
bool postgres_send_prepare(struct postgres_connection *connection, struct arena *mem,
                           const struct sql *sql, bool many);
PGresult *postgres_take_prepare(struct postgres_connection *connection, const struct sql *sql,
                                bool many, int64_t until);

/* resolve.c: the addresses of a host, separated by commas, which the caller frees; NULL if it needs
 * none, because it is an address or a socket. False: none before `until`, and `why` is the reason.
 */
bool postgres_resolve(struct postgres_store *store, struct postgres_host *host, int64_t until,
                      char **addresses, struct why *why);
void postgres_resolve_stop(struct postgres_host *host); /* does not wait for a thread */

/* pool.c */
void postgres_pool_start(struct postgres_store *store, size_t connections);
void postgres_pool_stop(struct postgres_store *store);

/* A connection that is set up. While all are in use, callers wait in order. ERR_UNAVAILABLE if none
 * is free or opened within `borrow_ms`, and at once if 512 others wait. postgres_borrow_since()
 * counts from `began` (clock_ticks_ns()): the caller has waited for other transactions before. */
enum err postgres_borrow(struct postgres_store *store, struct postgres_connection **out);
enum err postgres_borrow_since(struct postgres_store *store, int64_t began,
                               struct postgres_connection **out);

/* A connection that is open: an idle one, or the next that is returned in time. NULL: none. Opens
 * none, because the caller could not. */
struct postgres_connection *postgres_borrow_open(struct postgres_store *store, int64_t within_ms);

/* Returns a connection to the pool. A lost one is closed together with all idle ones, or alone if
 * it missed a deadline while its server answers another query; new ones are opened on demand. */
void postgres_give_back(struct postgres_store *store, struct postgres_connection *connection);

/* Idle connections are closed, and those in use when they come back. */
void postgres_pool_renew(struct postgres_store *store);

/* The server answers: a pool without connections need not pause before it connects again. */
void postgres_pool_reachable(struct postgres_store *store);

void postgres_metrics(struct db *db, struct buf *page); /* of the whole engine */

/* sync.c */
uint64_t postgres_version(struct db *db, struct str id);
uint64_t postgres_commits(struct db *db);
void postgres_sync_start(struct postgres_store *store);
void postgres_sync_stop(struct postgres_store *store);
void postgres_sync(struct db *db, struct db_sync *sync);
uint64_t postgres_sync_ticket(struct db *db);
bool postgres_sync_now(struct db *db, uint64_t ticket, int shard);

/* Asks, although no request waits, so that the cache outlives a time without requests. */
void postgres_sync_idle(struct postgres_store *store);

/* Whether the connection leads to the server that versions are synchronized with. If not, what was
 * read must not be used. */
bool postgres_sync_is_same_server(struct postgres_connection *connection);

/* Whether the connection's incarnation may be used: not if its timeline is older than one that this
 * process has used, because the server lacks what was written since. If it is newer, the server
 * that versions are synchronized with is not used any longer. */
bool postgres_sync_may_use(const struct postgres_connection *connection);
bool postgres_sync_is_old(const struct postgres_connection *connection);      /* not to be used */
uint64_t postgres_timeline_of(const char *incarnation);                       /* 0: unknown */
#define POSTGRES_OLD_PRIMARY "its timeline is older than the one used before" /* the reason */

/* monitor.c */
void postgres_monitor_start(struct postgres_store *store);
void postgres_monitor_stop(struct postgres_store *store);
void postgres_ping_begin(struct db *db, struct db_ping *out);
enum err postgres_ping_end(struct db *db, const struct db_ping *begun, struct why *why);

/* Whether the server of this incarnation answers now. Waits for less than a second. */
bool postgres_monitor_confirms(struct postgres_store *store, const char *incarnation);
bool postgres_monitor_is_down(struct db *db);   /* the last round found a problem, or hangs */
bool postgres_monitor_is_silent(struct db *db); /* no answer for four seconds */
void postgres_clock_check(struct postgres_store *store, int64_t server_ns, int64_t sent);

#endif
