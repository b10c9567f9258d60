/* recovery_store.c - recovery codes and one-time links, as hashes only.
 *
 * Both are long random values, so that a plain digest is enough. Used ones are deleted; a code or
 * link that is unknown, used, or expired looks the same. A link works for its purpose only: one
 * that confirms an address cannot set a password. */
#include "credential/recovery_store.h"

#include "base/arena.h"
#include "db/db.h"

SQL(recovery_code_add, "INSERT INTO recovery_code (user_id, code_hash) VALUES ($1, $2)");

/* Single use: of two concurrent uses only one deletes the row. The same is true of link_take. */
SQL(recovery_code_take, "DELETE FROM recovery_code WHERE user_id = $1 AND code_hash = $2"
                        " RETURNING user_id");

SQL(recovery_code_count, "SELECT COUNT(*) FROM recovery_code WHERE user_id = $1");

SQL(recovery_code_end, "DELETE FROM recovery_code WHERE user_id = $1");

SQL(restore_recovery_list, "SELECT user_id, code_hash FROM recovery_code"
                           " WHERE (user_id, code_hash) > ($1, $2)"
                           " ORDER BY user_id, code_hash LIMIT $3");

SQL(restore_recovery_codes, "DELETE FROM recovery_code");

SQL(link_add, "INSERT INTO one_time_link (link_hash, user_id, purpose, address, expires_at)"
              " VALUES ($1, $2, $3, $4, $5)");

#define MATCH " WHERE link_hash = $1 AND purpose = $2 AND expires_at > $3"

SQL(link_find, "SELECT user_id, address, expires_at FROM one_time_link" MATCH);

/* Deletes the row, so that a link works once, however many requests send it at the same time. */
SQL(link_take, "DELETE FROM one_time_link" MATCH " RETURNING user_id, address, expires_at");

SQL(link_end, "DELETE FROM one_time_link WHERE user_id = $1 AND purpose = $2");

SQL(link_end_user, "DELETE FROM one_time_link WHERE user_id = $1");

SQL_UNTRACKED(link_clean, "DELETE FROM one_time_link WHERE link_hash IN"
                          " (SELECT link_hash FROM one_time_link WHERE expires_at <= $1 LIMIT $2)"
                          " RETURNING expires_at");

static struct db_value
db_purpose(enum link_purpose purpose)
{
    return db_text(purpose == LINK_RESET ? STR("reset") : STR("verify"));
}

enum err
recovery_store_add_code(struct db_tx *tx, struct arena *mem, struct str user_id,
                        struct str code_hash)
{
    return db_query(tx, mem, &recovery_code_add, NULL, db_text(user_id), db_text(code_hash));
}

enum err
recovery_store_take_code(struct db_tx *tx, struct arena *mem, struct str user_id,
                         struct str code_hash)
{
    return db_query_row(tx, mem, &recovery_code_take, NULL, ERR_NOT_FOUND, db_text(user_id),
                        db_text(code_hash));
}

enum err
recovery_store_count_codes(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &recovery_code_count, &rows, db_text(user_id));
    *out = err ? 0 : db_cell_int(&rows, 0, 0);
    return err;
}

enum err
recovery_store_end_codes(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    return db_query(tx, mem, &recovery_code_end, NULL, db_text(user_id));
}

enum err
recovery_store_list_codes(struct db_tx *tx, struct arena *mem, const struct recovery_code *after,
                          int64_t limit, struct recovery_code **out, size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &restore_recovery_list, &rows, db_text(after->user_id),
                            db_text(after->hash), db_int(limit));
    *count = rows.count;
    *out = ARENA_ARRAY(mem, struct recovery_code, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++)
        (*out)[i] = (struct recovery_code){ db_cell_text(&rows, i, 0), db_cell_text(&rows, i, 1) };
    return err;
}

enum err
recovery_store_end_all_codes(struct db_tx *tx, struct arena *mem)
{
    return db_query(tx, mem, &restore_recovery_codes, NULL);
}

enum err
recovery_store_add_link(struct db_tx *tx, struct arena *mem, const struct one_time_link *link)
{
    return db_query(tx, mem, &link_add, NULL, db_text(link->hash), db_text(link->user_id),
                    db_purpose(link->purpose), db_text(link->address), db_int(link->expires_at));
}

/* For both the lookup and the deletion, whose statements return the same columns. */
static enum err
one_link(struct db_tx *tx, struct arena *mem, const struct sql *sql, struct str hash,
         enum link_purpose purpose, int64_t now, struct one_time_link *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, sql, &rows, ERR_NOT_FOUND, db_text(hash),
                                db_purpose(purpose), db_int(now));
    if (err)
        return err;
    *out = (struct one_time_link){
        .hash = hash,
        .user_id = db_cell_text(&rows, 0, 0),
        .purpose = purpose,
        .address = db_cell_text(&rows, 0, 1),
        .expires_at = db_cell_int(&rows, 0, 2),
    };
    return ERR_NONE;
}

enum err
recovery_store_find_link(struct db_tx *tx, struct arena *mem, struct str hash,
                         enum link_purpose purpose, int64_t now, struct one_time_link *out)
{
    return one_link(tx, mem, &link_find, hash, purpose, now, out);
}

enum err
recovery_store_take_link(struct db_tx *tx, struct arena *mem, struct str hash,
                         enum link_purpose purpose, int64_t now, struct one_time_link *out)
{
    return one_link(tx, mem, &link_take, hash, purpose, now, out);
}

enum err
recovery_store_end_links(struct db_tx *tx, struct arena *mem, struct str user_id,
                         enum link_purpose purpose)
{
    return db_query(tx, mem, &link_end, NULL, db_text(user_id), db_purpose(purpose));
}

enum err
recovery_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    enum err err = recovery_store_end_codes(tx, mem, user_id);
    return err ? err : db_query(tx, mem, &link_end_user, NULL, db_text(user_id));
}

enum err
recovery_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                              size_t *removed)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &link_clean, &rows, db_int(now), db_int(limit));
    *removed = rows.count;
    return err;
}
