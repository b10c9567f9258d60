/* grant_store.h - what people allow apps, as rows. */
#ifndef STORE_GRANT_STORE_H
#define STORE_GRANT_STORE_H

#include "base/err.h"
#include "model/grant.h"

struct arena;
struct db_tx;

/* The grant of that person to that app, if it lives now. ERR_NOT_FOUND otherwise. */
enum err grant_store_find(struct db_tx *tx, struct arena *mem, struct str user_id,
                          struct str app_id, int64_t now, struct grant *out);

enum err grant_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t now,
                          struct grant **out, size_t *count);

/* A new one in the place of whatever was there; families of an older one are over. */
enum err grant_store_add(struct db_tx *tx, struct arena *mem, const struct grant *grant);

/* Scopes and end date. ERR_NOT_FOUND if it ended meanwhile. What the new scopes are made from is
 * read after user_store_hold(): two who change a grant at once must not undo each other. */
enum err grant_store_put(struct db_tx *tx, struct arena *mem, const struct grant *grant);

/* ERR_NOT_FOUND if there was none. */
enum err grant_store_end(struct db_tx *tx, struct arena *mem, struct str user_id,
                         struct str app_id);
enum err grant_store_end_all(struct db_tx *tx, struct arena *mem, struct str user_id);

#endif
