/* passkey_store.c - passkeys, and the challenges that passkeys sign.
 *
 * passkey_lookup makes credential ids unique among all users, who may be in several databases
 * (docs/SCALE.md). It is claimed before a passkey is added and released after it was deleted. A
 * challenge has no row until it is used: it is authenticated with the challenge key, and its hash
 * is stored when it is used, so that it works once. Visits of the sign-in page therefore write
 * nothing. */
#include "credential/passkey_store.h"

#include "base/arena.h"
#include "db/db.h"

#define COLUMNS                                                                                \
    "credential_id, passkey_id, user_id, name, algorithm, public_key, sign_count, created_at," \
    " used_at"

/* No row is returned if another user has this credential: ids of credentials are unique. */
SQL(passkey_claim, "INSERT INTO passkey_lookup (credential_id, user_id) VALUES ($1, $2)"
                   " ON CONFLICT DO NOTHING RETURNING user_id");

SQL(passkey_release, "DELETE FROM passkey_lookup WHERE credential_id = $1 AND user_id = $2");

SQL(passkey_add, "INSERT INTO passkey (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)");

SQL(passkey_find, "SELECT " COLUMNS " FROM passkey WHERE user_id = $1 AND credential_id = $2");

SQL(passkey_list, "SELECT " COLUMNS " FROM passkey WHERE user_id = $1"
                  " ORDER BY created_at, passkey_id");

/* The condition rejects a counter that does not increase, which reveals a copied authenticator.
 * Synced passkeys do not count: their counter stays 0 (WebAuthn, section 6.1.1). */
SQL(passkey_use, "UPDATE passkey SET sign_count = $3, used_at = $4"
                 " WHERE user_id = $1 AND credential_id = $2"
                 " AND (sign_count < $3 OR (sign_count = 0 AND $3 = 0)) RETURNING passkey_id");

SQL(passkey_rename, "UPDATE passkey SET name = $3 WHERE user_id = $1 AND passkey_id = $2"
                    " RETURNING passkey_id");

SQL(passkey_delete, "DELETE FROM passkey WHERE user_id = $1 AND passkey_id = $2"
                    " RETURNING credential_id");

SQL(passkey_end_user, "DELETE FROM passkey WHERE user_id = $1 RETURNING credential_id");

SQL(challenge_key_find, "SELECT private_key FROM challenge_key WHERE id = 1");

/* Of several processes that start together, the first one sets the key; the others read it. */
SQL(challenge_key_add, "INSERT INTO challenge_key (id, private_key) VALUES (1, $1)"
                       " ON CONFLICT DO NOTHING");

/* No row is returned if the challenge was used before. */
SQL(challenge_use, "INSERT INTO used_challenge (challenge_hash, expires_at) VALUES ($1, $2)"
                   " ON CONFLICT DO NOTHING RETURNING challenge_hash");

SQL_UNTRACKED(challenge_clean,
              "DELETE FROM used_challenge WHERE challenge_hash IN"
              " (SELECT challenge_hash FROM used_challenge WHERE expires_at <= $1 LIMIT $2)"
              " RETURNING expires_at");

/* In the order of the columns of both SELECT statements. */
static struct passkey
read_passkey(const struct db_rows *rows, size_t row)
{
    return (struct passkey){
        .credential_id = db_cell_text(rows, row, 0),
        .id = db_cell_text(rows, row, 1),
        .user_id = db_cell_text(rows, row, 2),
        .name = db_cell_text(rows, row, 3),
        .algorithm = db_cell_int(rows, row, 4),
        .public_key = db_cell_text(rows, row, 5),
        .sign_count = db_cell_int(rows, row, 6),
        .created_at = db_cell_int(rows, row, 7),
        .used_at = db_cell_int(rows, row, 8),
    };
}

/* ERR_TAKEN if any user has the passkey, also this one. */
enum err
passkey_store_add(struct db_tx *tx, struct arena *mem, const struct passkey *passkey)
{
    enum err err = db_query_row(tx, mem, &passkey_claim, NULL, ERR_TAKEN,
                                db_text(passkey->credential_id), db_text(passkey->user_id));
    return err ? err
               : db_query(tx, mem, &passkey_add, NULL, db_text(passkey->credential_id),
                          db_text(passkey->id), db_text(passkey->user_id), db_text(passkey->name),
                          db_int(passkey->algorithm), db_text(passkey->public_key),
                          db_int(passkey->sign_count), db_int(passkey->created_at),
                          db_int(passkey->used_at));
}

/* Releases the lookup rows of passkeys that a statement deleted; `err` is its result. */
static enum err
release(struct db_tx *tx, struct arena *mem, struct str user_id, enum err err,
        const struct db_rows *deleted)
{
    for (size_t i = 0; i < deleted->count && !err; i++)
        err = db_query(tx, mem, &passkey_release, NULL, db_text(db_cell_text(deleted, i, 0)),
                       db_text(user_id));
    return err;
}

/* By both ids: a credential of another user is ERR_NOT_FOUND. */
enum err
passkey_store_find(struct db_tx *tx, struct arena *mem, struct str user_id,
                   struct str credential_id, struct passkey *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &passkey_find, &rows, ERR_NOT_FOUND, db_text(user_id),
                                db_text(credential_id));
    if (!err)
        *out = read_passkey(&rows, 0);
    return err;
}

/* In the order in which they were added. */
enum err
passkey_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, struct passkey **out,
                   size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &passkey_list, &rows, db_text(user_id));
    *out = ARENA_ARRAY(mem, struct passkey, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*out)[i] = read_passkey(&rows, i);
    return err;
}

/* The condition of the statement decides between two sign-ins with the same counter. */
enum err
passkey_store_use(struct db_tx *tx, struct arena *mem, const struct passkey *passkey,
                  int64_t sign_count, int64_t now)
{
    return db_query_row(tx, mem, &passkey_use, NULL, ERR_NOT_FOUND, db_text(passkey->user_id),
                        db_text(passkey->credential_id), db_int(sign_count), db_int(now));
}

enum err
passkey_store_rename(struct db_tx *tx, struct arena *mem, struct str user_id, struct str id,
                     struct str name)
{
    return db_query_row(tx, mem, &passkey_rename, NULL, ERR_NOT_FOUND, db_text(user_id),
                        db_text(id), db_text(name));
}

/* The lookup row is released in the same transaction, so the credential can be added again. */
enum err
passkey_store_delete(struct db_tx *tx, struct arena *mem, struct str user_id, struct str id)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query_row(tx, mem, &passkey_delete, &rows, ERR_NOT_FOUND, db_text(user_id), db_text(id));
    return release(tx, mem, user_id, err, &rows);
}

/* For the deletion of an account. */
enum err
passkey_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &passkey_end_user, &rows, db_text(user_id));
    return release(tx, mem, user_id, err, &rows);
}

/* ---- challenges ---- */

/* One row for the whole store: every node verifies the challenges of the others. */
enum err
challenge_store_find_key(struct db_tx *tx, struct arena *mem, struct str *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &challenge_key_find, &rows, ERR_NOT_FOUND);
    *out = err ? STR_NONE : db_cell_text(&rows, 0, 0);
    return err;
}

/* No error if another process was first: the caller then reads its key. */
enum err
challenge_store_add_key(struct db_tx *tx, struct arena *mem, struct str key)
{
    return db_query(tx, mem, &challenge_key_add, NULL, db_text(key));
}

enum err
challenge_store_use(struct db_tx *tx, struct arena *mem, struct str hash, int64_t expires_at)
{
    return db_query_row(tx, mem, &challenge_use, NULL, ERR_TAKEN, db_text(hash),
                        db_int(expires_at));
}

enum err
passkey_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                             size_t *removed)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &challenge_clean, &rows, db_int(now), db_int(limit));
    *removed = rows.count;
    return err;
}
