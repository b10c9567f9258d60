/* row_key.h - integer primary keys made of ids and hashes.
 *
 * SQLite stores a table with an integer key in a shallow B-tree. With a text key, whole rows fill
 * the inner pages: eight levels for a million users.
 *
 * A row key holds only the first characters of an id or a hash, so two ids can share one.
 * Statements must compare the text as well. Pure, except row_put_or_add(), which the thread of the
 * transaction calls. */
#ifndef STORE_ROW_KEY_H
#define STORE_ROW_KEY_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct db_tx;
struct db_value;
struct sql;

/* A user's rows in user_record and user_atoms have adjacent keys: 54 bits of the user id, followed
 * by a number below ROW_KEYS_PER_USER. The user header row usually has number 0 (user_store.h). Two
 * users whose ids begin with the same 54 bits share the range; user_id distinguishes their rows. */
#define ROW_KEYS_PER_USER 256

int64_t row_key_of_user(struct str user_id);
int64_t row_key_of_hash(struct str hash); /* 60 bits */

/* Parameters $1, $2, and $3 of a statement on a user's rows, and the WHERE clause that uses them.
 */
#define db_user(user_id)                                \
    db_text(user_id), db_int(row_key_of_user(user_id)), \
        db_int(row_key_of_user(user_id) + ROW_KEYS_PER_USER - 1)
#define OF_USER " WHERE row_key BETWEEN $2 AND $3 AND user_id = $1"
#define USER_HEADER OF_USER " AND domain = ''"

/* Ends a lookup of one row. Without it SQLite scans to the end of the user's key range, which often
 * reads another page. */
#define NO_OTHER " LIMIT 1"

/* OF_USER for a table in the form for many users (SQL_MANY in db.h): parameters are columns of m.
 */
#define OF_MEMBER(row) row ".row_key BETWEEN m.p2 AND m.p3 AND " row ".user_id = m.p1"

/* Ends the scan of a user's rows with the row that is needed: each row costs PostgreSQL about as
 * much as finding the first one. */
#define FIRST_OF_MEMBER(columns, table, domain)                                                    \
    "LATERAL (SELECT " columns " FROM " table " r WHERE " OF_MEMBER("r") " AND r.domain = " domain \
                                                                         " LIMIT 1"

/* Updates a user's row, or inserts it if it does not exist. `exists`: the row probably exists, and
 * the update may wait (db_put_values()). ERR_INTERNAL if the user has ROW_KEYS_PER_USER rows. */
enum err row_put_or_add(struct db_tx *tx, struct arena *mem, const struct sql *put,
                        const struct sql *add, const struct db_value *values, size_t count,
                        bool exists);

#endif
