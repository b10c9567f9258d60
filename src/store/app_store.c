/* app_store.c - apps, and the deletion of apps in steps.
 *
 * An app may have millions of grants and counts, too many for one transaction. Deleting the row of
 * the app makes all of them invalid at once, because every lookup of a family or token joins it.
 * deleted_app remembers the app until housekeeping has deleted the other rows, and keeps its epoch:
 * a client that registers again under the same id starts with a higher one, so that old access
 * tokens stay invalid. */
#include "store/app_store.h"

#include "base/arena.h"
#include "base/clock.h"
#include "db/db.h"
#include "store/refusal_store.h"
#include "store/usage_store.h"

#define TRIM_ROWS 20 /* a registration adds one row, so this catches up */

/* Rows of a deleted app that are deleted at once; housekeeping deletes the others. */
#define FIRST_ROWS 200

/* An app with the id of one that has more rows than this left has to wait. */
#define AGAIN_ROWS 2000

/* How long a deleted app is remembered: longer than its access tokens are valid, and than counts of
 * its requests can stay in the memory of another process. */
#define DELETED_SECONDS ((int64_t)2 * 3600)
#define DELETIONS 20 /* per step */

#define COLUMNS                                                                               \
    "app_id, owner_id, name, redirect_uris, scopes, is_public, secret_hash, old_secret_hash," \
    " old_secret_expires_at, status, epoch, position, created_at, updated_at, homepage, "     \
    "privacy_link, kind, document, expires_at, document_mark, checked_at, fresh_until, purpose"

/* Only an operator sets rate_api; image_store.h sets logo. A new app is not verified. */
#define ALL_COLUMNS COLUMNS ", rate_api, logo, verified_at"

/* No row is returned if the id or the position is taken. */
SQL(app_add, "INSERT INTO app (" COLUMNS ")"
             " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,"
             " $15, $16, $17, $18, $19, $20, $21, $22, $23)"
             " ON CONFLICT DO NOTHING RETURNING app_id");

SQL_SHARED_READ(app_name_find, "SELECT name FROM app WHERE app_id = $1", "t",
                "SELECT m.n, name FROM m JOIN app ON app_id = m.p1");

SQL_SHARED_READ(app_find, "SELECT " ALL_COLUMNS " FROM app WHERE app_id = $1", "t",
                "SELECT m.n, " ALL_COLUMNS " FROM m JOIN app ON app_id = m.p1");

/* Changes nothing. Locks the row on PostgreSQL, where transactions run concurrently. */
SQL(app_lock, "UPDATE app SET epoch = epoch WHERE app_id = $1 RETURNING " ALL_COLUMNS);

/* Only apps of the portal: clients that registered themselves have no owner and are listed by their
 * users. */
SQL(app_list, "SELECT " ALL_COLUMNS " FROM app WHERE kind = 'portal' AND position > $1"
              " ORDER BY position LIMIT $2");

SQL(app_list_owner, "SELECT " ALL_COLUMNS " FROM app WHERE owner_id = $1 AND position > $2"
                    " ORDER BY position LIMIT $3");

SQL(app_count, "SELECT COUNT(*) FROM app WHERE owner_id = $1");

SQL(app_put, "UPDATE app SET name = $2, redirect_uris = $3, scopes = $4, secret_hash = $5,"
             " old_secret_hash = $6, old_secret_expires_at = $7, status = $8, epoch = $9,"
             " updated_at = $10, homepage = $11, privacy_link = $12, rate_api = $13,"
             " purpose = $14, verified_at = $15"
             " WHERE app_id = $1 RETURNING app_id");

SQL(app_delete, "DELETE FROM app WHERE app_id = $1 RETURNING epoch");

/* In steps: an app can have millions of grants. Families are not valid without their grant. */
SQL(app_delete_grants, "DELETE FROM app_grant WHERE grant_id IN (SELECT grant_id FROM app_grant"
                       " WHERE app_id = $1 LIMIT $2) RETURNING grant_id");

/* The epoch is kept, so that a client that registers again with the same id begins with a higher
 * one. */
SQL(deleted_add, "INSERT INTO deleted_app (app_id, epoch, deleted_at, next_at)"
                 " VALUES ($1, $2, $3, $3) ON CONFLICT (app_id) DO UPDATE SET"
                 " epoch = excluded.epoch, deleted_at = excluded.deleted_at,"
                 " next_at = excluded.next_at");

SQL(deleted_find, "SELECT epoch FROM deleted_app WHERE app_id = $1");

SQL(deleted_list, "SELECT app_id, deleted_at FROM deleted_app WHERE next_at <= $1"
                  " ORDER BY next_at LIMIT $2");

SQL(deleted_put, "UPDATE deleted_app SET next_at = $2 WHERE app_id = $1");

SQL(deleted_end, "DELETE FROM deleted_app WHERE app_id = $1");

SQL(app_delete_logo, "DELETE FROM app_logo WHERE app_id = $1");

SQL(app_put_document,
    "UPDATE app SET name = $2, redirect_uris = $3, scopes = $4, document_mark = $5,"
    " checked_at = $6, fresh_until = $7, expires_at = $8, updated_at = $9, purpose = $10"
    " WHERE app_id = $1");

SQL(app_put_expiry, "UPDATE app SET expires_at = $2 WHERE app_id = $1");

SQL(app_expired, "SELECT app_id FROM app WHERE expires_at BETWEEN 1 AND $1 LIMIT $2");

/* The oldest of those that expire until $1, beyond the newest $2. */
SQL(app_unused, "SELECT app_id FROM app WHERE expires_at BETWEEN 1 AND $1"
                " ORDER BY expires_at DESC LIMIT $3 OFFSET $2");

/* The columns are those of ALL_COLUMNS. A status or kind that this program does not know is an
 * error: it must not pass for an active app. */
static enum err
read_app(const struct db_rows *rows, size_t row, struct app *out)
{
    *out = (struct app){
        .id = db_cell_text(rows, row, 0),
        .owner_id = db_cell_text(rows, row, 1),
        .name = db_cell_text(rows, row, 2),
        .redirect_uris = db_cell_text(rows, row, 3),
        .is_public = db_cell_int(rows, row, 5) != 0,
        .secret_hash = db_cell_text(rows, row, 6),
        .old_secret_hash = db_cell_text(rows, row, 7),
        .old_secret_expires_at = db_cell_int(rows, row, 8),
        .epoch = db_cell_int(rows, row, 10),
        .position = db_cell_int(rows, row, 11),
        .created_at = db_cell_int(rows, row, 12),
        .updated_at = db_cell_int(rows, row, 13),
        .homepage = db_cell_text(rows, row, 14),
        .privacy_link = db_cell_text(rows, row, 15),
        .document = db_cell_text(rows, row, 17),
        .expires_at = db_cell_int(rows, row, 18),
        .document_mark = db_cell_text(rows, row, 19),
        .checked_at = db_cell_int(rows, row, 20),
        .fresh_until = db_cell_int(rows, row, 21),
        .purpose = db_cell_text(rows, row, 22),
        .rate_api = db_cell_int(rows, row, 23),
        .logo = db_cell_text(rows, row, 24),
        .verified_at = db_cell_int(rows, row, 25),
    };
    scopes_read_known(db_cell_text(rows, row, 4), &out->scopes);
    bool valid = app_status_read(db_cell_text(rows, row, 9), &out->status) &&
                 app_kind_read(db_cell_text(rows, row, 16), &out->kind);
    return valid ? ERR_NONE : ERR_INTERNAL;
}

/* Deletes at most `limit` grants and counts of an app that has no row anymore, and after the last
 * of them its refusals. */
static enum err
delete_rows(struct db_tx *tx, struct arena *mem, struct str id, int64_t limit, size_t *removed)
{
    struct db_rows grants = { 0 };
    size_t counts = 0;
    enum err err = db_query(tx, mem, &app_delete_grants, &grants, db_text(id), db_int(limit));
    if (!err && (int64_t)grants.count < limit)
        err = usage_store_end_app(tx, mem, id, limit - (int64_t)grants.count, &counts);
    *removed = grants.count + counts;
    return err || (int64_t)*removed >= limit ? err : refusal_store_end_app(tx, mem, id);
}

/* If an app with this id was deleted, the new one must get nothing that users allowed the old one.
 */
static enum err
replace_deleted(struct db_tx *tx, struct arena *mem, struct app *app)
{
    struct db_rows rows = { 0 };
    size_t removed = 0;
    enum err err = db_query(tx, mem, &deleted_find, &rows, db_text(app->id));
    if (err || rows.count == 0)
        return err;
    app->epoch = db_cell_int(&rows, 0, 0) + 1; /* access tokens of the old one stay invalid */
    err = delete_rows(tx, mem, app->id, AGAIN_ROWS, &removed);
    if (!err && removed >= AGAIN_ROWS)
        err = ERR_UNAVAILABLE;
    return err ? err : db_query(tx, mem, &deleted_end, NULL, db_text(app->id));
}

/* A portal app has a new random id, so ERR_TAKEN concerns its position. An id of a deleted client
 * may come back, since it is the digest of its URL: its remaining rows are deleted first. */
enum err
app_store_add(struct db_tx *tx, struct arena *mem, struct app *app)
{
    enum err err = replace_deleted(tx, mem, app);
    if (err)
        return err;
    return db_query_row(
        tx, mem, &app_add, NULL, ERR_TAKEN, db_text(app->id), db_text(app->owner_id),
        db_text(app->name), db_text(app->redirect_uris), db_text(scopes_write(mem, app->scopes)),
        db_int(app->is_public), db_text(app->secret_hash), db_text(app->old_secret_hash),
        db_int(app->old_secret_expires_at), db_text(str_of(app_status_name(app->status))),
        db_int(app->epoch), db_int(app->position), db_int(app->created_at), db_int(app->updated_at),
        db_text(app->homepage), db_text(app->privacy_link),
        db_text(str_of(app_kind_name(app->kind))), db_text(app->document), db_int(app->expires_at),
        db_text(app->document_mark), db_int(app->checked_at), db_int(app->fresh_until),
        db_text(app->purpose));
}

static enum err
find_one(struct db_tx *tx, struct arena *mem, const struct sql *sql, struct str id, struct app *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, sql, &rows, ERR_NOT_FOUND, db_text(id));
    return err ? err : read_app(&rows, 0, out);
}

enum err
app_store_find(struct db_tx *tx, struct arena *mem, struct str id, struct app *out)
{
    return find_one(tx, mem, &app_find, id, out);
}

enum err
app_store_lock(struct db_tx *tx, struct arena *mem, struct str id, struct app *out)
{
    return find_one(tx, mem, &app_lock, id, out);
}

/* In the order of positions; `after` is the last one of the previous page. */
enum err
app_store_list(struct db_tx *tx, struct arena *mem, struct str owner_id, int64_t after,
               int64_t limit, struct app **out, size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err = str_present(owner_id)
                       ? db_query(tx, mem, &app_list_owner, &rows, db_text(owner_id), db_int(after),
                                  db_int(limit))
                       : db_query(tx, mem, &app_list, &rows, db_int(after), db_int(limit));
    struct app *apps = ARENA_ARRAY(mem, struct app, rows.count);
    for (size_t i = 0; i < rows.count && !err; i++)
        err = read_app(&rows, i, &apps[i]);
    *out = apps;
    *count = err ? 0 : rows.count;
    return err;
}

enum err
app_store_count(struct db_tx *tx, struct arena *mem, struct str owner_id, int64_t *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &app_count, &rows, db_text(owner_id));
    *out = db_cell_int(&rows, 0, 0);
    return err;
}

/* The document and the owner of an app never change here. */
enum err
app_store_put(struct db_tx *tx, struct arena *mem, const struct app *app)
{
    return db_query_row(tx, mem, &app_put, NULL, ERR_NOT_FOUND, db_text(app->id),
                        db_text(app->name), db_text(app->redirect_uris),
                        db_text(scopes_write(mem, app->scopes)), db_text(app->secret_hash),
                        db_text(app->old_secret_hash), db_int(app->old_secret_expires_at),
                        db_text(str_of(app_status_name(app->status))), db_int(app->epoch),
                        db_int(app->updated_at), db_text(app->homepage), db_text(app->privacy_link),
                        db_int(app->rate_api), db_text(app->purpose), db_int(app->verified_at));
}

/* The row goes at once, which ends all tokens; a note makes housekeeping delete the other rows in
 * steps, since an app can have millions of grants. The first FIRST_ROWS rows are deleted here,
 * which are all of a small app. */
enum err
app_store_delete(struct db_tx *tx, struct arena *mem, struct str id)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &app_delete, &rows, ERR_NOT_FOUND, db_text(id));
    if (!err)
        err = db_query(tx, mem, &app_delete_logo, NULL, db_text(id));
    if (!err)
        err = db_query(tx, mem, &deleted_add, NULL, db_text(id), db_int(db_cell_int(&rows, 0, 0)),
                       db_int(clock_now()));
    size_t removed = 0;
    return err ? err : delete_rows(tx, mem, id, FIRST_ROWS, &removed);
}

/* When everything is deleted, looks once more after DELETED_SECONDS. */
static enum err
finish_deletion(struct db_tx *tx, struct arena *mem, struct str id, int64_t deleted_at, int64_t now)
{
    int64_t last = deleted_at + DELETED_SECONDS;
    return last <= now ? db_query(tx, mem, &deleted_end, NULL, db_text(id))
                       : db_query(tx, mem, &deleted_put, NULL, db_text(id), db_int(last));
}

/* One app after another, until the limit is reached. */
enum err
app_store_finish_deletions(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                           size_t *removed)
{
    struct db_rows rows = { 0 };
    *removed = 0;
    enum err err = db_query(tx, mem, &deleted_list, &rows, db_int(now), db_int(DELETIONS));
    for (size_t i = 0; i < rows.count && !err && (int64_t)*removed < limit; i++) {
        struct str id = db_cell_text(&rows, i, 0);
        size_t of_app = 0;
        err = delete_rows(tx, mem, id, limit - (int64_t)*removed, &of_app);
        *removed += of_app;
        if (!err && (int64_t)*removed < limit)
            err = finish_deletion(tx, mem, id, db_cell_int(&rows, i, 1), now);
    }
    /* A full step makes housekeeping call again (job/expiry.c). */
    if (!err && rows.count == DELETIONS)
        *removed = (size_t)limit; /* there may be more apps */
    return err;
}

/* Neither the id nor the status of the app changes: a document cannot undo what an operator has
 * decided. */
enum err
app_store_put_document(struct db_tx *tx, struct arena *mem, const struct app *app)
{
    return db_query(tx, mem, &app_put_document, NULL, db_text(app->id), db_text(app->name),
                    db_text(app->redirect_uris), db_text(scopes_write(mem, app->scopes)),
                    db_text(app->document_mark), db_int(app->checked_at), db_int(app->fresh_until),
                    db_int(app->expires_at), db_int(app->updated_at), db_text(app->purpose));
}

enum err
app_store_put_expiry(struct db_tx *tx, struct arena *mem, struct str id, int64_t expires_at)
{
    return db_query(tx, mem, &app_put_expiry, NULL, db_text(id), db_int(expires_at));
}

/* Another process may have deleted an app meanwhile. */
static enum err
delete_all(struct db_tx *tx, struct arena *mem, const struct db_rows *ids)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < ids->count && !err; i++) {
        struct str id = db_cell_text(ids, i, 0);
        err = app_store_delete(tx, mem, id);
        if (err == ERR_NOT_FOUND)
            err = ERR_NONE;
    }
    return err;
}

/* Anyone can register a client. Clients that no user has connected expire soon, and their number is
 * limited.
 */
enum err
app_store_trim_unused(struct db_tx *tx, struct arena *mem, int64_t until, int64_t max)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query(tx, mem, &app_unused, &rows, db_int(until), db_int(max), db_int(TRIM_ROWS));
    return err ? err : delete_all(tx, mem, &rows);
}

/* Clients that no user connected, or that were not used for long. */
enum err
app_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                         size_t *removed)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &app_expired, &rows, db_int(now), db_int(limit));
    *removed = err ? 0 : rows.count;
    return err ? err : delete_all(tx, mem, &rows);
}

/* ---- names ---- */

/* Keeps the last names in a ring of APP_NAMES_KEPT. `app_id` must stay valid as long as the struct.
 */
static struct str
find_name(void *source, struct arena *mem, struct str app_id)
{
    struct app_store_names *store = source;
    struct db_rows rows = { 0 };
    for (size_t i = 0; i < store->count && i < APP_NAMES_KEPT; i++)
        if (str_eq(store->kept[i].id, app_id))
            return store->kept[i].name;
    db_query(store->tx, mem, &app_name_find, &rows, db_text(app_id));
    struct str name = db_cell_text(&rows, 0, 0); /* absent after an error, too */
    size_t at = store->count++ % APP_NAMES_KEPT;
    store->kept[at].id = app_id;
    store->kept[at].name = name;
    return name;
}

void
app_store_prefetch_name(struct db_tx *tx, struct arena *mem, struct str id)
{
    db_prefetch(tx, mem, &app_name_find, db_text(id));
}

void
app_store_names(struct app_store_names *out, struct db_tx *tx)
{
    *out = (struct app_store_names){ .names = { find_name, out }, .tx = tx };
}
