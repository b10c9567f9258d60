/* atom_store.c - a domain's atoms are one text, the atom list (model/atom_list.h), in one row of
 * user_atoms.
 *
 * Every change reads the list, changes the atoms in memory, and writes the list again. The caller
 * holds the user header row meanwhile (record_store_lock()), so that two changes cannot overwrite
 * each other. No query needs one atom without the others, so that an atom has no row and no index
 * entry of its own. To find one by its id, all lists of the user are read. */
#include "store/atom_store.h"

#include "base/arena.h"
#include "db/db.h"
#include "db/row_sum.h"
#include "model/atom_list.h"
#include "store/row_key.h"

#include <stdlib.h>

/* Numbers, times, and tabs of a line and of a source take at most so much. */
#define LINE_BYTES 100
#define SOURCE_BYTES 24

/* A list of this size is saved without looking at the user's other domains. */
#define SMALL_LIST ((size_t)256 * 1024)

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

void
atom_store_prefetch(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain)
{
    db_prefetch(tx, mem, &atom_list_find, db_user(user_id), db_text(domain));
}

/* ---- atom lists ---- */

/* Sequence numbers are unique per user over all domains, and increase with every atom added. */
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

/* The atom lists of all domains if `domain` is absent, and the row key of the last one. The
 * checksum is verified and taken off each text. */
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

/* The row key is returned for atom_store_save(), which then need not look for the row. 0: there is
 * no row yet. */
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

/* ERR_INVALID: the domain has too many sources, or the user too many bytes. */
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
    /* Most writes end here, without reading the other domains. `bytes` is an upper bound. */
    if (bytes <= SMALL_LIST)
        return ERR_NONE;
    enum err err = find_atom_lists(tx, mem, user_id, STR_NONE, &lists, &list_count);
    for (size_t i = 0; i < list_count; i++)
        bytes += str_eq(lists[i].domain, domain) ? 0 : lists[i].text.len;
    return err || bytes <= ATOMS_BYTES_MAX ? err : ERR_INVALID;
}

/* ERR_INVALID: the list is too large for a row. */
enum err
atom_store_save(struct db_tx *tx, struct arena *mem, struct str user_id, struct str domain,
                const struct sourced_atom *atoms, size_t count, int64_t row_key)
{
    struct row_sum row = { .user_id = user_id, .domain = domain };
    row.text = atom_list_write(mem, atoms, count);
    if (!str_present(row.text))
        return ERR_INVALID;
    struct str text = row_sum_add(mem, &row);
    /* The row was read in this transaction and is locked by the header row: the update finds it,
     * and may wait until the commit. */
    if (row_key != 0)
        return db_put(tx, mem, &atom_list_put, db_text(user_id), db_int(row_key), db_int(row_key),
                      db_text(domain), db_text(text));
    const struct db_value values[] = { db_user(user_id), db_text(domain), db_text(text) };
    return row_put_or_add(tx, mem, &atom_list_put, &atom_list_add, values,
                          sizeof values / sizeof values[0], false);
}

/* ---- one atom ---- */

/* Without the sources, which need as much memory as the atoms. */
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

/* Only the lists are read here; atom_page.c decodes the lines of the page. */
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

/* A user has at most some thousand atoms, all in a few rows: an index of ids would cost more writes
 * than it saves reads. */
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

/* `by_caller` was set for this app when the atoms were read. */
static bool
waits_for(const struct atom *atom, struct str app_id)
{
    enum atom_review review = atom_review(atom);
    return (review == REVIEW_FACT && atom->by_caller) ||
           (review == REVIEW_REMOVAL && str_eq(atom->suppressed_by, app_id));
}

/* Of all domains. */
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

/* Only domains with a row. */
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

/* Sources are counted by sorting their names: the same app may have stated many atoms. */
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

enum err
atom_store_end_user(struct db_tx *tx, struct arena *mem, struct str user_id)
{
    return db_query(tx, mem, &atom_list_delete_user, NULL, db_user(user_id));
}
