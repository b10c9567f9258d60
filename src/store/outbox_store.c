/* outbox_store.c - email that waits to be sent. It is in the store before the request is answered,
 * so a restart loses none. */
#include "store/outbox_store.h"

#include "db/db.h"

SQL_UNTRACKED(outbox_add,
              "INSERT INTO outbox (mail_id, kind, user_id, address, detail, tries, next_try_at,"
              " created_at) VALUES ($1, $2, $3, $4, $5, 0, $6, $6)");

/* Of all users: several may have entered the same address. */
SQL(outbox_count_address,
    "SELECT COUNT(*) FROM (SELECT 1 FROM outbox WHERE address = $1 LIMIT $2) AS of_address");

SQL(outbox_due, "SELECT next_try_at FROM outbox WHERE next_try_at <= $1"
                " ORDER BY next_try_at LIMIT 1");

/* One statement finds and claims the mail. On PostgreSQL the second of two concurrent claims waits
 * for the row and then leaves it alone, because next_try_at has changed. */
/* The time of the next try depends on `tries`: the caller sets it. Until then, five minutes. */
SQL_UNTRACKED(outbox_claim,
              "UPDATE outbox SET tries = tries + 1, next_try_at = $2 WHERE next_try_at <= $1"
              " AND mail_id = (SELECT mail_id FROM outbox WHERE next_try_at <= $1"
              " ORDER BY next_try_at LIMIT 1)"
              " RETURNING mail_id, kind, user_id, address, detail, tries, created_at");

SQL_UNTRACKED(outbox_put_next_try, "UPDATE outbox SET next_try_at = $2 WHERE mail_id = $1");

SQL_UNTRACKED(outbox_delete, "DELETE FROM outbox WHERE mail_id = $1");

SQL_UNTRACKED(outbox_end_user, "DELETE FROM outbox WHERE user_id = $1");

/* At most 10,000 rows are counted, so that a full outbox does not slow down the metrics. */
SQL(outbox_count, "SELECT COUNT(*), COALESCE(MIN(created_at), 0) FROM"
                  " (SELECT created_at FROM outbox LIMIT 10000) AS waiting");

#define CLAIM_SECONDS (5 * 60) /* longer than one try takes */

/* Beyond the limit per address, the email is dropped without an error: the response to the client
 * must not reveal whether the address is known. */
enum err
outbox_store_add(struct db_tx *tx, struct arena *mem, const struct mail *mail)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &outbox_count_address, &rows, db_text(mail->address),
                            db_int(OUTBOX_PER_ADDRESS_MAX));
    if (err || db_cell_int(&rows, 0, 0) >= OUTBOX_PER_ADDRESS_MAX)
        return err;
    return db_query(tx, mem, &outbox_add, NULL, db_text(mail->id),
                    db_text(str_of(mail_kind_name(mail->kind))), db_text(mail->user_id),
                    db_text(mail->address), db_text(mail->detail), db_int(mail->created_at));
}

enum err
outbox_store_due(struct db_tx *tx, struct arena *mem, int64_t now, bool *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &outbox_due, &rows, db_int(now));
    *out = !err && rows.count > 0;
    return err;
}

/* A process that dies after the claim loses nothing: the mail is due again after CLAIM_SECONDS. */
enum err
outbox_store_claim(struct db_tx *tx, struct arena *mem, int64_t now, struct mail *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &outbox_claim, &rows, ERR_NOT_FOUND, db_int(now),
                                db_int(now + CLAIM_SECONDS));
    if (err)
        return err;
    *out = (struct mail){
        .id = db_cell_text(&rows, 0, 0),
        .user_id = db_cell_text(&rows, 0, 2),
        .address = db_cell_text(&rows, 0, 3),
        .detail = db_cell_text(&rows, 0, 4),
        .tries = db_cell_int(&rows, 0, 5),
        .created_at = db_cell_int(&rows, 0, 6),
    };
    return mail_kind_read(db_cell_text(&rows, 0, 1), &out->kind) ? ERR_NONE : ERR_INTERNAL;
}

/* For metrics. *oldest is 0 if nothing waits. */
enum err
outbox_store_count(struct db_tx *tx, struct arena *mem, int64_t *count, int64_t *oldest)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &outbox_count, &rows);
    if (!err) {
        *count = db_cell_int(&rows, 0, 0);
        *oldest = db_cell_int(&rows, 0, 1);
    }
    return err;
}

enum err
outbox_store_put_next_try(struct db_tx *tx, struct arena *mem, struct str id, int64_t at)
{
    return db_query(tx, mem, &outbox_put_next_try, NULL, db_text(id), db_int(at));
}

enum err
outbox_store_delete(struct db_tx *tx, struct arena *mem, struct str id)
{
    return db_query(tx, mem, &outbox_delete, NULL, db_text(id));
}

enum err
outbox_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    return db_query(tx, mem, &outbox_end_user, NULL, db_text(user_id));
}
