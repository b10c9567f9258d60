/* refusal_store.h - reads and writes the rejected requests of apps, for their developers.
 *
 * A row is one kind of refusal of one app, with a count. Refusals of a deleted app are not written.
 * Results are allocated from `mem`. Call from the thread that runs the transaction. */
#ifndef STORE_REFUSAL_STORE_H
#define STORE_REFUSAL_STORE_H

#include "base/err.h"
#include "model/usage.h"

struct arena;
struct db_tx;

/* Adds to the count of the same kind of refusal. */
enum err refusal_store_add(struct db_tx *tx, struct arena *mem, const struct refusal *refusal);

/* Deletes all but the newest REFUSALS_PER_APP_MAX refusals of the app. */
enum err refusal_store_trim(struct db_tx *tx, struct arena *mem, struct str app_id);

/* Newest first; with several databases, those of each follow each other. */
enum err refusal_store_list(struct db_tx *tx, struct arena *mem, struct str app_id,
                            struct refusal **out, size_t *count);

enum err refusal_store_end_app(struct db_tx *tx, struct arena *mem, struct str app_id);

/* Deletes at most `limit` old rows and sets `removed` to their number. */
enum err refusal_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now,
                                      int64_t limit, size_t *removed);

#endif
