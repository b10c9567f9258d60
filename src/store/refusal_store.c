/* refusal_store.c - one row per app, endpoint, error, and reason. Processes write the refusals that
 * they counted in memory (job/usage.c). */
#include "store/refusal_store.h"

#include "base/arena.h"
#include "db/db.h"

/* Adds nothing for a deleted app. */
SQL_UNTRACKED(
    refusal_add,
    "INSERT INTO app_refusal (app_id, endpoint, error, reason, detail, times, first_at, last_at)"
    " SELECT a.app_id, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT),"
    " CAST($6 AS BIGINT), CAST($7 AS BIGINT), CAST($8 AS BIGINT) FROM app a WHERE a.app_id = $1"
    " ON CONFLICT (app_id, endpoint, error, reason) DO UPDATE SET"
    " times = app_refusal.times + excluded.times, detail = excluded.detail,"
    " last_at = CASE WHEN excluded.last_at > app_refusal.last_at THEN excluded.last_at"
    " ELSE app_refusal.last_at END");

SQL_UNTRACKED(refusal_trim,
              "DELETE FROM app_refusal WHERE app_id = $1 AND last_at <"
              " (SELECT MIN(r.last_at) FROM (SELECT last_at FROM app_refusal WHERE app_id = $1"
              " ORDER BY last_at DESC LIMIT $2) r)");

SQL(refusal_list, "SELECT app_id, endpoint, error, reason, detail, times, first_at, last_at"
                  " FROM app_refusal WHERE app_id = $1 ORDER BY last_at DESC LIMIT $2");

SQL(refusal_end_app, "DELETE FROM app_refusal WHERE app_id = $1");

SQL_UNTRACKED(
    refusal_delete_old,
    "DELETE FROM app_refusal WHERE (app_id, endpoint, error, reason) IN"
    " (SELECT app_id, endpoint, error, reason FROM app_refusal WHERE last_at <= $1 LIMIT $2)"
    " RETURNING last_at");

enum err
refusal_store_add(struct db_tx *tx, struct arena *mem, const struct refusal *refusal)
{
    return db_query(tx, mem, &refusal_add, NULL, db_text(refusal->app_id),
                    db_text(refusal->endpoint), db_text(refusal->error), db_text(refusal->reason),
                    db_text(refusal->detail), db_int(refusal->times), db_int(refusal->first_at),
                    db_int(refusal->last_at));
}

/* By time: rows with the same time as the oldest one that is kept stay, too. */
enum err
refusal_store_trim(struct db_tx *tx, struct arena *mem, struct str app_id)
{
    return db_query(tx, mem, &refusal_trim, NULL, db_text(app_id), db_int(REFUSALS_PER_APP_MAX));
}

/* Of several databases, two may have the same refusal: one of them was down for a while. */
static void
merge(struct refusal *list, size_t *count, const struct refusal *one)
{
    size_t at = 0;
    while (at < *count &&
           !(str_eq(list[at].endpoint, one->endpoint) && str_eq(list[at].error, one->error) &&
             str_eq(list[at].reason, one->reason)))
        at++;
    const struct refusal before = list[at];
    bool is_new = at == *count, later = is_new || one->last_at > before.last_at;
    *count += is_new;
    list[at] = later ? *one : before;
    list[at].times = one->times + (is_new ? 0 : before.times);
    list[at].first_at = is_new || one->first_at < before.first_at ? one->first_at : before.first_at;
}

/* At most REFUSALS_PER_APP_MAX of each database, each of which sorts its own. */
enum err
refusal_store_list(struct db_tx *tx, struct arena *mem, struct str app_id, struct refusal **out,
                   size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query(tx, mem, &refusal_list, &rows, db_text(app_id), db_int(REFUSALS_PER_APP_MAX));
    struct refusal *list = ARENA_ARRAY(mem, struct refusal, rows.count);
    *count = 0;
    for (size_t i = 0; i < rows.count && !err; i++) {
        const struct refusal one = {
            .app_id = db_cell_text(&rows, i, 0),
            .endpoint = db_cell_text(&rows, i, 1),
            .error = db_cell_text(&rows, i, 2),
            .reason = db_cell_text(&rows, i, 3),
            .detail = db_cell_text(&rows, i, 4),
            .times = db_cell_int(&rows, i, 5),
            .first_at = db_cell_int(&rows, i, 6),
            .last_at = db_cell_int(&rows, i, 7),
        };
        merge(list, count, &one);
    }
    *out = list;
    return err;
}

enum err
refusal_store_end_app(struct db_tx *tx, struct arena *mem, struct str app_id)
{
    return db_query(tx, mem, &refusal_end_app, NULL, db_text(app_id));
}

enum err
refusal_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                             size_t *removed)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &refusal_delete_old, &rows, db_int(now - REFUSAL_KEPT_SECONDS),
                            db_int(limit));
    *removed = err ? 0 : rows.count;
    return err;
}
