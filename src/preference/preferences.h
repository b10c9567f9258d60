/* preferences.h - writes and reads a user's preferences. Corrections by the user: corrections.h.
 *
 * Every change is one transaction: it locks the user's row, merges the atoms, rewrites the domain's
 * record, and changes the user's generation; on failure nothing changes. Results are allocated from
 * `mem`. Any thread may call these functions. */
#ifndef PREFERENCE_PREFERENCES_H
#define PREFERENCE_PREFERENCES_H

#include "base/err.h"
#include "value/preference_items.h"
#include "model/atom_merge.h"
#include "model/atom_page.h"
#include "store/record_store.h"

struct arena;
struct db;
struct db_tx;
struct json_value;

struct preference_write {
    struct str user_id;
    const struct domain *domain;
    struct str source; /* an app's id, or SOURCE_USER */
    const struct json_value *preferences;
    int64_t now;
    struct str *undo;      /* SOURCE_USER: set to the id for undo_run(); NULL: no undo */
    bool as_granted;       /* an app: as its grant says, new values wait, and facts are withheld */
    bool keeps_properties; /* of objects: stored ones that the document does not have stay */
    struct preference_outcome *outcomes; /* one per value, in their order; NULL: not wanted */
};

/* ERR_INVALID: `problems` lists the invalid values, or says which limit the write would exceed.
 *
 * A value that is withheld from the app counts as held and changes nothing if it is stored;
 * otherwise it waits for the user. `record` is what the app sees. */
enum err preferences_write(struct db *db, struct arena *mem, const struct preference_write *params,
                           struct preference_counts *out, struct record *record,
                           struct preference_problems *problems);

/* The same inside the caller's transaction. */
enum err preferences_write_within(struct db_tx *tx, struct arena *mem,
                                  const struct preference_write *params,
                                  struct preference_counts *out, struct record *record,
                                  struct preference_problems *problems);

/* Reads what a view shows (model/view.h). An app's view is access_view(): whatever is sent to an
 * app must come from one of these functions, hints_read(), or transfer_export().
 *
 * The record of a domain as the API sends it; without atoms it is {} and has no time. */
enum err preferences_read(struct db *db, struct arena *mem, const struct view *view,
                          struct str domain, struct record *out);
enum err preferences_read_all(struct db *db, struct arena *mem, const struct view *view,
                              struct record **out, size_t *count);

/* The same inside the caller's transaction. */
enum err preferences_read_within(struct db_tx *tx, struct arena *mem, const struct view *view,
                                 const struct domain *domain, struct record *out);

/* The same for a write, which has just made the record of the domain from these atoms, and so need
 * not read either: replaces the record if the view does not show all of it. */
void preferences_limit(struct arena *mem, const struct view *view, const struct domain *domain,
                       const struct sourced_atom *sourced, size_t count, struct record *record);

/* Oldest first, whatever their status; domain absent: all. */
enum err preferences_atoms(struct db *db, struct arena *mem, const struct view *view,
                           struct str domain, struct atom **out, size_t *count);

/* One page of the atoms; domain absent: of all domains. query->view is not used. */
enum err preferences_page(struct db *db, struct arena *mem, const struct view *view,
                          struct str domain, const struct atom_query *query, struct atom_page *out);

/* How many different sources the active atoms of a domain have. */
enum err preferences_sources(struct db *db, struct arena *mem, const struct view *view,
                             struct str domain, int64_t *out);

/* For other flows that change atoms: rebuilds the domain's record from its atoms, in any order,
 * inside the caller's transaction. */
enum err preferences_put_record(struct db_tx *tx, struct arena *mem, struct str user_id,
                                const struct domain *domain, const struct sourced_atom *atoms,
                                size_t count, int64_t now);

#endif
