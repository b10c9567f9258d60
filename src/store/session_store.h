/* session_store.h - sessions, and the requests of apps that wait in them, as rows. */
#ifndef STORE_SESSION_STORE_H
#define STORE_SESSION_STORE_H

#include "base/err.h"
#include "model/grant.h"
#include "model/user.h"

struct arena;
struct db_tx;

/* Past the most a user may have, the oldest end. */
enum err session_store_add(struct db_tx *tx, struct arena *mem, const struct session *session);

/* A session that lives now, with its user. ERR_NOT_FOUND otherwise. */
enum err session_store_find(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now,
                            struct session *out, struct user *user);

/* Newest first. */
enum err session_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t now,
                            struct session **out, size_t *count);

/* No error if it is not there. */
enum err session_store_end(struct db_tx *tx, struct arena *mem, struct str hash);
enum err session_store_end_all(struct db_tx *tx, struct arena *mem, struct str user_id,
                               struct str but_hash); /* absent: all */

enum err request_store_add(struct db_tx *tx, struct arena *mem, const struct auth_request *request);

/* One that waits now, in that session or in one that has ended. ERR_NOT_FOUND otherwise. The
 * session may be absent: nobody is signed in. */
enum err request_store_find(struct db_tx *tx, struct arena *mem, struct str hash,
                            struct str session_hash, int64_t now, struct auth_request *out);

/* Takes it away, if it waits in that very session: ERR_NOT_FOUND if somebody else did, or it is too
 * late. */
enum err request_store_take(struct db_tx *tx, struct arena *mem, struct str hash,
                            struct str session_hash, int64_t now, struct auth_request *out);

/* After signing in again: what waited in the old session, or in one that has ended, waits in the
 * new one. Nothing happens to what waits in the session of somebody else. */
enum err request_store_move(struct db_tx *tx, struct arena *mem, struct str hash,
                            struct str from_session, int64_t now, struct str to_session);

#endif
