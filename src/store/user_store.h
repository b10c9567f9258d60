/* user_store.h - users as rows: the account, and the head of a person's rows.
 *
 * The head lies before what is told about the person, where a request that brings a token finds it
 * on its way. It has the generation, which rises with every change to what is known about the
 * person, and the seal, which changes whenever something that the person allowed ends or changes: a
 * grant, a family, the account's status. A token that carries the seal has missed none of these.
 * What hints are told from is in the head, too, and atom_store.h's business. */
#ifndef STORE_USER_STORE_H
#define STORE_USER_STORE_H

#include "base/err.h"
#include "model/user.h"

struct arena;
struct db_tx;

/* ERR_TAKEN if the user name or the email address belongs to somebody. */
enum err user_store_add(struct db_tx *tx, struct arena *mem, const struct user *user);

/* ERR_NOT_FOUND if there is none. */
enum err user_store_find(struct db_tx *tx, struct arena *mem, struct str id, struct user *out);
enum err user_store_find_username(struct db_tx *tx, struct arena *mem, struct str folded,
                                  struct user *out);
enum err user_store_find_email(struct db_tx *tx, struct arena *mem, struct str folded,
                               struct user *out);

/* For a transaction that changes something of this user: nobody else who holds the user does so
 * before that is over. */
enum err user_store_hold(struct db_tx *tx, struct arena *mem, struct str id);

/* Users behind that position, oldest first, at most `limit`. */
enum err user_store_list(struct db_tx *tx, struct arena *mem, int64_t after, int64_t limit,
                         struct user **out, size_t *count);
enum err user_store_count(struct db_tx *tx, struct arena *mem, int64_t *out);

/* ERR_NOT_FOUND if there is no such user. A change of status breaks the seal. */
enum err user_store_put_status(struct db_tx *tx, struct arena *mem, struct str id,
                               enum user_status status, int64_t now);
enum err user_store_put_password(struct db_tx *tx, struct arena *mem, struct str id,
                                 struct str password_hash, int64_t now);
/* The same password under another hash, if the old one is still there; nobody can see that it
 * changed. */
enum err user_store_renew_password(struct db_tx *tx, struct arena *mem, struct str id,
                                   struct str old_hash, struct str new_hash);

/* To be called with whatever ends or narrows something that the person allowed, in the same
 * transaction. No error if there is no such user. */
enum err user_store_bump_auth_version(struct db_tx *tx, struct arena *mem, struct str id);

/* The account and the head. Others who change something of this person have done so before, or find
 * that the person is gone. */
enum err user_store_delete(struct db_tx *tx, struct arena *mem, struct str id);

#endif
