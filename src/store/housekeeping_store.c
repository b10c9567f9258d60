/* housekeeping_store.c - deletes expired rows in small steps, and keeps the state of the clock.
 *
 * Tables are cleaned in the order of their dependence: tokens before families, families before
 * grants. Some rows are kept longer than they are valid, because their existence still answers a
 * question; the constants below say which one. */
#include "store/housekeeping_store.h"

#include "db/db.h"
#include "store/usage_store.h"

/* How long redeemed codes are kept. If a code is used again, its family is revoked. */
#define CODE_MEMORY_SECONDS ((int64_t)30 * 24 * 3600)

/* How long expired grants are kept: consent to a renewal goes on with what the user withheld. */
#define GRANT_MEMORY_SECONDS ((int64_t)90 * 24 * 3600)

/* How long expired access tokens are kept, so that the app gets a precise error. */
#define ACCESS_MEMORY_SECONDS ((int64_t)3600)

/* At most $2 rows, because a long transaction would delay all other writers. */
#define CLEAN(table, key)                                                \
    "DELETE FROM " table " WHERE " key " IN (SELECT " key " FROM " table \
    " WHERE expires_at <= $1 LIMIT $2) RETURNING " key

SQL(clean_access, CLEAN("access_token", "row_key"));
SQL(clean_refresh, CLEAN("refresh_token", "row_key"));
SQL(clean_family, CLEAN("token_family", "family_id"));
SQL(clean_grant, CLEAN("app_grant", "grant_id") ", user_id, app_id");
SQL(clean_session, CLEAN("session", "session_hash"));
SQL(clean_request, CLEAN("auth_request", "request_hash"));
SQL(clean_code, CLEAN("auth_code", "code_hash"));

/* Deletes the usage counts of grants that were deleted after they expired, as
 * usage_store_end_grant() does when a user disconnects the app. */
static enum err
end_use(struct db_tx *tx, struct arena *mem, const struct db_rows *grants, int64_t now)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < grants->count && !err; i++)
        err = usage_store_end_grant(tx, mem, db_cell_text(grants, i, 1), db_cell_text(grants, i, 2),
                                    now);
    return err;
}

/* Revoking a family deletes its row only (token_store.h). */
#define WITHOUT_FAMILY(table) \
    "DELETE FROM " table      \
    " WHERE NOT EXISTS (SELECT 1 FROM token_family f WHERE f.family_id = " table ".family_id)"
SQL(orphan_codes, WITHOUT_FAMILY("auth_code"));
SQL(orphan_access, WITHOUT_FAMILY("access_token"));
SQL(orphan_refresh, WITHOUT_FAMILY("refresh_token"));

/* Rows without a family are never valid; this only frees their space. */
enum err
token_clean_orphans(struct db_tx *tx, struct arena *mem)
{
    enum err err = db_query(tx, mem, &orphan_codes, NULL);
    if (!err)
        err = db_query(tx, mem, &orphan_access, NULL);
    return err ? err : db_query(tx, mem, &orphan_refresh, NULL);
}

/* One call deletes at most `limit` rows, in this order. Some rows are kept for a while after they
 * expired (…_MEMORY_SECONDS), so that a reused code or an expired token is still recognized. */
enum err
token_clean_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                    size_t *removed)
{
    const struct {
        const struct sql *sql;
        int64_t before;
    } steps[] = {
        { &clean_access, now - ACCESS_MEMORY_SECONDS },
        { &clean_refresh, now },
        { &clean_family, now },
        { &clean_grant, now - GRANT_MEMORY_SECONDS },
        { &clean_session, now },
        { &clean_request, now },
        { &clean_code, now - CODE_MEMORY_SECONDS },
    };
    *removed = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && (int64_t)*removed < limit; i++) {
        struct db_rows rows = { 0 };
        enum err err = db_query(tx, mem, steps[i].sql, &rows, db_int(steps[i].before),
                                db_int(limit - (int64_t)*removed));
        if (!err && steps[i].sql == &clean_grant)
            err = end_use(tx, mem, &rows, now);
        if (err)
            return err;
        *removed += rows.count;
    }
    return ERR_NONE;
}

/* ---- the state of the clock ---- */

SQL_UNTRACKED(clock_put,
              "INSERT INTO clock_state (id, highest, set_back_at, expired_until, trusted)"
              " VALUES (1, $1, $2, $3, $4) ON CONFLICT (id) DO UPDATE SET"
              " highest = excluded.highest, set_back_at = excluded.set_back_at,"
              " expired_until = excluded.expired_until, trusted = excluded.trusted");

SQL(clock_find, "SELECT highest, set_back_at, expired_until, trusted FROM clock_state"
                " WHERE id = 1");

enum err
clock_store_put(struct db_tx *tx, struct arena *mem, struct timekeeper_state state)
{
    return db_query(tx, mem, &clock_put, NULL, db_int(state.highest), db_int(state.set_back_at),
                    db_int(state.expired_until), db_int(state.trusted));
}

/* A new store has no row; its times are 0. */
enum err
clock_store_find(struct db_tx *tx, struct arena *mem, struct timekeeper_state *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &clock_find, &rows);
    *out = (struct timekeeper_state){ 0 };
    if (!err && rows.count > 0)
        *out = (struct timekeeper_state){
            .highest = db_cell_int(&rows, 0, 0),
            .set_back_at = db_cell_int(&rows, 0, 1),
            .expired_until = db_cell_int(&rows, 0, 2),
            .trusted = db_cell_int(&rows, 0, 3),
        };
    return err;
}
