/* grant_store.h - reads and writes grants: the scopes that users allow apps. Results are allocated
 * from `mem`. Call from the thread that runs the transaction. */
#ifndef CREDENTIAL_GRANT_STORE_H
#define CREDENTIAL_GRANT_STORE_H

#include "base/err.h"
#include "model/grant.h"

struct arena;
struct db_tx;

/* ERR_NOT_FOUND if the user has no grant for the app, or it has expired. */
enum err grant_store_find(struct db_tx *tx, struct arena *mem, struct str user_id,
                          struct str app_id, int64_t now, struct grant *out);

/* Announces grant_store_find() or grant_store_view(): see db_prefetch_values(). */
void grant_store_prefetch(struct db_tx *tx, struct arena *mem, struct str user_id,
                          struct str app_id, int64_t now);

/* The view of the app, without the definitions, and whether its writes wait for the user's
 * confirmation. Without a valid grant nothing is withheld or waits. */
enum err grant_store_view(struct db_tx *tx, struct arena *mem, struct str user_id,
                          struct str app_id, const struct domains *domains, int64_t now,
                          struct view *view, bool *writes_wait);

/* The facts that are withheld from the app, also by a grant that has expired recently. */
enum err grant_store_withheld(struct db_tx *tx, struct arena *mem, struct str user_id,
                              struct str app_id, struct str *out);

enum err grant_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t now,
                          struct grant **out, size_t *count);

/* Replaces the user's grant for the app, which revokes the token families of the old grant. */
enum err grant_store_add(struct db_tx *tx, struct arena *mem, const struct grant *grant);

/* Writes permissions, expiry, `writes_wait`, `requested`, `shown`, and `withheld`. ERR_NOT_FOUND if
 * the grant was revoked. Call user_store_lock() before reading the permissions to change, or a
 * concurrent change may be lost.
 */
enum err grant_store_put(struct db_tx *tx, struct arena *mem, const struct grant *grant);

/* ERR_NOT_FOUND if the user has no grant for the app. */
enum err grant_store_end(struct db_tx *tx, struct arena *mem, struct str user_id,
                         struct str app_id);
enum err grant_store_end_all(struct db_tx *tx, struct arena *mem, struct str user_id);

/* Records in the activity of users that grants have expired, each once; at most `limit`. *done is
 * their number. An expiry_delete function (job/expiry.h). */
enum err grant_store_note_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                                  size_t *done);

#endif
