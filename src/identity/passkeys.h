/* passkeys.h - passkeys of a user: add, list, rename, remove, and sign in with one.
 *
 * A passkey is a key pair in the user's device or password manager; the database has the public
 * key. Signing in needs no username: the passkey names its user. The device checks that its owner
 * is present (fingerprint, face, or PIN), so a passkey alone is enough.
 *
 * Functions that change something are one transaction each. Results are allocated from `mem`. Any
 * thread may call these functions. */
#ifndef IDENTITY_PASSKEYS_H
#define IDENTITY_PASSKEYS_H

#include "base/err.h"
#include "identity/challenge.h"
#include "model/passkey.h"
#include "model/user.h"

struct arena;
struct db;

/* The response of a browser, as base64url. A malformed one is rejected like a wrong one. */
struct passkey_response {
    struct challenge_scope scope; /* of the challenge that it must answer */
    struct str auth_url;          /* the origin of our pages */
    struct str client_data;
    struct str auth_data;
    struct str credential_id; /* absent for a new passkey, as the next two */
    struct str signature;
    struct str user_handle;
    int64_t now;
};

/* The RP ID: the host name in `auth_url`. Absent: it is an IP address, for which browsers offer no
 * passkeys. */
struct str passkeys_rp_id(struct arena *mem, struct str auth_url);

/* Adds a passkey to the account scope.user_id, named `name`. ERR_INVALID: *problem says what is
 * wrong with the name; NULL: with the answer. ERR_TAKEN: the passkey belongs to an account.
 * ERR_TOO_LARGE: the account has PASSKEYS_PER_USER_MAX. *user is the owner. */
enum err passkeys_add(struct db *db, struct arena *mem, const struct passkey_response *answer,
                      struct str name, struct user *user, const char **problem);

/* Creates an account that has a passkey and no password. The id of the account is scope.user_id.
 * ERR_INVALID without problems: the answer is wrong. Otherwise as account_make(). */
struct account_params;
struct account_problems;
enum err passkeys_sign_up(struct db *db, struct arena *mem, const struct passkey_response *answer,
                          const struct account_params *params, struct str name, struct user *user,
                          struct account_problems *problems);

/* Finds the user who answered the challenge. ERR_UNAUTHENTICATED: the passkey is unknown or another
 * user's than scope.user_id, or the answer is wrong, used, or too late; indistinguishable to the
 * caller. The account may be disabled: session_start() checks that. */
enum err passkeys_authenticate(struct db *db, struct arena *mem,
                               const struct passkey_response *answer, struct user *user);

/* Oldest first. */
enum err passkeys_list(struct db *db, struct arena *mem, struct str user_id, struct passkey **out,
                       size_t *count);

/* ERR_NOT_FOUND: the user has no such passkey. ERR_INVALID: *problem says what is wrong. */
enum err passkeys_rename(struct db *db, struct arena *mem, struct str user_id, struct str id,
                         struct str name, const char **problem);

/* ERR_NOT_FOUND as above. ERR_FORBIDDEN: it is the only way to sign in. */
enum err passkeys_remove(struct db *db, struct arena *mem, struct str user_id, struct str id);

/* Removes the password. ERR_FORBIDDEN: the user needs a passkey and unused recovery codes first. */
enum err passkeys_remove_password(struct db *db, struct arena *mem, struct str user_id,
                                  int64_t now);

#endif
