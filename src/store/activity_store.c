/* activity_store.c - a user's activity: one row of activity_day per day, and rows of activity with
 * the counts of that day.
 *
 * A day is open while counts are added to it. A day that has ended is closed: its records are
 * hashed together with the hash of the day before, and activity_chain has the hash of the last
 * closed day. A closed day never changes, so that a later change of its records is noticed
 * (docs/ACTIVITY.md). Every writer locks the row of the day before it reads or changes the records,
 * so that no count is added to a day while it is being closed. activity_first has the domains that
 * an app has read ever; it outlives the records, so that "first" is said only once. */
#include "store/activity_store.h"

#include "base/arena.h"
#include "db/db.h"
#include "model/usage.h"

#define DAY_ATTEMPTS 8

/* Locks the day. `closed` is 1 if it was closed after this statement began. No row: the user was
 * deleted. */
SQL_UNTRACKED(activity_open_day,
              "INSERT INTO activity_day (user_id, day, closed, previous, hash)"
              " SELECT u.user_id, COALESCE((SELECT MAX(d.day) + 1 FROM activity_day d"
              " WHERE d.user_id = $1 AND d.day >= $2 AND d.closed = 1), CAST($2 AS BIGINT)),"
              " 0, '', '' FROM user_account u WHERE u.user_id = $1"
              " ON CONFLICT (user_id, day) DO UPDATE SET closed = activity_day.closed"
              " RETURNING day, closed");

#define ADD_COLUMNS                                                                          \
    "INSERT INTO activity (user_id, day, app_id, action, refused, subject, app_name, times," \
    " facts, first_at, last_at, is_first)"
#define APP_NAME(app) "COALESCE((SELECT a.name FROM app a WHERE a.app_id = " app "), '')"
#define ADD_TO_ROW                                                                       \
    " ON CONFLICT (user_id, day, app_id, action, refused, subject) DO UPDATE SET"        \
    " times = activity.times + excluded.times, facts = activity.facts + excluded.facts," \
    " first_at = CASE WHEN excluded.first_at < activity.first_at THEN excluded.first_at" \
    " ELSE activity.first_at END,"                                                       \
    " last_at = CASE WHEN excluded.last_at > activity.last_at THEN excluded.last_at"     \
    " ELSE activity.last_at END,"                                                        \
    " is_first = CASE WHEN excluded.is_first = 1 THEN 1 ELSE activity.is_first END"

/* The form for many opens the day as well. A day that was closed or added at the same time, or a
 * user who was deleted, is left to the single statements: then it returns too few rows. "+ 0" keeps
 * the planner from using the index on `closed`, which finds the day of every user. Most rows exist,
 * so it updates those first: an insertion that finds its row locks it before it updates it, and
 * looks up the app and the user for nothing. */
SQL_UNTRACKED_MANY(
    activity_add,
    ADD_COLUMNS
    " VALUES ($1, $2, $3, $4, $5, $6, " APP_NAME("$3") ", $7, $8, $9, $10, $11)" ADD_TO_ROW
                                                       " RETURNING times",
    "tittitiiiii",
    ", opened AS (SELECT m.* FROM m JOIN activity_day d ON d.user_id = m.p1 AND d.day = m.p2"
    " WHERE d.closed + 0 = 0 FOR SHARE OF d),"
    " counted AS (UPDATE activity a SET times = a.times + m.p7, facts = a.facts + m.p8,"
    " first_at = LEAST(a.first_at, m.p9), last_at = GREATEST(a.last_at, m.p10),"
    " is_first = GREATEST(a.is_first, m.p11) FROM opened m"
    " WHERE a.user_id = m.p1 AND a.day = m.p2 AND a.app_id = m.p3 AND a.action = m.p4"
    " AND a.refused = m.p5 AND a.subject = m.p6 RETURNING m.n),"
    " missing AS (SELECT * FROM m WHERE n <> ALL (ARRAY(SELECT n FROM counted))),"
    " added AS (INSERT INTO activity_day (user_id, day, closed, previous, hash)"
    " SELECT u.user_id, m.p2, 0, '', '' FROM missing m JOIN user_account u ON u.user_id = m.p1"
    " WHERE NOT EXISTS (SELECT 1 FROM activity_day d WHERE d.user_id = m.p1 AND d.day >= m.p2)"
    " ON CONFLICT (user_id, day) DO NOTHING RETURNING user_id, day),"
    " ready AS (SELECT m.* FROM missing m JOIN opened o ON o.n = m.n UNION ALL"
    " SELECT m.* FROM added d JOIN missing m ON m.p1 = d.user_id AND m.p2 = d.day),"
    " inserted AS (" ADD_COLUMNS " SELECT p1, p2, p3, p4, p5, p6, " APP_NAME(
        "ready.p3") ", p7, p8, p9, p10, p11 FROM ready" ADD_TO_ROW " RETURNING 1)"
                    " SELECT n FROM counted UNION ALL SELECT 0 FROM inserted");

/* Kept apart from the records: these are deleted after ACTIVITY_KEPT_DAYS. */
SQL_UNTRACKED(activity_find_first,
              "SELECT domains FROM activity_first WHERE user_id = $1 AND app_id = $2");
SQL_UNTRACKED(activity_put_first,
              "INSERT INTO activity_first (user_id, app_id, domains) VALUES ($1, $2, $3)"
              " ON CONFLICT (user_id, app_id) DO UPDATE SET domains = excluded.domains"
              " RETURNING app_id");

#define RECORD_COLUMNS \
    "day, app_id, action, refused, subject, app_name, times, facts, first_at, last_at, is_first"

SQL(activity_list, "SELECT " RECORD_COLUMNS " FROM activity WHERE user_id = $1"
                   " ORDER BY day DESC LIMIT $2");
SQL(activity_list_all, "SELECT " RECORD_COLUMNS " FROM activity WHERE user_id = $1");
SQL(activity_list_day, "SELECT " RECORD_COLUMNS " FROM activity WHERE user_id = $1 AND day = $2");
SQL(activity_list_days, "SELECT day, closed, previous, hash FROM activity_day WHERE user_id = $1"
                        " ORDER BY day");
SQL(activity_find_chain,
    "SELECT hash, deleted_day, deleted_hash FROM activity_chain WHERE user_id = $1");

/* ---- closing ---- */

/* Only days that are over. */
SQL_UNTRACKED(activity_list_open, "SELECT user_id, day FROM activity_day"
                                  " WHERE closed = 0 AND day < $1 ORDER BY day LIMIT $2");
/* Changes nothing. Locks the row of the day, and finds none if another process closed it first. */
SQL_UNTRACKED(activity_lock_open, "UPDATE activity_day SET closed = 0 WHERE user_id = $1"
                                  " AND day = $2 AND closed = 0 RETURNING day");
SQL_UNTRACKED(activity_find_user, "SELECT user_id FROM user_account WHERE user_id = $1");
SQL_UNTRACKED(activity_close_day, "UPDATE activity_day SET closed = 1, previous = $3, hash = $4"
                                  " WHERE user_id = $1 AND day = $2");
SQL_UNTRACKED(activity_extend_chain,
              "INSERT INTO activity_chain (user_id, hash, deleted_day, deleted_hash)"
              " VALUES ($1, $2, 0, '') ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash");

/* ---- deleting ---- */

SQL_UNTRACKED(activity_list_old, "SELECT user_id, day, hash FROM activity_day"
                                 " WHERE closed = 1 AND day <= $1 ORDER BY day LIMIT $2");
/* The remaining records are verified from the hash of the last deleted day on. `deleted_day` only
 * increases.
 */
SQL_UNTRACKED(activity_shorten_chain,
              "UPDATE activity_chain SET deleted_day = $2, deleted_hash = $3 WHERE user_id = $1"
              " AND deleted_day < $2 RETURNING user_id");
SQL_UNTRACKED(activity_delete_records, "DELETE FROM activity WHERE user_id = $1 AND day = $2");
SQL_UNTRACKED(activity_delete_day, "DELETE FROM activity_day WHERE user_id = $1 AND day = $2");

SQL_UNTRACKED(activity_end_days, "DELETE FROM activity_day WHERE user_id = $1");
SQL_UNTRACKED(activity_end_records, "DELETE FROM activity WHERE user_id = $1");
SQL_UNTRACKED(activity_end_chain, "DELETE FROM activity_chain WHERE user_id = $1");
SQL_UNTRACKED(activity_end_first, "DELETE FROM activity_first WHERE user_id = $1");

/* ---- adding ---- */

/* *day is the day that counts; 0: the user was deleted. The insert chooses the first day that is
 * not closed; another process may close it before this one gets the lock, and then the next day is
 * tried. */
static enum err
open_day(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t wanted, int64_t *day)
{
    bool closed = true;
    enum err err = ERR_NONE;
    *day = wanted;
    for (int i = 0; i < DAY_ATTEMPTS && !err && closed; i++) {
        struct db_rows rows = { 0 };
        err = db_query(tx, mem, &activity_open_day, &rows, db_text(user_id), db_int(*day));
        closed = rows.count > 0 && db_cell_int(&rows, 0, 1) != 0;
        *day = rows.count == 0 ? 0 : db_cell_int(&rows, 0, 0) + (closed ? 1 : 0);
    }
    return !err && closed ? ERR_UNAVAILABLE : err;
}

/* The domains that an app has read, as stored, and those of this transaction. */
struct seen {
    struct str app_id; /* absent: no app yet */
    struct str domains;
    bool grown;
};

/* Once per app, not once per record. */
static enum err
save_seen(struct db_tx *tx, struct arena *mem, struct str user_id, const struct seen *seen)
{
    return seen->grown ? db_put(tx, mem, &activity_put_first, db_text(user_id),
                                db_text(seen->app_id), db_text(seen->domains))
                       : ERR_NONE;
}

/* Loads the domains of another app, after saving those of the app before. Records of one app should
 * be adjacent; otherwise rows are read and written more often, with the same result. */
static enum err
load_seen(struct db_tx *tx, struct arena *mem, struct str user_id, struct str app_id,
          struct seen *seen)
{
    struct db_rows rows = { 0 };
    if (str_present(seen->app_id) && str_eq(seen->app_id, app_id))
        return ERR_NONE;
    enum err err = save_seen(tx, mem, user_id, seen);
    if (!err)
        err = db_query(tx, mem, &activity_find_first, &rows, db_text(user_id), db_text(app_id));
    *seen = (struct seen){ app_id, rows.count > 0 ? db_cell_text(&rows, 0, 0) : STR(""), false };
    return err;
}

/* Only these records can be the first of their app and domain. Refused requests saw nothing. */
static bool
reads_domain(const struct activity *record)
{
    return !record->refused && record->subject.len > 0 &&
           activity_reads(activity_named(record->action));
}

/* Whether the app reads the domain for the first time; then it is added to `seen`. */
static enum err
find_first(struct db_tx *tx, struct arena *mem, struct str user_id, const struct activity *record,
           struct seen *seen, bool *is_first)
{
    *is_first = false;
    if (!reads_domain(record))
        return ERR_NONE;
    enum err err = load_seen(tx, mem, user_id, record->app_id, seen);
    if (err || str_has_word(seen->domains, record->subject))
        return err;
    seen->domains = str_format(mem, "%.*s%s%.*s", STR_ARG(seen->domains),
                               seen->domains.len > 0 ? " " : "", STR_ARG(record->subject));
    *is_first = seen->grown = true;
    return ERR_NONE;
}

/* The first record with which an app reads a domain is marked, see find_first(). */
static enum err
add_record(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t day,
           const struct activity *record, struct seen *seen)
{
    bool is_first;
    enum err err = find_first(tx, mem, user_id, record, seen, &is_first);
    return err ? err
               : db_put(tx, mem, &activity_add, db_text(user_id), db_int(day),
                        db_text(record->app_id), db_text(record->action), db_int(record->refused),
                        db_text(activity_clean(mem, record->subject)), db_int(record->times),
                        db_int(record->facts), db_int(record->first_at), db_int(record->last_at),
                        db_int(is_first));
}

/* Whether the statement that adds the record also opens its day, as the form for many does
 * (activity_add). A record that reads a domain needs the lookup of activity_first before, which has
 * no form for many. */
static bool
opens_day(const struct db_tx *tx, const struct activity *record)
{
    return db_is_shared(tx) && !reads_domain(record);
}

/* In a shared write, the statement for many rows opens the day itself
 * (opens_day()); otherwise open_day() is called once for records of the same day that follow each
 * other, which is why `wanted` is remembered. */
enum err
activity_store_add(struct db_tx *tx, struct arena *mem, struct str user_id,
                   const struct activity *records, size_t count)
{
    struct seen seen = { .app_id = STR_NONE };
    enum err err = ERR_NONE;
    int64_t wanted = -1, day = 0;
    for (size_t i = 0; i < count && !err; i++) {
        if (opens_day(tx, &records[i]))
            day = records[i].day;
        else if (records[i].day != wanted)
            err = open_day(tx, mem, user_id, records[i].day, &day);
        wanted = records[i].day;
        if (!err && day != 0)
            err = add_record(tx, mem, user_id, day, &records[i], &seen);
    }
    return err ? err : save_seen(tx, mem, user_id, &seen);
}

/* An event counts once and is written in the transaction of the action itself, so that neither
 * exists without the other. */
enum err
activity_store_event(struct db_tx *tx, struct arena *mem, const struct activity_event *event)
{
    struct activity record = {
        .day = usage_day_of(event->now),
        .app_id = str_present(event->app_id) ? event->app_id : STR(""),
        .action = activity_name(event->action),
        .subject = str_present(event->subject) ? event->subject : STR(""),
        .times = 1,
        .facts = event->facts,
        .first_at = event->now,
        .last_at = event->now,
    };
    return activity_store_add(tx, mem, event->user_id, &record, 1);
}

/* ---- reading ---- */

/* The columns are those of RECORD_COLUMNS. */
static void
read_records(struct arena *mem, const struct db_rows *rows, struct activity **out, size_t *count)
{
    *out = ARENA_ARRAY(mem, struct activity, rows->count);
    *count = rows->count;
    for (size_t i = 0; i < rows->count; i++)
        (*out)[i] = (struct activity){ .day = db_cell_int(rows, i, 0),
                                       .app_id = db_cell_text(rows, i, 1),
                                       .action = db_cell_text(rows, i, 2),
                                       .refused = db_cell_int(rows, i, 3) != 0,
                                       .subject = db_cell_text(rows, i, 4),
                                       .app_name = db_cell_text(rows, i, 5),
                                       .times = db_cell_int(rows, i, 6),
                                       .facts = db_cell_int(rows, i, 7),
                                       .first_at = db_cell_int(rows, i, 8),
                                       .last_at = db_cell_int(rows, i, 9),
                                       .is_first = db_cell_int(rows, i, 10) != 0 };
}

/* The latest days first; within a day the caller sorts. */
enum err
activity_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t limit,
                    struct activity **out, size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &activity_list, &rows, db_text(user_id), db_int(limit));
    read_records(mem, &rows, out, count);
    return err;
}

/* A user without a chain has empty hashes: the first day then starts it. */
static enum err
find_chain(struct db_tx *tx, struct arena *mem, struct str user_id, struct activity_chain *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &activity_find_chain, &rows, db_text(user_id));
    *out = (struct activity_chain){ .hash = STR(""), .deleted_hash = STR("") };
    if (rows.count > 0)
        *out = (struct activity_chain){ .hash = db_cell_text(&rows, 0, 0),
                                        .deleted_day = db_cell_int(&rows, 0, 1),
                                        .deleted_hash = db_cell_text(&rows, 0, 2) };
    return err;
}

/* Everything, for exports and for verifying the chain: a user has at most 90 days of it. */
enum err
activity_store_log(struct db_tx *tx, struct arena *mem, struct str user_id,
                   struct activity_log *out)
{
    struct db_rows rows = { 0 };
    *out = (struct activity_log){ .user_id = user_id };
    enum err err = find_chain(tx, mem, user_id, &out->chain);
    if (!err)
        err = db_query(tx, mem, &activity_list_days, &rows, db_text(user_id));
    out->days = ARENA_ARRAY(mem, struct activity_day, rows.count);
    out->day_count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        out->days[i] = (struct activity_day){ .day = db_cell_int(&rows, i, 0),
                                              .closed = db_cell_int(&rows, i, 1) != 0,
                                              .previous = db_cell_text(&rows, i, 2),
                                              .hash = db_cell_text(&rows, i, 3) };
    rows = (struct db_rows){ 0 };
    if (!err)
        err = db_query(tx, mem, &activity_list_all, &rows, db_text(user_id));
    read_records(mem, &rows, &out->records, &out->record_count);
    return err;
}

/* ---- closing and deleting ---- */

/* Records, days, and chain are deleted together, or the rest could not be verified. */
enum err
activity_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    static const struct sql *const steps[] = { &activity_end_days, &activity_end_records,
                                               &activity_end_chain, &activity_end_first };
    enum err err = ERR_NONE;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !err; i++)
        err = db_query(tx, mem, steps[i], NULL, db_text(user_id));
    return err;
}

/* Another process may have closed the day meanwhile: then there is nothing to do. A day without
 * records is deleted and does not become a link of the chain. */
static enum err
close_day(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t day)
{
    struct db_rows held = { 0 }, user = { 0 }, rows = { 0 };
    struct activity *records = NULL;
    struct activity_chain chain;
    size_t count = 0;
    enum err err = db_query(tx, mem, &activity_lock_open, &held, db_text(user_id), db_int(day));
    if (err || held.count == 0)
        return err;
    err = db_query(tx, mem, &activity_find_user, &user, db_text(user_id));
    if (!err && user.count == 0) /* written while the account was being deleted */
        return activity_store_end_user(tx, mem, user_id);
    if (!err)
        err = db_query(tx, mem, &activity_list_day, &rows, db_text(user_id), db_int(day));
    read_records(mem, &rows, &records, &count);
    if (!err && count == 0)
        return db_query(tx, mem, &activity_delete_day, NULL, db_text(user_id), db_int(day));
    if (!err)
        err = find_chain(tx, mem, user_id, &chain);
    if (err)
        return err;
    activity_sort(mem, records, count);
    struct str hash = activity_hash(mem, user_id, day, chain.hash, records, count);
    err = db_query(tx, mem, &activity_close_day, NULL, db_text(user_id), db_int(day),
                   db_text(chain.hash), db_text(hash));
    return err ? err
               : db_query(tx, mem, &activity_extend_chain, NULL, db_text(user_id), db_text(hash));
}

/* A day is closed some time after its end, since counters in memory are written with a delay. */
enum err
activity_store_close(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit, size_t *done)
{
    struct db_rows rows = { 0 };
    int64_t before = usage_day_of(now - ACTIVITY_CLOSE_SECONDS);
    enum err err = db_query(tx, mem, &activity_list_open, &rows, db_int(before), db_int(limit));
    *done = rows.count;
    for (size_t i = 0; i < rows.count && !err; i++)
        err = close_day(tx, mem, db_cell_text(&rows, i, 0), db_cell_int(&rows, i, 1));
    return err;
}

/* The chain first: it must not lead to a day that does not exist. */
static enum err
delete_day(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t day, struct str hash)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &activity_shorten_chain, &rows, db_text(user_id), db_int(day),
                            db_text(hash));
    if (!err)
        err = db_query(tx, mem, &activity_delete_records, NULL, db_text(user_id), db_int(day));
    return err ? err : db_query(tx, mem, &activity_delete_day, NULL, db_text(user_id), db_int(day));
}

/* The chain keeps the hash of the last deleted day, so that the remaining days can still be
 * verified. */
enum err
activity_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                              size_t *done)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &activity_list_old, &rows,
                            db_int(usage_day_of(now) - ACTIVITY_KEPT_DAYS), db_int(limit));
    *done = rows.count;
    for (size_t i = 0; i < rows.count && !err; i++)
        err = delete_day(tx, mem, db_cell_text(&rows, i, 0), db_cell_int(&rows, i, 1),
                         db_cell_text(&rows, i, 2));
    return err;
}
