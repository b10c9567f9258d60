/* session_store.h - reads and writes sessions, pending authorization requests, the codes that
 * answer them, and attempts to sign in. Results are allocated from `mem`. Call from the thread that
 * runs the transaction. */
#ifndef CREDENTIAL_SESSION_STORE_H
#define CREDENTIAL_SESSION_STORE_H

#include "base/err.h"
#include "model/grant.h"
#include "model/user.h"

struct arena;
struct db_tx;

/* Deletes the user's oldest sessions above the limit. */
enum err session_store_add(struct db_tx *tx, struct arena *mem, const struct session *session);

/* Finds a session with its user. ERR_NOT_FOUND if it is not valid. */
enum err session_store_find(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now,
                            struct session *out, struct user *user);

/* Newest first. */
enum err session_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t now,
                            struct session **out, size_t *count);

/* The user has just authenticated again. No error if the session does not exist. */
enum err session_store_confirm(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now);

/* No error if there is none. */
enum err session_store_end(struct db_tx *tx, struct arena *mem, struct str hash);
enum err session_store_end_all(struct db_tx *tx, struct arena *mem, struct str user_id);

/* Deletes the oldest requests of the session above REQUESTS_PER_SESSION_MAX. */
enum err request_store_add(struct db_tx *tx, struct arena *mem, const struct auth_request *request);

/* Finds a pending request that belongs to this session or to one that no longer exists.
 * ERR_NOT_FOUND otherwise. `session_hash` is absent if no user is signed in. */
enum err request_store_find(struct db_tx *tx, struct arena *mem, struct str hash,
                            struct str session_hash, int64_t now, struct auth_request *out);

/* Reads and deletes a pending request of this session. ERR_NOT_FOUND if it does not exist, was
 * taken before, or has expired. */
enum err request_store_take(struct db_tx *tx, struct arena *mem, struct str hash,
                            struct str session_hash, int64_t now, struct auth_request *out);

/* After a new sign-in: moves a request of the old session, or of one that no longer exists, to the
 * new session. Leaves requests of other sessions alone. */
enum err request_store_move(struct db_tx *tx, struct arena *mem, struct str hash,
                            struct str from_session, int64_t now, struct str to_session);

enum err code_store_add(struct db_tx *tx, struct arena *mem, const struct auth_code *code);

/* Also finds redeemed and expired codes. ERR_NOT_FOUND if the code does not exist. */
enum err code_store_find(struct db_tx *tx, struct arena *mem, struct str hash,
                         struct auth_code *out);

/* ERR_NOT_FOUND if the code was redeemed before or has expired. */
enum err code_store_redeem(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now);

/* Ends all sessions, requests, codes, tokens, links, and challenges of every user. */
enum err session_store_end_everything(struct db_tx *tx, struct arena *mem);

/* Attempts to sign in, counted over all nodes: a row per caller, until its window ends. */

/* Counts one attempt, unless the caller is at the limit: ERR_RATE. Its first attempt begins a
 * window that ends at `ends_at`. */
enum err attempt_store_count(struct db_tx *tx, struct arena *mem, struct str key, int64_t limit,
                             int64_t ends_at, int64_t now);

/* *ends_at is when the window of a caller at the limit ends; 0: it is not at the limit. */
enum err attempt_store_find(struct db_tx *tx, struct arena *mem, struct str key, int64_t limit,
                            int64_t now, int64_t *ends_at);

/* Takes one attempt back. */
enum err attempt_store_return(struct db_tx *tx, struct arena *mem, struct str key);

/* How often a node was called with a token, by a hash of it, until `expires_at`. */
enum err rate_store_put(struct db_tx *tx, struct arena *mem, int64_t key, int64_t node,
                        int64_t requests, int64_t expires_at);
/* *out is the sum of all other nodes. */
enum err rate_store_find(struct db_tx *tx, struct arena *mem, int64_t key, int64_t node,
                         int64_t now, int64_t *out);

/* Deletes at most `limit` rows whose window has ended and sets `removed` to their number. */
enum err attempt_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now,
                                      int64_t limit, size_t *removed);

#endif
