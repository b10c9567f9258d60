#include "store/atom_store.h"

#include "base/arena.h"
#include "db/db.h"

#define ATOM                                                                                    \
    "a.atom_id, a.domain, a.member, a.value_key, a.value, a.status, a.reason, a.suppressed_by," \
    " a.suppressed_at, a.by_user, a.source_count, a.sequence, a.created_at, a.updated_at,"      \
    " s.source"
#define JOIN                                                        \
    " FROM atom a LEFT JOIN atom_source s ON s.user_id = a.user_id" \
    " AND s.atom_id = a.atom_id"
#define COLUMNS ATOM JOIN " AND s.source = $2 WHERE a.user_id = $1"
#define SOURCED                                      \
    ATOM ", s.created_at, s.updated_at, p.name" JOIN \
         " LEFT JOIN app p ON p.app_id = s.source WHERE a.user_id = $1"

SQL(atom_hold, "UPDATE user_account SET generation = generation WHERE user_id = $1"
               " RETURNING atom_sequence");

SQL(atom_release, "UPDATE user_account SET generation = generation + 1, atom_sequence = $2"
                  " WHERE user_id = $1");

SQL(atom_list, "SELECT " COLUMNS " ORDER BY a.sequence");
SQL(atom_list_domain, "SELECT " COLUMNS " AND a.domain = $3 ORDER BY a.sequence");
SQL(atom_list_sourced, "SELECT " SOURCED " ORDER BY a.sequence, s.created_at");
SQL(atom_list_sourced_domain,
    "SELECT " SOURCED " AND a.domain = $2 ORDER BY a.sequence, s.created_at");
SQL(atom_find, "SELECT " COLUMNS " AND a.atom_id = $3");

SQL(atom_add, "INSERT INTO atom (user_id, atom_id, domain, member, value_key, value, status,"
              " reason, suppressed_by, suppressed_at, by_user, source_count, sequence, created_at,"
              " updated_at)"
              " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)");

SQL(atom_put, "UPDATE atom SET status = $3, reason = $4, suppressed_by = $5, suppressed_at = $6,"
              " by_user = $7, source_count = $8, updated_at = $9, value = $10"
              " WHERE user_id = $1 AND atom_id = $2");

SQL(atom_delete, "DELETE FROM atom WHERE user_id = $1 AND atom_id = $2");
SQL(atom_delete_sources, "DELETE FROM atom_source WHERE user_id = $1 AND atom_id = $2");

SQL(source_add, "INSERT INTO atom_source (user_id, atom_id, source, created_at, updated_at)"
                " VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING source");
SQL(source_put, "UPDATE atom_source SET updated_at = $4"
                " WHERE user_id = $1 AND atom_id = $2 AND source = $3");
SQL(source_end, "DELETE FROM atom_source WHERE user_id = $1 AND source = $2");
SQL(source_count, "SELECT COUNT(DISTINCT s.source) FROM atom a JOIN atom_source s"
                  " ON s.user_id = a.user_id AND s.atom_id = a.atom_id"
                  " WHERE a.user_id = $1 AND a.domain = $2 AND a.status = 'active'");

SQL(record_list, "SELECT domain, record, atom_count, updated_at FROM user_record"
                 " WHERE user_id = $1");
SQL(record_find, "SELECT domain, record, atom_count, updated_at FROM user_record"
                 " WHERE user_id = $1 AND domain = $2");
SQL(record_hints, "SELECT domain, hints FROM user_record WHERE user_id = $1");
SQL(record_put, "INSERT INTO user_record (user_id, domain, record, atom_count, updated_at, hints)"
                " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_id, domain) DO UPDATE SET"
                " record = excluded.record, atom_count = excluded.atom_count,"
                " updated_at = excluded.updated_at, hints = excluded.hints");
SQL(record_delete, "DELETE FROM user_record WHERE user_id = $1 AND domain = $2");

SQL(atom_end_user, "DELETE FROM atom WHERE user_id = $1");
SQL(source_end_user, "DELETE FROM atom_source WHERE user_id = $1");
SQL(record_end_user, "DELETE FROM user_record WHERE user_id = $1");

enum err
atom_store_hold(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t *sequence)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &atom_hold, &rows, db_text(user_id));
    if (!err && rows.count == 0)
        err = ERR_NOT_FOUND;
    *sequence = db_cell_int(&rows, 0, 0);
    return err;
}

enum err
atom_store_release(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t sequence)
{
    return db_query(tx, mem, &atom_release, NULL, db_text(user_id), db_int(sequence));
}

static enum err
read_atom(const struct db_rows *rows, size_t row, struct atom *out)
{
    *out = (struct atom){
        .id = db_cell_text(rows, row, 0),
        .domain = db_cell_text(rows, row, 1),
        .member = db_cell_text(rows, row, 2),
        .key = db_cell_text(rows, row, 3),
        .value = db_cell_text(rows, row, 4),
        .reason = db_cell_text(rows, row, 6),
        .suppressed_by = db_cell_text(rows, row, 7),
        .suppressed_at = db_cell_int(rows, row, 8),
        .by_user = db_cell_int(rows, row, 9) != 0,
        .source_count = db_cell_int(rows, row, 10),
        .sequence = db_cell_int(rows, row, 11),
        .created_at = db_cell_int(rows, row, 12),
        .updated_at = db_cell_int(rows, row, 13),
        .by_asker = str_present(db_cell_text(rows, row, 14)),
    };
    return atom_status_read(db_cell_text(rows, row, 5), &out->status) ? ERR_NONE : ERR_INTERNAL;
}

enum err
atom_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                struct str asker, struct atom **out, size_t *count)
{
    struct db_rows rows = { 0 };
    struct db_value who = db_text(str_present(asker) ? asker : STR(""));
    enum err err =
        str_present(domain)
            ? db_query(tx, mem, &atom_list_domain, &rows, db_text(user_id), who, db_text(domain))
            : db_query(tx, mem, &atom_list, &rows, db_text(user_id), who);
    *out = ARENA_ARRAY(mem, struct atom, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count && !err; i++)
        err = read_atom(&rows, i, &(*out)[i]);
    return err;
}

enum err
atom_store_find(struct db_tx *tx, struct arena *mem, struct str user_id, struct str atom_id,
                struct str asker, struct atom *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &atom_find, &rows, db_text(user_id),
                            db_text(str_present(asker) ? asker : STR("")), db_text(atom_id));
    if (err)
        return err;
    return rows.count == 0 ? ERR_NOT_FOUND : read_atom(&rows, 0, out);
}

enum err
atom_store_add(struct db_tx *tx, struct arena *mem, struct str user_id, const struct atom *atom)
{
    return db_query(tx, mem, &atom_add, NULL, db_text(user_id), db_text(atom->id),
                    db_text(atom->domain), db_text(atom->member), db_text(atom->key),
                    db_text(atom->value), db_text(str_of(atom_status_name(atom->status))),
                    db_text(atom->reason), db_text(atom->suppressed_by),
                    db_int(atom->suppressed_at), db_int(atom->by_user), db_int(atom->source_count),
                    db_int(atom->sequence), db_int(atom->created_at), db_int(atom->updated_at));
}

enum err
atom_store_put(struct db_tx *tx, struct arena *mem, struct str user_id, const struct atom *atom)
{
    return db_query(tx, mem, &atom_put, NULL, db_text(user_id), db_text(atom->id),
                    db_text(str_of(atom_status_name(atom->status))), db_text(atom->reason),
                    db_text(atom->suppressed_by), db_int(atom->suppressed_at),
                    db_int(atom->by_user), db_int(atom->source_count), db_int(atom->updated_at),
                    db_text(atom->value));
}

enum err
atom_store_delete(struct db_tx *tx, struct arena *mem, struct str user_id, struct str atom_id)
{
    enum err err = db_query(tx, mem, &atom_delete, NULL, db_text(user_id), db_text(atom_id));
    return err ? err
               : db_query(tx, mem, &atom_delete_sources, NULL, db_text(user_id), db_text(atom_id));
}

/* ---- sources ---- */

enum err
source_store_add(struct db_tx *tx, struct arena *mem, struct str user_id,
                 const struct atom_source *source, bool *is_new)
{
    struct db_rows rows = { 0 };
    enum err err =
        db_query(tx, mem, &source_add, &rows, db_text(user_id), db_text(source->atom_id),
                 db_text(source->source), db_int(source->created_at), db_int(source->updated_at));
    *is_new = rows.count == 1;
    if (err || *is_new)
        return err;
    return db_query(tx, mem, &source_put, NULL, db_text(user_id), db_text(source->atom_id),
                    db_text(source->source), db_int(source->updated_at));
}

enum err
source_store_end(struct db_tx *tx, struct arena *mem, struct str user_id, struct str source)
{
    return db_query(tx, mem, &source_end, NULL, db_text(user_id), db_text(source));
}

/* Of those who said so in the same second the store tells no order that is the same everywhere. */
static void
place_source(struct sourced_atom *atom, struct atom_source source)
{
    size_t at = atom->source_count++;
    for (; at > 0; at--) {
        const struct atom_source *before = &atom->sources[at - 1];
        if (before->created_at != source.created_at || str_order(before->source, source.source) < 0)
            break;
        atom->sources[at] = *before;
    }
    atom->sources[at] = source;
}

enum err
atom_store_list_sourced(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                        struct sourced_atom **out, size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err =
        str_present(domain)
            ? db_query(tx, mem, &atom_list_sourced_domain, &rows, db_text(user_id), db_text(domain))
            : db_query(tx, mem, &atom_list_sourced, &rows, db_text(user_id));
    struct atom_source *sources = ARENA_ARRAY(mem, struct atom_source, rows.count);
    *out = ARENA_ARRAY(mem, struct sourced_atom, rows.count);
    *count = 0;
    for (size_t i = 0; i < rows.count && !err; i++) {
        struct sourced_atom *atom = *count == 0 ? NULL : &(*out)[*count - 1];
        if (atom == NULL || !str_eq(atom->atom.id, db_cell_text(&rows, i, 0))) {
            atom = &(*out)[(*count)++];
            err = read_atom(&rows, i, &atom->atom);
            atom->atom.by_asker = false;
            atom->sources = &sources[i];
        }
        if (str_present(db_cell_text(&rows, i, 14)))
            place_source(atom,
                         (struct atom_source){ atom->atom.id, db_cell_text(&rows, i, 14),
                                               db_cell_int(&rows, i, 15), db_cell_int(&rows, i, 16),
                                               db_cell_text(&rows, i, 17) });
    }
    return err;
}

enum err
source_store_count(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                   int64_t *out)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &source_count, &rows, db_text(user_id), db_text(domain));
    *out = db_cell_int(&rows, 0, 0);
    return err;
}

/* ---- records ---- */

enum err
record_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                  struct record **out, size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err = str_present(domain)
                       ? db_query(tx, mem, &record_find, &rows, db_text(user_id), db_text(domain))
                       : db_query(tx, mem, &record_list, &rows, db_text(user_id));
    *out = ARENA_ARRAY(mem, struct record, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*out)[i] = (struct record){ .domain = db_cell_text(&rows, i, 0),
                                     .json = db_cell_text(&rows, i, 1),
                                     .atom_count = db_cell_int(&rows, i, 2),
                                     .updated_at = db_cell_int(&rows, i, 3) };
    return err;
}

enum err
record_store_hints(struct db_tx *tx, struct arena *mem, struct str user_id, struct record **out,
                   size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &record_hints, &rows, db_text(user_id));
    *out = ARENA_ARRAY(mem, struct record, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*out)[i] = (struct record){ .domain = db_cell_text(&rows, i, 0),
                                     .hints = db_cell_text(&rows, i, 1) };
    return err;
}

enum err
record_store_put(struct db_tx *tx, struct arena *mem, struct str user_id,
                 const struct record *record)
{
    if (record->atom_count == 0)
        return db_query(tx, mem, &record_delete, NULL, db_text(user_id), db_text(record->domain));
    return db_query(tx, mem, &record_put, NULL, db_text(user_id), db_text(record->domain),
                    db_text(record->json), db_int(record->atom_count), db_int(record->updated_at),
                    db_text(record->hints));
}

enum err
atom_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    enum err err = db_query(tx, mem, &atom_end_user, NULL, db_text(user_id));
    if (!err)
        err = db_query(tx, mem, &source_end_user, NULL, db_text(user_id));
    return err ? err : db_query(tx, mem, &record_end_user, NULL, db_text(user_id));
}
