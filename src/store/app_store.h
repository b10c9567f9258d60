/* app_store.h - reads and writes apps. Strings are allocated in `mem`. Call from the thread that
 * runs the transaction. */
#ifndef STORE_APP_STORE_H
#define STORE_APP_STORE_H

#include "base/err.h"
#include "model/app.h"
#include "model/app_names.h"

struct arena;
struct db_tx;

/* ERR_TAKEN if the random id or position exists: retry with another. Raises `epoch` above that of
 * an app with this id that was deleted recently. ERR_UNAVAILABLE: that one has very many grants,
 * which are still being deleted. */
enum err app_store_add(struct db_tx *tx, struct arena *mem, struct app *app);

enum err app_store_find(struct db_tx *tx, struct arena *mem, struct str id, struct app *out);

/* Finds the app and locks it until the transaction ends. */
enum err app_store_lock(struct db_tx *tx, struct arena *mem, struct str id, struct app *out);

/* Apps of the portal with a position greater than `after`, oldest first; of all owners if owner_id
 * is absent. */
enum err app_store_list(struct db_tx *tx, struct arena *mem, struct str owner_id, int64_t after,
                        int64_t limit, struct app **out, size_t *count);
enum err app_store_count(struct db_tx *tx, struct arena *mem, struct str owner_id, int64_t *out);

/* Writes every field that can change. Read `app` with app_store_lock(): after app_store_find()
 * another transaction may have changed it. ERR_NOT_FOUND if the app does not exist. */
enum err app_store_put(struct db_tx *tx, struct arena *mem, const struct app *app);

/* Writes what the client ID metadata document of the app says, and expires_at. */
enum err app_store_put_document(struct db_tx *tx, struct arena *mem, const struct app *app);

enum err app_store_put_expiry(struct db_tx *tx, struct arena *mem, struct str id,
                              int64_t expires_at);

/* Of the apps that expire until then, which no user has connected, deletes the oldest beyond the
 * newest `max`. */
enum err app_store_trim_unused(struct db_tx *tx, struct arena *mem, int64_t until, int64_t max);

/* Deletes at most `limit` expired apps and sets `removed` to their number. */
enum err app_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                                  size_t *removed);

/* Everything of the app is invalid without its row. Its first grants and usage counts are deleted
 * at once, the others by app_store_finish_deletions(). ERR_NOT_FOUND if the app does not exist. */
enum err app_store_delete(struct db_tx *tx, struct arena *mem, struct str id);

/* Deletes at most `limit` rows of deleted apps. An expiry_delete function (job/expiry.h). */
enum err app_store_finish_deletions(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                                    size_t *removed);

/* Finds the names of apps within a transaction, for hints that name them. Without a name, hints say
 * "an app". That is also so if the statement fails, which the end of the transaction reports.
 *
 * Hint sets keep the names: after an app is renamed or deleted, hints use the former name until the
 * next write to the user's facts in that domain. */
#define APP_NAMES_KEPT 4

struct app_store_names {
    struct app_names names;
    struct db_tx *tx;
    struct {
        struct str id, name;
    } kept[APP_NAMES_KEPT]; /* the same few apps stated most facts */
    size_t count;
};

void app_store_names(struct app_store_names *out, struct db_tx *tx);

/* Announces that the name of this app may be looked up: see db_prefetch_values(). */
void app_store_prefetch_name(struct db_tx *tx, struct arena *mem, struct str id);

#endif
