/* record_store.c - data derived from a user's atoms: records, one row per domain, and hint sets,
 * all in the user header row.
 *
 * A change of atoms is a bracket. record_store_lock() locks the header row; the caller writes atoms
 * and records; record_store_release() changes the generation, which makes cached responses of the
 * user invalid. record_store_put_release() does the end of the bracket with fewer statements, for
 * the change of one domain. All stored texts begin with a checksum (db/row_sum.h). */
#include "store/record_store.h"

#include "base/arena.h"
#include "base/buf.h"
#include "db/db.h"
#include "db/row_sum.h"
#include "store/row_key.h"

#include <sys/random.h>

/* Changes nothing. Locks the header row on PostgreSQL, where transactions run concurrently. */
SQL(header_lock,
    "UPDATE user_record SET generation = generation" USER_HEADER " RETURNING atom_sequence");

/* The same for a change that replaces the hint sets. */
SQL_MANY(header_lock_sets,
         "UPDATE user_record SET generation = generation" USER_HEADER
         " RETURNING atom_sequence, hint_sets",
         "tii",
         "SELECT m.n, h.* FROM m, " FIRST_OF_MEMBER("r.atom_sequence, r.hint_sets", "user_record",
                                                    "''") " FOR UPDATE) h");

/* Generations are random: after a failover that lost writes, a counter would repeat, and a cached
 * response of a lost state would be used. */
SQL(header_release, "UPDATE user_record SET generation = $5, atom_sequence = $4" USER_HEADER);

#define WITH_ATOMS OF_USER " AND atom_count > 0"
SQL(record_list, "SELECT domain, record, atom_count, updated_at FROM user_record" WITH_ATOMS);
SQL_SHARED_READ(
    record_find,
    "SELECT domain, record, atom_count, updated_at FROM user_record" WITH_ATOMS
    " AND domain = $4" NO_OTHER,
    "tiit",
    "SELECT m.n, h.* FROM m, " FIRST_OF_MEMBER("r.domain, r.record, r.atom_count, r.updated_at",
                                               "user_record", "m.p4") ") h WHERE h.atom_count > 0");
SQL_MANY(record_put,
         "UPDATE user_record SET record = $5, atom_count = $6, updated_at = $7" OF_USER
         " AND domain = $4 RETURNING domain",
         "tiittii",
         "UPDATE user_record h SET record = m.p5, atom_count = m.p6, updated_at = m.p7 FROM "
         "m, " FIRST_OF_MEMBER("r.row_key", "user_record", "m.p4") ") k WHERE h.row_key = k.row_key"
                                                                   " RETURNING m.n, h.domain");
SQL(record_add,
    "INSERT INTO user_record (row_key, user_id, domain, record, atom_count, updated_at)"
    " SELECT COALESCE((SELECT MAX(row_key) + 1 FROM user_record"
    " WHERE row_key BETWEEN $2 AND $3), $2), CAST($1 AS TEXT), CAST($4 AS TEXT),"
    " CAST($5 AS TEXT), CAST($6 AS BIGINT), CAST($7 AS BIGINT)"
    " WHERE NOT EXISTS (SELECT 1 FROM user_record WHERE row_key = $3) RETURNING domain");
SQL(record_end_user, "DELETE FROM user_record" OF_USER " AND domain <> ''"); /* not the header */

/* All hint sets of a user are one text in the user header row, which every request reads anyway. */
SQL(hint_sets_find, "SELECT hint_sets FROM user_record" USER_HEADER NO_OTHER);
SQL(hint_sets_put, "UPDATE user_record SET hint_sets = $4" USER_HEADER);

/* hint_sets_put and header_release in one. The form for many expects the header row at the first of
 * the user's row keys, where it is unless two users share them; the group then changes too few
 * rows, and its members run alone. */
SQL_MANY(header_put,
         "UPDATE user_record SET generation = $5, atom_sequence = $4, hint_sets = $6" USER_HEADER
         " RETURNING user_id",
         "tiiiit",
         "UPDATE user_record h SET generation = m.p5, atom_sequence = m.p4, hint_sets = m.p6 FROM m"
         " WHERE h.row_key = m.p2 AND h.user_id = m.p1 AND h.domain = ''");

/* ---- the user header row ---- */

/* The hint sets belong to the header row, whose domain is the empty name. */
enum err
record_store_check(struct str user_id, struct str *hint_sets)
{
    struct row_sum row = { .user_id = user_id, .domain = STR(""), .text = *hint_sets };
    enum err err = row_sum_check(&row);
    *hint_sets = row.text;
    return err;
}

/* Everything that changes a user's data takes this lock first, so writes of one user happen one
 * after another on both engines. *sequence numbers the user's atoms. */
enum err
record_store_lock(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t *sequence)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &header_lock, &rows, ERR_NOT_FOUND, db_user(user_id));
    *sequence = db_cell_int(&rows, 0, 0);
    return err;
}

/* The same, with the hint sets of the row, which saves a statement. */
enum err
record_store_lock_sets(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t *sequence,
                       struct str *hint_sets)
{
    struct db_rows rows = { 0 };
    enum err err = db_query_row(tx, mem, &header_lock_sets, &rows, ERR_NOT_FOUND, db_user(user_id));
    *sequence = db_cell_int(&rows, 0, 0);
    *hint_sets = db_cell_text(&rows, 0, 1);
    return err ? err : record_store_check(user_id, hint_sets);
}

/* Any 64 bits, also a negative number: generations are only compared for equality. */
static enum err
make_generation(int64_t *out)
{
    return getrandom(out, sizeof *out, 0) == sizeof *out ? ERR_NONE : ERR_UNAVAILABLE;
}

/* The new generation makes every cached response about the user outdated. */
enum err
record_store_release(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t sequence)
{
    int64_t generation = 0;
    enum err err = make_generation(&generation);
    return err ? err
               : db_query(tx, mem, &header_release, NULL, db_user(user_id), db_int(sequence),
                          db_int(generation));
}

/* ---- records ---- */

/* The checksum of each row covers the user and the domain, too, so a row that was moved is detected
 * like one that was damaged. */
enum err
record_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                  struct record **out, size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err = str_present(domain)
                       ? db_query(tx, mem, &record_find, &rows, db_user(user_id), db_text(domain))
                       : db_query(tx, mem, &record_list, &rows, db_user(user_id));
    *out = ARENA_ARRAY(mem, struct record, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count && !err; i++) {
        struct row_sum row = {
            .user_id = user_id,
            .domain = db_cell_text(&rows, i, 0),
            .numbers = { db_cell_int(&rows, i, 2), db_cell_int(&rows, i, 3) },
            .text = db_cell_text(&rows, i, 1),
        };
        err = row_sum_check(&row);
        (*out)[i] = (struct record){ .domain = row.domain,
                                     .json = row.text,
                                     .atom_count = row.numbers[0],
                                     .updated_at = row.numbers[1] };
    }
    return err;
}

/* ---- hint sets ---- */

/* One line per hint set: the domain, a space, the hint set. Stored values contain no line breaks,
 * so a hint set has none. */
static bool
next_set(struct str *rest, struct record *out)
{
    struct str line;
    if (!str_cut(rest, '\n', &line))
        return false;
    size_t space = str_index(line, ' ');
    *out = (struct record){ .domain = str_first(line, space), .hints = str_from(line, space + 1) };
    return true;
}

/* Without a header row, as for a deleted user, *out is absent. */
static enum err
find_sets(struct db_tx *tx, struct arena *mem, struct str user_id, struct str *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &hint_sets_find, &rows, db_user(user_id));
    *out = db_cell_text(&rows, 0, 0);
    return err ? err : record_store_check(user_id, out);
}

static enum err
put_hint_sets(struct db_tx *tx, struct arena *mem, struct str user_id, struct str hint_sets)
{
    struct row_sum row = { .user_id = user_id, .domain = STR(""), .text = hint_sets };
    return db_query(tx, mem, &hint_sets_put, NULL, db_user(user_id),
                    db_text(row_sum_add(mem, &row)));
}

/* One line per domain: the name, a blank, and the set, which has no line breaks. */
static void
add_set(struct buf *out, const struct record *set)
{
    if (out->len > 0)
        buf_add_char(out, '\n');
    buf_add(out, set->domain);
    buf_add_char(out, ' ');
    buf_add(out, set->hints);
}

/* The hint sets with `set` replaced or appended; without the domain's hint set if not `present`. */
static struct str
with_set(struct arena *mem, struct str hint_sets, const struct record *set, bool present)
{
    struct buf out = buf_in(mem, SIZE_MAX);
    struct record each;
    while (next_set(&hint_sets, &each)) {
        bool is_it = str_eq(each.domain, set->domain);
        if (!is_it)
            add_set(&out, &each);
        else if (present)
            add_set(&out, set);
        present = present && !is_it;
    }
    if (present)
        add_set(&out, set);
    return out.len == 0 ? STR_NONE : buf_str(&out);
}

/* Writes the record, without its hint set. A record without atoms keeps its row; the statements
 * that read records leave it out. */
static enum err
put_record(struct db_tx *tx, struct arena *mem, struct str user_id, const struct record *record,
           bool exists)
{
    bool has_atoms = record->atom_count > 0;
    struct row_sum row = { .user_id = user_id,
                           .domain = record->domain,
                           .numbers = { record->atom_count, record->updated_at },
                           .text = has_atoms ? record->json : STR("{}") };
    const struct db_value values[] = {
        db_user(user_id),           db_text(record->domain),    db_text(row_sum_add(mem, &row)),
        db_int(record->atom_count), db_int(record->updated_at),
    };
    return row_put_or_add(tx, mem, &record_put, &record_add, values,
                          sizeof values / sizeof values[0], exists);
}

/* The hint sets with that of the record. */
static struct str
with_set_of(struct arena *mem, struct str hint_sets, const struct record *record)
{
    struct record set = { .domain = record->domain, .hints = record->hints };
    return with_set(mem, hint_sets, &set, record->atom_count > 0);
}

/* The record and the hint set of the domain are written together, so one never describes another
 * state than the other. */
enum err
record_store_put(struct db_tx *tx, struct arena *mem, struct str user_id,
                 const struct record *record)
{
    struct str hint_sets;
    enum err err = put_record(tx, mem, user_id, record, false);
    if (!err)
        err = find_sets(tx, mem, user_id, &hint_sets);
    return err ? err : put_hint_sets(tx, mem, user_id, with_set_of(mem, hint_sets, record));
}

/* The hint sets were read and locked by record_store_lock_sets(), so that no second read is needed.
 * All of them are rewritten, because they are one text. */
enum err
record_store_put_release(struct db_tx *tx, struct arena *mem, struct str user_id,
                         const struct record *record, bool exists, int64_t sequence,
                         struct str hint_sets)
{
    int64_t generation = 0;
    enum err err = put_record(tx, mem, user_id, record, exists);
    if (!err)
        err = make_generation(&generation);
    if (err)
        return err;
    struct row_sum row = { .user_id = user_id,
                           .domain = STR(""),
                           .text = with_set_of(mem, hint_sets, record) };
    return db_put(tx, mem, &header_put, db_user(user_id), db_int(sequence), db_int(generation),
                  db_text(row_sum_add(mem, &row)));
}

/* The sets of a user are one column of the header row, so that one statement with the token reads
 * them. The texts of *out point into it. */
void
record_store_split(struct arena *mem, struct str hint_sets, struct record **out, size_t *count)
{
    struct record set;
    size_t capacity = 0;
    for (struct str rest = hint_sets; next_set(&rest, &set);)
        capacity++;
    *out = ARENA_ARRAY(mem, struct record, capacity);
    *count = 0;
    while (next_set(&hint_sets, &set))
        (*out)[(*count)++] = set;
}

/* Absent: the domain has no hint set. */
struct str
record_store_find_set(struct str hint_sets, struct str domain)
{
    struct record set;
    while (next_set(&hint_sets, &set))
        if (str_eq(set.domain, domain))
            return set.hints;
    return STR_NONE;
}

enum err
record_store_hints(struct db_tx *tx, struct arena *mem, struct str user_id, struct record **out,
                   size_t *count)
{
    struct str hint_sets;
    enum err err = find_sets(tx, mem, user_id, &hint_sets);
    record_store_split(mem, hint_sets, out, count);
    return err;
}

/* A rebuild (job/) made `hints` from an earlier snapshot, without a lock. A write in the meantime
 * has stored newer hints: then the stored set differs from `before`, and the rebuilt one is
 * dropped. The generation stays, because the facts did not change. */
enum err
record_store_put_hints(struct db_tx *tx, struct arena *mem, struct str user_id,
                       const struct record *before, struct str hints)
{
    int64_t sequence;
    struct str hint_sets;
    struct record set, rebuilt = { .domain = before->domain, .hints = hints };
    enum err err = record_store_lock(tx, mem, user_id, &sequence);
    if (!err)
        err = find_sets(tx, mem, user_id, &hint_sets);
    if (err)
        return err == ERR_NOT_FOUND ? ERR_NONE : err;
    for (struct str rest = hint_sets; next_set(&rest, &set);)
        if (str_eq(set.domain, before->domain) && str_eq(set.hints, before->hints))
            return put_hint_sets(tx, mem, user_id, with_set(mem, hint_sets, &rebuilt, true));
    return ERR_NONE;
}

enum err
record_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    enum err err = db_query(tx, mem, &record_end_user, NULL, db_user(user_id));
    return err ? err : put_hint_sets(tx, mem, user_id, STR_NONE);
}
