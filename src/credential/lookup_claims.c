/* lookup_claims.c - rows of the lookup tables are shared by all databases of a store, so no
 * transaction covers them together with the user's rows. Notes make the result right in the end. */
#include "credential/lookup_claims.h"

#include "base/arena.h"
#include "credential/passkey_store.h"
#include "db/db.h"
#include "model/user.h"
#include "store/user_store.h"

#define CLAIM_SECONDS 300 /* longer than any transaction takes: see IDLE_IN_TRANSACTION_MS */

/* The oldest first, so that none waits forever. */
SQL(claim_list, "SELECT kind, lookup_key, user_id FROM lookup_claim WHERE claimed_at <= $1"
                " ORDER BY claimed_at LIMIT $2");

/* First, so that a user who claims the same key again waits, or has renewed the note. */
SQL(claim_end, "DELETE FROM lookup_claim WHERE kind = $1 AND lookup_key = $2 AND user_id = $3"
               " AND claimed_at <= $4 RETURNING kind");
SQL(claim_drop_username, "DELETE FROM username_lookup WHERE username = $1 AND user_id = $2");
SQL(claim_drop_email, "DELETE FROM email_lookup WHERE email_key = $1 AND user_id = $2");
SQL(claim_drop_passkey, "DELETE FROM passkey_lookup WHERE credential_id = $1 AND user_id = $2");

/* Whether the user's rows match the lookup row. */
static enum err
user_has_value(struct db_tx *tx, struct arena *mem, struct str kind, struct str key,
               struct str user_id, bool *out)
{
    struct user user = { 0 };
    struct passkey passkey;
    enum err err = str_eq_c(kind, "passkey") ? passkey_store_find(tx, mem, user_id, key, &passkey)
                                             : user_store_find(tx, mem, user_id, &user);
    *out = err == ERR_NONE;
    if (!err && str_eq_c(kind, "username"))
        *out = str_eq(user.username, key);
    if (!err && str_eq_c(kind, "email"))
        *out = str_eq(user_fold_email(mem, user.email), key);
    return err == ERR_NOT_FOUND ? ERR_NONE : err;
}

/* The note is deleted in the same transaction, whether the lookup row is kept or not. */
static enum err
resolve_claim(struct db_tx *tx, struct arena *mem, struct str kind, struct str key,
              struct str user_id, int64_t until)
{
    struct db_rows ended = { 0 };
    bool kept = true;
    enum err err = db_query(tx, mem, &claim_end, &ended, db_text(kind), db_text(key),
                            db_text(user_id), db_int(until));
    if (err || ended.count == 0)
        return err;
    err = user_has_value(tx, mem, kind, key, user_id, &kept);
    const struct sql *drop = str_eq_c(kind, "passkey") ? &claim_drop_passkey
                             : str_eq_c(kind, "email") ? &claim_drop_email
                                                       : &claim_drop_username;
    return err || kept ? err : db_query(tx, mem, drop, NULL, db_text(key), db_text(user_id));
}

/* After CLAIM_SECONDS, the transaction that wrote a note has ended, so the user's rows decide
 * whether the lookup row stays. */
enum err
lookup_claims_settle(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                     size_t *removed)
{
    struct db_rows rows = { 0 };
    /* A younger note may belong to a transaction that has not committed yet. */
    int64_t until = now - CLAIM_SECONDS;
    enum err err = db_query(tx, mem, &claim_list, &rows, db_int(until), db_int(limit));
    *removed = err ? 0 : rows.count;
    for (size_t i = 0; i < rows.count && !err; i++)
        err = resolve_claim(tx, mem, db_cell_text(&rows, i, 0), db_cell_text(&rows, i, 1),
                            db_cell_text(&rows, i, 2), until);
    return err;
}
