/* session_store.c - short-lived rows of a sign-in: sessions, authorization requests, codes, and
 * counted attempts.
 *
 * A single statement takes a row that may be used once: a request is deleted, a code is updated
 * only if it was not redeemed. Of several concurrent uses exactly one changes a row. Expiry is part
 * of each WHERE clause; housekeeping only frees the space. */
#include "credential/session_store.h"

#include "base/arena.h"
#include "db/db.h"
#include "store/user_store.h"

#define COLUMNS                                                                   \
    "session_hash, user_id, user_epoch, device, address, created_at, expires_at," \
    " confirmed_at"

SQL(session_add, "INSERT INTO session (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)");

SQL(session_confirm, "UPDATE session SET confirmed_at = $2 WHERE session_hash = $1");

SQL(session_find, "SELECT " COLUMNS " FROM session WHERE session_hash = $1 AND expires_at > $2");

SQL(session_list, "SELECT " COLUMNS " FROM session WHERE user_id = $1 AND expires_at > $2"
                  " ORDER BY created_at DESC");

/* To end the oldest beyond the limit; the new session is not among them. */
SQL(session_others, "SELECT session_hash FROM session WHERE user_id = $1 AND session_hash <> $2"
                    " AND expires_at > $3 ORDER BY created_at DESC");

SQL(session_end, "DELETE FROM session WHERE session_hash = $1");

SQL(session_end_all, "DELETE FROM session WHERE user_id = $1");

#define REQUEST_COLUMNS                                                                         \
    "request_hash, session_hash, app_id, redirect_uri, scopes, state, challenge, must_sign_in," \
    " must_consent, expires_at, is_trial, shown, audience"

SQL(request_add, "INSERT INTO auth_request (" REQUEST_COLUMNS ")"
                 " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)");

/* The newest requests are those with the latest expiry, because all are valid for the same time. */
SQL(request_trim, "DELETE FROM auth_request WHERE session_hash = $1 AND request_hash NOT IN"
                  " (SELECT request_hash FROM auth_request WHERE session_hash = $1"
                  " ORDER BY expires_at DESC, request_hash LIMIT $2)");

/* The request belongs to this session ($2), or to one that is no longer valid at $3; see
 * session_store_find. */
#define BELONGS_TO                                                                        \
    "(session_hash = $2 OR NOT EXISTS (SELECT 1 FROM session AS s JOIN user_account AS u" \
    " ON u.user_id = s.user_id AND u.status = 'active' AND u.epoch = s.user_epoch"        \
    " WHERE s.session_hash = auth_request.session_hash AND s.expires_at > $3))"

SQL(request_find, "SELECT " REQUEST_COLUMNS " FROM auth_request"
                  " WHERE request_hash = $1 AND expires_at > $3 AND " BELONGS_TO);

/* Only the session itself: to answer a request of another session it must be moved first. */
SQL(request_take, "DELETE FROM auth_request"
                  " WHERE request_hash = $1 AND session_hash = $2 AND expires_at > $3"
                  " RETURNING " REQUEST_COLUMNS);

/* After signing in, the request belongs to the new session. */
SQL(request_move, "UPDATE auth_request SET session_hash = $4, must_sign_in = 0"
                  " WHERE request_hash = $1 AND " BELONGS_TO);

/* In the order of the columns of the SELECT statements. */
static struct session
read_session(const struct db_rows *rows, size_t row)
{
    return (struct session){
        .hash = db_cell_text(rows, row, 0),
        .user_id = db_cell_text(rows, row, 1),
        .user_epoch = db_cell_int(rows, row, 2),
        .device = db_cell_text(rows, row, 3),
        .address = db_cell_text(rows, row, 4),
        .created_at = db_cell_int(rows, row, 5),
        .expires_at = db_cell_int(rows, row, 6),
        .confirmed_at = db_cell_int(rows, row, 7),
    };
}

/* Keeps the new session, even if others were created in the same second. Rows of expired sessions
 * do not count. */
static enum err
end_oldest(struct db_tx *tx, struct arena *mem, const struct session *but)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &session_others, &rows, db_text(but->user_id),
                            db_text(but->hash), db_int(but->created_at));
    for (size_t i = SESSIONS_PER_USER_MAX - 1; i < rows.count && !err; i++)
        err = session_store_end(tx, mem, db_cell_text(&rows, i, 0));
    return err;
}

/* Sessions beyond the limit per user are deleted in the same transaction, oldest first. */
enum err
session_store_add(struct db_tx *tx, struct arena *mem, const struct session *session)
{
    enum err err = db_query(
        tx, mem, &session_add, NULL, db_text(session->hash), db_text(session->user_id),
        db_int(session->user_epoch), db_text(session->device), db_text(session->address),
        db_int(session->created_at), db_int(session->expires_at), db_int(session->confirmed_at));
    return err ? err : end_oldest(tx, mem, session);
}

/* A session of an earlier epoch began before the user was disabled; enabling the user does not
 * restore it. */
enum err
session_store_find(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now,
                   struct session *out, struct user *user)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query_row(tx, mem, &session_find, &rows, ERR_NOT_FOUND, db_text(hash), db_int(now));
    if (err)
        return err;
    *out = read_session(&rows, 0);
    err = user_store_find(tx, mem, out->user_id, user);
    if (err)
        return err;
    bool valid = user->status == USER_ACTIVE && user->epoch == out->user_epoch;
    return valid ? ERR_NONE : ERR_NOT_FOUND;
}

/* Without expired ones. */
enum err
session_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t now,
                   struct session **out, size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &session_list, &rows, db_text(user_id), db_int(now));
    *out = ARENA_ARRAY(mem, struct session, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*out)[i] = read_session(&rows, i);
    return err;
}

enum err
session_store_confirm(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now)
{
    return db_query(tx, mem, &session_confirm, NULL, db_text(hash), db_int(now));
}

enum err
session_store_end(struct db_tx *tx, struct arena *mem, struct str hash)
{
    return db_query(tx, mem, &session_end, NULL, db_text(hash));
}

enum err
session_store_end_all(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    return db_query(tx, mem, &session_end_all, NULL, db_text(user_id));
}

/* ---- requests ---- */

/* A session cannot fill the store with requests: the oldest ones are deleted first. */
enum err
request_store_add(struct db_tx *tx, struct arena *mem, const struct auth_request *request)
{
    enum err err = db_query(tx, mem, &request_trim, NULL, db_text(request->session_hash),
                            db_int(REQUESTS_PER_SESSION_MAX - 1));
    if (err)
        return err;
    return db_query(tx, mem, &request_add, NULL, db_text(request->hash),
                    db_text(request->session_hash), db_text(request->app_id),
                    db_text(request->redirect_uri), db_text(scopes_write(mem, request->scopes)),
                    db_text(request->state), db_text(request->challenge),
                    db_int(request->must_sign_in), db_int(request->must_consent),
                    db_int(request->expires_at), db_int(request->is_trial), db_text(request->shown),
                    db_int(request->audience));
}

/* The columns are those of REQUEST_COLUMNS. */
static enum err
one_request(struct db_tx *tx, struct arena *mem, const struct sql *sql, struct str hash,
            struct str session_hash, int64_t now, struct auth_request *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, sql, &rows, ERR_NOT_FOUND, db_text(hash),
                                db_text(session_hash), db_int(now));
    if (err)
        return err;
    *out = (struct auth_request){
        .hash = db_cell_text(&rows, 0, 0),
        .session_hash = db_cell_text(&rows, 0, 1),
        .app_id = db_cell_text(&rows, 0, 2),
        .redirect_uri = db_cell_text(&rows, 0, 3),
        .state = db_cell_text(&rows, 0, 5),
        .challenge = db_cell_text(&rows, 0, 6),
        .must_sign_in = db_cell_int(&rows, 0, 7) != 0,
        .must_consent = db_cell_int(&rows, 0, 8) != 0,
        .expires_at = db_cell_int(&rows, 0, 9),
        .is_trial = db_cell_int(&rows, 0, 10) != 0,
        .shown = db_cell_text(&rows, 0, 11),
        .audience = (audience)db_cell_int(&rows, 0, 12),
    };
    scopes_read_known(db_cell_text(&rows, 0, 4), &out->scopes);
    return ERR_NONE;
}

enum err
request_store_find(struct db_tx *tx, struct arena *mem, struct str hash, struct str session_hash,
                   int64_t now, struct auth_request *out)
{
    return one_request(tx, mem, &request_find, hash, session_hash, now, out);
}

enum err
request_store_take(struct db_tx *tx, struct arena *mem, struct str hash, struct str session_hash,
                   int64_t now, struct auth_request *out)
{
    return one_request(tx, mem, &request_take, hash, session_hash, now, out);
}

enum err
request_store_move(struct db_tx *tx, struct arena *mem, struct str hash, struct str from_session,
                   int64_t now, struct str to_session)
{
    return db_query(tx, mem, &request_move, NULL, db_text(hash), db_text(from_session), db_int(now),
                    db_text(to_session));
}

/* ---- codes ---- */

SQL_UNTRACKED(code_add,
              "INSERT INTO auth_code (code_hash, family_id, app_id, redirect_uri, challenge,"
              " expires_at) VALUES ($1, $2, $3, $4, $5, $6)");

/* For many, the rows that are about to be used up are locked when they are read, so that the update
 * after it does not fail. */
#define CODE_COLUMNS \
    "code_hash, family_id, app_id, redirect_uri, challenge, redeemed_at, expires_at"
SQL_MANY(code_find, "SELECT " CODE_COLUMNS " FROM auth_code WHERE code_hash = $1", "t",
         "SELECT m.n, " CODE_COLUMNS
         " FROM m JOIN auth_code c ON c.code_hash = m.p1 FOR UPDATE OF c");

SQL_UNTRACKED_MANY(code_redeem,
                   "UPDATE auth_code SET redeemed_at = $2"
                   " WHERE code_hash = $1 AND redeemed_at IS NULL AND expires_at > $2"
                   " RETURNING family_id",
                   "ti",
                   "UPDATE auth_code c SET redeemed_at = m.p2 FROM m WHERE c.code_hash = m.p1"
                   " AND c.redeemed_at IS NULL AND c.expires_at > m.p2"
                   " RETURNING m.n, c.family_id");

/* The hash begins with the user's shard. */
enum err
code_store_add(struct db_tx *tx, struct arena *mem, const struct auth_code *code)
{
    return db_query(tx, mem, &code_add, NULL, db_text(code->hash), db_text(code->family_id),
                    db_text(code->app_id), db_text(code->redirect_uri), db_text(code->challenge),
                    db_int(code->expires_at));
}

/* Also a redeemed or expired code: the caller must tell a reuse, which revokes the family, from an
 * unknown code. */
enum err
code_store_find(struct db_tx *tx, struct arena *mem, struct str hash, struct auth_code *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &code_find, &rows, ERR_NOT_FOUND, db_text(hash));
    if (err)
        return err;
    *out = (struct auth_code){
        .hash = db_cell_text(&rows, 0, 0),
        .family_id = db_cell_text(&rows, 0, 1),
        .app_id = db_cell_text(&rows, 0, 2),
        .redirect_uri = db_cell_text(&rows, 0, 3),
        .challenge = db_cell_text(&rows, 0, 4),
        .redeemed_at = db_cell_int(&rows, 0, 5),
        .expires_at = db_cell_int(&rows, 0, 6),
    };
    return ERR_NONE;
}

enum err
code_store_redeem(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now)
{
    return db_put(tx, mem, &code_redeem, db_text(hash), db_int(now));
}

/* ---- everything, after a restore ---- */

/* After a restore: tokens that were revoked after the backup must not work again. */
SQL(restore_access, "DELETE FROM access_token");
SQL(restore_refresh, "DELETE FROM refresh_token");
SQL(restore_codes, "DELETE FROM auth_code");
SQL(restore_families, "DELETE FROM token_family");
SQL(restore_requests, "DELETE FROM auth_request");
SQL(restore_sessions, "DELETE FROM session");
SQL(restore_links, "DELETE FROM one_time_link");
/* A new key makes every challenge invalid. */
SQL(restore_challenge_key, "DELETE FROM challenge_key");
SQL(restore_challenges, "DELETE FROM used_challenge");

/* After a restore the backup has sessions and tokens that were revoked since it was made. */
enum err
session_store_end_everything(struct db_tx *tx, struct arena *mem)
{
    const struct sql *const statements[] = { &restore_access,    &restore_refresh,
                                             &restore_codes,     &restore_families,
                                             &restore_requests,  &restore_sessions,
                                             &restore_links,     &restore_challenge_key,
                                             &restore_challenges };
    enum err err = ERR_NONE;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0] && !err; i++)
        err = db_query(tx, mem, statements[i], NULL);
    return err;
}

/* ---- attempts ---- */

/* One statement checks the limit and counts, so that concurrent attempts cannot exceed it. At the
 * limit the WHERE clause leaves the row alone, and no row is returned. A window that has ended
 * begins again with 1. */
SQL_UNTRACKED(attempt_count,
              "INSERT INTO attempt (attempt_key, times, expires_at) VALUES ($1, 1, $3)"
              " ON CONFLICT (attempt_key) DO UPDATE SET"
              " times = CASE WHEN attempt.expires_at > $4 THEN attempt.times + 1 ELSE 1 END,"
              " expires_at = CASE WHEN attempt.expires_at > $4 THEN attempt.expires_at"
              " ELSE excluded.expires_at END"
              " WHERE attempt.times < $2 OR attempt.expires_at <= $4 RETURNING times");

SQL_UNTRACKED(attempt_find, "SELECT expires_at FROM attempt"
                            " WHERE attempt_key = $1 AND times >= $2 AND expires_at > $3");

SQL_UNTRACKED(attempt_return,
              "UPDATE attempt SET times = times - 1 WHERE attempt_key = $1 AND times > 0");

SQL_UNTRACKED(attempt_clean, "DELETE FROM attempt WHERE attempt_key IN"
                             " (SELECT attempt_key FROM attempt WHERE expires_at <= $1 LIMIT $2)"
                             " AND expires_at <= $1 RETURNING expires_at");

enum err
attempt_store_count(struct db_tx *tx, struct arena *mem, struct str key, int64_t limit,
                    int64_t ends_at, int64_t now)
{
    return db_query_row(tx, mem, &attempt_count, NULL, ERR_RATE, db_text(key), db_int(limit),
                        db_int(ends_at), db_int(now));
}

/* 0 if the limit is not reached in the current window. */
enum err
attempt_store_find(struct db_tx *tx, struct arena *mem, struct str key, int64_t limit, int64_t now,
                   int64_t *ends_at)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query(tx, mem, &attempt_find, &rows, db_text(key), db_int(limit), db_int(now));
    *ends_at = db_cell_int(&rows, 0, 0);
    return err;
}

enum err
attempt_store_return(struct db_tx *tx, struct arena *mem, struct str key)
{
    return db_query(tx, mem, &attempt_return, NULL, db_text(key));
}

/* ---- rates ---- */

/* A node replaces its own row, so that nodes do not wait for each other. */
SQL_UNTRACKED(rate_put,
              "INSERT INTO api_rate (rate_key, node, requests, expires_at) VALUES ($1, $2, $3, $4)"
              " ON CONFLICT (rate_key, node) DO UPDATE SET requests = excluded.requests,"
              " expires_at = excluded.expires_at");

/* Counts of all other nodes in the current window. */
SQL_UNTRACKED(rate_find, "SELECT COALESCE(SUM(requests), 0) FROM api_rate"
                         " WHERE rate_key = $1 AND node <> $2 AND expires_at > $3");

SQL_UNTRACKED(rate_clean, "DELETE FROM api_rate WHERE expires_at <= $1 AND rate_key IN"
                          " (SELECT rate_key FROM api_rate WHERE expires_at <= $1 LIMIT $2)"
                          " RETURNING rate_key");

enum err
rate_store_put(struct db_tx *tx, struct arena *mem, int64_t key, int64_t node, int64_t requests,
               int64_t expires_at)
{
    return db_query(tx, mem, &rate_put, NULL, db_int(key), db_int(node), db_int(requests),
                    db_int(expires_at));
}

enum err
rate_store_find(struct db_tx *tx, struct arena *mem, int64_t key, int64_t node, int64_t now,
                int64_t *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &rate_find, &rows, db_int(key), db_int(node), db_int(now));
    *out = db_cell_int(&rows, 0, 0);
    return err;
}

/* ---- deleting ---- */

/* Attempts are windows of one caller; rates are counts that nodes exchange. Neither is read after
 * its end. */
enum err
attempt_store_delete_expired(struct db_tx *tx, struct arena *mem, int64_t now, int64_t limit,
                             size_t *removed)
{
    struct db_rows attempts = { 0 }, rates = { 0 };
    enum err err = db_query(tx, mem, &attempt_clean, &attempts, db_int(now), db_int(limit));
    if (!err)
        err = db_query(tx, mem, &rate_clean, &rates, db_int(now), db_int(limit));
    *removed = attempts.count + rates.count;
    return err;
}
