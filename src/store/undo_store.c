/* undo_store.c - one row per user: only the last change can be undone. It has the atoms before and
 * after the change. */
#include "store/undo_store.h"

#include "db/db.h"

/* One row per user, so that only the last change can be undone. */
SQL(undo_put, "INSERT INTO undo (user_id, undo_id, domain, atoms_before, atoms_after, expires_at)"
              " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_id) DO UPDATE SET"
              " undo_id = excluded.undo_id, domain = excluded.domain,"
              " atoms_before = excluded.atoms_before, atoms_after = excluded.atoms_after,"
              " expires_at = excluded.expires_at");

/* Deletes the row that it returns: a change is undone once. */
SQL(undo_take, "DELETE FROM undo WHERE user_id = $1 AND undo_id = $2 AND expires_at > $3"
               " RETURNING undo_id, domain, atoms_before, atoms_after, expires_at");

SQL(undo_end, "DELETE FROM undo WHERE user_id = $1");

SQL_UNTRACKED(undo_clean, "DELETE FROM undo WHERE user_id IN"
                          " (SELECT user_id FROM undo WHERE expires_at <= $1 LIMIT $2)"
                          " AND expires_at <= $1 RETURNING expires_at");

enum err
undo_store_put(struct db_tx *tx, struct arena *mem, struct str user_id, const struct undo_row *row)
{
    return db_query(tx, mem, &undo_put, NULL, db_text(user_id), db_text(row->id),
                    db_text(row->domain), db_text(row->before), db_text(row->after),
                    db_int(row->expires_at));
}

/* Deletes the row: an undo works once. An expired row is ERR_NOT_FOUND. */
enum err
undo_store_take(struct db_tx *tx, struct arena *mem, struct str user_id, struct str id, int64_t now,
                struct undo_row *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &undo_take, &rows, ERR_NOT_FOUND, db_text(user_id),
                                db_text(id), db_int(now));
    if (!err)
        *out = (struct undo_row){ .id = db_cell_text(&rows, 0, 0),
                                  .domain = db_cell_text(&rows, 0, 1),
                                  .before = db_cell_text(&rows, 0, 2),
                                  .after = db_cell_text(&rows, 0, 3),
                                  .expires_at = db_cell_int(&rows, 0, 4) };
    return err;
}

enum err
undo_store_end(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    return db_query(tx, mem, &undo_end, NULL, db_text(user_id));
}

enum err
undo_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                          size_t *removed)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &undo_clean, &rows, db_int(now), db_int(limit));
    *removed = rows.count;
    return err;
}
