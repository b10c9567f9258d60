/* refresh_store.c - refresh tokens (see token_store.h).
 *
 * The row of a used refresh token is kept for REUSE_SECONDS only, for retries. After that the token
 * is recognized by the family that it names. */
#include "credential/token_store.h"

#include "credential/token_rows.h"
#include "db/db.h"

#define LATE_SECONDS 5 /* at most, between the time in a token and its commit */
/* The row key has only 60 bits of the hash, so the whole hash is compared as well. */
#define OF_REFRESH " WHERE row_key = $1 AND token_hash = $2"

#define REFRESH_ADD \
    "INSERT INTO refresh_token (row_key, token_hash, family_id, created_at, expires_at, reuses)"
SQL_UNTRACKED_MANY(refresh_add,
                   REFRESH_ADD " VALUES ($1, $2, $3, $4, $5, 0)"
                               " ON CONFLICT (row_key) DO NOTHING RETURNING row_key",
                   "ittii", REFRESH_ADD " SELECT p1, p2, p3, p4, p5, 0 FROM m");

#define REFRESH_COLUMNS \
    "r.token_hash, r.family_id, f.app_id, r.expires_at, r.used_at, r.reuses, r.seed"
SQL_MANY(refresh_find,
         "SELECT " REFRESH_COLUMNS
         " FROM refresh_token r JOIN token_family f ON f.family_id = r.family_id"
         " WHERE r.row_key = $1 AND r.token_hash = $2 AND r.expires_at > $3",
         "iti",
         "SELECT m.n, " REFRESH_COLUMNS
         " FROM m JOIN refresh_token r ON r.row_key = m.p1 AND r.token_hash = m.p2"
         " AND r.expires_at > m.p3"
         " JOIN token_family f ON f.family_id = r.family_id FOR UPDATE OF r");

/* The second column says whether writes of that time were lost when the database failed over: then
 * the token may be unused. */
SQL(refresh_find_forgotten,
    "SELECT f.app_id, (SELECT 1 FROM lost_writes WHERE lost_until >= $4 AND lost_from <= $3"
    " ORDER BY lost_until LIMIT 1) FROM token_family f"
    " WHERE f.family_id = $1 AND f.issued_at > $2");

SQL_UNTRACKED_MANY(
    refresh_use,
    "UPDATE refresh_token SET used_at = $3, expires_at = $4, seed = $5" OF_REFRESH
    " AND used_at IS NULL RETURNING row_key",
    "itiit",
    "UPDATE refresh_token r SET used_at = m.p3, expires_at = m.p4, seed = m.p5 FROM m"
    " WHERE r.row_key = m.p1 AND r.token_hash = m.p2 AND r.used_at IS NULL");

/* One statement compares and counts, so that parallel retries do not exceed the limit. */
SQL_UNTRACKED(refresh_reuse, "UPDATE refresh_token SET reuses = reuses + 1" OF_REFRESH
                             " AND reuses < $3 RETURNING row_key");

enum err
refresh_store_add(struct db_tx *tx, struct arena *mem, struct str hash, struct str family_id,
                  int64_t now)
{
    return token_added(db_put(tx, mem, &refresh_add, db_token(hash), db_text(family_id),
                              db_int(now), db_int(now + REFRESH_SECONDS)));
}

/* Also a used token, so that a reuse can be detected. An expired one is ERR_NOT_FOUND. */
enum err
refresh_store_find(struct db_tx *tx, struct arena *mem, struct str hash, int64_t now,
                   struct refresh_token *out)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query_row(tx, mem, &refresh_find, &rows, ERR_NOT_FOUND, db_token(hash), db_int(now));
    if (err)
        return err;
    *out = (struct refresh_token){
        .hash = db_cell_text(&rows, 0, 0),
        .family_id = db_cell_text(&rows, 0, 1),
        .app_id = db_cell_text(&rows, 0, 2),
        .expires_at = db_cell_int(&rows, 0, 3),
        .used_at = db_cell_int(&rows, 0, 4),
        .reuses = db_cell_int(&rows, 0, 5),
        .seed = db_cell_text(&rows, 0, 6),
    };
    return ERR_NONE;
}

/* For a token whose row was already deleted after its use: its text states when it was issued, and
 * for which family. */
enum err
refresh_store_find_forgotten(struct db_tx *tx, struct arena *mem, struct str family_id,
                             int64_t issued_at, int64_t now, struct refresh_token *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &refresh_find_forgotten, &rows, ERR_NOT_FOUND,
                                db_text(family_id), db_int(now - REFRESH_SECONDS),
                                db_int(issued_at + LATE_SECONDS), db_int(issued_at));
    if (err)
        return err;
    *out = (struct refresh_token){
        .family_id = family_id,
        .app_id = db_cell_text(&rows, 0, 0),
        /* Long ago: the caller treats it as a reuse, which revokes the family, unless it was lost.
         */
        .used_at = 1,
        .is_lost = db_cell_int(&rows, 0, 1) > 0,
    };
    return ERR_NONE;
}

/* ERR_NOT_FOUND: another request used the token first. The row is found for REUSE_SECONDS more; the
 * extra second is the one that `expires_at >` excludes. */
enum err
refresh_store_use(struct db_tx *tx, struct arena *mem, struct str hash, struct str seed,
                  int64_t now)
{
    return db_put(tx, mem, &refresh_use, db_token(hash), db_int(now),
                  db_int(now + REUSE_SECONDS + 1), db_text(seed));
}

enum err
refresh_store_reuse(struct db_tx *tx, struct arena *mem, struct str hash, int64_t reuses_max)
{
    return db_query_row(tx, mem, &refresh_reuse, NULL, ERR_NOT_FOUND, db_token(hash),
                        db_int(reuses_max));
}
