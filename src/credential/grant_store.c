/* grant_store.c - grants: one row per user and app (the index app_grant_pair).
 *
 * Every change that narrows or revokes a grant bumps the auth version of the user in the same
 * transaction. Without that, access tokens would be checked against the permissions that their rows
 * copied (token_store.h). Adding a grant takes nothing away, so it needs no bump, except for what
 * it replaces. */
#include "credential/grant_store.h"

#include "base/arena.h"
#include "db/db.h"
#include "store/activity_store.h"
#include "store/user_store.h"

#define COLUMNS                                                                          \
    "grant_id, user_id, app_id, scopes, hint_domains, write_domains, sensitive_domains," \
    " expires_at, created_at, updated_at, shown, writes_wait, requested, withheld"

SQL_MANY(grant_find,
         "SELECT " COLUMNS ", reused_at FROM app_grant"
         " WHERE user_id = $1 AND app_id = $2 AND expires_at > $3",
         "tti",
         "SELECT m.n, " COLUMNS ", reused_at FROM m JOIN app_grant g"
         " ON g.user_id = m.p1 AND g.app_id = m.p2 AND g.expires_at > m.p3");

SQL(grant_list,
    "SELECT " COLUMNS ", reused_at FROM app_grant WHERE user_id = $1 AND expires_at > $2"
    " ORDER BY created_at");

SQL(grant_add, "INSERT INTO app_grant (" COLUMNS
               ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12, $13)");

/* A new expiry may be recorded again. */
SQL(grant_put, "UPDATE app_grant SET scopes = $2, hint_domains = $3, write_domains = $4,"
               " sensitive_domains = $5, expires_at = $6, updated_at = $7, shown = $8,"
               " writes_wait = $9, requested = $10, withheld = $11, expiry_noted = 0"
               " WHERE grant_id = $1 RETURNING user_id");

SQL(grant_end, "DELETE FROM app_grant WHERE user_id = $1 AND app_id = $2 RETURNING user_id");

SQL(grant_end_all, "DELETE FROM app_grant WHERE user_id = $1");

/* The columns are those of COLUMNS, followed by reused_at. Scopes and domains that this program
 * does not know, such as those of a domain that was removed, are left out. */
static struct grant
read_grant(const struct db_rows *rows, size_t row)
{
    struct grant grant = {
        .id = db_cell_text(rows, row, 0),
        .user_id = db_cell_text(rows, row, 1),
        .app_id = db_cell_text(rows, row, 2),
        .allowed = { .hint_domains = scopes_read_domains(db_cell_text(rows, row, 4)),
                     .write_domains = scopes_read_domains(db_cell_text(rows, row, 5)),
                     .sensitive_domains = scopes_read_domains(db_cell_text(rows, row, 6)) },
        .expires_at = db_cell_int(rows, row, 7),
        .created_at = db_cell_int(rows, row, 8),
        .updated_at = db_cell_int(rows, row, 9),
        .shown = db_cell_text(rows, row, 10),
        .writes_wait = db_cell_int(rows, row, 11) != 0,
        .withheld = db_cell_text(rows, row, 13),
        .reused_at = db_cell_int(rows, row, 14),
    };
    scopes_read_known(db_cell_text(rows, row, 3), &grant.allowed.scopes);
    scopes_read_known(db_cell_text(rows, row, 12), &grant.requested);
    return grant;
}

#define db_permissions(mem, allowed)                                  \
    db_text(scopes_write(mem, (allowed)->scopes)),                    \
        db_text(scopes_write_domains(mem, (allowed)->hint_domains)),  \
        db_text(scopes_write_domains(mem, (allowed)->write_domains)), \
        db_text(scopes_write_domains(mem, (allowed)->sensitive_domains))

/* Not NULL. */
#define db_withheld(text) db_text(str_present(text) ? (text) : STR(""))

/* A row whose end date has passed counts as absent; housekeeping deletes it later. */
enum err
grant_store_find(struct db_tx *tx, struct arena *mem, struct str user_id, struct str app_id,
                 int64_t now, struct grant *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &grant_find, &rows, ERR_NOT_FOUND, db_text(user_id),
                                db_text(app_id), db_int(now));
    if (err)
        return err;
    *out = read_grant(&rows, 0);
    return ERR_NONE;
}

void
grant_store_prefetch(struct db_tx *tx, struct arena *mem, struct str user_id, struct str app_id,
                     int64_t now)
{
    db_prefetch(tx, mem, &grant_find, db_text(user_id), db_text(app_id), db_int(now));
}

/* Without a grant, nothing is withheld, and no sensitive facts are shown. */
enum err
grant_store_view(struct db_tx *tx, struct arena *mem, struct str user_id, struct str app_id,
                 const struct domains *domains, int64_t now, struct view *view, bool *writes_wait)
{
    struct grant grant = { 0 };
    enum err err = grant_store_find(tx, mem, user_id, app_id, now, &grant);
    *view = (struct view){ .user_id = user_id,
                           .app_id = app_id,
                           .domains = domains,
                           .withheld = grant.withheld,
                           .sensitive = grant.allowed.sensitive_domains };
    *writes_wait = grant.writes_wait;
    return err == ERR_NOT_FOUND ? ERR_NONE : err;
}

/* With the time 0, expired grants are found as well. */
enum err
grant_store_withheld(struct db_tx *tx, struct arena *mem, struct str user_id, struct str app_id,
                     struct str *out)
{
    struct grant grant = { 0 };
    enum err err = grant_store_find(tx, mem, user_id, app_id, 0, &grant);
    *out = grant.withheld;
    return err == ERR_NOT_FOUND ? ERR_NONE : err;
}

/* Without expired ones. */
enum err
grant_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t now,
                 struct grant **out, size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &grant_list, &rows, db_text(user_id), db_int(now));
    *out = ARENA_ARRAY(mem, struct grant, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*out)[i] = read_grant(&rows, i);
    return err;
}

/* A user has at most one grant per app, so an old row must go first. */
enum err
grant_store_add(struct db_tx *tx, struct arena *mem, const struct grant *grant)
{
    /* An expired grant may not be deleted yet. */
    enum err err = grant_store_end(tx, mem, grant->user_id, grant->app_id);
    if (err && err != ERR_NOT_FOUND)
        return err;
    return db_query(tx, mem, &grant_add, NULL, db_text(grant->id), db_text(grant->user_id),
                    db_text(grant->app_id), db_permissions(mem, &grant->allowed),
                    db_int(grant->expires_at), db_int(grant->created_at), db_text(grant->shown),
                    db_int(grant->writes_wait), db_text(scopes_write(mem, grant->requested)),
                    db_withheld(grant->withheld));
}

/* Narrowing must take effect with the next request, so the auth version changes: tokens issued
 * before are then compared with the grant. */
enum err
grant_store_put(struct db_tx *tx, struct arena *mem, const struct grant *grant)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query_row(tx, mem, &grant_put, &rows, ERR_NOT_FOUND, db_text(grant->id),
                     db_permissions(mem, &grant->allowed), db_int(grant->expires_at),
                     db_int(grant->updated_at), db_text(grant->shown), db_int(grant->writes_wait),
                     db_text(scopes_write(mem, grant->requested)), db_withheld(grant->withheld));
    return err ? err : user_store_bump_auth_version(tx, mem, db_cell_text(&rows, 0, 0));
}

/* Its tokens end, too: the auth version changes, and a token of another version needs its grant.
 * ERR_NOT_FOUND: there is no grant. */
enum err
grant_store_end(struct db_tx *tx, struct arena *mem, struct str user_id, struct str app_id)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query_row(tx, mem, &grant_end, &rows, ERR_NOT_FOUND, db_text(user_id), db_text(app_id));
    return err ? err : user_store_bump_auth_version(tx, mem, db_cell_text(&rows, 0, 0));
}

enum err
grant_store_end_all(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    enum err err = db_query(tx, mem, &grant_end_all, NULL, db_text(user_id));
    return err ? err : user_store_bump_auth_version(tx, mem, user_id);
}

/* ---- expiry ---- */

#define DAY_SECONDS 86400

/* The index for this has only rows whose expiry was not noted yet. */
SQL(grant_expired, "SELECT grant_id, user_id, app_id, expires_at FROM app_grant"
                   " WHERE expires_at <= $1 AND expiry_noted = 0 ORDER BY expires_at LIMIT $2");

/* Conditional, so that two nodes do not note it twice. */
SQL(grant_note_expiry, "UPDATE app_grant SET expiry_noted = 1"
                       " WHERE grant_id = $1 AND expires_at <= $2 AND expiry_noted = 0"
                       " RETURNING grant_id");

/* Locks the user first, like every other writer of activity. A consent in the meantime wins. */
static enum err
note_expiry(struct db_tx *tx, struct arena *mem, const struct db_rows *grants, size_t row,
            int64_t now)
{
    struct db_rows noted = { 0 };
    int64_t expired_at = db_cell_int(grants, row, 3);
    /* After an outage, the day of the expiry may be closed already. */
    struct activity_event event = { .user_id = db_cell_text(grants, row, 1),
                                    .app_id = db_cell_text(grants, row, 2),
                                    .action = ACTIVITY_EXPIRE,
                                    .now = expired_at > now - DAY_SECONDS ? expired_at : now };
    enum err held = user_store_lock(tx, mem, event.user_id);
    if (held != ERR_NONE && held != ERR_NOT_FOUND)
        return held;
    enum err err = db_query(tx, mem, &grant_note_expiry, &noted,
                            db_text(db_cell_text(grants, row, 0)), db_int(now));
    return err || noted.count == 0 || held ? err : activity_store_event(tx, mem, &event);
}

/* The lock order of activity_store_add(): two processes that lock users in different orders would
 * wait for each other. */
enum err
grant_store_note_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                         size_t *done)
{
    struct db_rows grants = { 0 };
    enum err err = db_query(tx, mem, &grant_expired, &grants, db_int(now), db_int(limit));
    /* Users are locked in the order of their ids. */
    size_t *order = ARENA_ARRAY(mem, size_t, grants.count + 1);
    for (size_t i = 0; i < grants.count; i++) {
        size_t at = i;
        for (; at > 0 &&
               str_order(db_cell_text(&grants, i, 1), db_cell_text(&grants, order[at - 1], 1)) < 0;
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t i = 0; i < grants.count && !err; i++)
        err = note_expiry(tx, mem, &grants, order[i], now);
    *done = grants.count;
    return err;
}
