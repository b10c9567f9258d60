/* token_store.c - families and access tokens: the statements that decide whether a token is valid
 * (see token_store.h). */
#include "credential/token_store.h"

#include "credential/token_rows.h"
#include "base/clock.h"
#include "base/timekeeper.h"
#include "db/db.h"
#include "store/record_store.h"
#include "store/row_key.h"
#include "store/user_store.h"

/* The conditions for a valid family; see token_store.h. */
#define FAMILY_VALID(now)                                   \
    " JOIN app_grant g ON g.grant_id = f.grant_id"          \
    " JOIN app a ON a.app_id = f.app_id"                    \
    " JOIN user_account u ON u.user_id = f.user_id"         \
    " JOIN user_record h ON h.row_key = f.user_row_key"     \
    " WHERE f.expires_at > " now " AND g.expires_at > " now \
    " AND a.status = 'active' AND a.epoch = f.app_epoch"    \
    " AND u.status = 'active' AND u.epoch = f.user_epoch"

SQL_UNTRACKED(family_add,
              "INSERT INTO token_family (family_id, grant_id, user_id, app_id, user_epoch,"
              " app_epoch, scopes, domains_limited, created_at, expires_at, user_row_key, audience)"
              " SELECT CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($1 AS TEXT), CAST($6 AS TEXT),"
              " CAST($7 AS BIGINT), CAST($8 AS BIGINT), CAST($9 AS TEXT), CAST($10 AS BIGINT),"
              " CAST($11 AS BIGINT), CAST($12 AS BIGINT), row_key, CAST($13 AS BIGINT) FROM "
              "user_record" USER_HEADER);

#define FAMILY_COLUMNS                                                                     \
    "f.family_id, f.grant_id, f.user_id, f.app_id, f.user_epoch, f.app_epoch,"             \
    " f.scopes, f.domains_limited, f.created_at, f.expires_at, g.scopes, g.hint_domains,"  \
    " g.write_domains, g.sensitive_domains, g.expires_at, f.user_row_key, h.auth_version," \
    " f.issued_at, f.audience, g.withheld"
SQL_MANY(family_find,
         "SELECT " FAMILY_COLUMNS " FROM token_family f" FAMILY_VALID("$2") " AND f.family_id = $1",
         "ti",
         "SELECT m.n, " FAMILY_COLUMNS
         " FROM m JOIN token_family f ON f.family_id = m.p1" FAMILY_VALID("m.p2"));

SQL_MANY(family_find_by_code,
         "SELECT " FAMILY_COLUMNS
         " FROM auth_code c JOIN token_family f ON f.family_id = c.family_id" FAMILY_VALID(
             "$2") " AND c.code_hash = $1",
         "ti",
         "SELECT m.n, " FAMILY_COLUMNS " FROM m JOIN auth_code c ON c.code_hash = m.p1"
         " JOIN token_family f ON f.family_id = c.family_id" FAMILY_VALID("m.p2"));

/* $3: 1 for families whose code was redeemed, 0 for those that still expire with it. */
SQL_MANY(family_others,
         "SELECT family_id FROM token_family WHERE grant_id = $1 AND family_id <> $2"
         " AND CASE WHEN expires_at - created_at > $4 THEN 1 ELSE 0 END = $3"
         " ORDER BY created_at DESC",
         "ttii",
         "SELECT m.n, f.family_id FROM m JOIN token_family f ON f.grant_id = m.p1"
         " WHERE f.family_id <> m.p2"
         " AND CASE WHEN f.expires_at - f.created_at > m.p4 THEN 1 ELSE 0 END = m.p3"
         " ORDER BY f.created_at DESC");

/* The families of the same grant whose code was redeemed. */
#define OTHERS_OF_CODE                                                                     \
    " JOIN token_family f ON f.family_id = c.family_id"                                    \
    " JOIN token_family o ON o.grant_id = f.grant_id AND o.family_id <> f.family_id WHERE" \
    " o.expires_at - o.created_at > "
SQL_MANY(family_others_by_code,
         "SELECT o.family_id FROM auth_code c" OTHERS_OF_CODE
         "$2 AND c.code_hash = $1 ORDER BY o.created_at DESC",
         "ti",
         "SELECT m.n, o.family_id FROM m JOIN auth_code c ON c.code_hash = m.p1" OTHERS_OF_CODE
         "m.p2 ORDER BY o.created_at DESC");

/* Redeeming the code extends the lifetime of the family, which until then expires with the code. */
SQL_MANY(family_put_times,
         "UPDATE token_family SET expires_at = $2, issued_at = $3 WHERE family_id = $1"
         " RETURNING family_id",
         "tii",
         "UPDATE token_family f SET expires_at = m.p2, issued_at = m.p3 FROM m"
         " WHERE f.family_id = m.p1 RETURNING m.n, f.family_id");

/* Deleting the row revokes everything: codes and tokens are only valid with their family. */
SQL(family_end, "DELETE FROM token_family WHERE family_id = $1 RETURNING user_id, grant_id");
SQL(grant_reused, "UPDATE app_grant SET reused_at = $2 WHERE grant_id = $1");
SQL(family_end_user, "DELETE FROM token_family WHERE user_id = $1");

#define ACCESS_ADD                                                                         \
    "INSERT INTO access_token (row_key, token_hash, family_id, app_id, app_epoch,"         \
    " user_row_key, auth_version, scopes, hint_domains, write_domains, sensitive_domains," \
    " created_at, expires_at, valid_until, audience, withheld)"
SQL_UNTRACKED_MANY(access_add,
                   ACCESS_ADD
                   " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
                   " ON CONFLICT (row_key) DO NOTHING RETURNING row_key",
                   "itttiiittttiiiit",
                   ACCESS_ADD " SELECT p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14,"
                              " p15, p16 FROM m");

/* The lookup of a token whose auth version is current: reads no family, grant, or account. */
#define ACCESS_COLUMNS                                                               \
    "h.user_id, t.app_id, t.scopes, t.hint_domains, t.write_domains,"                \
    " t.sensitive_domains, t.created_at, t.expires_at, t.valid_until, h.generation," \
    " t.audience, a.rate_api, t.withheld, a.purpose"
#define UNDER_AUTH_VERSION(key, hash, now)                                                  \
    " JOIN user_record h ON h.row_key = t.user_row_key AND h.auth_version = t.auth_version" \
    " JOIN app a ON a.app_id = t.app_id"                                                    \
    " WHERE t.row_key = " key " AND t.token_hash = " hash " AND t.valid_until > " now       \
    " AND a.status = 'active' AND a.epoch = t.app_epoch"
#define ACCESS_FIND(more) \
    "SELECT " ACCESS_COLUMNS more " FROM access_token t" UNDER_AUTH_VERSION("$1", "$2", "$3")
#define ACCESS_FIND_MANY(more)         \
    "SELECT m.n, " ACCESS_COLUMNS more \
    " FROM m CROSS JOIN access_token t" UNDER_AUTH_VERSION("m.p1", "m.p2", "m.p3")

SQL_SHARED_READ(access_find, ACCESS_FIND(""), "iti", ACCESS_FIND_MANY(""));
SQL_SHARED_READ(access_find_hint_sets, ACCESS_FIND(", h.hint_sets"), "iti",
                ACCESS_FIND_MANY(", h.hint_sets"));

/* CASE works on both engines: SQLite has no LEAST, and MIN of PostgreSQL takes one value. */
#define EARLIEST_END                                                                          \
    "CASE WHEN t.expires_at < f.expires_at AND t.expires_at < g.expires_at THEN t.expires_at" \
    " WHEN f.expires_at < g.expires_at THEN f.expires_at ELSE g.expires_at END"

/* When the auth version has changed since the token was issued: reads family and grant, too. */
SQL(access_find_family,
    "SELECT f.user_id, f.app_id, t.scopes, t.hint_domains, t.write_domains,"
    " t.sensitive_domains, t.created_at, t.expires_at, " EARLIEST_END
    ", h.generation, t.audience, a.rate_api, g.withheld, a.purpose, g.scopes, g.hint_domains,"
    " g.write_domains, g.sensitive_domains, f.domains_limited"
    " FROM access_token t JOIN token_family f ON f.family_id = t.family_id" FAMILY_VALID(
        "$2") " AND t.row_key = $1 AND t.token_hash = $3 AND t.expires_at > $2");

/* Also for an expired token, without any other check: it only identifies the app whose token
 * expired. */
SQL(access_find_app, "SELECT app_id, expires_at FROM access_token"
                     " WHERE row_key = $1 AND token_hash = $2");

SQL(access_end, "DELETE FROM access_token WHERE row_key = $1 AND token_hash = $2");

/* Four columns, from `first` on. */
static struct permissions
read_permissions(const struct db_rows *rows, size_t first)
{
    struct permissions out = {
        .hint_domains = scopes_read_domains(db_cell_text(rows, 0, first + 1)),
        .write_domains = scopes_read_domains(db_cell_text(rows, 0, first + 2)),
        .sensitive_domains = scopes_read_domains(db_cell_text(rows, 0, first + 3)),
    };
    scopes_read_known(db_cell_text(rows, 0, first), &out.scopes);
    return out;
}

/* ---- families ---- */

/* The other families of a grant, newest first. */
static enum err
end_beyond_max(struct db_tx *tx, struct arena *mem, const struct db_rows *others)
{
    enum err err = ERR_NONE;
    for (size_t i = FAMILIES_PER_GRANT_MAX - 1; i < others->count && !err; i++)
        err = family_store_end(tx, mem, db_cell_text(others, i, 0));
    return err;
}

/* Keeps `but`, even if others were created in the same second. */
static enum err
end_oldest(struct db_tx *tx, struct arena *mem, const struct family *but)
{
    /* A family expires with its code until the code is redeemed, so its length shows whether it
     * was. */
    bool redeemed = but->expires_at - but->created_at > CODE_SECONDS;
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &family_others, &rows, db_text(but->grant_id),
                            db_text(but->id), db_int(redeemed), db_int(CODE_SECONDS));
    return err ? err : end_beyond_max(tx, mem, &rows);
}

/* Families beyond the limit per grant are deleted in the same transaction, oldest first. */
enum err
family_store_add(struct db_tx *tx, struct arena *mem, const struct family *family)
{
    enum err err =
        db_query(tx, mem, &family_add, NULL, db_user(family->user_id), db_text(family->id),
                 db_text(family->grant_id), db_text(family->app_id), db_int(family->user_epoch),
                 db_int(family->app_epoch), db_text(scopes_write(mem, family->scopes)),
                 db_int(family->domains_limited), db_int(family->created_at),
                 db_int(family->expires_at), db_int(family->audience));
    return err ? err : end_oldest(tx, mem, family);
}

/* Both statements return these columns. Scopes of removed domains are dropped
 * (scopes_read_known()). */
static enum err
find_family(struct db_tx *tx, struct arena *mem, const struct sql *sql, struct str key, int64_t now,
            struct live_family *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, sql, &rows, ERR_NOT_FOUND, db_text(key), db_int(now));
    if (err)
        return err;
    *out = (struct live_family){
        .family = { .id = db_cell_text(&rows, 0, 0),
                    .grant_id = db_cell_text(&rows, 0, 1),
                    .user_id = db_cell_text(&rows, 0, 2),
                    .app_id = db_cell_text(&rows, 0, 3),
                    .user_epoch = db_cell_int(&rows, 0, 4),
                    .app_epoch = db_cell_int(&rows, 0, 5),
                    .domains_limited = db_cell_int(&rows, 0, 7) != 0,
                    .created_at = db_cell_int(&rows, 0, 8),
                    .expires_at = db_cell_int(&rows, 0, 9),
                    .issued_at = db_cell_int(&rows, 0, 17),
                    .audience = (audience)db_cell_int(&rows, 0, 18) },
        .granted = read_permissions(&rows, 10),
        .withheld = db_cell_text(&rows, 0, 19),
        .granted_until = db_cell_int(&rows, 0, 14),
        .user_row_key = db_cell_int(&rows, 0, 15),
        .auth_version = db_cell_int(&rows, 0, 16),
    };
    scopes_read_known(db_cell_text(&rows, 0, 6), &out->family.scopes);
    return ERR_NONE;
}

enum err
family_store_find(struct db_tx *tx, struct arena *mem, struct str id, int64_t now,
                  struct live_family *out)
{
    return find_family(tx, mem, &family_find, id, now, out);
}

enum err
family_store_find_by_code(struct db_tx *tx, struct arena *mem, struct str code_hash, int64_t now,
                          struct live_family *out)
{
    return find_family(tx, mem, &family_find_by_code, code_hash, now, out);
}

void
family_store_prefetch(struct db_tx *tx, struct arena *mem, struct str id, int64_t now)
{
    db_prefetch(tx, mem, &family_find, db_text(id), db_int(now));
}

static enum err
put_times(struct db_tx *tx, struct arena *mem, const struct family *family)
{
    return db_put(tx, mem, &family_put_times, db_text(family->id), db_int(family->expires_at),
                  db_int(family->issued_at));
}

/* A family that was revoked meanwhile is left alone. */
enum err
family_store_put_times(struct db_tx *tx, struct arena *mem, const struct family *family)
{
    enum err err = put_times(tx, mem, family);
    if (err == ERR_NOT_FOUND)
        return ERR_NONE; /* revoked meanwhile */
    return err ? err : end_oldest(tx, mem, family);
}

void
family_store_prefetch_code(struct db_tx *tx, struct arena *mem, struct str code_hash, int64_t now)
{
    db_prefetch(tx, mem, &family_find_by_code, db_text(code_hash), db_int(now));
    db_prefetch(tx, mem, &family_others_by_code, db_text(code_hash), db_int(CODE_SECONDS));
}

/* A redeemed code makes its family count for the limit per grant, so families beyond it are deleted
 * now. */
enum err
family_store_begin(struct db_tx *tx, struct arena *mem, const struct family *family,
                   struct str code_hash)
{
    struct db_rows others = { 0 };
    enum err err = put_times(tx, mem, family);
    if (err == ERR_NOT_FOUND)
        return ERR_NONE; /* revoked meanwhile */
    if (!err)
        err = db_query(tx, mem, &family_others_by_code, &others, db_text(code_hash),
                       db_int(CODE_SECONDS));
    return err ? err : end_beyond_max(tx, mem, &others);
}

enum err
family_store_end(struct db_tx *tx, struct arena *mem, struct str id)
{
    struct str user_id;
    return family_store_end_reused(tx, mem, id, 0, &user_id);
}

/* now = 0: the grant records no reuse. The auth version changes, so that access tokens of the
 * family end at once, also those that are cached. */
enum err
family_store_end_reused(struct db_tx *tx, struct arena *mem, struct str id, int64_t now,
                        struct str *user_id)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &family_end, &rows, db_text(id));
    *user_id = STR_NONE;
    if (err || rows.count == 0)
        return err;
    *user_id = db_cell_text(&rows, 0, 0);
    if (now != 0)
        err =
            db_query(tx, mem, &grant_reused, NULL, db_text(db_cell_text(&rows, 0, 1)), db_int(now));
    return err ? err : user_store_bump_auth_version(tx, mem, *user_id);
}

enum err
family_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    enum err err = db_query(tx, mem, &family_end_user, NULL, db_text(user_id));
    return err ? err : user_store_bump_auth_version(tx, mem, user_id);
}

/* ---- tokens ---- */

/* The row copies what the grant allows now. It is used only while the auth version stays the same.
 */
enum err
access_store_add(struct db_tx *tx, struct arena *mem, const struct access_token *token,
                 const struct live_family *of)
{
    int64_t valid_until =
        clock_earlier(token->expires_at, clock_earlier(of->family.expires_at, of->granted_until));
    struct permissions allowed =
        permissions_within(token->scopes, of->family.domains_limited, &of->granted);
    enum err err =
        db_put(tx, mem, &access_add, db_token(token->hash), db_text(of->family.id),
               db_text(of->family.app_id), db_int(of->family.app_epoch), db_int(of->user_row_key),
               db_int(of->auth_version), db_text(scopes_write(mem, allowed.scopes)),
               db_text(scopes_write_domains(mem, allowed.hint_domains)),
               db_text(scopes_write_domains(mem, allowed.write_domains)),
               db_text(scopes_write_domains(mem, allowed.sensitive_domains)),
               db_int(token->created_at), db_int(token->expires_at), db_int(valid_until),
               db_int(token->audience), db_text(of->withheld));
    return token_added(err);
}

/* For a token of an earlier auth version: leaves what the grant still allows. The permissions of
 * the grant are the columns from `first` on. A grant that was widened since does not widen the
 * token. */
static void
narrow(struct permissions *allowed, const struct db_rows *rows, size_t first)
{
    struct permissions granted = read_permissions(rows, first);
    granted.hint_domains &= allowed->hint_domains;
    granted.write_domains &= allowed->write_domains;
    granted.sensitive_domains &= allowed->sensitive_domains;
    *allowed = permissions_within(allowed->scopes, db_cell_int(rows, 0, first + 4) != 0, &granted);
}

/* The first statement reads token, header row, and app. It finds the token only while the auth
 * version is the one under which the token was issued: then family, grant, and account are as they
 * were, and need not be read. Otherwise the second statement reads all of them, and its columns
 * from 14 on are what the grant still allows. The checksum of the hint sets is verified before the
 * clock is asked, so that a damaged row is 503, not "expired". */
enum err
access_store_find(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now,
                  struct access *out, struct str *hint_sets)
{
    struct db_rows rows = { 0 };
    const struct sql *sql = hint_sets == NULL ? &access_find : &access_find_hint_sets;
    enum err err = db_query(tx, mem, sql, &rows, db_token(hash), db_int(now));
    bool is_current = !err && rows.count > 0;
    if (!err && !is_current)
        err = db_query_row(tx, mem, &access_find_family, &rows, ERR_NOT_FOUND,
                           db_int(row_key_of_hash(hash)), db_int(now), db_text(hash));
    if (err)
        return err;
    if (hint_sets != NULL)
        *hint_sets = is_current ? db_cell_text(&rows, 0, 14) : STR_NONE;
    *out = (struct access){
        .user_id = db_cell_text(&rows, 0, 0),
        .app_id = db_cell_text(&rows, 0, 1),
        .allowed = read_permissions(&rows, 2),
        .created_at = db_cell_int(&rows, 0, 6),
        .expires_at = db_cell_int(&rows, 0, 7),
        .valid_until = db_cell_int(&rows, 0, 8),
        .generation = db_cell_int(&rows, 0, 9),
        .audience = (audience)db_cell_int(&rows, 0, 10),
        .rate_api = db_cell_int(&rows, 0, 11),
        .withheld = db_cell_text(&rows, 0, 12),
        .purpose = db_cell_text(&rows, 0, 13),
        .token_hash = hash,
    };
    if (!is_current)
        narrow(&out->allowed, &rows, 14);
    if (hint_sets != NULL && record_store_check(out->user_id, hint_sets))
        return ERR_UNAVAILABLE;
    return timekeeper_rejects(out->created_at, out->expires_at, now) ? ERR_NOT_FOUND : ERR_NONE;
}

/* Finds the app of a token that is not valid any more, to count the refused request for its
 * developer. */
enum err
access_store_find_app(struct db_tx *tx, struct arena *mem, struct str hash, struct str *app_id,
                      int64_t *expires_at)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &access_find_app, &rows, ERR_NOT_FOUND, db_token(hash));
    if (err)
        return err;
    *app_id = db_cell_text(&rows, 0, 0);
    *expires_at = db_cell_int(&rows, 0, 1);
    return ERR_NONE;
}

enum err
access_store_end(struct db_tx *tx, struct arena *mem, struct str hash)
{
    return db_query(tx, mem, &access_end, NULL, db_token(hash));
}
