/* security.h - what a person does about the ways into their account: password and sessions.
 * One transaction each; passwords are hashed and compared before it begins. */
#ifndef FLOW_SECURITY_H
#define FLOW_SECURITY_H

#include "base/err.h"
#include "model/grant.h"

struct arena;
struct db;

struct password_change {
    struct str user_id;
    struct str session_hash; /* the session that asks, which stays */
    struct str old_password;
    struct str new_password;
    bool end_apps; /* all connections of apps end, too */
    int64_t now;
};

/* Ends all other sessions. ERR_UNAUTHENTICATED: the old password is wrong. ERR_INVALID: *problem
 * says what is wrong with the new one. Waits. */
enum err security_change_password(struct db *db, struct arena *mem,
                                  const struct password_change *params, const char **problem);

/* Whether this is the person's password now. ERR_UNAUTHENTICATED: it is not. Waits. */
enum err security_check_password(struct db *db, struct arena *mem, struct str user_id,
                                 struct str password);

/* Newest first. */
enum err security_sessions(struct db *db, struct arena *mem, struct str user_id, int64_t now,
                           struct session **out, size_t *count);

/* What a page calls a session by: nothing that opens it, or could be looked for in the store. */
struct str security_session_id(struct arena *mem, const struct session *session);

/* ERR_NOT_FOUND: this person has none of that id. */
enum err security_end_session(struct db *db, struct arena *mem, struct str user_id,
                              struct str session_id, int64_t now);

/* Every session, the one that asks too. */
enum err security_end_sessions(struct db *db, struct arena *mem, struct str user_id);

#endif
