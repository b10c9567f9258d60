#include "store/usage_store.h"

#include "base/arena.h"
#include "db/db.h"

SQL_ASIDE(usage_add_person,
          "INSERT INTO person_use (user_id, app_id, day, calls, last_use)"
          " SELECT u.user_id, a.app_id, CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT)"
          " FROM user_account u, app a WHERE u.user_id = $1 AND a.app_id = $2"
          " ON CONFLICT (user_id, app_id, day) DO UPDATE SET"
          " calls = person_use.calls + excluded.calls,"
          " last_use = CASE WHEN excluded.last_use > person_use.last_use THEN excluded.last_use"
          " ELSE person_use.last_use END");

SQL_ASIDE(
    usage_add_app,
    "INSERT INTO app_use (app_id, day, calls, tokens, refused, failed)"
    " SELECT a.app_id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT),"
    " CAST($5 AS BIGINT), CAST($6 AS BIGINT) FROM app a WHERE a.app_id = $1"
    " ON CONFLICT (app_id, day) DO UPDATE SET calls = app_use.calls + excluded.calls,"
    " tokens = app_use.tokens + excluded.tokens, refused = app_use.refused + excluded.refused,"
    " failed = app_use.failed + excluded.failed");

SQL_ASIDE(
    usage_add_refusal,
    "INSERT INTO app_refusal (app_id, endpoint, error, reason, detail, times, first_at, last_at)"
    " SELECT a.app_id, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT),"
    " CAST($6 AS BIGINT), CAST($7 AS BIGINT), CAST($8 AS BIGINT) FROM app a WHERE a.app_id = $1"
    " ON CONFLICT (app_id, endpoint, error, reason) DO UPDATE SET"
    " times = app_refusal.times + excluded.times, detail = excluded.detail,"
    " last_at = CASE WHEN excluded.last_at > app_refusal.last_at THEN excluded.last_at"
    " ELSE app_refusal.last_at END");

SQL_ASIDE(usage_trim_refusals,
          "DELETE FROM app_refusal WHERE app_id = $1 AND last_at <"
          " (SELECT MIN(r.last_at) FROM (SELECT last_at FROM app_refusal WHERE app_id = $1"
          " ORDER BY last_at DESC LIMIT $2) r)");

SQL(usage_find_grant, "SELECT day, calls, last_use FROM person_use"
                      " WHERE user_id = $1 AND app_id = $2");

SQL(usage_find_app, "SELECT day, calls, tokens, refused, failed FROM app_use"
                    " WHERE app_id = $1 AND day > $2");

SQL(usage_sum_owner, "SELECT s.app_id, CAST(SUM(s.calls + s.tokens) AS BIGINT),"
                     " CAST(SUM(s.refused) AS BIGINT) FROM app_use s"
                     " JOIN app a ON a.app_id = s.app_id"
                     " WHERE a.owner_id = $1 AND s.day > $2 GROUP BY s.app_id");

SQL(usage_count_people, "SELECT COUNT(DISTINCT user_id) FROM person_use"
                        " WHERE app_id = $1 AND day > $2");

SQL(usage_count_connected, "SELECT COUNT(*) FROM app_grant WHERE app_id = $1 AND ends_at > $2");

SQL(usage_list_refusals, "SELECT app_id, endpoint, error, reason, detail, times, first_at, last_at"
                         " FROM app_refusal WHERE app_id = $1 ORDER BY last_at DESC LIMIT $2");

SQL(usage_end_user, "DELETE FROM person_use WHERE user_id = $1");
SQL(usage_end_app, "DELETE FROM app_use WHERE app_id = $1");
SQL(usage_end_app_people, "DELETE FROM person_use WHERE app_id = $1");
SQL(usage_end_app_refusals, "DELETE FROM app_refusal WHERE app_id = $1");

SQL_ASIDE(usage_clean_people,
          "DELETE FROM person_use WHERE (user_id, app_id, day) IN"
          " (SELECT user_id, app_id, day FROM person_use WHERE day <= $1 LIMIT $2)"
          " RETURNING day");
SQL_ASIDE(usage_clean_apps,
          "DELETE FROM app_use WHERE (app_id, day) IN"
          " (SELECT app_id, day FROM app_use WHERE day <= $1 LIMIT $2) RETURNING day");
SQL_ASIDE(usage_clean_refusals,
          "DELETE FROM app_refusal WHERE (app_id, endpoint, error, reason) IN"
          " (SELECT app_id, endpoint, error, reason FROM app_refusal WHERE last_at <= $1 LIMIT $2)"
          " RETURNING last_at");

/* ---- adding ---- */

enum err
usage_store_add_person(struct db_tx *tx, struct arena *mem, struct str user_id, struct str app_id,
                       int64_t day, int64_t calls, int64_t last_use)
{
    return db_query(tx, mem, &usage_add_person, NULL, db_text(user_id), db_text(app_id),
                    db_int(day), db_int(calls), db_int(last_use));
}

enum err
usage_store_add_app(struct db_tx *tx, struct arena *mem, struct str app_id,
                    const struct usage_day *day)
{
    return db_query(tx, mem, &usage_add_app, NULL, db_text(app_id), db_int(day->day),
                    db_int(day->counts[USAGE_CALL]), db_int(day->counts[USAGE_TOKENS]),
                    db_int(day->counts[USAGE_REFUSED]), db_int(day->counts[USAGE_FAILED]));
}

enum err
usage_store_add_refusal(struct db_tx *tx, struct arena *mem, const struct refusal *refusal)
{
    return db_query(tx, mem, &usage_add_refusal, NULL, db_text(refusal->app_id),
                    db_text(refusal->endpoint), db_text(refusal->error), db_text(refusal->reason),
                    db_text(refusal->detail), db_int(refusal->times), db_int(refusal->first_at),
                    db_int(refusal->last_at));
}

enum err
usage_store_trim_refusals(struct db_tx *tx, struct arena *mem, struct str app_id)
{
    return db_query(tx, mem, &usage_trim_refusals, NULL, db_text(app_id),
                    db_int(REFUSALS_PER_APP_MAX));
}

/* ---- looking ---- */

/* Where a day stands among the last ones; USAGE_DAYS: it is none of them. */
static size_t
index_of(int64_t day, int64_t today)
{
    int64_t index = day - today + USAGE_DAYS - 1;
    return index < 0 || index >= USAGE_DAYS ? USAGE_DAYS : (size_t)index;
}

enum err
usage_store_find_grant(struct db_tx *tx, struct arena *mem, struct str user_id, struct str app_id,
                       int64_t today, struct grant_usage *out)
{
    struct db_rows rows = { 0 };
    *out = (struct grant_usage){ 0 };
    enum err err = db_query(tx, mem, &usage_find_grant, &rows, db_text(user_id), db_text(app_id));
    for (size_t i = 0; i < rows.count && !err; i++) {
        size_t index = index_of(db_cell_int(&rows, i, 0), today);
        if (index < USAGE_DAYS)
            out->days[index] = db_cell_int(&rows, i, 1);
        if (db_cell_int(&rows, i, 2) > out->last_use)
            out->last_use = db_cell_int(&rows, i, 2);
    }
    return err;
}

static enum err
count_one(struct db_tx *tx, struct arena *mem, const struct sql *sql, struct str app_id,
          int64_t bound, int64_t *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, sql, &rows, db_text(app_id), db_int(bound));
    *out = err ? 0 : db_cell_int(&rows, 0, 0);
    return err;
}

enum err
usage_store_find_app(struct db_tx *tx, struct arena *mem, struct str app_id, int64_t today,
                     int64_t now, struct app_usage *out)
{
    struct db_rows rows = { 0 };
    *out = (struct app_usage){ 0 };
    for (size_t i = 0; i < USAGE_DAYS; i++)
        out->days[i].day = today - USAGE_DAYS + 1 + (int64_t)i;
    enum err err =
        db_query(tx, mem, &usage_find_app, &rows, db_text(app_id), db_int(today - USAGE_DAYS));
    for (size_t i = 0; i < rows.count && !err; i++) {
        size_t index = index_of(db_cell_int(&rows, i, 0), today);
        for (size_t n = 0; index < USAGE_DAYS && n < USAGE_OUTCOMES; n++)
            out->days[index].counts[n] = db_cell_int(&rows, i, 1 + n);
    }
    if (!err)
        err = count_one(tx, mem, &usage_count_people, app_id, today - USAGE_DAYS, &out->people);
    return err ? err : count_one(tx, mem, &usage_count_connected, app_id, now, &out->connected);
}

enum err
usage_store_sum_owner(struct db_tx *tx, struct arena *mem, struct str owner_id, int64_t today,
                      struct usage_sum **out, size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query(tx, mem, &usage_sum_owner, &rows, db_text(owner_id), db_int(today - USAGE_DAYS));
    *count = err ? 0 : rows.count;
    *out = ARENA_ARRAY(mem, struct usage_sum, *count);
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = (struct usage_sum){ .app_id = db_cell_text(&rows, i, 0),
                                        .calls = db_cell_int(&rows, i, 1),
                                        .refused = db_cell_int(&rows, i, 2) };
    return err;
}

enum err
usage_store_list_refusals(struct db_tx *tx, struct arena *mem, struct str app_id,
                          struct refusal **out, size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &usage_list_refusals, &rows, db_text(app_id),
                            db_int(REFUSALS_PER_APP_MAX));
    struct refusal *list = ARENA_ARRAY(mem, struct refusal, rows.count);
    for (size_t i = 0; i < rows.count && !err; i++)
        list[i] = (struct refusal){
            .app_id = db_cell_text(&rows, i, 0),
            .endpoint = db_cell_text(&rows, i, 1),
            .error = db_cell_text(&rows, i, 2),
            .reason = db_cell_text(&rows, i, 3),
            .detail = db_cell_text(&rows, i, 4),
            .times = db_cell_int(&rows, i, 5),
            .first_at = db_cell_int(&rows, i, 6),
            .last_at = db_cell_int(&rows, i, 7),
        };
    *out = list;
    *count = err ? 0 : rows.count;
    return err;
}

/* ---- ending ---- */

enum err
usage_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    return db_query(tx, mem, &usage_end_user, NULL, db_text(user_id));
}

enum err
usage_store_end_app(struct db_tx *tx, struct arena *mem, struct str app_id)
{
    enum err err = db_query(tx, mem, &usage_end_app, NULL, db_text(app_id));
    if (!err)
        err = db_query(tx, mem, &usage_end_app_people, NULL, db_text(app_id));
    return err ? err : db_query(tx, mem, &usage_end_app_refusals, NULL, db_text(app_id));
}

enum err
usage_store_clean(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit, size_t *removed)
{
    const struct {
        const struct sql *sql;
        int64_t bound;
    } steps[] = {
        { &usage_clean_people, usage_day_of(now) - USAGE_KEPT_DAYS },
        { &usage_clean_apps, usage_day_of(now) - USAGE_KEPT_DAYS },
        { &usage_clean_refusals, now - REFUSAL_KEPT_SECONDS },
    };
    *removed = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && (int64_t)*removed < limit; i++) {
        struct db_rows rows = { 0 };
        enum err err = db_query(tx, mem, steps[i].sql, &rows, db_int(steps[i].bound),
                                db_int(limit - (int64_t)*removed));
        if (err)
            return err;
        *removed += rows.count;
    }
    return ERR_NONE;
}
