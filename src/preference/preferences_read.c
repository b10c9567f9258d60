/* preferences_read.c - implements the part of preferences.h that reads, as a view shows it.
 *
 * Records are prepared for readers who see everything. For others, and only in the domains that
 * their view limits, a record is built from the atoms that are left. */
#include "base/arena.h"
#include "value/statement.h"
#include "preference/preferences.h"
#include "store/atom_store.h"
#include "store/tx.h"

static struct record
empty_record(struct str domain)
{
    return (struct record){ .domain = domain, .json = STR("{}") };
}

/* The time of the last visible change: that of the prepared record would reveal others. */
static void
build_record(struct arena *mem, const struct domain *domain, const struct atom *atoms, size_t count,
             struct record *out)
{
    *out = empty_record(domain->name);
    out->json = atom_record(mem, domain, atoms, count, &out->atom_count);
    for (size_t i = 0; i < count; i++)
        if (atoms[i].status == ATOM_ACTIVE && atoms[i].updated_at > out->updated_at)
            out->updated_at = atoms[i].updated_at;
}

/* The only way in which this file reads atoms, so that none is read without the view. A write has
 * read them already: preferences_limit(). */
static enum err
list_atoms(struct db_tx *tx, struct arena *mem, const struct view *view, struct str domain,
           struct atom **out, size_t *count)
{
    enum err err = atom_store_list(tx, mem, view->user_id, domain, view->app_id, out, count);
    *count = view_filter(view, *out, *count);
    return err;
}

/* Whether a record has a member with sensitive facts. A name within a value counts too, which only
 * costs time. */
static bool
may_be_sensitive(const struct domain *domain, struct str json)
{
    for (size_t i = 0; i < domain->member_count; i++) {
        const struct member *member = &domain->members[i];
        if ((member->sensitive || statement_holds(member)) &&
            memmem(json.ptr, json.len, member->name.ptr, member->name.len) != NULL)
            return true;
    }
    return false;
}

/* Whether a prepared record may have facts that the view does not show. */
static bool
may_show_too_much(const struct view *view, const struct domain *domain, struct str json)
{
    struct view without = { .withheld =
                                view->withheld }; /* what is withheld besides sensitive facts */
    return view_limits(view, domain->name) &&
           (view_limits(&without, domain->name) || may_be_sensitive(domain, json));
}

/* Replaces a prepared record if the view does not show all of it. */
static enum err
limit_record(struct db_tx *tx, struct arena *mem, const struct view *view,
             const struct domain *domain, struct record *record)
{
    struct atom *atoms = NULL;
    size_t count = 0;
    if (domain == NULL) { /* the definition was removed: the data is kept but not sent */
        if (view_limits(view, record->domain))
            *record = empty_record(record->domain);
        return ERR_NONE;
    }
    if (!may_show_too_much(view, domain, record->json))
        return ERR_NONE;
    enum err err = list_atoms(tx, mem, view, domain->name, &atoms, &count);
    if (!err)
        build_record(mem, domain, atoms, count, record);
    return err;
}

/* A record that shows only what the view allows is left as it is; otherwise, it is made again from
 * the atoms that the app may see. */
void
preferences_limit(struct arena *mem, const struct view *view, const struct domain *domain,
                  const struct sourced_atom *sourced, size_t count, struct record *record)
{
    if (!may_show_too_much(view, domain, record->json))
        return;
    struct atom *atoms = ARENA_ARRAY(mem, struct atom, count);
    for (size_t i = 0; i < count; i++)
        atoms[i] = sourced[i].atom;
    build_record(mem, domain, atoms, view_filter(view, atoms, count), record);
}

/* A domain without a row has an empty record. */
static enum err
read_record(struct db_tx *tx, struct arena *mem, const struct view *view, struct str name,
            const struct domain *domain, struct record *out)
{
    struct record *found = NULL;
    size_t count = 0;
    enum err err = record_store_list(tx, mem, view->user_id, name, &found, &count);
    *out = count > 0 ? found[0] : empty_record(name);
    return err ? err : limit_record(tx, mem, view, domain, out);
}

/* NULL is right for a view that shows everything, which may come without definitions. */
static const struct domain *
definition_of(const struct view *view, struct str name)
{
    return view->domains == NULL ? NULL : domains_find(view->domains, name);
}

enum err
preferences_read_within(struct db_tx *tx, struct arena *mem, const struct view *view,
                        const struct domain *domain, struct record *out)
{
    return read_record(tx, mem, view, domain->name, domain, out);
}

enum err
preferences_read(struct db *db, struct arena *mem, const struct view *view, struct str domain,
                 struct record *out)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, read_record(tx, mem, view, domain, definition_of(view, domain), out));
}

static enum err
read_all(struct db_tx *tx, struct arena *mem, const struct view *view, struct record **out,
         size_t *count)
{
    enum err err = record_store_list(tx, mem, view->user_id, STR_NONE, out, count);
    for (size_t i = 0; i < *count && !err; i++)
        err = limit_record(tx, mem, view, definition_of(view, (*out)[i].domain), &(*out)[i]);
    return err;
}

enum err
preferences_read_all(struct db *db, struct arena *mem, const struct view *view, struct record **out,
                     size_t *count)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, read_all(tx, mem, view, out, count));
}

enum err
preferences_atoms(struct db *db, struct arena *mem, const struct view *view, struct str domain,
                  struct atom **out, size_t *count)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, list_atoms(tx, mem, view, domain, out, count));
}

/* The view is set here, so that no caller can read without one. */
enum err
preferences_page(struct db *db, struct arena *mem, const struct view *view, struct str domain,
                 const struct atom_query *query, struct atom_page *out)
{
    struct atom_query shown = *query;
    shown.view = view;
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, atom_store_page(tx, mem, view->user_id, domain, &shown, out));
}

enum err
preferences_sources(struct db *db, struct arena *mem, const struct view *view, struct str domain,
                    int64_t *out)
{
    struct db_tx *tx = tx_begin_read(db);
    return tx_end_read(tx, source_store_count(tx, mem, view, domain, out));
}
