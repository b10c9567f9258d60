/* sessions.h - signing in and out, and who is signed in.
 *
 * A session's key is 32 random bytes in a cookie; the store has its hash. Signing in always makes a
 * new one and ends the one that was there, so that a key planted before is worth nothing after. */
#ifndef FLOW_SESSIONS_H
#define FLOW_SESSIONS_H

#include "base/err.h"
#include "model/grant.h"
#include "model/user.h"

struct arena;
struct db;

struct sign_in {
    struct str login; /* user name or email address, as typed */
    struct str password;
    struct str old_key;    /* of the session that was there; absent: none */
    struct str request_id; /* of an app's request that waits in it, or in one that has ended, and
                            * that goes on in the new one; absent: none */
    struct str device;     /* from User-Agent */
    struct str address;
    int64_t now;
};

/* A key for a visitor who is not signed in, too: it binds forms to a browser. */
struct str session_make_key(struct arena *mem);
bool session_key_well_formed(struct str key);
struct str session_hash(struct arena *mem, struct str key);

/* What a form of this session carries, so that no other site can send one. */
struct str session_form_token(struct arena *mem, struct str key);

/* ERR_UNAUTHENTICATED: unknown, wrong or disabled, not told apart, after the same work. Waits. */
enum err session_sign_in(struct db *db, struct arena *mem, const struct sign_in *params,
                         struct str *key, struct user *user);

/* ERR_NOT_FOUND: nobody is signed in with this key. */
enum err session_find(struct db *db, struct arena *mem, struct str key, int64_t now,
                      struct session *out, struct user *user);

/* No error if it is over already. */
enum err session_sign_out(struct db *db, struct arena *mem, struct str key);

#endif
