/* security.h - changes a user's password and lists and ends their sessions.
 *
 * Each function is one transaction. Passwords are hashed and compared before it begins. Results are
 * allocated from `mem`. Any thread may call these functions. */
#ifndef IDENTITY_SECURITY_H
#define IDENTITY_SECURITY_H

#include "base/err.h"
#include "model/grant.h"
#include "model/user.h"

struct arena;
struct db;

struct password_change {
    struct str user_id;
    const struct session *session; /* the caller's, which gets a new key */
    struct str new_password;
    bool end_apps; /* also end all app connections */
    int64_t now;
};

/* Ends all other sessions and replaces the key of the caller's, so that a copy of the old key is
 * worthless too. The caller has checked that the user confirmed who they are. *user has the new
 * password hash. ERR_UNAUTHENTICATED: another request changed the password at the same time.
 * ERR_INVALID: *problem says why the new one is not accepted. Blocks (hashing). */
enum err security_change_password(struct db *db, struct arena *mem,
                                  const struct password_change *params, struct str *key,
                                  struct user *user, const char **problem);

/* Checks the user's current password. ERR_UNAUTHENTICATED: wrong. Blocks (hashing). */
enum err security_check_password(struct db *db, struct arena *mem, struct str user_id,
                                 struct str password);

/* Newest first. */
enum err security_sessions(struct db *db, struct arena *mem, struct str user_id, int64_t now,
                           struct session **out, size_t *count);

/* An id for pages, derived from the session: it neither gives access nor appears in the database.
 */
struct str security_session_id(struct arena *mem, const struct session *session);

/* ERR_NOT_FOUND: the user has no session with this id. */
enum err security_end_session(struct db *db, struct arena *mem, struct str user_id,
                              struct str session_id, int64_t now);

/* Ends every session, including the caller's. */
enum err security_end_sessions(struct db *db, struct arena *mem, struct str user_id);

#endif
