/* accounts.h - creates, finds, lists, disables, enables, and deletes accounts, and sets passwords.
 *
 * Each function is one transaction. Passwords are hashed before the transaction begins. Results are
 * allocated from `mem`. Any thread may call these functions. */
#ifndef FLOW_ACCOUNTS_H
#define FLOW_ACCOUNTS_H

#include "base/err.h"
#include "model/user.h"

struct arena;
struct db;

struct account_params {
    struct str username;
    struct str email;    /* absent or empty: none */
    bool confirmed;      /* an operator vouches for the email address */
    bool send_mail;      /* otherwise, send a link that confirms it */
    struct str name;     /* absent or empty: none */
    struct str language; /* of the sign-up page; absent: unknown */
    struct str password; /* absent: sign-in with a password stays impossible until one is set */
    struct str user_id;  /* chosen before, for a passkey, which stores it; absent: a new one */
};

/* One sentence per invalid field; NULL: the field is valid. */
struct account_problems {
    const char *username;
    const char *email;
    const char *name;
    const char *password;
};

bool account_problems_any(const struct account_problems *problems);

/* ERR_INVALID or ERR_TAKEN: `problems` names the fields. Blocks (hashing, disk). */
enum err account_make(struct db *db, struct arena *mem, const struct account_params *params,
                      int64_t now, struct user *out, struct account_problems *problems);

/* `login` is a username, an email address, or an id (usr_…), here and below. */
enum err account_find(struct db *db, struct arena *mem, struct str login, struct user *out);

enum err account_list(struct db *db, struct arena *mem, int64_t after, int64_t limit,
                      struct user **out, size_t *count);
enum err account_count(struct db *db, struct arena *mem, int64_t *out);

enum err account_set_status(struct db *db, struct arena *mem, struct str login,
                            enum user_status status, int64_t now, struct user *out);

/* Ends the account's sessions. ERR_INVALID: *problem says why the password is not accepted. */
enum err account_set_password(struct db *db, struct arena *mem, struct str login,
                              struct str password, int64_t now, struct user *out,
                              const char **problem);

/* Inside a transaction: stores the hash, and ends the user's sessions and links that set a
 * password.
 */
struct db_tx;
enum err account_put_password(struct db_tx *tx, struct arena *mem, struct str user_id,
                              struct str password_hash, int64_t now);

enum err account_delete(struct db *db, struct arena *mem, struct str login, struct user *out);

#endif
