/* tx.h - transactions for flow/, which does not include db/.
 *
 * The rules are those of db.h. The work of a write may run more than once, and any return value
 * other than ERR_NONE rolls the transaction back. A read is a pair of calls on one thread, and
 * reads may nest:
 *
 *     struct db_tx *tx = tx_begin_read(db);
 *     return tx_end_read(tx, user_store_find(tx, mem, id, out)); */
#ifndef STORE_TX_H
#define STORE_TX_H

#include "base/err.h"

#include "base/str.h"

struct arena;
struct db;
struct db_tx;

typedef enum err tx_work(struct db_tx *tx, void *argument);

enum err tx_write(struct db *db, tx_work *work, void *argument);
enum err tx_write_shared(struct db *db, struct str key, tx_work *work,
                         void *argument);                               /* see db.h */
enum err tx_write_urgent(struct db *db, tx_work *work, void *argument); /* revokes: see db.h */
struct db_tx *tx_begin_read(struct db *db);                             /* never NULL */
enum err tx_end_read(struct db_tx *tx, enum err result);

/* The databases of a store, for background work: see db_database(). */
#define STORE_DATABASES_MAX 64
size_t store_database_count(struct db *db);
struct db *store_database(struct db *db, size_t number); /* NULL: it is down */
size_t store_database_of(struct db *db, struct str id);

/* Versions of cached data: see db.h. */
uint64_t store_version(struct db *db, struct str id);
uint64_t store_commits(struct db *db);
uint64_t tx_commits(const struct db_tx *tx);

/* Brings the versions up to date: see db_sync_versions(). `shard` is that of the user whose rows
 * the request may find cached, or STORE_ANY_SHARD. `done` is called once, on any thread; the arena
 * must stay valid until then. */
#define STORE_ANY_SHARD (-1)
void store_sync_versions(struct db *db, struct arena *mem, uint64_t ticket, int shard,
                         void (*done)(void *argument, enum err err), void *argument);
uint64_t store_sync_ticket(struct db *db);
bool store_sync_now(struct db *db, uint64_t ticket, int shard);
bool store_versions_lag(const struct db *db);

/* ERR_NONE if the store can serve requests; otherwise `why` may be a sentence: see db.h. */
enum err store_ping(struct db *db, struct why *why);

/* True if reads wait for a network and must run on a worker thread. */
bool store_reads_block(const struct db *db);

#endif
