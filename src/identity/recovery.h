/* recovery.h - ways to set a new password without the old one: recovery codes and one-time links.
 *
 * Setting a password ends every session of the user and makes the user's other links invalid.
 * Functions that set one block (hashing). Each function is one transaction. Results are allocated
 * from `mem`. Any thread may call these functions. */
#ifndef IDENTITY_RECOVERY_H
#define IDENTITY_RECOVERY_H

#include "base/err.h"
#include "model/user.h"

struct arena;
struct db;
struct secret;

#define RECOVERY_CODES 10
#define RECOVERY_LINK_SECONDS (30 * 60)
#define RECOVERY_OPERATOR_SECONDS (24 * 3600) /* of `penchant user recover` */

/* ---- codes ---- */

/* Replaces the user's codes. The new ones exist only in `out`: the store has their hashes. */
enum err recovery_make_codes(struct db *db, struct arena *mem, struct str user_id,
                             struct str out[RECOVERY_CODES]);
enum err recovery_count_codes(struct db *db, struct arena *mem, struct str user_id, int64_t *out);

struct code_params {
    struct str user_id; /* absent: unknown user */
    struct str login;   /* as typed */
    struct str code;
    struct str password; /* the new one */
    int64_t now;
};

/* ERR_UNAUTHENTICATED: unknown user, wrong or used code, or disabled account, indistinguishable to
 * the caller, also by time. ERR_INVALID: *problem says why the password is not accepted; the code
 * is still valid. */
enum err recovery_use_code(struct db *db, struct arena *mem, const struct code_params *params,
                           const char **problem);

/* ---- links ---- */

/* A link that sets a new password; see account_find() for `login`. */
enum err recovery_make_link(struct db *db, struct arena *mem, struct str login, int64_t now,
                            int64_t seconds, const struct secret **out, struct user *user);

/* Finds the user of a link without using it. ERR_NOT_FOUND: the link was used, has expired, or
 * never existed, or the account is disabled. */
enum err recovery_find_link(struct db *db, struct arena *mem, struct str link, int64_t now,
                            struct user *out);

/* ERR_NOT_FOUND as above. ERR_INVALID: *problem says why the password is not accepted; the link is
 * still valid. */
enum err recovery_use_link(struct db *db, struct arena *mem, struct str link, struct str password,
                           int64_t now, struct user *out, const char **problem);

#endif
