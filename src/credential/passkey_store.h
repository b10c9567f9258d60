/* passkey_store.h - passkeys of users, and the challenges that passkeys sign. Results are allocated
 * from `mem`. Call from the thread that runs the transaction. */
#ifndef CREDENTIAL_PASSKEY_STORE_H
#define CREDENTIAL_PASSKEY_STORE_H

#include "base/err.h"
#include "model/passkey.h"

struct arena;
struct db_tx;

/* ERR_TAKEN: an account has a passkey with this credential id. */
enum err passkey_store_add(struct db_tx *tx, struct arena *mem, const struct passkey *passkey);

/* ERR_NOT_FOUND: the user has no passkey with this credential id. */
enum err passkey_store_find(struct db_tx *tx, struct arena *mem, struct str user_id,
                            struct str credential_id, struct passkey *out);

/* Oldest first. */
enum err passkey_store_list(struct db_tx *tx, struct arena *mem, struct str user_id,
                            struct passkey **out, size_t *count);

/* Stores the counter of a sign-in. ERR_NOT_FOUND: the passkey was removed, or another sign-in has
 * stored this counter or a higher one; a counter of 0 may stay 0. */
enum err passkey_store_use(struct db_tx *tx, struct arena *mem, const struct passkey *passkey,
                           int64_t sign_count, int64_t now);

/* ERR_NOT_FOUND: the user has no such passkey. */
enum err passkey_store_rename(struct db_tx *tx, struct arena *mem, struct str user_id,
                              struct str id, struct str name);
enum err passkey_store_delete(struct db_tx *tx, struct arena *mem, struct str user_id,
                              struct str id);
enum err passkey_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id);

/* ---- challenges ---- */

/* ERR_NOT_FOUND: there is no key yet. */
enum err challenge_store_find_key(struct db_tx *tx, struct arena *mem, struct str *out);
/* Stores `key` unless there is one. */
enum err challenge_store_add_key(struct db_tx *tx, struct arena *mem, struct str key);

/* Marks a challenge as used. ERR_TAKEN: it was used before. */
enum err challenge_store_use(struct db_tx *tx, struct arena *mem, struct str hash,
                             int64_t expires_at);

/* Deletes at most `limit` used challenges that have expired. */
enum err passkey_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now,
                                      int64_t limit, size_t *removed);

#endif
