/* usage_store.c - usage counters per app and day, and per app, day, and user.
 *
 * A process counts in memory and adds its counts from time to time (job/usage.c). These writes must
 * be cheap: all users of an app's day are adjacent rows, in the order in which they are written.
 * app_usage has one row per app, day, and part; the processes have different parts, so that they do
 * not wait for each other's row locks. Its slot leads to the rows of user_usage.
 *
 * Counts of a user and an app must not appear after the user disconnected the app, although another
 * process may still have some in memory. usage_revocation lists such users for as long as this can
 * happen; their counts are added only if a grant exists. */
#include "store/usage_store.h"

#include "base/arena.h"
#include "base/shard.h"
#include "db/db.h"

#include <stdlib.h>

/* The slot of an app's day is the day followed by 42 bits of the app id. The user key is made of 60
 * bits of the user id. With these two integers as its key, a row of user_usage takes about 25
 * bytes, the rows of an app's day are adjacent and in the order in which the counters are written,
 * and no further index is needed. Two users with the same user key share a count; among a million
 * users this happens in one of two million installations. Two apps with the same 42 bits share the
 * counts of users who have connected both; among ten thousand apps two have them in one of 90,000
 * installations. */
#define USER_KEY_DIGITS 10
#define USER_KEY_END "14" /* after "usr_" and these digits */
#define FIRST_DIGIT '-'
#define DIGITS ('z' - FIRST_DIGIT + 1) /* 78: ten of them are less than 2^63 */
#define APP_KEY_DIGITS 7               /* of base64url */
#define SLOTS_OF_DAY ((int64_t)1 << (6 * APP_KEY_DIGITS))

#define INSERT_USERS "INSERT INTO user_usage (slot, user_key, calls, last_use)"
#define ADD_ON_CONFLICT                                                                      \
    " ON CONFLICT (slot, user_key) DO UPDATE SET calls = user_usage.calls + excluded.calls," \
    " last_use = CASE WHEN excluded.last_use > user_usage.last_use THEN excluded.last_use"   \
    " ELSE user_usage.last_use END"

/* Twenty users per statement: starting a statement costs as much as half a row. */
SQL_UNTRACKED(usage_add_many,
              INSERT_USERS " VALUES ($1, $2, $3, $4), ($1, $5, $6, $7), ($1, $8, $9, $10),"
                           " ($1, $11, $12, $13), ($1, $14, $15, $16), ($1, $17, $18, $19),"
                           " ($1, $20, $21, $22), ($1, $23, $24, $25), ($1, $26, $27, $28),"
                           " ($1, $29, $30, $31), ($1, $32, $33, $34), ($1, $35, $36, $37),"
                           " ($1, $38, $39, $40), ($1, $41, $42, $43), ($1, $44, $45, $46),"
                           " ($1, $47, $48, $49), ($1, $50, $51, $52), ($1, $53, $54, $55),"
                           " ($1, $56, $57, $58), ($1, $59, $60, $61)" ADD_ON_CONFLICT);

SQL_UNTRACKED(usage_add_one, INSERT_USERS " VALUES ($1, $2, $3, $4)" ADD_ON_CONFLICT);

/* Adds nothing if the grant was revoked meanwhile. */
SQL_UNTRACKED(
    usage_add_connected, INSERT_USERS
    " SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT)"
    " FROM app_grant g WHERE g.user_id = $5 AND g.app_id = $6" ADD_ON_CONFLICT);

SQL_UNTRACKED(usage_list_revoked, "SELECT user_id FROM usage_revocation");

/* Adds nothing for a deleted app. */
SQL_UNTRACKED(
    usage_add_app,
    "INSERT INTO app_usage (app_id, day, part, calls, tokens, refused, failed, slot)"
    " SELECT a.app_id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT),"
    " CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BIGINT), CAST($8 AS BIGINT)"
    " FROM app a WHERE a.app_id = $1 ON CONFLICT (app_id, day, part) DO UPDATE SET"
    " calls = app_usage.calls + excluded.calls, tokens = app_usage.tokens + excluded.tokens,"
    " refused = app_usage.refused + excluded.refused, failed = app_usage.failed + excluded.failed"
    " RETURNING app_id");

/* One row per day, however many parts it has. */
SQL(usage_find_grant, "SELECT DISTINCT a.day, p.calls, p.last_use FROM app_usage a"
                      " JOIN user_usage p ON p.slot = a.slot AND p.user_key = $2"
                      " WHERE a.app_id = $1");

/* The sum over all parts of a day (see the first comment of this file). */
SQL(usage_find_app, "SELECT day, CAST(SUM(calls) AS BIGINT), CAST(SUM(tokens) AS BIGINT),"
                    " CAST(SUM(refused) AS BIGINT), CAST(SUM(failed) AS BIGINT) FROM app_usage"
                    " WHERE app_id = $1 AND day > $2 GROUP BY day");

SQL(usage_sum_owner, "SELECT s.app_id, CAST(SUM(s.calls) AS BIGINT),"
                     " CAST(SUM(s.refused) AS BIGINT) FROM app_usage s"
                     " JOIN app a ON a.app_id = s.app_id"
                     " WHERE a.owner_id = $1 AND s.day > $2 GROUP BY s.app_id");

SQL(usage_count_users, "SELECT COUNT(DISTINCT p.user_key) FROM app_usage a"
                       " JOIN user_usage p ON p.slot = a.slot WHERE a.app_id = $1 AND a.day > $2");

SQL(usage_count_connected, "SELECT COUNT(*) FROM app_grant WHERE app_id = $1 AND expires_at > $2");

#define CONNECTED "(SELECT g.app_id FROM app_grant g WHERE g.user_id = $1)"
#define ADD_REVOCATION "INSERT INTO usage_revocation (user_id, app_id, revoked_at)"
#define REVOKED_AGAIN \
    " ON CONFLICT (user_id, app_id) DO UPDATE SET revoked_at = excluded.revoked_at"
SQL_UNTRACKED(usage_revoke_grant, ADD_REVOCATION " VALUES ($1, $2, $3)" REVOKED_AGAIN);
SQL_UNTRACKED(usage_revoke_user, ADD_REVOCATION " SELECT g.user_id, g.app_id, CAST($2 AS BIGINT)"
                                                " FROM app_grant g WHERE g.user_id = "
                                                "$1" REVOKED_AGAIN);

/* Enough of the id for its user key, and no id of a grant. */
SQL_UNTRACKED(usage_forget_user, "UPDATE usage_revocation SET user_id ="
                                 " SUBSTR(user_id, 1, " USER_KEY_END ") WHERE user_id = $1");

SQL_UNTRACKED(usage_end_grant, "DELETE FROM user_usage WHERE user_key = $2 AND slot IN"
                               " (SELECT a.slot FROM app_usage a WHERE a.app_id = $1)");
SQL_UNTRACKED(usage_end_user, "DELETE FROM user_usage WHERE user_key = $2 AND slot IN"
                              " (SELECT a.slot FROM app_usage a WHERE a.app_id IN " CONNECTED ")");

/* At most $2 rows. */
SQL_UNTRACKED(usage_end_app,
              "DELETE FROM app_usage WHERE (app_id, day, part) IN (SELECT app_id, day, part"
              " FROM app_usage WHERE app_id = $1 LIMIT $2) RETURNING day");
SQL_UNTRACKED(usage_end_app_users,
              "DELETE FROM user_usage WHERE (slot, user_key) IN (SELECT p.slot, p.user_key"
              " FROM app_usage a JOIN user_usage p ON p.slot = a.slot WHERE a.app_id = $1 LIMIT $2)"
              " RETURNING slot");

SQL_UNTRACKED(usage_clean_users,
              "DELETE FROM user_usage WHERE (slot, user_key) IN"
              " (SELECT slot, user_key FROM user_usage WHERE slot < $1 LIMIT $2) RETURNING slot");
SQL_UNTRACKED(usage_clean_revocations,
              "DELETE FROM usage_revocation WHERE (user_id, app_id) IN (SELECT user_id, app_id"
              " FROM usage_revocation WHERE revoked_at <= $1 LIMIT $2) RETURNING user_id, app_id");
/* Counts that were being written while the user disconnected the app. */
SQL_UNTRACKED(usage_end_unconnected,
              "DELETE FROM user_usage WHERE user_key = $2 AND slot IN"
              " (SELECT a.slot FROM app_usage a WHERE a.app_id = $1) AND NOT EXISTS"
              " (SELECT 1 FROM app_grant g WHERE g.user_id = $3 AND g.app_id = $1)");
SQL_UNTRACKED(usage_clean_apps,
              "DELETE FROM app_usage WHERE (app_id, day, part) IN"
              " (SELECT app_id, day, part FROM app_usage WHERE day <= $1 LIMIT $2) RETURNING day");

/* ---- adding ---- */

/* The first characters after "usr_" as one number, in byte order. */
static int64_t
user_key_of(struct str user_id)
{
    static const size_t prefix = 4;
    int64_t number = 0;
    for (size_t i = prefix; i < prefix + USER_KEY_DIGITS; i++) {
        int digit = i < user_id.len ? user_id.ptr[i] - FIRST_DIGIT : 0;
        number = number * DIGITS + (digit < 0 || digit >= DIGITS ? 0 : digit);
    }
    return number;
}

/* Slots of later days are greater, so that old rows of all apps are one range (usage_clean_users).
 */
static int64_t
slot_of(struct str app_id, int64_t day)
{
    static const size_t prefix = 4;
    int64_t key = 0;
    for (size_t i = prefix; i < prefix + APP_KEY_DIGITS; i++) {
        int digit = i < app_id.len ? shard_digit(app_id.ptr[i]) : 0;
        key = key * 64 + (digit < 0 ? 0 : digit);
    }
    return day * SLOTS_OF_DAY + key;
}

/* `part` separates the rows of several writers of one app and day, so that they do not wait for
 * each other's lock. exists: false if the app was deleted meanwhile. */
enum err
usage_store_add_app(struct db_tx *tx, struct arena *mem, struct str app_id,
                    const struct usage_day *day, uint32_t part, struct usage_slot *out)
{
    struct db_rows rows = { 0 };
    *out = (struct usage_slot){ .number = slot_of(app_id, day->day) };
    enum err err = db_query(tx, mem, &usage_add_app, &rows, db_text(app_id), db_int(day->day),
                            db_int(part), db_int(day->counts[USAGE_CALL]),
                            db_int(day->counts[USAGE_TOKENS]), db_int(day->counts[USAGE_REFUSED]),
                            db_int(day->counts[USAGE_FAILED]), db_int(out->number));
    out->exists = !err && rows.count > 0;
    return err;
}

static int
compare_numbers(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Sorted, for the binary search of is_revoked(). Only the last hour has notes, so the list is
 * short. */
enum err
usage_store_list_revoked(struct db_tx *tx, struct arena *mem, struct usage_revoked *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_values(tx, mem, &usage_list_revoked, NULL, 0, &rows);
    int64_t *user_keys = ARENA_ARRAY(mem, int64_t, rows.count);
    for (size_t i = 0; i < rows.count; i++)
        user_keys[i] = user_key_of(db_cell_text(&rows, i, 0));
    if (rows.count > 1)
        qsort(user_keys, rows.count, sizeof *user_keys, compare_numbers);
    *out = (struct usage_revoked){ .user_keys = user_keys, .count = rows.count };
    return err;
}

/* By user only: a user who disconnected one app is checked for the others as well, which costs
 * little. */
static bool
is_revoked(const struct usage_revoked *revoked, int64_t user_key)
{
    return revoked->all ||
           (revoked->count > 0 && bsearch(&user_key, revoked->user_keys, revoked->count,
                                          sizeof user_key, compare_numbers) != NULL);
}

/* As many as usage_add_many has. */
#define MANY 20

/* Values of one statement for MANY users. */
struct many {
    struct db_value values[1 + 3 * MANY]; /* the slot, and three of each */
    size_t count;
};

/* A full batch is one statement, the rest of the last batch one statement per user. */
static enum err
add_many(struct db_tx *tx, struct arena *mem, struct many *many)
{
    enum err err = ERR_NONE;
    if (many->count == MANY)
        err = db_query_values(tx, mem, &usage_add_many, many->values, 1 + 3 * MANY, NULL);
    for (size_t i = 0; many->count < MANY && i < many->count && !err; i++) {
        const struct db_value *of = &many->values[1 + 3 * i];
        err = db_query(tx, mem, &usage_add_one, NULL, many->values[0], of[0], of[1], of[2]);
    }
    many->count = 0;
    return err;
}

/* Users with a revocation are written one by one, and only if a grant exists, since counters must
 * not outlive the connection; all others in statements of MANY rows. */
enum err
usage_store_add_users(struct db_tx *tx, struct arena *mem, struct str app_id, int64_t slot,
                      const struct user_usage *users, size_t count,
                      const struct usage_revoked *revoked)
{
    struct many many = { .values[0] = db_int(slot) };
    enum err err = ERR_NONE;
    for (size_t i = 0; i < count && !err; i++) {
        int64_t user_key = user_key_of(users[i].user_id);
        if (is_revoked(revoked, user_key)) {
            err = db_query(tx, mem, &usage_add_connected, NULL, db_int(slot), db_int(user_key),
                           db_int(users[i].calls), db_int(users[i].last_use),
                           db_text(users[i].user_id), db_text(app_id));
            continue;
        }
        struct db_value *of = &many.values[1 + 3 * many.count++];
        of[0] = db_int(user_key);
        of[1] = db_int(users[i].calls);
        of[2] = db_int(users[i].last_use);
        if (many.count == MANY)
            err = add_many(tx, mem, &many);
    }
    return err ? err : add_many(tx, mem, &many);
}

/* ---- reading ---- */

/* The index of a day among the last USAGE_DAYS; USAGE_DAYS if it is older or in the future. */
static size_t
index_of(int64_t day, int64_t today)
{
    int64_t index = day - today + USAGE_DAYS - 1;
    return index < 0 || index >= USAGE_DAYS ? USAGE_DAYS : (size_t)index;
}

/* last_use may be older than the USAGE_DAYS days: rows are kept for USAGE_KEPT_DAYS. */
enum err
usage_store_find_grant(struct db_tx *tx, struct arena *mem, struct str user_id, struct str app_id,
                       int64_t today, struct grant_usage *out)
{
    struct db_rows rows = { 0 };
    *out = (struct grant_usage){ 0 };
    enum err err =
        db_query(tx, mem, &usage_find_grant, &rows, db_text(app_id), db_int(user_key_of(user_id)));
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

/* Every day of the range is in the result, also those without a row. With several databases, a day
 * may have a row of each. */
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
            out->days[index].counts[n] += db_cell_int(&rows, i, 1 + n);
    }
    if (!err)
        err = count_one(tx, mem, &usage_count_users, app_id, today - USAGE_DAYS, &out->users);
    return err ? err : count_one(tx, mem, &usage_count_connected, app_id, now, &out->connected);
}

/* Only apps that were used. Several databases may have a row of an app each. */
enum err
usage_store_sum_owner(struct db_tx *tx, struct arena *mem, struct str owner_id, int64_t today,
                      struct usage_sum **out, size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query(tx, mem, &usage_sum_owner, &rows, db_text(owner_id), db_int(today - USAGE_DAYS));
    struct usage_sum *list = ARENA_ARRAY(mem, struct usage_sum, rows.count);
    *count = 0;
    for (size_t i = 0; i < rows.count && !err; i++) {
        struct str app_id = db_cell_text(&rows, i, 0);
        size_t at = 0;
        while (at < *count && !str_eq(list[at].app_id, app_id))
            at++;
        *count += at == *count;
        list[at].app_id = app_id;
        list[at].calls += db_cell_int(&rows, i, 1);
        list[at].refused += db_cell_int(&rows, i, 2);
    }
    *out = list;
    return err;
}

/* ---- deleting ---- */

/* The note comes first: a process that counts this user in memory reads it before it writes. */
enum err
usage_store_end_grant(struct db_tx *tx, struct arena *mem, struct str user_id, struct str app_id,
                      int64_t now)
{
    enum err err = db_query(tx, mem, &usage_revoke_grant, NULL, db_text(user_id), db_text(app_id),
                            db_int(now));
    return err ? err
               : db_query(tx, mem, &usage_end_grant, NULL, db_text(app_id),
                          db_int(user_key_of(user_id)));
}

/* The same for all grants of the user. */
enum err
usage_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t now)
{
    enum err err = db_query(tx, mem, &usage_revoke_user, NULL, db_text(user_id), db_int(now));
    return err ? err
               : db_query(tx, mem, &usage_end_user, NULL, db_text(user_id),
                          db_int(user_key_of(user_id)));
}

/* The revocation keeps only as much of the id as the user key needs: other processes may still have
 * counts of the user. */
enum err
usage_store_forget_user(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t now)
{
    enum err err = usage_store_end_user(tx, mem, user_id, now);
    return err ? err : db_query(tx, mem, &usage_forget_user, NULL, db_text(user_id));
}

/* The rows of app_usage lead to those of user_usage, so they are deleted last. */
enum err
usage_store_end_app(struct db_tx *tx, struct arena *mem, struct str app_id, int64_t limit,
                    size_t *removed)
{
    const struct sql *const steps[] = { &usage_end_app_users, &usage_end_app };
    *removed = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && (int64_t)*removed < limit; i++) {
        struct db_rows rows = { 0 };
        enum err err =
            db_query(tx, mem, steps[i], &rows, db_text(app_id), db_int(limit - (int64_t)*removed));
        if (err)
            return err;
        *removed += rows.count;
    }
    return ERR_NONE;
}

/* A process may have added counts between the check for a revocation and the deletion; the
 * revocation is old enough now that no process has more of them. */
static enum err
end_unconnected(struct db_tx *tx, struct arena *mem, const struct db_rows *revocations)
{
    enum err err = ERR_NONE;
    for (size_t i = 0; i < revocations->count && !err; i++) {
        struct str user_id = db_cell_text(revocations, i, 0);
        err = db_query(tx, mem, &usage_end_unconnected, NULL,
                       db_text(db_cell_text(revocations, i, 1)), db_int(user_key_of(user_id)),
                       db_text(user_id));
    }
    return err;
}

/* Revocations that are old enough are used once more, to delete counters of users without a grant,
 * before their notes go. */
enum err
usage_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                           size_t *removed)
{
    const struct {
        const struct sql *sql;
        int64_t bound;
    } steps[] = {
        { &usage_clean_users, (usage_day_of(now) - USAGE_KEPT_DAYS + 1) * SLOTS_OF_DAY },
        { &usage_clean_apps, usage_day_of(now) - USAGE_KEPT_DAYS },
        { &usage_clean_revocations, now - USAGE_END_KNOWN_SECONDS },
    };
    *removed = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && (int64_t)*removed < limit; i++) {
        struct db_rows rows = { 0 };
        enum err err = db_query(tx, mem, steps[i].sql, &rows, db_int(steps[i].bound),
                                db_int(limit - (int64_t)*removed));
        if (!err && steps[i].sql == &usage_clean_revocations)
            err = end_unconnected(tx, mem, &rows);
        if (err)
            return err;
        *removed += rows.count;
    }
    return ERR_NONE;
}
