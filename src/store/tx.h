/* tx.h - transactions, for flows, which do not know what a database is.
 *
 * The rules of a work function are those of db.h: it may run twice, and whatever it returns other
 * than ERR_NONE undoes all it did. */
#ifndef STORE_TX_H
#define STORE_TX_H

#include "base/err.h"

#include "base/str.h"

struct db;
struct db_tx;

typedef enum err tx_work(struct db_tx *tx, void *argument);

enum err tx_write(struct db *db, tx_work *work, void *argument);
enum err tx_read(struct db *db, tx_work *work, void *argument);

/* What may be remembered between requests: see db.h. */
uint64_t store_version(struct db *db, struct str id);
uint64_t store_commits(struct db *db);
uint64_t tx_commits(const struct db_tx *tx);

/* Whether the store answers now. */
enum err store_ping(struct db *db);

/* Whether even a read may wait, so that it belongs on a worker. */
bool store_reads_block(const struct db *db);

#endif
