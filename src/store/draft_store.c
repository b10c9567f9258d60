/* draft_store.c - the document of an import while the user reviews it, one per user. */
#include "store/draft_store.h"

#include "db/db.h"

/* A user has at most one draft; a new one replaces it. */
SQL(draft_put, "INSERT INTO import_draft (user_id, draft_id, document, expires_at)"
               " VALUES ($1, $2, $3, $4) ON CONFLICT (user_id) DO UPDATE SET"
               " draft_id = excluded.draft_id, document = excluded.document,"
               " expires_at = excluded.expires_at");

SQL(draft_find, "SELECT document FROM import_draft"
                " WHERE user_id = $1 AND draft_id = $2 AND expires_at > $3");

SQL(draft_end, "DELETE FROM import_draft WHERE user_id = $1");

/* The time is compared twice: the user may have uploaded another document after the inner SELECT.
 */
SQL_UNTRACKED(draft_clean, "DELETE FROM import_draft WHERE user_id IN"
                           " (SELECT user_id FROM import_draft WHERE expires_at <= $1 LIMIT $2)"
                           " AND expires_at <= $1 RETURNING expires_at");

enum err
draft_store_put(struct db_tx *tx, struct arena *mem, struct str user_id, struct str id,
                struct str document, int64_t expires_at)
{
    return db_query(tx, mem, &draft_put, NULL, db_text(user_id), db_text(id), db_text(document),
                    db_int(expires_at));
}

/* Only the user's own draft, by its id: a form of an earlier upload must not confirm a later one.
 */
enum err
draft_store_find(struct db_tx *tx, struct arena *mem, struct str user_id, struct str id,
                 int64_t now, struct str *document)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &draft_find, &rows, ERR_NOT_FOUND, db_text(user_id),
                                db_text(id), db_int(now));
    *document = err ? STR_NONE : db_cell_text(&rows, 0, 0);
    return err;
}

enum err
draft_store_end(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    return db_query(tx, mem, &draft_end, NULL, db_text(user_id));
}

enum err
draft_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                           size_t *removed)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &draft_clean, &rows, db_int(now), db_int(limit));
    *removed = rows.count;
    return err;
}
