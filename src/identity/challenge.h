/* challenge.h - challenges that a passkey signs: random, for one purpose, one browser, and one use
 * within five minutes.
 *
 * A challenge authenticates itself (HMAC with a key of the database), so that showing the sign-in
 * page writes nothing. It is stored only when it is used. A restored database gets a new key, which
 * makes every earlier challenge invalid. Results are allocated from `mem`. Any thread may call
 * these functions. */
#ifndef IDENTITY_CHALLENGE_H
#define IDENTITY_CHALLENGE_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db;
struct db_tx;

#define CHALLENGE_SECONDS 300

enum challenge_purpose {
    CHALLENGE_SIGN_IN,
    CHALLENGE_SIGN_UP,
    CHALLENGE_ADD,     /* another passkey for a signed-in user */
    CHALLENGE_CONFIRM, /* a signed-in user, before a sensitive change */
};

struct challenge_scope {
    enum challenge_purpose purpose;
    struct str user_id; /* absent for CHALLENGE_SIGN_IN */
    struct str browser; /* the value of its cookie: see challenge_make_browser() */
};

/* A value for the cookie that binds challenges to a browser. */
struct str challenge_make_browser(struct arena *mem);
bool challenge_browser_ok(struct str value); /* well-formed */

/* The challenge as base64url. Writes if the database has no key yet. */
enum err challenge_make(struct db *db, struct arena *mem, const struct challenge_scope *scope,
                        int64_t now, struct str *out);

/* ERR_INVALID: the challenge is not ours, is for another purpose, user, or browser, or has expired.
 * *expires_at is for challenge_use(). */
enum err challenge_check(struct db *db, struct arena *mem, const struct challenge_scope *scope,
                         struct str challenge, int64_t now, int64_t *expires_at);

/* ERR_INVALID: it was used before. */
enum err challenge_use(struct db_tx *tx, struct arena *mem, struct str challenge,
                       int64_t expires_at);

#endif
