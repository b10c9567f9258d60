#include "store/atom_store.h"

#include "base/arena.h"
#include "base/buf.h"
#include "db/db.h"
#include "db/row_sum.h"
#include "model/atom_list.h"
#include "store/row_key.h"

#include <stdlib.h>
#include <sys/random.h>

/* Numbers, times, and tabs of a line and of a source take at most so much. */
#define LINE_BYTES 100
#define SOURCE_BYTES 24

/* A list of this size is saved without looking at the user's other domains. */
#define SMALL_LIST ((size_t)256 * 1024)

#define OF_MEMBER(row) row ".row_key BETWEEN m.p2 AND m.p3 AND " row ".user_id = m.p1"

/* In statements for many users, the scan of a user's rows ends with the row that is needed: each
 * row costs PostgreSQL about as much as finding the first one. */
#define FIRST_OF_MEMBER(columns, table, domain)                                                    \
    "LATERAL (SELECT " columns " FROM " table " r WHERE " OF_MEMBER("r") " AND r.domain = " domain \
                                                                         " LIMIT 1"

SQL(atom_hold,
    "UPDATE user_record SET generation = generation" USER_HEADER " RETURNING atom_sequence");

/* The same for a change that replaces the hint sets. */
SQL_MANY(atom_hold_sets,
         "UPDATE user_record SET generation = generation" USER_HEADER
         " RETURNING atom_sequence, hint_sets",
         "tii",
         "SELECT m.n, h.* FROM m, " FIRST_OF_MEMBER("r.atom_sequence, r.hint_sets", "user_record",
                                                    "''") " FOR UPDATE) h");

/* Generations are random: after a failover that lost writes, a counter would repeat, and a cached
 * response of a lost state would be used. */
SQL(atom_release, "UPDATE user_record SET generation = $5, atom_sequence = $4" USER_HEADER);

/* A domain gets the user's next row key with its first atom and keeps the row when its list becomes
 * empty. */
SQL_MANY(atom_list_find,
         "SELECT domain, atoms, row_key FROM user_atoms" OF_USER " AND domain = $4" NO_OTHER,
         "tiit",
         "SELECT m.n, a.* FROM m, " FIRST_OF_MEMBER("r.domain, r.atoms, r.row_key", "user_atoms",
                                                    "m.p4") ") a");
SQL(atom_list_list, "SELECT domain, atoms, row_key FROM user_atoms" OF_USER);
SQL(atom_list_domains, "SELECT domain FROM user_atoms" OF_USER " AND atoms <> ''");
/* The caller narrows the range of row keys to that of the row if it has read it. */
SQL_MANY(atom_list_put,
         "UPDATE user_atoms SET atoms = $5" OF_USER " AND domain = $4 RETURNING domain", "tiitt",
         "UPDATE user_atoms a SET atoms = m.p5 FROM m WHERE " OF_MEMBER(
             "a") " AND a.domain = m.p4 RETURNING m.n, a.domain");
SQL(atom_list_add,
    "INSERT INTO user_atoms (row_key, user_id, domain, atoms)"
    " SELECT COALESCE((SELECT MAX(row_key) + 1 FROM user_atoms"
    " WHERE row_key BETWEEN $2 AND $3), $2),"
    " CAST($1 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT)"
    " WHERE NOT EXISTS (SELECT 1 FROM user_atoms WHERE row_key = $3) RETURNING domain");
SQL(atom_list_delete_user, "DELETE FROM user_atoms" OF_USER);

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

/* hint_sets_put and atom_release in one. The form for many expects the header row at the first of
 * the user's row keys, where it is unless two users share them; the group then changes too few
 * rows, and its members run alone. */
SQL_MANY(header_put,
         "UPDATE user_record SET generation = $5, atom_sequence = $4, hint_sets = $6" USER_HEADER
         " RETURNING user_id",
         "tiiiit",
         "UPDATE user_record h SET generation = m.p5, atom_sequence = m.p4, hint_sets = m.p6 FROM m"
         " WHERE h.row_key = m.p2 AND h.user_id = m.p1 AND h.domain = ''");

enum err
atom_store_hold(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t *sequence)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &atom_hold, &rows, db_user(user_id));
    if (!err && rows.count == 0)
        err = ERR_NOT_FOUND;
    *sequence = db_cell_int(&rows, 0, 0);
    return err;
}

enum err
atom_store_hold_sets(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t *sequence,
                     struct str *hint_sets)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &atom_hold_sets, &rows, db_user(user_id));
    if (!err && rows.count == 0)
        err = ERR_NOT_FOUND;
    *sequence = db_cell_int(&rows, 0, 0);
    *hint_sets = db_cell_text(&rows, 0, 1);
    return err ? err : record_store_check(user_id, hint_sets);
}

void
atom_store_prefetch(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain)
{
    db_prefetch(tx, mem, &atom_list_find, db_user(user_id), db_text(domain));
}

static enum err
make_generation(int64_t *out)
{
    return getrandom(out, sizeof *out, 0) == sizeof *out ? ERR_NONE : ERR_UNAVAILABLE;
}

enum err
atom_store_release(struct db_tx *tx, struct arena *mem, struct str user_id, int64_t sequence)
{
    int64_t generation = 0;
    enum err err = make_generation(&generation);
    return err ? err
               : db_query(tx, mem, &atom_release, NULL, db_user(user_id), db_int(sequence),
                          db_int(generation));
}

/* ---- atom lists ---- */

static int
compare_sequence(const void *a, const void *b)
{
    const struct sourced_atom *one = a, *two = b;
    return (one->atom.sequence > two->atom.sequence) - (one->atom.sequence < two->atom.sequence);
}

/* Merges the atoms of several domains, oldest first. */
static enum err
join_atom_lists(struct arena *mem, const struct atom_list *lists, size_t list_count,
                struct str caller, struct sourced_atom **out, size_t *count)
{
    struct sourced_atom **parts = ARENA_ARRAY(mem, struct sourced_atom *, list_count);
    size_t *counts = ARENA_ARRAY(mem, size_t, list_count);
    *count = 0;
    for (size_t i = 0; i < list_count; i++) {
        if (!atom_list_read(mem, lists[i].domain, lists[i].text, caller, &parts[i], &counts[i]))
            return ERR_INTERNAL;
        *count += counts[i];
    }
    if (list_count == 1) {
        *out = parts[0];
        return ERR_NONE;
    }
    *out = ARENA_ARRAY(mem, struct sourced_atom, *count);
    for (size_t i = 0, at = 0; i < list_count; i++)
        for (size_t j = 0; j < counts[i]; j++)
            (*out)[at++] = parts[i][j];
    qsort(*out, *count, sizeof **out, compare_sequence);
    return ERR_NONE;
}

/* The atom lists of all domains if `domain` is absent, and the row key of the last one. */
static enum err
find_rows(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
          struct atom_list **out, size_t *count, int64_t *row_key)
{
    struct db_rows rows = { 0 };
    *row_key = 0;
    enum err err =
        str_present(domain)
            ? db_query(tx, mem, &atom_list_find, &rows, db_user(user_id), db_text(domain))
            : db_query(tx, mem, &atom_list_list, &rows, db_user(user_id));
    *out = ARENA_ARRAY(mem, struct atom_list, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count && !err; i++) {
        struct row_sum row = { .user_id = user_id,
                               .domain = db_cell_text(&rows, i, 0),
                               .text = db_cell_text(&rows, i, 1) };
        err = row_sum_check(&row);
        (*out)[i] = (struct atom_list){ row.domain, row.text };
        *row_key = db_cell_int(&rows, i, 2);
    }
    return err;
}

static enum err
find_atom_lists(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                struct atom_list **out, size_t *count)
{
    int64_t unused;
    return find_rows(tx, mem, user_id, domain, out, count, &unused);
}

enum err
atom_store_read_row(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                    struct str caller, struct sourced_atom **out, size_t *count, int64_t *row_key)
{
    struct atom_list *lists;
    size_t list_count;
    enum err err = find_rows(tx, mem, user_id, domain, &lists, &list_count, row_key);
    *out = NULL;
    *count = 0;
    return err ? err : join_atom_lists(mem, lists, list_count, caller, out, count);
}

enum err
atom_store_read(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                struct str caller, struct sourced_atom **out, size_t *count)
{
    int64_t unused;
    return atom_store_read_row(tx, mem, user_id, domain, caller, out, count, &unused);
}

/* Updates a row, or inserts it if it does not exist. If it probably exists, the update may wait. */
static enum err
put_or_add(struct db_tx *tx, struct arena *mem, const struct sql *put, const struct sql *add,
           const struct db_value *values, size_t count, bool exists)
{
    struct db_rows rows = { 0 };
    enum err err = exists ? db_put_values(tx, mem, put, values, count)
                          : db_query_values(tx, mem, put, values, count, &rows);
    if ((err && err != ERR_NOT_FOUND) || (!err && (exists || rows.count > 0)))
        return err;
    err = db_query_values(tx, mem, add, values, count, &rows);
    return err || rows.count > 0 ? err : ERR_INTERNAL; /* no key left: the 257th row of a user */
}

enum err
atom_store_check_room(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                      const struct sourced_atom *atoms, size_t count)
{
    size_t sources = 0, bytes = 0, list_count;
    struct atom_list *lists;
    for (size_t i = 0; i < count; i++) {
        const struct atom *atom = &atoms[i].atom;
        sources += atoms[i].source_count;
        bytes += LINE_BYTES + atom->id.len + atom->member.len + atom->key.len + atom->value.len;
        for (size_t s = 0; s < atoms[i].source_count; s++)
            bytes += SOURCE_BYTES + atoms[i].sources[s].source.len;
    }
    if (sources > SOURCES_PER_DOMAIN_MAX)
        return ERR_INVALID;
    if (bytes <= SMALL_LIST)
        return ERR_NONE;
    enum err err = find_atom_lists(tx, mem, user_id, STR_NONE, &lists, &list_count);
    for (size_t i = 0; i < list_count; i++)
        bytes += str_eq(lists[i].domain, domain) ? 0 : lists[i].text.len;
    return err || bytes <= ATOMS_BYTES_MAX ? err : ERR_INVALID;
}

enum err
atom_store_save(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                const struct sourced_atom *atoms, size_t count, int64_t row_key)
{
    struct row_sum row = { .user_id = user_id, .domain = domain };
    row.text = atom_list_write(mem, atoms, count);
    if (!str_present(row.text))
        return ERR_INVALID;
    struct str text = row_sum_add(mem, &row);
    if (row_key != 0)
        return db_put(tx, mem, &atom_list_put, db_text(user_id), db_int(row_key), db_int(row_key),
                      db_text(domain), db_text(text));
    const struct db_value values[] = { db_user(user_id), db_text(domain), db_text(text) };
    return put_or_add(tx, mem, &atom_list_put, &atom_list_add, values,
                      sizeof values / sizeof values[0], false);
}

/* ---- one atom ---- */

enum err
atom_store_list(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                struct str caller, struct atom **out, size_t *count)
{
    struct sourced_atom *found = NULL;
    enum err err = atom_store_read(tx, mem, user_id, domain, caller, &found, count);
    *out = ARENA_ARRAY(mem, struct atom, *count);
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = found[i].atom;
    return err;
}

enum err
atom_store_page(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                const struct atom_query *query, struct atom_page *out)
{
    struct atom_list *lists;
    size_t count;
    enum err err = find_atom_lists(tx, mem, user_id, domain, &lists, &count);
    *out = (struct atom_page){ 0 };
    if (err)
        return err;
    return atom_page_read(mem, lists, count, query, out) ? ERR_NONE : ERR_INTERNAL;
}

enum err
atom_store_find(struct db_tx *tx, struct arena *mem, struct str user_id, struct str atom_id,
                struct str caller, struct atom *out)
{
    struct sourced_atom *all = NULL;
    size_t count = 0, at = 0;
    enum err err = atom_store_read(tx, mem, user_id, STR_NONE, caller, &all, &count);
    while (at < count && !str_eq(all[at].atom.id, atom_id))
        at++;
    if (err || at == count)
        return err ? err : ERR_NOT_FOUND;
    *out = all[at].atom;
    return ERR_NONE;
}

static bool
waits_for(const struct atom *atom, struct str app_id)
{
    enum atom_review review = atom_review(atom);
    return (review == REVIEW_FACT && atom->by_caller) ||
           (review == REVIEW_REMOVAL && str_eq(atom->suppressed_by, app_id));
}

enum err
atom_store_count_waiting(struct db_tx *tx, struct arena *mem, struct str user_id, struct str app_id,
                         size_t *out)
{
    struct sourced_atom *atoms = NULL;
    size_t count = 0;
    enum err err = atom_store_read(tx, mem, user_id, STR_NONE, app_id, &atoms, &count);
    *out = 0;
    for (size_t i = 0; i < count; i++)
        *out += waits_for(&atoms[i].atom, app_id);
    return err;
}

enum err
atom_store_domains(struct db_tx *tx, struct arena *mem, struct str user_id, struct str **out,
                   size_t *count)
{
    struct db_rows rows = { 0 };
    enum err err = db_query(tx, mem, &atom_list_domains, &rows, db_user(user_id));
    *out = ARENA_ARRAY(mem, struct str, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*out)[i] = db_cell_text(&rows, i, 0);
    return err;
}

/* ---- sources ---- */

static int
compare_texts(const void *a, const void *b)
{
    const struct str *one = a, *two = b;
    return str_order(*one, *two);
}

enum err
source_store_count(struct db_tx *tx, struct arena *mem, const struct view *view, struct str domain,
                   int64_t *out)
{
    struct sourced_atom *atoms = NULL;
    size_t count = 0, sources = 0, at = 0;
    enum err err = atom_store_read(tx, mem, view->user_id, domain, STR_NONE, &atoms, &count);
    for (size_t i = 0; i < count; i++)
        sources += atoms[i].source_count;
    struct str *names = ARENA_ARRAY(mem, struct str, sources);
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < atoms[i].source_count && atoms[i].atom.status == ATOM_ACTIVE &&
                           view_shows(view, &atoms[i].atom);
             s++)
            names[at++] = atoms[i].sources[s].source;
    qsort(names, at, sizeof *names, compare_texts);
    *out = 0;
    for (size_t i = 0; i < at; i++)
        *out += i == 0 || !str_eq(names[i], names[i - 1]);
    return err;
}

/* ---- records ---- */

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

enum err
record_store_check(struct str user_id, struct str *hint_sets)
{
    struct row_sum row = { .user_id = user_id, .domain = STR(""), .text = *hint_sets };
    enum err err = row_sum_check(&row);
    *hint_sets = row.text;
    return err;
}

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

/* Updates the record, without its hint set. */
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
    return put_or_add(tx, mem, &record_put, &record_add, values, sizeof values / sizeof values[0],
                      exists);
}

/* The hint sets with that of the record. */
static struct str
with_set_of(struct arena *mem, struct str hint_sets, const struct record *record)
{
    struct record set = { .domain = record->domain, .hints = record->hints };
    return with_set(mem, hint_sets, &set, record->atom_count > 0);
}

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

enum err
record_store_put_hints(struct db_tx *tx, struct arena *mem, struct str user_id,
                       const struct record *before, struct str hints)
{
    int64_t sequence;
    struct str hint_sets;
    struct record set, rebuilt = { .domain = before->domain, .hints = hints };
    enum err err = atom_store_hold(tx, mem, user_id, &sequence);
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
atom_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    enum err err = db_query(tx, mem, &atom_list_delete_user, NULL, db_user(user_id));
    if (!err)
        err = db_query(tx, mem, &record_end_user, NULL, db_user(user_id));
    return err ? err : put_hint_sets(tx, mem, user_id, STR_NONE);
}
