/* row_key.c - rows of a user are clustered by an integer made from the first characters of the id,
 * which is random. On both engines a user's rows are then next to each other. */
#include "store/row_key.h"

#include "base/shard.h"
#include "db/db.h"

/* Other characters than base64url digits do not occur in valid ids and count as 0. */
static int64_t
digit(char c)
{
    int value = shard_digit(c);
    return value < 0 ? 0 : value;
}

static int64_t
read_digits(struct str text, size_t from, size_t count)
{
    int64_t number = 0;
    for (size_t i = from; i < from + count; i++)
        number = number * 64 + (i < text.len ? digit(text.ptr[i]) : 0);
    return number;
}

/* The first characters of an id are its shard, so that the row keys of a shard are one range, too.
 */
int64_t
row_key_of_user(struct str user_id)
{
    return read_digits(user_id, 4, 9) * ROW_KEYS_PER_USER; /* after "usr_" */
}

/* For tokens: ten characters are 60 bits, so two tokens rarely share a key; the statement compares
 * the whole hash. */
int64_t
row_key_of_hash(struct str hash)
{
    return read_digits(hash, 0, 10);
}

/* `db_put_values()` reports that no row was changed as ERR_NOT_FOUND, a plain query as no rows. In
 * both cases the row is added with the same values. */
enum err
row_put_or_add(struct db_tx *tx, struct arena *mem, const struct sql *put, const struct sql *add,
               const struct db_value *values, size_t count, bool exists)
{
    struct db_rows rows = { 0 };
    enum err err = exists ? db_put_values(tx, mem, put, values, count)
                          : db_query_values(tx, mem, put, values, count, &rows);
    if ((err && err != ERR_NOT_FOUND) || (!err && (exists || rows.count > 0)))
        return err;
    err = db_query_values(tx, mem, add, values, count, &rows);
    return err || rows.count > 0 ? err : ERR_INTERNAL;
}
