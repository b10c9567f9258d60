/* draft_store.h - reads and writes import drafts: uploaded documents that are not confirmed yet.
 * Results are allocated from `mem`. Call from the thread that runs the transaction. */
#ifndef STORE_DRAFT_STORE_H
#define STORE_DRAFT_STORE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db_tx;

/* Replaces the user's previous draft. */
enum err draft_store_put(struct db_tx *tx, struct arena *mem, struct str user_id, struct str id,
                         struct str document, int64_t expires_at);

/* ERR_NOT_FOUND if the draft does not exist, belongs to another user, or has expired. */
enum err draft_store_find(struct db_tx *tx, struct arena *mem, struct str user_id, struct str id,
                          int64_t now, struct str *document);

/* No error if the user has no draft. */
enum err draft_store_end(struct db_tx *tx, struct arena *mem, struct str user_id);

/* Deletes at most `limit` expired drafts and sets `removed` to their number. */
enum err draft_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                                    size_t *removed);

#endif
