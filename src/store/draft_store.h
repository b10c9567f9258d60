/* draft_store.h - what a person wants to import and has not confirmed, as a row. */
#ifndef STORE_DRAFT_STORE_H
#define STORE_DRAFT_STORE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db_tx;

/* Replaces the person's last one. */
enum err draft_store_put(struct db_tx *tx, struct arena *mem, struct str user_id, struct str id,
                         struct str document, int64_t ends_at);

/* ERR_NOT_FOUND if it is another's, another one, or too old. */
enum err draft_store_find(struct db_tx *tx, struct arena *mem, struct str user_id, struct str id,
                          int64_t now, struct str *document);

/* No error if there is none. */
enum err draft_store_end(struct db_tx *tx, struct arena *mem, struct str user_id);

/* Removes at most so many that are too old; *removed says how many. */
enum err draft_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                                    size_t *removed);

#endif
