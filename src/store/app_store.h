/* app_store.h - apps as rows. */
#ifndef STORE_APP_STORE_H
#define STORE_APP_STORE_H

#include "base/err.h"
#include "model/app.h"

struct arena;
struct db_tx;

/* ERR_TAKEN only if a number made by chance was met before: try again with another. */
enum err app_store_add(struct db_tx *tx, struct arena *mem, const struct app *app);

enum err app_store_find(struct db_tx *tx, struct arena *mem, struct str id, struct app *out);

/* The same for a transaction that changes it: nobody else does so before that is over. */
enum err app_store_hold(struct db_tx *tx, struct arena *mem, struct str id, struct app *out);

/* Oldest first, behind that position; owner absent: everybody's. */
enum err app_store_list(struct db_tx *tx, struct arena *mem, struct str owner_id, int64_t after,
                        int64_t limit, struct app **out, size_t *count);
enum err app_store_count(struct db_tx *tx, struct arena *mem, struct str owner_id, int64_t *out);

/* Name, redirect URIs, scopes, secrets, status and epoch as they are in `app`, which was held: what
 * was only found may have been changed by somebody else since. ERR_NOT_FOUND. */
enum err app_store_put(struct db_tx *tx, struct arena *mem, const struct app *app);

/* With its grants; families without a grant are over. */
enum err app_store_delete(struct db_tx *tx, struct arena *mem, struct str id);

#endif
