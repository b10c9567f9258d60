/* user_store.c - the rows of a user: the account, the lookup rows of username and email address,
 * and the user header row.
 *
 * A lookup row makes a name unique. It may be in another database than the user's rows
 * (docs/SCALE.md), so that no statement joins them, and a failure between two commits can leave a
 * lookup row without its user. Such a row only blocks the name: a sign-in compares it with the
 * user's row, and lookup_claims_settle() deletes it. */
#include "store/user_store.h"

#include "base/arena.h"
#include "db/db.h"
#include "store/row_key.h"

/* The columns in the order in which read_user() reads them. */
#define COLUMNS                                                                                \
    "user_id, username, email, name, password_hash, status, position, created_at, updated_at," \
    " epoch, new_email, language, time_zone, device_key, picture"

SQL(user_add, "INSERT INTO user_account (user_id, username, email, email_key, name, password_hash,"
              " status, position, created_at, updated_at, new_email, language, device_key)"
              " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
              " ON CONFLICT DO NOTHING RETURNING user_id");

SQL_SHARED_READ(user_find, "SELECT " COLUMNS " FROM user_account WHERE user_id = $1", "t",
                "SELECT m.n, " COLUMNS " FROM m JOIN user_account ON user_id = m.p1");

/* Lookup rows may be in another database than the user's: no statement uses both. */
SQL(username_find, "SELECT user_id FROM username_lookup WHERE username = $1");
SQL(email_find, "SELECT user_id FROM email_lookup WHERE email_key = $1");

/* Lookup rows. Claiming returns no row if the name or address is another user's. */
#define CLAIM(table, key)                                                                      \
    "INSERT INTO " table " (" key ", user_id) VALUES ($2, $1) ON CONFLICT (" key ") DO UPDATE" \
    " SET user_id = excluded.user_id WHERE " table ".user_id = excluded.user_id RETURNING user_id"
SQL(username_claim, CLAIM("username_lookup", "username"));
SQL(email_claim, CLAIM("email_lookup", "email_key"));

#define RELEASE(table, key) "DELETE FROM " table " WHERE " key " = $2 AND user_id = $1"
SQL(username_release, RELEASE("username_lookup", "username"));
SQL(email_release, RELEASE("email_lookup", "email_key"));

SQL(user_count, "SELECT COUNT(*) FROM user_account");

/* Changes nothing. Locks the row on PostgreSQL, where transactions run concurrently. */
SQL(user_lock, "UPDATE user_account SET epoch = epoch WHERE user_id = $1"
               " RETURNING user_id");

/* The same, for a change of the name or address. */
SQL(user_lock_keys, "UPDATE user_account SET epoch = epoch WHERE user_id = $1"
                    " RETURNING username, email_key");

SQL(user_list, "SELECT " COLUMNS " FROM user_account WHERE position > $1"
               " ORDER BY position LIMIT $2");

/* The epoch revokes sessions and tokens for good, also if the account is enabled again. */
SQL(user_put_status, "UPDATE user_account SET status = $2, epoch = epoch + $4, updated_at = $3"
                     " WHERE user_id = $1 RETURNING user_id");

SQL(user_put_password, "UPDATE user_account SET password_hash = $2, updated_at = $3"
                       " WHERE user_id = $1 RETURNING user_id");

SQL(user_renew_password, "UPDATE user_account SET password_hash = $3"
                         " WHERE user_id = $1 AND password_hash = $2");

SQL(user_put_profile,
    "UPDATE user_account SET username = $2, name = $3, language = $4, time_zone = $5,"
    " updated_at = $6 WHERE user_id = $1 RETURNING user_id");

SQL(user_put_new_email, "UPDATE user_account SET new_email = $2 WHERE user_id = $1"
                        " RETURNING user_id");

SQL(user_put_email,
    "UPDATE user_account SET email = $2, email_key = $3, new_email = NULL, updated_at = $4"
    " WHERE user_id = $1 RETURNING user_id");

SQL(user_delete, "DELETE FROM user_account WHERE user_id = $1 RETURNING user_id");

/* The first free row key after the rows that exist in the user's range. No row if the range is
 * full. */
SQL(header_add,
    "INSERT INTO user_record (row_key, user_id, domain, generation, auth_version, atom_sequence,"
    " atom_count, updated_at, record)"
    " SELECT COALESCE((SELECT MAX(row_key) + 1 FROM user_record"
    " WHERE row_key BETWEEN $2 AND $3), $2), CAST($1 AS TEXT), '', 1, CAST($4 AS BIGINT), 0,"
    " 0, CAST($5 AS BIGINT), ''"
    " WHERE NOT EXISTS (SELECT 1 FROM user_record WHERE row_key = $3) RETURNING user_id");

SQL(header_bump_auth_version, "UPDATE user_record SET auth_version = auth_version + 1" USER_HEADER);

SQL(header_delete, "DELETE FROM user_record" USER_HEADER);

static enum err
read_user(const struct db_rows *rows, size_t row, struct user *out)
{
    *out = (struct user){
        .id = db_cell_text(rows, row, 0),
        .username = db_cell_text(rows, row, 1),
        .email = db_cell_text(rows, row, 2),
        .name = db_cell_text(rows, row, 3),
        .password_hash = db_cell_text(rows, row, 4),
        .position = db_cell_int(rows, row, 6),
        .created_at = db_cell_int(rows, row, 7),
        .updated_at = db_cell_int(rows, row, 8),
        .epoch = db_cell_int(rows, row, 9),
        .new_email = db_cell_text(rows, row, 10),
        .language = db_cell_text(rows, row, 11),
        .time_zone = db_cell_text(rows, row, 12),
        .device_key = db_cell_text(rows, row, 13),
        .picture = db_cell_text(rows, row, 14),
    };
    /* A status this program does not know must not pass for an active one. */
    return user_status_read(db_cell_text(rows, row, 5), &out->status) ? ERR_NONE : ERR_INTERNAL;
}

static enum err
find_one(struct db_tx *tx, struct arena *mem, const struct sql *sql, struct str key,
         struct user *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, sql, &rows, ERR_NOT_FOUND, db_text(key));
    return err ? err : read_user(&rows, 0, out);
}

/* The value of a user in a lookup table, before and after the change. */
struct lookup {
    const struct sql *claim, *release;
    struct str before, after; /* absent: none */
};

static struct lookup
lookup_username(struct str before, struct str after)
{
    return (struct lookup){ &username_claim, &username_release, before, after };
}

static struct lookup
lookup_email(struct str before, struct str after)
{
    return (struct lookup){ &email_claim, &email_release, before, after };
}

/* Claims the new key, then releases the old one. ERR_TAKEN: the new key is another user's; nothing
 * is released then. Equal keys change nothing. */
static enum err
put_lookup(struct db_tx *tx, struct arena *mem, struct str user_id, struct lookup lookup)
{
    enum err err = ERR_NONE;
    if (str_present(lookup.before) && str_present(lookup.after) &&
        str_eq(lookup.before, lookup.after))
        return err;
    if (str_present(lookup.after))
        err = db_query_row(tx, mem, lookup.claim, NULL, ERR_TAKEN, db_text(user_id),
                           db_text(lookup.after));
    if (!err && str_present(lookup.before))
        err = db_query(tx, mem, lookup.release, NULL, db_text(user_id), db_text(lookup.before));
    return err;
}

/* Locks the user and returns the keys of its lookup rows. ERR_NOT_FOUND: there is none. */
static enum err
lock_keys(struct db_tx *tx, struct arena *mem, struct str user_id, struct str *username,
          struct str *email_key)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &user_lock_keys, &rows, ERR_NOT_FOUND, db_text(user_id));
    *username = db_cell_text(&rows, 0, 0);
    *email_key = db_cell_text(&rows, 0, 1);
    return err;
}

/* The lookup rows are claimed first, since they decide whether username and email are free:
 * ERR_TAKEN. */
enum err
user_store_add(struct db_tx *tx, struct arena *mem, const struct user *user)
{
    enum err err = put_lookup(tx, mem, user->id, lookup_username(STR_NONE, user->username));
    if (!err)
        err = put_lookup(tx, mem, user->id,
                         lookup_email(STR_NONE, user_fold_email(mem, user->email)));
    if (!err)
        err = db_query_row(
            tx, mem, &user_add, NULL, ERR_TAKEN, db_text(user->id), db_text(user->username),
            db_text(user->email), db_text(user_fold_email(mem, user->email)), db_text(user->name),
            db_text(user->password_hash), db_text(str_of(user_status_name(user->status))),
            db_int(user->position), db_int(user->created_at), db_int(user->updated_at),
            db_text(user->new_email), db_text(user->language), db_text(user->device_key));
    /* The auth version starts with other bits of the id than the row key. So a token of a deleted
     * user is not valid for a later user with the same row key. */
    return err ? err
               : db_query_row(tx, mem, &header_add, NULL, ERR_INTERNAL, db_user(user->id),
                              db_int(row_key_of_hash(str_from(user->id, 13))),
                              db_int(user->created_at));
}

enum err
user_store_find(struct db_tx *tx, struct arena *mem, struct str id, struct user *out)
{
    return find_one(tx, mem, &user_find, id, out);
}

/* A lookup row may be older than the user's row, or newer: the callers compare both. */
static enum err
find_by(struct db_tx *tx, struct arena *mem, const struct sql *lookup, struct str key,
        struct user *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, lookup, &rows, ERR_NOT_FOUND, db_text(key));
    return err ? err : user_store_find(tx, mem, db_cell_text(&rows, 0, 0), out);
}

enum err
user_store_find_username(struct db_tx *tx, struct arena *mem, struct str folded, struct user *out)
{
    enum err err = find_by(tx, mem, &username_find, folded, out);
    return !err && !str_eq(out->username, folded) ? ERR_NOT_FOUND : err;
}

enum err
user_store_find_email(struct db_tx *tx, struct arena *mem, struct str folded, struct user *out)
{
    enum err err = find_by(tx, mem, &email_find, folded, out);
    return !err && !str_eq(user_fold_email(mem, out->email), folded) ? ERR_NOT_FOUND : err;
}

/* By position, not by offset, so that a page does not shift when users are added or deleted. */
enum err
user_store_list(struct db_tx *tx, struct arena *mem, int64_t after, int64_t limit,
                struct user **out, size_t *count)
{
    *out = NULL;
    *count = 0;
    if (limit <= 0) /* SQLite reads it as "all", PostgreSQL rejects it */
        return ERR_NONE;
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &user_list, &rows, db_int(after), db_int(limit));
    if (err)
        return err;
    struct user *users = ARENA_ARRAY(mem, struct user, rows.count);
    for (size_t i = 0; i < rows.count && !err; i++)
        err = read_user(&rows, i, &users[i]);
    if (err)
        return err;
    *out = users;
    *count = rows.count;
    return ERR_NONE;
}

/* For metrics and limits; it reads every row of an index. */
enum err
user_store_count(struct db_tx *tx, struct arena *mem, int64_t *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &user_count, &rows);
    *out = db_cell_int(&rows, 0, 0);
    return err;
}

/* Disabling raises the epoch, and the auth version makes cached and copied permissions invalid. */
enum err
user_store_put_status(struct db_tx *tx, struct arena *mem, struct str id, enum user_status status,
                      int64_t now)
{
    enum err err = db_query_row(tx, mem, &user_put_status, NULL, ERR_NOT_FOUND, db_text(id),
                                db_text(str_of(user_status_name(status))), db_int(now),
                                db_int(status == USER_DISABLED ? 1 : 0));
    return err ? err : user_store_bump_auth_version(tx, mem, id);
}

enum err
user_store_put_password(struct db_tx *tx, struct arena *mem, struct str id,
                        struct str password_hash, int64_t now)
{
    return db_query_row(tx, mem, &user_put_password, NULL, ERR_NOT_FOUND, db_text(id),
                        db_text(password_hash), db_int(now));
}

/* The old username is read under the lock, so that the right lookup row is released. */
enum err
user_store_put_profile(struct db_tx *tx, struct arena *mem, const struct user *user)
{
    struct str username, email_key;
    enum err err = lock_keys(tx, mem, user->id, &username, &email_key);
    if (!err)
        err = put_lookup(tx, mem, user->id, lookup_username(username, user->username));
    return err ? err
               : db_query_row(tx, mem, &user_put_profile, NULL, ERR_NOT_FOUND, db_text(user->id),
                              db_text(user->username), db_text(user->name), db_text(user->language),
                              db_text(user->time_zone), db_int(user->updated_at));
}

enum err
user_store_put_new_email(struct db_tx *tx, struct arena *mem, struct str id, struct str email)
{
    return db_query_row(tx, mem, &user_put_new_email, NULL, ERR_NOT_FOUND, db_text(id),
                        db_text(email));
}

/* The email is unique by its folded form. An absent one releases the lookup row. */
enum err
user_store_put_email(struct db_tx *tx, struct arena *mem, struct str id, struct str email,
                     int64_t now)
{
    struct str username, email_key;
    enum err err = lock_keys(tx, mem, id, &username, &email_key);
    if (!err)
        err = put_lookup(tx, mem, id, lookup_email(email_key, user_fold_email(mem, email)));
    return err ? err
               : db_query_row(tx, mem, &user_put_email, NULL, ERR_NOT_FOUND, db_text(id),
                              db_text(email), db_text(user_fold_email(mem, email)), db_int(now));
}

/* A password that was changed meanwhile is not replaced by a hash of the old one. */
enum err
user_store_renew_password(struct db_tx *tx, struct arena *mem, struct str id, struct str old_hash,
                          struct str new_hash)
{
    return db_query(tx, mem, &user_renew_password, NULL, db_text(id), db_text(old_hash),
                    db_text(new_hash));
}

enum err
user_store_lock(struct db_tx *tx, struct arena *mem, struct str id)
{
    return db_query_row(tx, mem, &user_lock, NULL, ERR_NOT_FOUND, db_text(id));
}

enum err
user_store_bump_auth_version(struct db_tx *tx, struct arena *mem, struct str id)
{
    return db_query(tx, mem, &header_bump_auth_version, NULL, db_user(id));
}

/* Username and email become free for others with the commit. */
enum err
user_store_delete(struct db_tx *tx, struct arena *mem, struct str id)
{
    struct str username, email_key;
    enum err err = lock_keys(tx, mem, id, &username, &email_key);
    if (!err)
        err = put_lookup(tx, mem, id, lookup_username(username, STR_NONE));
    if (!err)
        err = put_lookup(tx, mem, id, lookup_email(email_key, STR_NONE));
    if (!err)
        err = db_query_row(tx, mem, &user_delete, NULL, ERR_NOT_FOUND, db_text(id));
    return err ? err : db_query(tx, mem, &header_delete, NULL, db_user(id));
}

/* Runs with every statement that adds a lookup row (spread/); credential/lookup_claims.h reads the
 * notes. */
SQL(claim_note, "INSERT INTO lookup_claim (kind, lookup_key, user_id, claimed_at)"
                " VALUES ($1, $2, $3, $4) ON CONFLICT (kind, lookup_key, user_id)"
                " DO UPDATE SET claimed_at = excluded.claimed_at");
