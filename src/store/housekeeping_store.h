/* housekeeping_store.h - deletes expired rows, and stores the state of the clock (timekeeper.h).
 *
 * Nothing depends on the deletion: every read checks the time. Tables of other stores have a
 * …_delete_expired() there. Results are allocated from `mem`. Call from the thread that runs the
 * transaction. */
#ifndef STORE_HOUSEKEEPING_STORE_H
#define STORE_HOUSEKEEPING_STORE_H

#include "base/err.h"
#include "base/timekeeper.h"

#include <stddef.h>

struct arena;
struct db_tx;

/* Deletes the codes and tokens whose family was revoked. Reads the whole tables. */
enum err token_clean_orphans(struct db_tx *tx, struct arena *mem);

/* Deletes at most `limit` grants, families, codes, tokens, sessions, and authorization requests
 * that have expired, and sets `removed` to their number. */
enum err token_clean_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                             size_t *removed);

enum err clock_store_put(struct db_tx *tx, struct arena *mem, struct timekeeper_state state);

/* All members are 0 if no state is stored. */
enum err clock_store_find(struct db_tx *tx, struct arena *mem, struct timekeeper_state *out);

#endif
