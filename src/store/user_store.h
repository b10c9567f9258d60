/* user_store.h - users: the account, and the user header row.
 *
 * The user header row is the first of the user's rows in user_record. It has the generation, a
 * random number that changes with every change to the user's atoms, and the auth version, which
 * changes whenever something that the user allowed changes or is revoked: a grant, a token family,
 * the account's status. A token with the current auth version is not affected by any such change.
 * The header row also has the hint sets; see record_store.h. Results are allocated from `mem`. Call
 * from the thread that runs the transaction. */
#ifndef STORE_USER_STORE_H
#define STORE_USER_STORE_H

#include "base/err.h"
#include "model/user.h"

struct arena;
struct db_tx;

/* ERR_TAKEN if another user has the username or the email address. */
enum err user_store_add(struct db_tx *tx, struct arena *mem, const struct user *user);

/* ERR_NOT_FOUND if the user does not exist. */
enum err user_store_find(struct db_tx *tx, struct arena *mem, struct str id, struct user *out);
enum err user_store_find_username(struct db_tx *tx, struct arena *mem, struct str folded,
                                  struct user *out);
enum err user_store_find_email(struct db_tx *tx, struct arena *mem, struct str folded,
                               struct user *out);

/* Locks the user until the transaction ends, against other transactions that call this. */
enum err user_store_lock(struct db_tx *tx, struct arena *mem, struct str id);

/* At most `limit` users with a position greater than `after`, oldest first. */
enum err user_store_list(struct db_tx *tx, struct arena *mem, int64_t after, int64_t limit,
                         struct user **out, size_t *count);
enum err user_store_count(struct db_tx *tx, struct arena *mem, int64_t *out);

/* ERR_NOT_FOUND if the user does not exist. A change of status changes the auth version. */
enum err user_store_put_status(struct db_tx *tx, struct arena *mem, struct str id,
                               enum user_status status, int64_t now);
enum err user_store_put_password(struct db_tx *tx, struct arena *mem, struct str id,
                                 struct str password_hash, int64_t now);
/* Username, name, language, and time zone. ERR_TAKEN: another user has the username. Call
 * user_store_lock() before this and before user_store_put_email(), or a lookup row may remain after
 * a concurrent change. */
enum err user_store_put_profile(struct db_tx *tx, struct arena *mem, const struct user *user);
/* The address to confirm; absent: none. */
enum err user_store_put_new_email(struct db_tx *tx, struct arena *mem, struct str id,
                                  struct str email);
/* The confirmed address; absent: none. There is no address to confirm afterwards. ERR_TAKEN: it is
 * another user's. */
enum err user_store_put_email(struct db_tx *tx, struct arena *mem, struct str id, struct str email,
                              int64_t now);
/* Replaces the hash of an unchanged password, if it is still `old_hash`. Leaves updated_at alone.
 */
enum err user_store_renew_password(struct db_tx *tx, struct arena *mem, struct str id,
                                   struct str old_hash, struct str new_hash);

/* Call in every transaction that revokes or narrows something that the user allowed. No error if
 * the user does not exist. */
enum err user_store_bump_auth_version(struct db_tx *tx, struct arena *mem, struct str id);

/* Deletes the account and the user header row. Locks the user: concurrent changes either come
 * before or get ERR_NOT_FOUND. */
enum err user_store_delete(struct db_tx *tx, struct arena *mem, struct str id);

#endif
