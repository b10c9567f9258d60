/* sessions.h - signs users in and out, and finds the session of a request.
 *
 * A session key is 32 random bytes in a cookie; the database stores its hash. Signing in always
 * creates a new session and ends the browser's previous one, which prevents session fixation.
 * Results are allocated from `mem`. Any thread may call these functions. */
#ifndef FLOW_SESSIONS_H
#define FLOW_SESSIONS_H

#include "base/err.h"
#include "model/grant.h"
#include "model/user.h"

struct arena;
struct db;

struct sign_in {
    struct str login; /* username or email address, as typed */
    struct str password;
    struct str old_key;    /* of the previous session; absent: none */
    struct str request_id; /* of a stored authorization request that continues in the new
                            * session; absent: none */
    struct str device;     /* from User-Agent */
    struct str address;
    bool new_device; /* the user's activity shows it */
    int64_t now;
};

/* A new key in the shard (base/shard.h) of the user. */
struct str session_make_key(struct arena *mem, struct str shard);
bool session_key_well_formed(struct str key);
struct str session_hash(struct arena *mem, struct str key); /* as stored in the database */

/* The anti-CSRF token of this session's forms. */
struct str session_form_token(struct arena *mem, struct str key);

/* A device token proves that a browser has signed in as this user before: a random nonce and its
 * digest with the user's device key, and with the password hash, so that it ends when the password
 * changes. session_device_nonce() returns the nonce of a valid token, else absent. */
struct str session_make_device(struct arena *mem, const struct user *user);
struct str session_device_nonce(struct arena *mem, const struct user *user, struct str device);

/* ERR_UNAUTHENTICATED: unknown user, wrong password, or disabled account, indistinguishable to the
 * caller, also by time. ERR_UNAVAILABLE also if the password keeps changing. Blocks (hashing). */
enum err session_sign_in(struct db *db, struct arena *mem, const struct sign_in *params,
                         struct str *key, struct user *user);

/* Starts a session of a user who was authenticated in another way, such as by creating the account;
 * login and password of `params` are not used. ERR_UNAUTHENTICATED: the account has been disabled
 * or its password changed. */
enum err session_start(struct db *db, struct arena *mem, const struct sign_in *params,
                       struct user *user, struct str *key);

/* ERR_NOT_FOUND: no valid session has this key. */
enum err session_find(struct db *db, struct arena *mem, struct str key, int64_t now,
                      struct session *out, struct user *user);

/* The user of this session has just authenticated again, with a password or a passkey. */
enum err session_confirm(struct db *db, struct arena *mem, struct str hash, int64_t now);

/* ERR_NONE also if the session has ended already. */
enum err session_sign_out(struct db *db, struct arena *mem, struct str key);

#endif
