/* token_store.h - token families and tokens. Secrets are stored as hashes. The codes that begin a
 * family are in session_store.h, with the requests that they answer.
 *
 * A family is valid until it expires, as long as its row and its grant exist, the grant has not
 * expired, and neither the app nor the user was disabled since the family began. Single use is one
 * conditional statement, so of several concurrent uses exactly one succeeds.
 *
 * Every API request looks up an access token. Its row therefore copies what the family and the
 * grant allowed when it was issued, with the user's auth version at that time (user_store.h). While
 * the user header row has the same auth version, the lookup reads only the token, the header, and
 * the app. Otherwise it reads the family, the grant, and the account. Results are allocated from
 * `mem`. Call from the thread that runs the transaction. */
#ifndef CREDENTIAL_TOKEN_STORE_H
#define CREDENTIAL_TOKEN_STORE_H

#include "base/err.h"
#include "model/grant.h"

struct arena;
struct db_tx;

/* Families whose code was not redeemed yet are counted separately: of each kind, the oldest of the
 * grant above FAMILIES_PER_GRANT_MAX are deleted. */
enum err family_store_add(struct db_tx *tx, struct arena *mem, const struct family *family);

/* A valid family, and what its grant allows, read in one snapshot. */
struct live_family {
    struct family family;
    struct permissions granted;
    struct str withheld; /* by the user, in the grant */
    int64_t granted_until;
    int64_t user_row_key;
    int64_t auth_version;
};

/* Announces family_store_find(): see db_prefetch_values(). */
void family_store_prefetch(struct db_tx *tx, struct arena *mem, struct str id, int64_t now);

/* ERR_NOT_FOUND if the family is not valid. */
enum err family_store_find(struct db_tx *tx, struct arena *mem, struct str id, int64_t now,
                           struct live_family *out);

/* The same for the family of a code, and the announcement of it and of family_store_begin(). */
enum err family_store_find_by_code(struct db_tx *tx, struct arena *mem, struct str code_hash,
                                   int64_t now, struct live_family *out);
void family_store_prefetch_code(struct db_tx *tx, struct arena *mem, struct str code_hash,
                                int64_t now);

/* Stores expires_at and issued_at of a family whose code is redeemed. */
enum err family_store_begin(struct db_tx *tx, struct arena *mem, const struct family *family,
                            struct str code_hash);

/* Stores expires_at and issued_at. */
enum err family_store_put_times(struct db_tx *tx, struct arena *mem, const struct family *family);

/* Revokes the family with its codes and tokens, whose rows are deleted when they expire. No error
 * if the family does not exist. */
enum err family_store_end(struct db_tx *tx, struct arena *mem, struct str id);

/* The same because a code or token was reused, which the grant records. `user_id` is absent if the
 * family does not exist. */
enum err family_store_end_reused(struct db_tx *tx, struct arena *mem, struct str id, int64_t now,
                                 struct str *user_id);
enum err family_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id);

struct access_token {
    struct str hash;
    scopes scopes;
    audience audience; /* a part of the family's */
    int64_t created_at;
    int64_t expires_at;
};

/* `of` was read in this transaction. ERR_UNAVAILABLE if the row key is in use: retry with a new
 * token. */
enum err access_store_add(struct db_tx *tx, struct arena *mem, const struct access_token *token,
                          const struct live_family *of);

/* ERR_NOT_FOUND if the token is not valid. If `hint_sets` is not NULL, it receives the hint sets of
 * the user header row (see record_store_split()), which this lookup reads anyway; it is absent if
 * the user has none, or if the lookup read the family instead. */
enum err access_store_find(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now,
                           struct access *out, struct str *hint_sets);

/* The app and expiry time of a token, valid or not. ERR_NOT_FOUND if it does not exist; rows are
 * deleted one hour after they expire. */
enum err access_store_find_app(struct db_tx *tx, struct arena *mem, struct str hash,
                               struct str *app_id, int64_t *expires_at);
enum err access_store_end(struct db_tx *tx, struct arena *mem, struct str hash);

/* ERR_UNAVAILABLE if the row key is in use: retry with a new token. */
enum err refresh_store_add(struct db_tx *tx, struct arena *mem, struct str hash,
                           struct str family_id, int64_t now);

/* Also finds tokens used up to REUSE_SECONDS ago. ERR_NOT_FOUND if the token does not exist, has
 * expired, or was used before that. */
enum err refresh_store_find(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now,
                            struct refresh_token *out);

/* For a token that refresh_store_find() does not find, but that names a family: finds it as lost if
 * it was issued at a time whose writes a failover lost, otherwise as used long ago if the family
 * has a newer one. ERR_NOT_FOUND if the family does not exist, or if its newest token may have
 * expired, because then it may be the newest. */
enum err refresh_store_find_forgotten(struct db_tx *tx, struct arena *mem, struct str family_id,
                                      int64_t issued_at, int64_t now, struct refresh_token *out);

/* Records the first use, with the seed of the next pair (absent: none), or a retry, of which there
 * are at most `reuses_max`. ERR_NOT_FOUND if another request did so first. */
enum err refresh_store_use(struct db_tx *tx, struct arena *mem, struct str hash, struct str seed,
                           int64_t now);
enum err refresh_store_reuse(struct db_tx *tx, struct arena *mem, struct str hash,
                             int64_t reuses_max);

#endif
